import type { Lane } from '../record/lane.ts';
import type { CodedReplica } from './coded-replica.ts';
import { type ErrorBits, sizeClass, toWhole } from './error-bits.ts';
import type { LaneGroup } from './lane-groups.ts';
import type { MixedBits } from './mixed-bits.ts';
import type { Neighbours } from './neighbours.ts';
import type { RangePort } from './range-port.ts';
import { REGRESSION_REALS, Regression } from './regression.ts';
import type { RowTask } from './row-task.ts';
import type { TokenTable } from '../record/token-table.ts';

/** What is remembered of a lane: by how much it moved, how fast it had been, how wrong we were. */
const OUTCOMES = 3;

/** Where a group has its things. */
export interface GroupPlace {
  readonly index: number;
  readonly group: LaneGroup;
  /** Its first real among those of the models. */
  readonly real: number;
  /** Its first outcome among those of a row. */
  readonly outcome: number;
}

/** The lanes of a field that moves on lines or circles. */
export class MotionLanes {
  readonly index: number;
  readonly reals: number;
  readonly outcomes: number;
  readonly #lanes: readonly Lane[];
  readonly #at: GroupPlace;
  readonly #port: RangePort;
  readonly #errors: ErrorBits;
  readonly #mixed: MixedBits;
  readonly #regression = new Regression([0.9, 0.9, -0.8]);
  readonly #guess = new Float64Array(1);
  readonly #moved: Float64Array;
  readonly #speeds: Float64Array;
  readonly #wrong: Float64Array;
  #baseline: CodedReplica | null = null;
  #result: CodedReplica | null = null;
  #table: TokenTable | null = null;
  #ratio = 1;

  constructor(
    lanes: readonly Lane[],
    at: GroupPlace,
    port: RangePort,
    mixed: MixedBits,
    errors: ErrorBits,
  ) {
    const { count } = at.group;
    this.index = at.index;
    this.reals = count * REGRESSION_REALS;
    this.outcomes = count * OUTCOMES;
    this.#lanes = lanes;
    this.#at = at;
    this.#port = port;
    this.#mixed = mixed;
    this.#errors = errors;
    this.#moved = new Float64Array(count);
    this.#speeds = new Float64Array(count);
    this.#wrong = new Float64Array(count);
  }

  reset(reals: Float64Array): void {
    for (let i = 0; i < this.#at.group.count; i++) {
      this.#regression.reset(reals, this.#at.real + i * REGRESSION_REALS);
    }
  }

  start(task: RowTask, ratio: number): void {
    this.#baseline = task.baseline;
    this.#result = task.result;
    this.#table = task.table;
    this.#ratio = ratio;
  }

  settle(reals: Float64Array): void {
    for (let i = 0; i < this.#at.group.count; i++) {
      this.#regression.settle(reals, this.#at.real + i * REGRESSION_REALS);
    }
  }

  /** Returns how fast a row of the baseline is, as a class of 0 to 7. */
  speedOf(old: number): number {
    const { first, count } = this.#at.group;
    const { motion } = this.#baseline as CodedReplica;
    const from = old * this.#lanes.length + first;
    let sum = 0;
    for (let i = 0; i < count; i++) sum += Math.abs(motion[from + i] as number);
    const speed = sizeClass(toWhole(sum)) >> 1;
    return speed < 7 ? speed : 7;
  }

  /** Writes where a row of the baseline is and how fast. */
  situate(old: number, place: Float64Array): void {
    const { first, count } = this.#at.group;
    const { motion, table } = this.#baseline as CodedReplica;
    const from = old * this.#lanes.length + first;
    for (let i = 0; i < count; i++) {
      place[i] = table.tokens[from + i] as number;
      place[3 + i] = (motion[from + i] as number) * this.#ratio;
    }
  }

  /** Passes the tokens of a row. Returns the size of its errors so far. */
  code(
    near: Neighbours,
    old: number,
    source: number,
    to: number,
    isChanged: boolean,
    size: number,
  ): number {
    const { first, count } = this.#at.group;
    const baseline = this.#baseline as CodedReplica;
    const from = old * this.#lanes.length + first;
    let total = size;
    for (let i = 0; i < count; i++) {
      this.#speeds[i] = (baseline.motion[from + i] as number) * this.#ratio;
      this.#moved[i] = 0;
      this.#wrong[i] = 0;
      if (isChanged)
        total = this.#codeLane(near, i, from + i, source + first + i, to + first + i, total);
    }
    return total;
  }

  /** Writes what became of the row. */
  remember(outcomes: Float64Array, at: number): void {
    let to = at + this.#at.outcome;
    for (let i = 0; i < this.#at.group.count; i++) {
      outcomes[to] = this.#moved[i] as number;
      outcomes[to + 1] = this.#speeds[i] as number;
      outcomes[to + 2] = this.#wrong[i] as number;
      to += OUTCOMES;
    }
  }

  #codeLane(
    near: Neighbours,
    i: number,
    from: number,
    source: number,
    to: number,
    size: number,
  ): number {
    const baseline = this.#baseline as CodedReplica;
    const result = this.#result as CodedReplica;
    const { bits } = this.#lanes[this.#at.group.first + i] as Lane;
    const before = baseline.table.tokens[from] as number;
    this.#predict(near, i, before);
    const guess = this.#guess[0] as number;
    const whole = Math.round(guess) | 0;
    const unused = 32 - bits;
    const token = this.#port.decoding ? 0 : ((this.#table as TokenTable).tokens[source] as number);
    const error = ((token - before - whole) << unused) >> unused;

    const lastClass = baseline.errors[from] as number;
    const hasNear = near.count > 0;
    const nearClass = hasNear ? sizeClass(toWhole(near.answers[2] as number)) : 31;
    const speed = this.#speeds[i] as number;
    const speedClass = sizeClass(toWhole(Math.abs(speed)));
    const rowClass = sizeClass(size);
    const farClass = sizeClass(toWhole(Math.abs((near.answers[0] as number) - speed)));
    const { doubt } = near;
    this.#describe(i, lastClass, nearClass, speedClass, rowClass, farClass, doubt);
    const expected = hasNear ? ((2 * nearClass + lastClass) / 3) | 0 : lastClass;
    const fraction = guess - Math.floor(guess);
    const lean = (fraction * 8) & 7;
    const passed = this.#errors.code(error, bits, (expected + 1) >> 1, lean, 0);

    const passedMove = whole + passed;
    const passedToken = ((before + passedMove) << unused) >>> unused;
    result.table.tokens[to] = passedToken;
    const missed = Math.abs(passedMove - guess);
    const { inputs } = this.#regression;
    inputs[3] = passedMove;
    inputs[4] = 1 / (missed + 4);
    this.#regression.learn(result.models.reals, this.#at.real + i * REGRESSION_REALS);
    this.#moved[i] = passedMove;
    this.#wrong[i] = missed;
    const wrong = toWhole(Math.abs(passed));
    result.errors[to] = sizeClass(wrong);
    const faded = size - (size >> 2);
    return wrong > faded ? wrong : faded;
  }

  /** Guesses by how much a lane moves; the answers of the neighbours are left in them. */
  #predict(near: Neighbours, i: number, before: number): void {
    const { bits, kind } = this.#lanes[this.#at.group.first + i] as Lane;
    const { reals } = (this.#result as CodedReplica).models;
    const speed = this.#speeds[i] as number;
    const outcome = this.#at.outcome + i * OUTCOMES;
    const { answers } = near;
    answers[0] = speed;
    answers[1] = speed;
    answers[2] = 0;
    if (near.count > 0) {
      near.guess(outcome, 0);
      near.guess(outcome + 1, 1);
      near.mean(outcome + 2, 2);
    }
    const moved = answers[0] as number;
    const moving = answers[1] as number;
    const real = this.#at.real + i * REGRESSION_REALS;
    const weights = real + REGRESSION_REALS - 3;
    const { inputs } = this.#regression;
    inputs[0] = speed;
    inputs[1] = moved;
    inputs[2] = moving;
    let guess =
      speed * (reals[weights] as number) +
      moved * (reals[weights + 1] as number) +
      moving * (reals[weights + 2] as number);
    const span = ((1 << (bits - 1)) >>> 0) * 2;
    if (!(Math.abs(guess) < span)) guess = 0;
    if (kind === 'linear') {
      if (before + guess < 0) guess = -before;
      else if (before + guess > span - 1) guess = span - 1 - before;
    }
    this.#guess[0] = guess;
  }

  #describe(
    i: number,
    last: number,
    near: number,
    speed: number,
    row: number,
    far: number,
    doubt: number,
  ): void {
    const { contexts } = this.#mixed;
    const lane = this.#at.group.first + i;
    const group = this.#at.index * 8;
    contexts[0] = key(group + (i & 1), (far << 5) | doubt, 0);
    contexts[1] = key(lane + 256, (near << 5) | doubt, 1);
    contexts[2] = key(group + (i >> 1), (last << 5) | speed, 2);
    contexts[3] = key(lane + 256, (near << 5) | row, 3);
    contexts[4] = key(group + (i >> 1), (last << 5) | near, 4);
    contexts[5] = key(lane + 256, ((row >> 1) << 8) | ((last >> 1) << 4) | (near >> 1), 5);
  }
}

/** Returns a context of a lane or group, one of the mixed models each. */
export function key(owner: number, value: number, model: number): number {
  return Math.imul(Math.imul(owner, 0x2545_f491) ^ (value * 8 + model), 0x1000_0001) << 8;
}
