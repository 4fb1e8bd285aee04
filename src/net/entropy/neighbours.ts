import { sizeClass } from './error-bits.ts';

/** Rows that are remembered. */
const KEPT_ROWS = 128;
/** Rows that speak for another one. */
const NEAREST = 8;
/** How much a difference of speeds counts against one of places, squared. */
const SPEED_WEIGHT = 16;
/** The reach of a row in the distance to the nearest one, squared. */
const REACH = 30;
const ROTATION_REACH = 40;
const NOISE = 0.02;
const ROTATION_NOISE = 0.3;
/** How much a difference of turns (sines of half angles) counts. */
const TURN_WEIGHT = 26;
/** Reals of a row's situation: place, speed. */
const SITUATION = 6;

/**
 * The rows of an update that were coded last: where they were, how fast, and what became of them.
 * Those nearest to a row say what is likely to become of it: a smooth field is laid through them,
 * as in kriging. All floats are made of sums, products, quotients and roots, so they are exact
 * everywhere.
 */
export class Neighbours {
  /** The situation of the row that is asked for. */
  readonly place: Float64Array = new Float64Array(SITUATION);
  readonly turn: Float64Array = new Float64Array(3);
  /** For each of the nearest rows: its slot, and its weight after `weigh`. */
  readonly slots: Int32Array = new Int32Array(NEAREST);
  readonly weights: Float64Array = new Float64Array(NEAREST);
  /** How sure the neighbours are after `weigh`, in octaves of their variance: 0 not at all. */
  doubt = 0;
  count = 0;
  /** What was asked for last: floats go by here, so that none is boxed. */
  readonly answers: Float64Array = new Float64Array(3);
  /** Mean squared distance to the nearest row; kept with the models by the caller. */
  spacing = 0;
  /** What became of rows, `width` reals a slot. */
  readonly outcomes: Float64Array;
  readonly width: number;
  #rows = 0;
  readonly #places = new Float64Array(KEPT_ROWS * SITUATION);
  readonly #turns = new Float64Array(KEPT_ROWS * 3);
  readonly #distances = new Float64Array(NEAREST);
  readonly #factor = new Float64Array(NEAREST * NEAREST);
  readonly #pairs = new Float64Array(NEAREST * NEAREST);

  constructor(width: number) {
    this.width = width;
    this.outcomes = new Float64Array(KEPT_ROWS * width);
  }

  reset(): void {
    this.#rows = 0;
    this.count = 0;
    this.doubt = 0;
  }

  /** Remembers the row asked for; returns where its outcomes go. */
  add(): number {
    const slot = this.#rows++ % KEPT_ROWS;
    for (let i = 0; i < SITUATION; i++) {
      this.#places[slot * SITUATION + i] = this.place[i] as number;
    }
    for (let i = 0; i < 3; i++) this.#turns[slot * 3 + i] = this.turn[i] as number;
    return slot * this.width;
  }

  /** Finds the nearest rows to `place`, nearest first. */
  find(): void {
    const kept = this.#rows < KEPT_ROWS ? this.#rows : KEPT_ROWS;
    const places = this.#places;
    const distances = this.#distances;
    const { place, slots } = this;
    const x = place[0] as number;
    const y = place[1] as number;
    const z = place[2] as number;
    const vx = place[3] as number;
    const vy = place[4] as number;
    const vz = place[5] as number;
    let found = 0;
    for (let slot = 0; slot < kept; slot++) {
      const at = slot * SITUATION;
      const dx = x - (places[at] as number);
      const dy = y - (places[at + 1] as number);
      const dz = z - (places[at + 2] as number);
      const du = vx - (places[at + 3] as number);
      const dv = vy - (places[at + 4] as number);
      const dw = vz - (places[at + 5] as number);
      const far = dx * dx + dy * dy + dz * dz + SPEED_WEIGHT * (du * du + dv * dv + dw * dw);
      if (found === NEAREST && far >= (distances[NEAREST - 1] as number)) continue;
      let to = found < NEAREST ? found++ : NEAREST - 1;
      for (; to > 0 && (distances[to - 1] as number) > far; to--) {
        distances[to] = distances[to - 1] as number;
        slots[to] = slots[to - 1] as number;
      }
      distances[to] = far;
      slots[to] = slot;
    }
    this.count = found;
    if (found === 0) return;
    const at = (slots[0] as number) * SITUATION;
    const dx = x - (places[at] as number);
    const dy = y - (places[at + 1] as number);
    const dz = z - (places[at + 2] as number);
    this.spacing += (dx * dx + dy * dy + dz * dz - this.spacing) / 256;
    for (let i = 0; i < found; i++) {
      for (let j = 0; j < i; j++) {
        this.#pairs[i * NEAREST + j] = this.#distance(slots[i] as number, slots[j] as number);
      }
    }
  }

  /** Weighs the nearest rows by place and speed, and for an orientation by turn as well. */
  weigh(isRotation: boolean): void {
    const { count, weights, slots } = this;
    const f = this.#factor;
    const reach = (isRotation ? ROTATION_REACH : REACH) * (this.spacing + 1);
    const noise = isRotation ? ROTATION_NOISE : NOISE;
    const turns = this.#turns;
    let doubt = 1;
    for (let i = 0; i < count; i++) {
      const a = (slots[i] as number) * 3;
      for (let j = 0; j <= i; j++) {
        let near = 1 + noise;
        if (i !== j) {
          let far = (this.#pairs[i * NEAREST + j] as number) / reach;
          if (isRotation) {
            const b = (slots[j] as number) * 3;
            const p = (turns[a] as number) - (turns[b] as number);
            const q = (turns[a + 1] as number) - (turns[b + 1] as number);
            const r = (turns[a + 2] as number) - (turns[b + 2] as number);
            far += TURN_WEIGHT * (p * p + q * q + r * r);
          }
          near = 1 / (1 + far);
        }
        for (let k = 0; k < j; k++) {
          near -= (f[i * NEAREST + k] as number) * (f[j * NEAREST + k] as number);
        }
        f[i * NEAREST + j] =
          i === j ? Math.sqrt(Math.max(near, 1e-9)) : near / (f[j * NEAREST + j] as number);
      }
      let far = (this.#distances[i] as number) / reach;
      if (isRotation) {
        const p = (turns[a] as number) - (this.turn[0] as number);
        const q = (turns[a + 1] as number) - (this.turn[1] as number);
        const r = (turns[a + 2] as number) - (this.turn[2] as number);
        far += TURN_WEIGHT * (p * p + q * q + r * r);
      }
      let rest = 1 / (1 + far);
      for (let k = 0; k < i; k++) rest -= (f[i * NEAREST + k] as number) * (weights[k] as number);
      rest /= f[i * NEAREST + i] as number;
      weights[i] = rest;
      doubt -= rest * rest;
    }
    for (let i = count - 1; i >= 0; i--) {
      let rest = weights[i] as number;
      for (let k = i + 1; k < count; k++) {
        rest -= (f[k * NEAREST + i] as number) * (weights[k] as number);
      }
      weights[i] = rest / (f[i * NEAREST + i] as number);
    }
    this.doubt = 15 - (sizeClass(doubt > 0 ? (16_384 * doubt) | 0 : 0) >> 1);
  }

  /** Answers the weighted sum of outcome `index` of the nearest rows at `answers[to]`. */
  guess(index: number, to: number): void {
    const { outcomes, width } = this;
    let sum = 0;
    for (let i = 0; i < this.count; i++) {
      const outcome = outcomes[(this.slots[i] as number) * width + index] as number;
      sum += (this.weights[i] as number) * outcome;
    }
    this.answers[to] = sum;
  }

  /** Answers the mean of outcome `index`, nearer rows counting more, at `answers[to]`. */
  mean(index: number, to: number): void {
    const { outcomes, width } = this;
    const floor = (this.#distances[0] as number) * 0.7 + this.spacing * 0.01 + 1;
    let sum = 0;
    let total = 0;
    for (let i = 0; i < this.count; i++) {
      const weight = 1 / ((this.#distances[i] as number) + floor);
      sum += weight * (outcomes[(this.slots[i] as number) * width + index] as number);
      total += weight;
    }
    this.answers[to] = sum / total;
  }

  #distance(a: number, b: number): number {
    const places = this.#places;
    const p = a * SITUATION;
    const q = b * SITUATION;
    const dx = (places[p] as number) - (places[q] as number);
    const dy = (places[p + 1] as number) - (places[q + 1] as number);
    const dz = (places[p + 2] as number) - (places[q + 2] as number);
    const du = (places[p + 3] as number) - (places[q + 3] as number);
    const dv = (places[p + 4] as number) - (places[q + 4] as number);
    const dw = (places[p + 5] as number) - (places[q + 5] as number);
    return dx * dx + dy * dy + dz * dz + SPEED_WEIGHT * (du * du + dv * dv + dw * dw);
  }
}
