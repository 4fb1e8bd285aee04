import type { RecordShape } from '../record/record-shape.ts';
import { gatherRows } from '../snapshot/gather-rows.ts';
import { RowSources } from '../snapshot/row-sources.ts';
import { Snapshot } from '../snapshot/snapshot.ts';
import { NetError } from '../net-error.ts';
import type { RetainedRing } from './retained-ring.ts';

/**
 * The rows that were sent in patches and are not known to have come: by id, each with its newest
 * state. With partial selection a lost row would else wait for its next turn.
 */
export class RecoveryRows {
  #rows: Snapshot;
  #next: Snapshot;
  /** For each row of a union: its row here, or the complement of its row among those added. */
  readonly #sources: RowSources = new RowSources();
  /** The ids of differences, while they are added. */
  #changed: Uint32Array = new Uint32Array(0);

  constructor(shape: RecordShape) {
    this.#rows = new Snapshot(shape);
    this.#next = new Snapshot(shape);
  }

  /** The rows, ascending by id. Its tick means nothing. Another object after each `add`. */
  get rows(): Snapshot {
    return this.#rows;
  }

  /**
   * Returns how many rows there will be once the rows `ids` of `source` are added. Throws
   * VALUE_INVALID, `recovery-ids` for ids that do not ascend or have no row in `source`.
   */
  countWith(source: Snapshot, ids: Uint32Array, idCount: number): number {
    const { ids: held, count } = this.#rows;
    let total = count;
    let row = 0;
    let at = 0;
    let last = 0;
    for (let index = 0; index < idCount; index++) {
      const id = ids[index] as number;
      at = seek(source.ids, at, source.count, id);
      if (id <= last || at === source.count || source.ids[at] !== id) refuseId(id, last);
      last = id;
      row = seek(held, row, count, id);
      if (row === count || held[row] !== id) total++;
    }
    return total;
  }

  /** Adds the rows `ids` of `source`, in place of older states of the same entities. */
  add(source: Snapshot, ids: Uint32Array, idCount: number): void {
    if (idCount === 0) return;
    const old = this.#rows;
    const next = this.#next;
    const sources = this.#sources;
    sources.reserve(old.count + idCount);
    const { rows } = sources;
    let row = 0;
    let count = 0;
    let at = 0;
    for (let index = 0; index < idCount; index++) {
      const id = ids[index] as number;
      at = seek(source.ids, at, source.count, id);
      while (row < old.count && (old.ids[row] as number) < id) rows[count++] = row++;
      if (row < old.count && old.ids[row] === id) row++;
      rows[count++] = ~at;
    }
    while (row < old.count) rows[count++] = row++;
    sources.count = count;
    gatherRows(old, source, sources, next);
    this.#rows = next;
    this.#next = old;
  }

  /**
   * Keeps the rows that `acknowledged` lacks or has in another state than `newest`, with the state
   * of `newest`; what `newest` lacks goes. Without `newest` all go.
   */
  keepUnacknowledged(acknowledged: Snapshot, newest: Snapshot | undefined): void {
    const rows = this.#rows;
    let kept = 0;
    if (newest !== undefined) {
      let at = 0;
      let before = 0;
      for (let row = 0; row < rows.count; row++) {
        const id = rows.ids[row] as number;
        at = seek(newest.ids, at, newest.count, id);
        if (at === newest.count || newest.ids[at] !== id) continue;
        before = seek(acknowledged.ids, before, acknowledged.count, id);
        const isThere = before < acknowledged.count && acknowledged.ids[before] === id;
        if (isThere && isSameState(newest, at, acknowledged, before)) continue;
        rows.ids[kept] = id;
        copyRow(newest, at, rows, kept);
        kept++;
      }
    }
    rows.count = kept;
  }

  /** Adds the rows of `newest` that `acknowledged` lacks or has in another state. */
  addDifferences(acknowledged: Snapshot, newest: Snapshot): void {
    if (this.#changed.length < newest.count) this.#changed = new Uint32Array(newest.ids.length);
    let count = 0;
    let before = 0;
    for (let row = 0; row < newest.count; row++) {
      const id = newest.ids[row] as number;
      before = seek(acknowledged.ids, before, acknowledged.count, id);
      const isThere = before < acknowledged.count && acknowledged.ids[before] === id;
      if (isThere && isSameState(newest, row, acknowledged, before)) continue;
      this.#changed[count++] = id;
    }
    this.add(newest, this.#changed, count);
  }

  /**
   * Keeps the rows that `acknowledged` or any of `submitted` lacks or has in another state than the
   * newest of them, with its state; what that lacks goes. Each of them may yet be a baseline: were
   * a row let go before all have it, a patch on one that has not would bring the old state back.
   */
  keepUnsettled(acknowledged: Snapshot, submitted: RetainedRing<unknown>): void {
    const newest = submitted.newest?.snapshot;
    const rows = this.#rows;
    let kept = 0;
    for (let row = 0; newest !== undefined && row < rows.count; row++) {
      const id = rows.ids[row] as number;
      const at = newest.indexOf(id);
      if (at < 0) continue;
      let isSettled = hasState(acknowledged, newest, at, id);
      for (let index = submitted.count - 2; isSettled && index >= 0; index--) {
        const between = submitted.at(index)?.snapshot;
        isSettled = between !== undefined && hasState(between, newest, at, id);
      }
      if (isSettled) continue;
      rows.ids[kept] = id;
      copyRow(newest, at, rows, kept);
      kept++;
    }
    rows.count = kept;
  }

  /** Lets all rows go. */
  clear(): void {
    this.#rows.clear();
  }
}

/**
 * Returns the first place from `from` on whose id is not below `id`, or `count`. The ids that are
 * looked for ascend, so the next one is near: it looks in strides that double.
 */
function seek(ids: Uint32Array, from: number, count: number, id: number): number {
  let low = from;
  let stride = 1;
  while (low + stride <= count && (ids[low + stride - 1] as number) < id) {
    low += stride;
    stride *= 2;
  }
  let high = Math.min(low + stride - 1, count);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as number) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function copyRow(source: Snapshot, from: number, out: Snapshot, to: number): void {
  const { fields } = out.shape;
  for (let field = 0; field < fields.length; field++) {
    const width = fields[field]?.codec.width ?? 0;
    const bits = source.columns[field]?.bits as Uint32Array;
    const outBits = out.columns[field]?.bits as Uint32Array;
    for (let n = 0; n < width; n++) outBits[to * width + n] = bits[from * width + n] as number;
  }
}

/** Says whether a snapshot has an entity in the state of row `at` of `newest`. */
function hasState(snapshot: Snapshot, newest: Snapshot, at: number, id: number): boolean {
  const row = snapshot.indexOf(id);
  return row >= 0 && isSameState(newest, at, snapshot, row);
}

/** Floats are compared by value here, unlike in a delta: -0 is 0. */
function isSameState(a: Snapshot, rowA: number, b: Snapshot, rowB: number): boolean {
  const { fields } = a.shape;
  for (let field = 0; field < fields.length; field++) {
    const codec = fields[field]?.codec;
    const width = codec?.width ?? 0;
    const isFloat = codec?.scalar === 'f32';
    const bitsA = a.columns[field]?.bits as Uint32Array;
    const bitsB = b.columns[field]?.bits as Uint32Array;
    for (let n = 0; n < width; n++) {
      const one = bitsA[rowA * width + n] as number;
      const other = bitsB[rowB * width + n] as number;
      if (one === other || (isFloat && (one | other) << 1 === 0)) continue;
      return false;
    }
  }
  return true;
}

function refuseId(id: number, last: number): never {
  throw new NetError('VALUE_INVALID', 'recovery-ids', 'An id of the sent upserts is wrong.', {
    given: `${id} after ${last}`,
    allowed: 'ids in strictly ascending order, each of an entity that is in the rows',
    fix: 'Give the ids of the upserts of the patch, in its order.',
  });
}
