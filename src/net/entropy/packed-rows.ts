import type { Lane } from '../record/lane.ts';
import type { BitPort } from './bit-port.ts';
import type { CodedReplica } from './coded-replica.ts';
import type { LaneGroup } from './lane-groups.ts';
import { ModelState } from './model-state.ts';
import { RowChanges } from './row-changes.ts';
import type { RowCoder, RowTask } from './row-task.ts';
import { codeSpawnsPlain } from './spawn-rows.ts';

/** Means are kept in sixteenths. */
const MEAN_ONE = 16;
const SPEED_CLASSES = 8;
/** Greater numbers count as this much in a mean. */
const MEAN_MOST = 0xffff;

/**
 * Rows as plain bits: which rows changed, then which fields of each, then the tokens field by field
 * and lane by lane. Changed rows go as runs, apart for rows that moved in the baseline and rows
 * that rested. A token that moved goes as its difference from where it would be if it moved on as
 * before, in an exponential Golomb code whose order follows the mean of such differences so far.
 * The means begin anew with every update, so nothing has to be kept.
 */
export class PackedRows implements RowCoder {
  readonly #lanes: readonly Lane[];
  readonly #groups: readonly LaneGroup[];
  readonly #changes: RowChanges;
  readonly #means = new Int32Array(SPEED_CLASSES);
  readonly #port: BitPort;
  /** The rows that changed, and a bit for each of their groups. */
  #rows: Uint32Array = new Uint32Array(0);
  #masks: Uint32Array = new Uint32Array(0);
  #rowCount = 0;
  #ratio = 1;

  constructor(lanes: readonly Lane[], groups: readonly LaneGroup[], port: BitPort) {
    this.#lanes = lanes;
    this.#groups = groups;
    this.#port = port;
    this.#changes = new RowChanges(groups);
  }

  createState(): ModelState {
    return new ModelState(new Uint32Array(0), new Float64Array(0));
  }

  code(task: RowTask): void {
    const { baseline, result } = task;
    const port = this.#port;
    this.#changes.start(task, port.decoding);
    codeSpawnsPlain(task, port, this.#lanes);
    if (baseline === null || port.overran) return;
    this.#ratio = baseline.span === 0 ? 1 : result.span / baseline.span;
    this.#codeRows(task);
    if (port.overran) return;
    const groups = this.#groups;
    if (groups.length > 1) this.#codeMasks();
    else this.#masks.fill(1, 0, this.#rowCount);
    for (let g = 0; g < groups.length; g++) {
      const { first, count, kind } = groups[g] as LaneGroup;
      for (let lane = first; lane < first + count && !port.overran; lane++) {
        if (kind === 'motion') this.#codeMoved(task, baseline, g, lane, -1);
        else if (kind === 'value') this.#codeValues(task, baseline, g, lane, count > 1);
        else if (lane === first) this.#codeValues(task, baseline, g, lane, true);
        else this.#codeMoved(task, baseline, g, lane, first);
      }
    }
  }

  /** Passes which rows changed: how many come before one that does not do what it did last time. */
  #codeRows(task: RowTask): void {
    const { result, walk } = task;
    const { moved } = result;
    const { count } = result.table;
    if (this.#rows.length < count) {
      this.#rows = new Uint32Array(result.table.ids.length);
      this.#masks = new Uint32Array(result.table.ids.length);
    }
    const port = this.#port;
    const isDecoding = port.decoding;
    const { moving, masks } = this.#changes;
    const { origin, isSame } = walk;
    let changed = 0;
    for (let state = 0; state < 2; state++) {
      let mean = state === 0 ? 8 * MEAN_ONE : 2 * MEAN_ONE;
      let run = 0;
      let left = isDecoding ? port.golomb(0, orderOf(mean)) : 0;
      for (let row = 0; row < count; row++) {
        if (moving[row] !== state || (!isSame && (origin[row] as number) < 0)) continue;
        const isOther = isDecoding ? run === left : (masks[row] === 0 ? 0 : 1) !== state;
        if (!isOther) {
          run++;
          moved[row] = state;
          continue;
        }
        moved[row] = 1 - state;
        if (!isDecoding) port.golomb(run, orderOf(mean));
        mean += ((run < 4096 ? run : 4096) * MEAN_ONE - mean) >> 2;
        if (isDecoding) left = port.golomb(0, orderOf(mean));
        run = 0;
      }
      if (!isDecoding) port.golomb(run, orderOf(mean));
    }
    for (let row = 0; row < count; row++) {
      if (moved[row] === 0) continue;
      this.#rows[changed] = row;
      this.#masks[changed++] = isDecoding ? 0 : (masks[row] as number);
    }
    this.#rowCount = changed;
  }

  /** Passes which fields changed: a bit when they are those of the row before. */
  #codeMasks(): void {
    const port = this.#port;
    const masks = this.#masks;
    const width = this.#groups.length;
    let last = (2 ** width - 1) | 0;
    for (let k = 0; k < this.#rowCount; k++) {
      const mask = (masks[k] as number) | 0;
      if (port.bits(mask === last ? 1 : 0, 1) === 0) last = port.word(mask >>> 0, width) | 0;
      masks[k] = last;
    }
  }

  /**
   * Passes a lane as differences from where tokens would be if they moved on as before. Where lane
   * `largest`, unless -1, differs from the baseline, tokens go as they are.
   */
  #codeMoved(
    task: RowTask,
    baseline: CodedReplica,
    g: number,
    lane: number,
    largest: number,
  ): void {
    const port = this.#port;
    const isDecoding = port.decoding;
    const { bits } = this.#lanes[lane] as Lane;
    const laneCount = this.#lanes.length;
    const unused = 32 - bits;
    const ratio = this.#ratio;
    const { source, origin } = task.walk;
    const after = task.table.tokens;
    const out = task.result.table.tokens;
    const outMotion = task.result.motion;
    const before = baseline.table.tokens;
    const { motion } = baseline;
    const rows = this.#rows;
    const masks = this.#masks;
    const means = this.#means;
    for (let c = 0; c < SPEED_CLASSES; c++) means[c] = MEAN_ONE << (c < 5 ? c : 5);
    for (let k = 0; k < this.#rowCount; k++) {
      if ((((masks[k] as number) >>> g) & 1) === 0) continue;
      const row = rows[k] as number;
      const to = row * laneCount;
      const from = (origin[row] as number) * laneCount;
      const at = isDecoding ? 0 : (source[row] as number) * laneCount;
      const token = isDecoding ? 0 : (after[at + lane] as number);
      const old = before[from + lane] as number;
      let speed = motion[from + lane] as number;
      if (largest >= 0) {
        if (outMotion[to + largest] !== 0) {
          out[to + lane] = port.word(token, bits);
          outMotion[to + lane] = (out[to + lane] as number) - old;
          continue;
        }
        if (motion[from + largest] !== 0) speed = 0;
      }
      if (ratio !== 1) speed = Math.round(speed * ratio) | 0;
      const speedBits = 32 - Math.clz32(speed < 0 ? -speed : speed);
      const c = speedBits < SPEED_CLASSES ? speedBits : SPEED_CLASSES - 1;
      const mean = means[c] as number;
      const error = ((token - old - speed) << unused) >> unused;
      const folded = port.golomb(((error << 1) ^ (error >> 31)) >>> 0, orderOf(mean));
      means[c] = mean + (((folded < MEAN_MOST ? folded : MEAN_MOST) * MEAN_ONE - mean) >> 3);
      const passed = (folded >>> 1) ^ -(folded & 1);
      const now = ((old + speed + passed) << unused) >>> unused;
      out[to + lane] = now;
      outMotion[to + lane] = now - old;
    }
  }

  /** Passes a lane as tokens, with a bit before each when it may also be what it was. */
  #codeValues(
    task: RowTask,
    baseline: CodedReplica,
    g: number,
    lane: number,
    isOptional: boolean,
  ): void {
    const port = this.#port;
    const { bits } = this.#lanes[lane] as Lane;
    const laneCount = this.#lanes.length;
    const { walk, result, table } = task;
    for (let k = 0; k < this.#rowCount; k++) {
      if ((((this.#masks[k] as number) >>> g) & 1) === 0) continue;
      const row = this.#rows[k] as number;
      const from = (walk.origin[row] as number) * laneCount;
      const at = port.decoding ? 0 : (walk.source[row] as number) * laneCount;
      const old = baseline.table.tokens[from + lane] as number;
      const token = port.decoding ? 0 : (table.tokens[at + lane] as number);
      if (isOptional && port.bits(token === old ? 0 : 1, 1) === 0) continue;
      const now = port.word(token, bits);
      result.table.tokens[row * laneCount + lane] = now;
      result.motion[row * laneCount + lane] = now - old;
    }
  }
}

/** Returns the order of the code for numbers of a mean in sixteenths. */
function orderOf(mean: number): number {
  const order = 31 - Math.clz32((mean * 11) >> 8);
  return order > 0 ? order : 0;
}
