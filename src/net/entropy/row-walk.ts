import { assert } from '../../shared/assert.ts';
import type { TokenTable } from '../record/token-table.ts';
import type { CodedReplica } from './coded-replica.ts';
import type { NumberPort } from './number-port.ts';

/** What an update says, before it is coded. */
export interface UpdateContent {
  /** The tokens of the whole population of this tick. */
  readonly table: TokenTable;
  /** The rows of the table that are sent, ascending. */
  readonly rows: Uint32Array;
  readonly rowCount: number;
  /** Ids that are gone, ascending. */
  readonly deletes: Uint32Array;
  readonly deleteCount: number;
}

/**
 * The rows that a client holds after an update, in ascending order of ids, each with the row of the
 * baseline that it comes from. The first part of every coded update says it: which rows of the
 * baseline are gone and which ids are new. The tokens of the rows follow, in the order of the walk.
 */
export class RowWalk {
  /** For each row of the result: its row in the baseline, or -1 for a new one. */
  origin: Int32Array = new Int32Array(0);
  /** When encoding, for each row of the result that is sent: its row in the table. */
  source: Int32Array = new Int32Array(0);
  /** When encoding: the rows of the result that are sent, ascending. */
  sent: Uint32Array = new Uint32Array(0);
  sentCount = 0;
  /** Whether the rows of the result are those of the baseline. */
  isSame = false;
  /** Ids that are gone, ascending. */
  deletes: Uint32Array = new Uint32Array(0);
  deleteCount = 0;
  /** Rows of the result that are not in the baseline. */
  spawnCount = 0;
  #spawns: Uint32Array = new Uint32Array(0);
  /** When encoding, for each row that is sent: its row in the baseline, if it has one. */
  #found: Uint32Array = new Uint32Array(0);
  /** So many rows from the first on are known to have themselves as their origin. */
  #inPlace = 0;

  /** Finds deletes and new ids of an update. */
  prepare(baseline: CodedReplica | null, content: UpdateContent): void {
    const { table, rows, rowCount } = content;
    const oldIds = baseline === null ? none : baseline.table.ids;
    const oldCount = baseline === null ? 0 : baseline.table.count;
    this.deletes = roomy(this.deletes, content.deleteCount);
    this.#spawns = roomy(this.#spawns, rowCount);
    this.#found = roomy(this.#found, rowCount);
    this.deleteCount = 0;
    let old = 0;
    for (let i = 0; i < content.deleteCount; i++) {
      const id = content.deletes[i] as number;
      while (old < oldCount && (oldIds[old] as number) < id) old++;
      if (old < oldCount && oldIds[old] === id) this.deletes[this.deleteCount++] = id;
    }
    const { ids } = table;
    const spawns = this.#spawns;
    const found = this.#found;
    let spawnCount = 0;
    let shift = 0;
    old = 0;
    for (let i = 0; i < rowCount; i++) {
      const from = (rows[i] as number) | 0;
      const id = ids[from] as number;
      // Mostly a row is as far from the last one as it was.
      const likely = from + shift;
      if (likely >= old && likely < oldCount && oldIds[likely] === id) old = likely;
      while (old < oldCount && (oldIds[old] as number) < id) old++;
      found[i] = old;
      if (old < oldCount && oldIds[old] === id) shift = old - from;
      else spawns[spawnCount++] = id;
    }
    this.spawnCount = spawnCount;
  }

  /**
   * Passes deletes and new ids and lays out the rows of the result. Returns whether what was read
   * can be: a decoder stops at false.
   */
  code(
    port: NumberPort,
    baseline: CodedReplica | null,
    result: CodedReplica,
    spawnLimit: number,
  ): boolean {
    if (baseline !== null && baseline.table.count > 0) {
      if (!this.#codeDeletes(port, baseline)) return false;
    } else {
      this.deleteCount = 0;
    }
    return this.#codeSpawns(port, spawnLimit) && this.#merge(baseline, result);
  }

  /** When encoding: finds the rows that are sent in the result. */
  match(content: UpdateContent, result: CodedReplica): void {
    const { table, rows, rowCount } = content;
    const { ids, count } = result.table;
    const { source, sent } = this;
    this.sentCount = rowCount;
    if (this.isSame) {
      const found = this.#found;
      for (let i = 0; i < rowCount; i++) {
        const row = (found[i] as number) | 0;
        source[row] = rows[i] as number;
        sent[i] = row;
      }
      return;
    }
    const tableIds = table.ids;
    let row = 0;
    let shift = 0;
    for (let i = 0; i < rowCount; i++) {
      const from = (rows[i] as number) | 0;
      const id = tableIds[from] as number;
      const likely = from + shift;
      if (likely >= row && likely < count && ids[likely] === id) row = likely;
      while (row < count && (ids[row] as number) < id) row++;
      assert(row < count && ids[row] === id, 'what is sent is in the result, in ascending order');
      shift = row - from;
      source[row] = from;
      sent[i] = row++;
    }
  }

  /** Deletes go as gaps between rows of the baseline. */
  #codeDeletes(port: NumberPort, baseline: CodedReplica): boolean {
    const { ids, count } = baseline.table;
    const deleteCount = port.number(this.deleteCount);
    if (deleteCount > count) return false;
    this.deletes = roomy(this.deletes, deleteCount);
    this.deleteCount = deleteCount;
    let row = -1;
    for (let i = 0; i < deleteCount; i++) {
      let gap = 0;
      if (!port.decoding) {
        const id = this.deletes[i] as number;
        while (ids[row + 1 + gap] !== id) gap++;
      }
      row += 1 + port.number(gap);
      if (row >= count || port.overran) return false;
      this.deletes[i] = ids[row] as number;
    }
    return true;
  }

  /** New ids go as gaps between ids. */
  #codeSpawns(port: NumberPort, spawnLimit: number): boolean {
    const spawnCount = port.number(this.spawnCount);
    if (spawnCount > spawnLimit) return false;
    this.#spawns = roomy(this.#spawns, spawnCount);
    this.spawnCount = spawnCount;
    let id = -1;
    for (let i = 0; i < spawnCount; i++) {
      id += 1 + port.number((this.#spawns[i] as number) - id - 1);
      if (id > 0xffff_ffff || port.overran) return false;
      this.#spawns[i] = id;
    }
    return true;
  }

  #merge(baseline: CodedReplica | null, result: CodedReplica): boolean {
    const oldIds = baseline === null ? none : baseline.table.ids;
    const oldCount = baseline === null ? 0 : baseline.table.count;
    const count = oldCount - this.deleteCount + this.spawnCount;
    result.reserve(count);
    if (this.origin.length < count) {
      this.#inPlace = 0;
      this.origin = new Int32Array(result.table.ids.length);
      this.source = new Int32Array(result.table.ids.length);
      this.sent = new Uint32Array(result.table.ids.length);
    }
    result.table.count = count;
    this.isSame = count === oldCount && this.spawnCount === 0;
    const { ids } = result.table;
    if (this.isSame && oldIds.length <= ids.length) {
      ids.set(oldIds);
      for (let row = this.#inPlace; row < count; row++) this.origin[row] = row;
      this.#inPlace = Math.max(this.#inPlace, count);
      return true;
    }
    this.#inPlace = 0;
    let old = 0;
    let gone = 0;
    let spawn = 0;
    for (let row = 0; row < count; row++) {
      while (gone < this.deleteCount && oldIds[old] === this.deletes[gone]) {
        old++;
        gone++;
      }
      const oldId = old < oldCount ? (oldIds[old] as number) : beyond;
      const newId = spawn < this.spawnCount ? (this.#spawns[spawn] as number) : beyond;
      if (newId < oldId) {
        ids[row] = newId;
        this.origin[row] = -1;
        spawn++;
      } else if (newId === oldId) {
        return false;
      } else {
        ids[row] = oldId;
        this.origin[row] = old++;
      }
    }
    return true;
  }
}

const none = new Uint32Array(0);
const beyond = 2 ** 32;

function roomy(array: Uint32Array, count: number): Uint32Array {
  return array.length >= count ? array : new Uint32Array(Math.max(count, array.length * 2, 16));
}
