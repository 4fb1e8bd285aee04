/** How near an entity is: the index of its counts in a report. */
export const Band: {
  readonly Near: 0;
  readonly Medium: 1;
  readonly Far: 2;
} = { Near: 0, Medium: 1, Far: 2 };

/**
 * When each entity of a client's population is due, by distance. Rows in ascending order of ids;
 * only the first `count` count. It grows when it must and never shrinks.
 */
export class BandSchedule {
  count = 0;
  ids: Uint32Array = new Uint32Array(0);
  /** One of {@link Band}. */
  bands: Uint8Array = new Uint8Array(0);
  /** The upper 32 bits of the tick from which it is due again. */
  dueHigh: Uint32Array = new Uint32Array(0);
  /** The lower 32 bits of it. */
  dueLow: Uint32Array = new Uint32Array(0);
  /** 1: due and not sent yet. Stays until it is sent. */
  pending: Uint8Array = new Uint8Array(0);

  /** Makes room for `rows` rows; what was there is lost. */
  reserve(rows: number): void {
    if (rows <= this.ids.length) return;
    const room = Math.max(rows, this.ids.length * 2, 16);
    this.ids = new Uint32Array(room);
    this.bands = new Uint8Array(room);
    this.dueHigh = new Uint32Array(room);
    this.dueLow = new Uint32Array(room);
    this.pending = new Uint8Array(room);
    this.count = 0;
  }
}
