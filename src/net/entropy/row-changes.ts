import type { CodedReplica } from './coded-replica.ts';
import type { LaneGroup } from './lane-groups.ts';
import type { RowTask } from './row-task.ts';

/** What is known of the rows before they are coded, and on the coding side what changed in them. */
export class RowChanges {
  /** For each row of the result: 1 when its tokens had changed in the baseline, else 0. */
  moving: Uint8Array = new Uint8Array(0);
  /** When encoding, for each row: a bit for each group of lanes that differs from the baseline. */
  masks: Uint32Array = new Uint32Array(0);
  readonly #groups: readonly LaneGroup[];

  constructor(groups: readonly LaneGroup[]) {
    this.#groups = groups;
  }

  /** Makes the result what it is if nothing changed; when encoding, finds what did. */
  start(task: RowTask, isDecoding: boolean): void {
    const { baseline, result } = task;
    const { count, laneCount } = result.table;
    if (this.moving.length < count) {
      this.moving = new Uint8Array(result.table.ids.length);
      this.masks = new Uint32Array(result.table.ids.length);
    }
    result.motion.fill(0, 0, count * laneCount);
    result.errors.fill(0);
    if (baseline === null) {
      result.moved.fill(0, 0, count);
      return;
    }
    this.#carryOver(task, baseline);
    result.moved.fill(0, 0, count);
    if (!isDecoding) this.#compare(task, baseline);
  }

  /** Copies rows of the baseline; new rows are left to be filled. */
  #carryOver(task: RowTask, baseline: CodedReplica): void {
    const { walk, result } = task;
    const { count, laneCount, tokens } = result.table;
    const before = baseline.table.tokens;
    const { moved } = baseline;
    const { moving } = this;
    if (walk.isSame && before.length === tokens.length) {
      tokens.set(before);
      for (let row = 0; row < count; row++) moving[row] = moved[row] as number;
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
    const { sent, sentCount, source, origin } = walk;
    const before = baseline.table.tokens;
    const after = table.tokens;
    const groups = this.#groups;
    const { masks } = this;
    masks.fill(0, 0, count);
    for (let k = 0; k < sentCount; k++) {
      const row = sent[k] as number;
      const from = (origin[row] as number) * laneCount;
      if (from < 0) continue;
      const at = (source[row] as number) * laneCount;
      let mask = 0;
      for (let g = 0; g < groups.length; g++) {
        const group = groups[g] as LaneGroup;
        const end = group.first + group.count;
        let differs = 0;
        for (let i = group.first; i < end; i++) {
          differs |= (before[from + i] as number) ^ (after[at + i] as number);
        }
        if (differs !== 0) mask |= 1 << g;
      }
      masks[row] = mask;
    }
  }
}
