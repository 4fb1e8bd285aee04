/**
 * When the rows of a population that goes on from load to load took the values that they have. A
 * snapshot that was copied whole from it remembers the load, so that it need not be compared.
 */
export class Lineage {
  /** Loads so far. */
  load = 0;
  /** The first load since which the rows are those of the same entities. */
  steadySince = 0;
  /** For each row the load that changed its values last; good from `steadySince` on. */
  stamps: Uint32Array = new Uint32Array(0);
  /** The rows that the last load changed, ascending. */
  rows: Uint32Array = new Uint32Array(0);
  /** For each of them the fields that changed, bit f for field f. */
  masks: Uint32Array = new Uint32Array(0);
  count = 0;

  /** Lists the rows that have changed since a load, ascending; returns how many. */
  listSince(load: number, count: number, out: Uint32Array): number {
    const { stamps } = this;
    let listed = 0;
    for (let row = 0; row < count; row++) {
      out[listed] = row;
      listed += (stamps[row] as number) > load ? 1 : 0;
    }
    return listed;
  }
}
