/** What the models of a coder have learned: whole numbers and floats, all exact on every engine. */
export class ModelState {
  readonly words: Uint32Array;
  readonly reals: Float64Array;
  readonly #words: Uint32Array;
  readonly #reals: Float64Array;

  /** Takes what a state is before anything was learned; it is kept, and may be shared. */
  constructor(words: Uint32Array, reals: Float64Array) {
    this.#words = words;
    this.#reals = reals;
    this.words = words.slice();
    this.reals = reals.slice();
  }

  reset(): void {
    this.words.set(this.#words);
    this.reals.set(this.#reals);
  }

  copyFrom(other: ModelState): void {
    this.words.set(other.words);
    this.reals.set(other.reals);
  }
}
