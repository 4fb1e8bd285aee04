/** Inputs of a prediction. */
const INPUTS = 3;
const SUMS = 6;
/** Reals that one prediction keeps: sums of products, sums with the outcome, weights. */
export const REGRESSION_REALS: number = SUMS + INPUTS + INPUTS;
/** How much of what was learned is kept from update to update. */
const KEPT = 0.95;
/** How firmly the first weights are believed. */
const BELIEF = 20;

/**
 * A linear prediction whose weights are those of least squares over what was seen, old things
 * counting less and less. It learns within an update and changes its weights only at the end.
 */
export class Regression {
  /** The inputs, then what came of them and how much that counts. */
  readonly inputs: Float64Array = new Float64Array(INPUTS + 2);
  readonly #first: readonly number[];
  readonly #factor = new Float64Array(SUMS);

  /** Takes the weights to begin with. */
  constructor(first: readonly [number, number, number]) {
    this.#first = first;
  }

  reset(reals: Float64Array, at: number): void {
    for (let i = 0; i < REGRESSION_REALS; i++) reals[at + i] = 0;
    for (let i = 0; i < INPUTS; i++) reals[at + SUMS + INPUTS + i] = this.#first[i] as number;
  }

  /** Learns what came of the inputs. */
  learn(reals: Float64Array, at: number): void {
    const { inputs } = this;
    const outcome = inputs[INPUTS] as number;
    const weight = inputs[INPUTS + 1] as number;
    let sum = at;
    for (let i = 0; i < INPUTS; i++) {
      const part = (inputs[i] as number) * weight;
      for (let j = 0; j <= i; j++) {
        reals[sum] = (reals[sum] as number) + part * (inputs[j] as number);
        sum++;
      }
      const b = at + SUMS + i;
      reals[b] = (reals[b] as number) + part * outcome;
    }
  }

  /** Finds the weights anew and lets what was learned fade. */
  settle(reals: Float64Array, at: number): void {
    const f = this.#factor;
    const w = at + SUMS + INPUTS;
    for (let i = 0; i < INPUTS; i++) {
      const row = (i * (i + 1)) / 2;
      for (let j = 0; j <= i; j++) {
        const column = (j * (j + 1)) / 2;
        let rest = (reals[at + row + j] as number) + (i === j ? BELIEF : 0);
        for (let k = 0; k < j; k++) rest -= (f[row + k] as number) * (f[column + k] as number);
        f[row + j] = i === j ? Math.sqrt(Math.max(rest, 1e-9)) : rest / (f[column + j] as number);
      }
      let rest = (reals[at + SUMS + i] as number) + BELIEF * (this.#first[i] as number);
      for (let k = 0; k < i; k++) rest -= (f[row + k] as number) * (reals[w + k] as number);
      reals[w + i] = rest / (f[row + i] as number);
    }
    for (let i = INPUTS - 1; i >= 0; i--) {
      let rest = reals[w + i] as number;
      for (let k = i + 1; k < INPUTS; k++) {
        rest -= (f[(k * (k + 1)) / 2 + i] as number) * (reals[w + k] as number);
      }
      reals[w + i] = rest / (f[(i * (i + 1)) / 2 + i] as number);
    }
    for (let i = 0; i < SUMS + INPUTS; i++) reals[at + i] = (reals[at + i] as number) * KEPT;
  }
}
