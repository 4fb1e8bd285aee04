import type { Lane } from '../record/lane.ts';
import { AdaptiveBits, EVEN } from './adaptive-bits.ts';
import type { CodedReplica } from './coded-replica.ts';
import type { LaneGroup } from './lane-groups.ts';
import { ModelState } from './model-state.ts';
import type { RangePort } from './range-port.ts';
import { RowChanges } from './row-changes.ts';
import type { RowCoder, RowTask } from './row-task.ts';

const SPEED_CLASSES = 8;
/** Words a lane has for each class of speed: a tree of at most 6 levels. */
const TREE = 64;
const FLAGS = 16;
const MASKS = 4;

/**
 * Rows in adaptive binary models with few decisions a token: whether a row changed, which of its
 * fields did, and of each changed token how many bits its difference from the predicted place has.
 * The sign and the rest of the bits go as they are.
 */
export class FastRows implements RowCoder {
  readonly #lanes: readonly Lane[];
  readonly #groups: readonly LaneGroup[];
  readonly #changes: RowChanges;
  readonly #port: RangePort;
  readonly #bits: AdaptiveBits;
  #ratio = 1;
  #history = 0;
  #lastMask = 0;

  constructor(lanes: readonly Lane[], groups: readonly LaneGroup[], port: RangePort) {
    this.#lanes = lanes;
    this.#groups = groups;
    this.#port = port;
    this.#bits = new AdaptiveBits(port);
    this.#changes = new RowChanges(groups);
  }

  createState(): ModelState {
    const lanes = this.#lanes.length * SPEED_CLASSES * TREE;
    const words = new Uint32Array(FLAGS + this.#groups.length * MASKS + lanes).fill(EVEN);
    return new ModelState(words, new Float64Array(0));
  }

  code(task: RowTask): void {
    const { baseline, result, walk } = task;
    const { count } = result.table;
    this.#bits.words = result.models.words;
    this.#ratio = baseline === null || baseline.span === 0 ? 1 : result.span / baseline.span;
    this.#history = 0;
    this.#lastMask = 0;
    this.#changes.start(task, this.#port.decoding);
    const { masks, moving } = this.#changes;
    for (let row = 0; row < count; row++) {
      const old = walk.origin[row] as number;
      if (old < 0 || baseline === null) {
        this.#codeSpawn(task, row);
        continue;
      }
      const context = (moving[row] as number) * 8 + this.#history;
      const changed = this.#bits.bit(masks[row] === 0 ? 0 : 1, context);
      this.#history = ((this.#history << 1) | changed) & 7;
      result.moved[row] = changed;
      if (changed === 1) this.#codeChanged(task, row, baseline);
    }
  }

  #codeSpawn(task: RowTask, row: number): void {
    const { result, table, walk } = task;
    const lanes = this.#lanes;
    const to = row * lanes.length;
    const from = this.#port.decoding ? 0 : (walk.source[row] as number) * lanes.length;
    for (let i = 0; i < lanes.length; i++) {
      const token = this.#port.decoding ? 0 : (table.tokens[from + i] as number);
      result.table.tokens[to + i] = this.#port.word(token, (lanes[i] as Lane).bits);
    }
  }

  #codeChanged(task: RowTask, row: number, baseline: CodedReplica): void {
    const { walk, result, table } = task;
    const groups = this.#groups;
    const laneCount = this.#lanes.length;
    const from = (walk.origin[row] as number) * laneCount;
    const to = row * laneCount;
    const source = (walk.source[row] as number) * laneCount;
    const before = baseline.table.tokens;
    const out = result.table.tokens;
    const mask = this.#changes.masks[row] as number;
    let passed = 0;
    for (let g = 0; g < groups.length; g++) {
      const { first, count, kind } = groups[g] as LaneGroup;
      let moved = 0;
      for (let i = first; i < first + count; i++) moved |= baseline.motion[from + i] as number;
      const context = g * MASKS + (moved === 0 ? 0 : 2) + ((this.#lastMask >>> g) & 1);
      if (this.#bits.bit((mask >>> g) & 1, FLAGS + context) === 0) continue;
      passed |= 1 << g;
      let isMotion = kind === 'motion';
      for (let i = first; i < first + count; i++) {
        const old = before[from + i] as number;
        const token = this.#port.decoding ? 0 : (table.tokens[source + i] as number);
        const motion = baseline.motion[from + i] as number;
        if (isMotion) out[to + i] = this.#codeMoved(i, token, old, motion);
        else out[to + i] = this.#codeValue(i, token, old);
        result.motion[to + i] = (out[to + i] as number) - old;
        if (kind === 'rotation' && i === first) isMotion = out[to + i] === old;
      }
    }
    this.#lastMask = passed;
  }

  /** Passes a token as its difference from where it would be if it moved on as before. */
  #codeMoved(lane: number, token: number, before: number, motion: number): number {
    const { bits } = this.#lanes[lane] as Lane;
    const unused = 32 - bits;
    const speed = this.#ratio === 1 ? motion : Math.round(motion * this.#ratio) | 0;
    const speedClass = Math.min(32 - Math.clz32(Math.abs(speed)), SPEED_CLASSES - 1);
    const tree = this.#treeOf(lane, speedClass);
    const predicted = before + speed;
    const error = ((token - predicted) << unused) >> unused;
    const levels = bits <= 14 ? 4 : bits <= 30 ? 5 : 6;
    const length = this.#bits.tree(32 - Math.clz32(Math.abs(error)), levels, tree);
    if (length === 0) return (predicted << unused) >>> unused;
    const top = (1 << (length - 1)) >>> 0;
    const size = (Math.abs(error) - top) >>> 0;
    let passed = 0;
    if (length <= 16) {
      const sign = error < 0 ? top : 0;
      const tail = this.#port.bits(sign | size, length);
      passed = (tail & top) === 0 ? tail + top : -tail;
    } else {
      const isNegative = this.#port.bits(error < 0 ? 1 : 0, 1) === 1;
      const rest = this.#port.word(size, Math.min(length, 32) - 1) + top;
      passed = isNegative ? -rest : rest;
    }
    return ((predicted + passed) << unused) >>> unused;
  }

  /** Passes a token of which only its equality with the one before means anything. */
  #codeValue(lane: number, token: number, before: number): number {
    const { bits } = this.#lanes[lane] as Lane;
    const tree = this.#treeOf(lane, 0);
    if (this.#bits.bit(token === before ? 0 : 1, tree) === 0) return before;
    if (bits > 6) return this.#port.word(token, bits);
    return this.#bits.tree(token, bits, this.#treeOf(lane, 1));
  }

  #treeOf(lane: number, index: number): number {
    const base = FLAGS + this.#groups.length * MASKS;
    return base + (lane * SPEED_CLASSES + index) * TREE;
  }
}
