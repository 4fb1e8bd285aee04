/** For each row of a result the row that it comes from. It grows when it must and never shrinks. */
export class RowSources {
  count = 0;
  /** What a number means is its user's affair. Made anew by `reserve`. */
  rows: Int32Array = new Int32Array(0);

  /** Makes room for `count` rows; what was in it is gone. */
  reserve(count: number): void {
    if (count > this.rows.length)
      this.rows = new Int32Array(Math.max(count, this.rows.length * 2, 16));
  }
}
