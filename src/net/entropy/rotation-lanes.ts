import type { Lane } from '../record/lane.ts';
import type { TokenTable } from '../record/token-table.ts';
import type { CodedReplica } from './coded-replica.ts';
import { type ErrorBits, sizeClass, toWhole } from './error-bits.ts';
import type { MixedBits } from './mixed-bits.ts';
import { key, type GroupPlace } from './motion-lanes.ts';
import type { Neighbours } from './neighbours.ts';
import type { RangePort } from './range-port.ts';
import { REGRESSION_REALS, Regression } from './regression.ts';
import { applyTurn, findTurn, unpackQuaternion } from './rotation.ts';
import type { RowTask } from './row-task.ts';

/** What is remembered: the turn, the turn before, how wrong we were. */
const TURN = 0;
const LAST_TURN = 3;
const WRONG = 6;
const OUTCOMES = 7;
/** Sets of weights. */
const ERROR_SET = 64;
const LARGEST_SET = 128;

/** The lanes of an orientation. */
export class RotationLanes {
  readonly index: number;
  readonly reals: number = 3 * REGRESSION_REALS;
  readonly outcomes: number = OUTCOMES;
  readonly #laneCount: number;
  readonly #bits: number;
  readonly #most: number;
  /** Tokens of one unit of a turn. */
  readonly #unit: number;
  readonly #at: GroupPlace;
  readonly #port: RangePort;
  readonly #mixed: MixedBits;
  readonly #errors: ErrorBits;
  readonly #regression = new Regression([0.5, 0.9, -0.4]);
  readonly #old = new Float64Array(4);
  readonly #older = new Float64Array(4);
  readonly #predicted = new Float64Array(4);
  readonly #turn = new Float64Array(3);
  readonly #lastTurn = new Float64Array(3);
  readonly #guess = new Float64Array(3);
  readonly #inputs = new Float64Array(9);
  #wrong = 0;
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
    this.index = at.index;
    this.#laneCount = lanes.length;
    this.#bits = (lanes[at.group.first + 1] as Lane).bits;
    this.#most = (1 << this.#bits) - 1;
    this.#unit = this.#most * Math.SQRT1_2;
    this.#at = at;
    this.#port = port;
    this.#mixed = mixed;
    this.#errors = errors;
  }

  reset(reals: Float64Array): void {
    for (let i = 0; i < 3; i++) this.#regression.reset(reals, this.#at.real + i * REGRESSION_REALS);
  }

  start(task: RowTask, ratio: number): void {
    this.#baseline = task.baseline;
    this.#result = task.result;
    this.#table = task.table;
    this.#ratio = ratio;
  }

  settle(reals: Float64Array): void {
    for (let i = 0; i < 3; i++) {
      this.#regression.settle(reals, this.#at.real + i * REGRESSION_REALS);
    }
  }

  /** Finds how a row of the baseline was turning, and writes it. */
  situate(old: number, turn: Float64Array): void {
    this.#look(old);
    for (let i = 0; i < 3; i++) turn[i] = this.#lastTurn[i] as number;
  }

  /** Writes what became of the row. */
  remember(outcomes: Float64Array, at: number): void {
    const to = at + this.#at.outcome;
    for (let i = 0; i < 3; i++) {
      outcomes[to + TURN + i] = this.#turn[i] as number;
      outcomes[to + LAST_TURN + i] = this.#lastTurn[i] as number;
    }
    outcomes[to + WRONG] = this.#wrong;
  }

  /** Passes the tokens of a row. */
  code(
    near: Neighbours,
    old: number,
    source: number,
    to: number,
    isChanged: boolean,
    size: number,
  ): void {
    this.#look(old);
    this.#turn.fill(0);
    this.#wrong = 0;
    if (!isChanged) return;
    this.#predict(near);
    const { first } = this.#at.group;
    const from = old * this.#laneCount + first;
    const out = (this.#result as CodedReplica).table.tokens;
    const errors = (this.#baseline as CodedReplica).errors;
    const last =
      (errors[from + 1] as number) + (errors[from + 2] as number) + (errors[from + 3] as number);
    const lastClass = (last / 3) | 0;
    near.answers[0] = 0;
    if (near.count > 0) near.mean(this.#at.outcome + WRONG, 0);
    const nearClass = near.count > 0 ? sizeClass(toWhole(near.answers[0] as number)) : 31;
    const token = this.#port.decoding ? 0 : this.#sent(source + first);
    const largest = this.#codeLargest(token, from, lastClass, nearClass);
    out[to + first] = largest;
    this.#codeOthers(largest, source + first, to + first, near, lastClass, nearClass, size);
    const at = to + first;
    const a = out[at + 1] as number;
    const b = out[at + 2] as number;
    const c = out[at + 3] as number;
    unpackQuaternion(largest, a, b, c, this.#most, this.#predicted);
    findTurn(this.#old, this.#predicted, this.#turn);
    this.#learn();
  }

  #sent(at: number): number {
    return (this.#table as TokenTable).tokens[at] as number;
  }

  /** Finds the orientation of a row of the baseline and its last turn. */
  #look(old: number): void {
    const { motion, table } = this.#baseline as CodedReplica;
    const { tokens } = table;
    const from = old * this.#laneCount + this.#at.group.first;
    const most = this.#most;
    const l = tokens[from] as number;
    const a = tokens[from + 1] as number;
    const b = tokens[from + 2] as number;
    const c = tokens[from + 3] as number;
    unpackQuaternion(l, a, b, c, most, this.#old);
    const ml = motion[from] as number;
    const ma = motion[from + 1] as number;
    const mb = motion[from + 2] as number;
    const mc = motion[from + 3] as number;
    if ((ml | ma | mb | mc) === 0) {
      this.#lastTurn.fill(0);
      return;
    }
    unpackQuaternion((l - ml) & 3, a - ma, b - mb, c - mc, most, this.#older);
    findTurn(this.#older, this.#old, this.#lastTurn);
    for (let i = 0; i < 3; i++) this.#lastTurn[i] = (this.#lastTurn[i] as number) * this.#ratio;
  }

  #predict(near: Neighbours): void {
    const { reals } = (this.#result as CodedReplica).models;
    const outcome = this.#at.outcome;
    const unit = this.#unit;
    const { answers } = near;
    for (let i = 0; i < 3; i++) {
      const last = this.#lastTurn[i] as number;
      answers[0] = last;
      answers[1] = last;
      if (near.count > 0) {
        near.guess(outcome + TURN + i, 0);
        near.guess(outcome + LAST_TURN + i, 1);
      }
      const turned = answers[0] as number;
      const turning = answers[1] as number;
      this.#inputs[i * 3] = last * unit;
      this.#inputs[i * 3 + 1] = turned * unit;
      this.#inputs[i * 3 + 2] = turning * unit;
      const weights = this.#at.real + i * REGRESSION_REALS + REGRESSION_REALS - 3;
      const guess =
        last * (reals[weights] as number) +
        turned * (reals[weights + 1] as number) +
        turning * (reals[weights + 2] as number);
      this.#guess[i] = guess > -0.57 && guess < 0.57 ? guess : 0;
    }
    applyTurn(this.#guess, this.#old, this.#predicted);
  }

  #learn(): void {
    const { reals } = (this.#result as CodedReplica).models;
    const { inputs } = this.#regression;
    const unit = this.#unit;
    let wrong = 0;
    for (let i = 0; i < 3; i++) {
      const off = Math.abs((this.#turn[i] as number) - (this.#guess[i] as number)) * unit;
      for (let j = 0; j < 3; j++) inputs[j] = this.#inputs[i * 3 + j] as number;
      const real = this.#at.real + i * REGRESSION_REALS;
      inputs[3] = (this.#turn[i] as number) * unit;
      inputs[4] = 1 / (off + 2);
      this.#regression.learn(reals, real);
      wrong += off;
    }
    this.#wrong = wrong * 2;
  }

  #codeLargest(token: number, from: number, last: number, near: number): number {
    const predicted = this.#predicted;
    let first = 0;
    for (let i = 1; i < 4; i++) {
      if (Math.abs(predicted[i] as number) > Math.abs(predicted[first] as number)) first = i;
    }
    let second = first === 0 ? 1 : 0;
    for (let i = 0; i < 4; i++) {
      const isGreater = Math.abs(predicted[i] as number) > Math.abs(predicted[second] as number);
      if (i !== first && isGreater) second = i;
    }
    const margin = Math.abs(predicted[first] as number) - Math.abs(predicted[second] as number);
    const by = margin > 0.234 ? 15 : (margin * 64) | 0;
    const stays = first === (this.#baseline as CodedReplica).table.tokens[from] ? 1 : 0;
    const { contexts } = this.#mixed;
    const owner = this.#at.index * 8 + 6;
    contexts[0] = key(owner, by, 0);
    contexts[1] = key(owner, (by << 5) | near, 1);
    contexts[2] = key(owner, (by << 5) | last, 2);
    contexts[3] = key(owner, (by << 1) | stays, 3);
    contexts[4] = key(owner, (sizeClass(toWhole(margin * 4096)) << 5) | near, 4);
    contexts[5] = key(owner, (last << 5) | near, 5);
    if (this.#mixed.bit(token === first ? 0 : 1, 0, LARGEST_SET) === 0) return first;
    if (this.#mixed.bit(token === second ? 0 : 1, 1, LARGEST_SET + 1) === 0) return second;
    let third = 0;
    while (third === first || third === second) third++;
    const fourth = 6 - first - second - third;
    return this.#mixed.bit(token === third ? 0 : 1, 2, LARGEST_SET + 2) === 0 ? third : fourth;
  }

  #codeOthers(
    largest: number,
    source: number,
    to: number,
    near: Neighbours,
    last: number,
    nearClass: number,
    size: number,
  ): void {
    const result = this.#result as CodedReplica;
    const out = result.table.tokens;
    const predicted = this.#predicted;
    const sign = (predicted[largest] as number) < 0 ? -1 : 1;
    const half = this.#most / 2;
    const unused = 32 - this.#bits;
    const { doubt } = near;
    const rowClass = sizeClass(size);
    const turn = this.#lastTurn;
    const x = turn[0] as number;
    const y = turn[1] as number;
    const z = turn[2] as number;
    const speed = sizeClass((Math.sqrt(x * x + y * y + z * z) * this.#unit) | 0);
    const { contexts } = this.#mixed;
    const owner = this.#at.index * 8 + 7;
    let so = 0;
    for (let k = 1; k < 4; k++) {
      const component = k - 1 < largest ? k - 1 : k;
      const exact = (predicted[component] as number) * sign * this.#unit + half;
      const bounded = Math.max(0, Math.min(exact, this.#most));
      const whole = Math.round(bounded) | 0;
      const token = this.#port.decoding ? 0 : this.#sent(source + k);
      const error = ((token - whole) << unused) >> unused;
      const soClass = sizeClass(so * 2);
      contexts[0] = key(owner, (rowClass << 5) | doubt, 0);
      contexts[1] = key(owner, (nearClass << 5) | doubt, 1);
      contexts[2] = key(owner, (last << 5) | speed, 2);
      contexts[3] = key(owner, (nearClass << 5) | soClass, 3);
      contexts[4] = key(owner, (last << 5) | nearClass, 4);
      const parts = ((soClass >> 1) << 8) | ((last >> 1) << 4) | (nearClass >> 1);
      contexts[5] = key(owner, parts * 4 + k, 5);
      const lean = ((bounded - Math.floor(bounded)) * 8) & 7;
      const expected = near.count > 0 ? (((nearClass + 2 * last) / 3) | 0) - 1 : last;
      const start = expected > 0 ? (expected + 1) >> 1 : 0;
      const passed = this.#errors.code(error, this.#bits, start, lean, ERROR_SET);
      out[to + k] = ((whole + passed) << unused) >>> unused;
      result.errors[to + k] = sizeClass(Math.abs(passed));
      const faded = so - (so >> 2);
      so = Math.abs(passed) > faded ? Math.abs(passed) : faded;
    }
  }
}
