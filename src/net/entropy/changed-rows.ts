/** The rows of an update that changed, ascending, and a bit for each group of lanes that did. */
export class ChangedRows {
  /** All are longer than `count`, and made anew by `reserve`. */
  rows: Uint32Array = new Uint32Array(0);
  masks: Int32Array = new Int32Array(0);
  /** Where the tokens of each are: in the baseline; when encoding, in the table that is sent. */
  before: Int32Array = new Int32Array(0);
  after: Int32Array = new Int32Array(0);
  count = 0;

  /** Makes room for `rows` rows and one more, so that one may be written and not counted. */
  reserve(rows: number): void {
    if (this.rows.length > rows) return;
    const room = Math.max(rows + 1, this.rows.length * 2, 16);
    this.rows = new Uint32Array(room);
    this.masks = new Int32Array(room);
    this.before = new Int32Array(room);
    this.after = new Int32Array(room);
  }
}
