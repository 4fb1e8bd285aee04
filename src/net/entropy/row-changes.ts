import { ChangedRows } from './changed-rows.ts';
import type { CodedReplica } from './coded-replica.ts';
import type { LaneGroup } from './lane-groups.ts';
import type { RowTask } from './row-task.ts';

/** What is known of the rows before they are coded, and on the coding side what changed in them. */
export class RowChanges {
  /** For each row of the result: 1 when its tokens had changed in the baseline, else 0. */
  moving: Uint8Array = new Uint8Array(0);
  /** When encoding, for each row: a bit for each group of lanes that differs from the baseline. */
  masks: Uint32Array = new Uint32Array(0);
  /** When encoding: the same, of the rows that changed. When decoding: for the row coder. */
  readonly changed: ChangedRows = new ChangedRows();
  /** For each lane the bit of its group. */
  readonly #groupBits: Int32Array;
  #moving: Uint8Array = new Uint8Array(0);

  constructor(groups: readonly LaneGroup[]) {
    this.#groupBits = Int32Array.from(groups.flatMap(({ count }, g) => Array(count).fill(1 << g)));
  }

  /**
   * Makes the result what it is if nothing changed; when encoding, finds what did, which `moved` of
   * the result says too.
   */
  start(task: RowTask, isDecoding: boolean): void {
    const { baseline, result } = task;
    const { count, laneCount } = result.table;
    if (this.#moving.length < count) {
      this.#moving = new Uint8Array(result.table.ids.length);
      this.masks = new Uint32Array(result.table.ids.length);
    }
    this.moving = this.#moving;
    this.changed.reserve(count);
    this.changed.count = 0;
    result.motion.fill(0, 0, count * laneCount);
    result.errors.fill(0);
    result.moved.fill(0, 0, count);
    if (baseline === null) return;
    this.#carryOver(task, baseline);
    if (!isDecoding) this.#compare(task, baseline);
  }

  /** Copies rows of the baseline; new rows are left to be filled. */
  #carryOver(task: RowTask, baseline: CodedReplica): void {
    const { walk, result } = task;
    const { count, laneCount, tokens } = result.table;
    const before = baseline.table.tokens;
    const { moved } = baseline;
    const { moving } = this;
    if (walk.isSame && before.length <= tokens.length) {
      tokens.set(before);
      this.moving = moved;
      return;
    }
    for (let row = 0; row < count; row++) {
      const old = walk.origin[row] as number;
      moving[row] = old < 0 ? 0 : (moved[old] as number);
      if (old < 0) continue;
      const to = row * laneCount;
      const from = old * laneCount;
      for (let i = 0; i < laneCount; i++) tokens[to + i] = before[from + i] as number;
    }
  }

  /** Finds what differs from the baseline in the rows that are sent. */
  #compare(task: RowTask, baseline: CodedReplica): void {
    const { result, walk, table } = task;
    const { count, laneCount } = result.table;
    const { moved } = result;
    const { sent, sentCount, source, origin } = walk;
    const before = baseline.table.tokens;
    const after = table.tokens;
    const groupBits = this.#groupBits;
    const { masks, changed } = this;
    const { rows, masks: rowMasks, before: froms, after: ats } = changed;
    masks.fill(0, 0, count);
    let n = 0;
    for (let k = 0; k < sentCount; k++) {
      const row = (sent[k] as number) | 0;
      const from = Math.imul(origin[row] as number, laneCount);
      if (from < 0) continue;
      const at = Math.imul(source[row] as number, laneCount);
      let mask = 0;
      for (let i = 0; i < laneCount; i++) {
        const differs = ((before[from + i] as number) ^ (after[at + i] as number)) | 0;
        mask |= (groupBits[i] as number) & ((differs | (0 - differs)) >> 31);
      }
      if (mask === 0) continue;
      masks[row] = mask;
      moved[row] = 1;
      rows[n] = row;
      froms[n] = from;
      ats[n] = at;
      rowMasks[n++] = mask;
    }
    changed.count = n;
  }
}
