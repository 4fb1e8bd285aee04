/**
 * The inputs of one player for the ticks [begin, next): a ring of the newest ones. A tick's input
 * is `wordsPerTick` words from `words[at(tick)]` on.
 */
export class InputRing {
  readonly words: Uint32Array;
  readonly #wordsPerTick: number;
  readonly #capacity: number;
  readonly #firstTick: number;
  /** In an array: a u32 in a field may be boxed. */
  readonly #next: Uint32Array = new Uint32Array(1);

  constructor(wordsPerTick: number, capacity: number, firstTick: number) {
    this.words = new Uint32Array(wordsPerTick * capacity);
    this.#wordsPerTick = wordsPerTick;
    this.#capacity = capacity;
    this.#firstTick = firstTick;
    this.#next[0] = firstTick;
  }

  /** The tick whose input comes next. */
  get next(): number {
    return this.#next[0] as number;
  }

  /** The first tick whose input is still held; `next` while none is. */
  get begin(): number {
    return Math.max(this.#firstTick, this.next - this.#capacity);
  }

  /** Where the input of a tick lies in `words`. */
  at(tick: number): number {
    return (tick % this.#capacity) * this.#wordsPerTick;
  }

  /** Says whether the input of `tick` is held. */
  has(tick: number): boolean {
    return tick >= this.begin && tick < this.next;
  }

  /** Takes what was written at the next tick's place for its input. */
  advance(): void {
    this.#next[0] = this.next + 1;
  }
}
