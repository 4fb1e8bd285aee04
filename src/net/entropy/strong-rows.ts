import type { Lane } from '../record/lane.ts';
import { AdaptiveBits, EVEN } from './adaptive-bits.ts';
import type { CodedReplica } from './coded-replica.ts';
import { ErrorBits, sizeClass } from './error-bits.ts';
import { findPlace, type LaneGroup } from './lane-groups.ts';
import { MIXED_REALS, MIXED_WORDS, MixedBits, UNSEEN, fillWeights } from './mixed-bits.ts';
import { ModelState } from './model-state.ts';
import { MotionLanes } from './motion-lanes.ts';
import { Neighbours } from './neighbours.ts';
import type { RangePort } from './range-port.ts';
import { RotationLanes } from './rotation-lanes.ts';
import { RowChanges } from './row-changes.ts';
import type { RowCoder, RowTask } from './row-task.ts';

const FLAGS = 256;
const MASKS = 16;
const TREE = 128;

/**
 * Rows with much work for few bytes. Motions are predicted from how a row moved and from what
 * became of the rows near it that were coded before; what remains is coded by mixed models whose
 * contexts are the sizes of such remains: of this token last time, of the neighbours, of this row
 * so far.
 */
export class StrongRows implements RowCoder {
  readonly #lanes: readonly Lane[];
  readonly #groups: readonly LaneGroup[];
  readonly #changes: RowChanges;
  readonly #port: RangePort;
  readonly #bits: AdaptiveBits;
  readonly #mixed: MixedBits;
  readonly #neighbours: Neighbours;
  readonly #motions: MotionLanes[] = [];
  readonly #rotations: RotationLanes[] = [];
  readonly #place: MotionLanes | undefined;
  readonly #words: number;
  readonly #reals: number;
  #history = 0;
  #lastMask = 0;

  constructor(lanes: readonly Lane[], groups: readonly LaneGroup[], port: RangePort) {
    this.#lanes = lanes;
    this.#groups = groups;
    this.#port = port;
    this.#changes = new RowChanges(groups);
    this.#bits = new AdaptiveBits(port);
    this.#mixed = new MixedBits(port);
    const errors = new ErrorBits(port, this.#mixed);
    const place = findPlace(lanes, groups);
    let real = MIXED_REALS + 1;
    let outcome = 0;
    groups.forEach((group, index) => {
      if (group.kind === 'value') return;
      const at = { index, group, real, outcome };
      if (group.kind === 'motion') {
        const motion = new MotionLanes(lanes, at, port, this.#mixed, errors);
        this.#motions.push(motion);
        real += motion.reals;
        outcome += motion.outcomes;
      } else {
        const rotation = new RotationLanes(lanes, at, port, this.#mixed, errors);
        this.#rotations.push(rotation);
        real += rotation.reals;
        outcome += rotation.outcomes;
      }
    });
    this.#place = this.#motions.find(({ index }) => index === place);
    this.#neighbours = new Neighbours(outcome);
    this.#words = MIXED_WORDS + FLAGS + groups.length * MASKS + lanes.length * TREE;
    this.#reals = real;
  }

  createState(): ModelState {
    const words = new Uint32Array(this.#words).fill(EVEN).fill(UNSEEN, 0, MIXED_WORDS);
    const reals = new Float64Array(this.#reals);
    fillWeights(reals, 0);
    for (const motion of this.#motions) motion.reset(reals);
    for (const rotation of this.#rotations) rotation.reset(reals);
    return new ModelState(words, reals);
  }

  code(task: RowTask): void {
    const { baseline, result, walk } = task;
    const { count } = result.table;
    const { models } = result;
    this.#bits.words = models.words;
    this.#mixed.attach(models, 0, 0);
    this.#neighbours.reset();
    this.#neighbours.spacing = models.reals[MIXED_REALS] as number;
    this.#history = 0;
    this.#lastMask = 0;
    const ratio = baseline === null || baseline.span === 0 ? 1 : result.span / baseline.span;
    for (const motion of this.#motions) motion.start(task, ratio);
    for (const rotation of this.#rotations) rotation.start(task, ratio);
    this.#changes.start(task, this.#port.decoding);
    const { masks, moving } = this.#changes;
    for (let row = 0; row < count; row++) {
      const old = walk.origin[row] as number;
      if (old < 0 || baseline === null) {
        this.#codeSpawn(task, row);
        continue;
      }
      const speed = moving[row] === 0 || this.#place === undefined ? 0 : this.#place.speedOf(old);
      const context = (((moving[row] as number) << 5) | (speed << 2) | this.#history) & 0xff;
      const changed = this.#bits.bit(masks[row] === 0 ? 0 : 1, MIXED_WORDS + context);
      this.#history = ((this.#history << 1) | changed) & 3;
      result.moved[row] = changed;
      if (changed === 1) this.#codeChanged(task, row, baseline);
    }
    models.reals[MIXED_REALS] = this.#neighbours.spacing;
    for (const motion of this.#motions) motion.settle(models.reals);
    for (const rotation of this.#rotations) rotation.settle(models.reals);
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
    const { walk, result } = task;
    const laneCount = this.#lanes.length;
    const old = walk.origin[row] as number;
    const from = old * laneCount;
    const to = row * laneCount;
    const source = (walk.source[row] as number) * laneCount;
    const before = baseline.table.tokens;
    const mask = this.#codeMask(this.#changes.masks[row] as number, baseline, from);
    const near = this.#neighbours;
    if (this.#place !== undefined) {
      this.#place.situate(old, near.place);
      this.#rotations[0]?.situate(old, near.turn);
      near.find();
      if (near.count > 0) near.weigh(false);
    }
    let size = 0;
    for (let i = 0; i < this.#motions.length; i++) {
      const motion = this.#motions[i] as MotionLanes;
      size = motion.code(near, old, source, to, ((mask >>> motion.index) & 1) === 1, size);
    }
    if (this.#rotations.length > 0 && near.count > 0) near.weigh(true);
    for (let i = 0; i < this.#rotations.length; i++) {
      const rotation = this.#rotations[i] as RotationLanes;
      rotation.code(near, old, source, to, ((mask >>> rotation.index) & 1) === 1, size);
    }
    if (this.#place !== undefined) {
      const at = near.add();
      for (let i = 0; i < this.#motions.length; i++) {
        (this.#motions[i] as MotionLanes).remember(near.outcomes, at);
      }
      for (let i = 0; i < this.#rotations.length; i++) {
        (this.#rotations[i] as RotationLanes).remember(near.outcomes, at);
      }
    }
    for (let g = 0; g < this.#groups.length; g++) {
      const group = this.#groups[g] as LaneGroup;
      if (group.kind !== 'value' || ((mask >>> g) & 1) === 0) continue;
      this.#codeValues(task, group, from, to, source, before);
    }
    for (let i = 0; i < laneCount; i++) {
      result.motion[to + i] =
        (result.table.tokens[to + i] as number) - (before[from + i] as number);
    }
  }

  #codeMask(mask: number, baseline: CodedReplica, from: number): number {
    const groups = this.#groups;
    const { motion } = baseline;
    let passed = 0;
    let row = 0;
    for (let i = from; i < from + this.#lanes.length; i++) row |= motion[i] as number;
    for (let g = 0; g < groups.length; g++) {
      const { first, count } = groups[g] as LaneGroup;
      let moved = 0;
      for (let i = from + first; i < from + first + count; i++) moved |= motion[i] as number;
      const context = (moved === 0 ? 0 : 1) + (row === 0 ? 0 : 2) + (passed === 0 ? 0 : 4);
      const at = MIXED_WORDS + FLAGS + g * MASKS + context * 2 + ((this.#lastMask >>> g) & 1);
      passed |= this.#bits.bit((mask >>> g) & 1, at) << g;
    }
    this.#lastMask = passed;
    return passed;
  }

  #codeValues(
    task: RowTask,
    group: LaneGroup,
    from: number,
    to: number,
    source: number,
    before: Uint32Array,
  ): void {
    const base = MIXED_WORDS + FLAGS + this.#groups.length * MASKS;
    for (let i = group.first; i < group.first + group.count; i++) {
      const old = before[from + i] as number;
      const token = this.#port.decoding ? 0 : (task.table.tokens[source + i] as number);
      const { bits } = this.#lanes[i] as Lane;
      const tree = base + i * TREE;
      if (this.#bits.bit(token === old ? 0 : 1, tree) === 0) continue;
      task.result.table.tokens[to + i] =
        bits > 6 ? this.#port.word(token, bits) : this.#bits.tree(token, bits, tree + 64);
      task.result.errors[to + i] = sizeClass(1);
    }
  }
}
