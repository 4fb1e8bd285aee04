/** Whole numbers that follow from a seed (mulberry32): random programs that can be run again. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** Draws a u32. */
  word(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** Draws a whole number from 0 to `end` - 1. */
  below(end: number): number {
    return Math.floor((this.word() / 2 ** 32) * end);
  }

  /** Says yes once in `times`. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  /** Picks one of a list that is not empty. */
  pick<T>(list: ArrayLike<T>): T {
    return list[this.below(list.length)] as T;
  }

  /** Picks each of a list or leaves it out. */
  some<T>(list: readonly T[]): T[] {
    return list.filter(() => this.oneIn(2));
  }

  /** Returns a list in another order. */
  shuffled<T>(list: readonly T[]): T[] {
    const out = [...list];
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [out[i], out[j]] = [out[j] as T, out[i] as T];
    }
    return out;
  }
}

/**
 * Runs a random program under a seed: that of the variable ESCAPEMENT_SEED, else a fresh one. What
 * it throws says which seed it was.
 */
export function underSeed(program: (dice: Dice) => void): void {
  const given = process.env.ESCAPEMENT_SEED;
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given);
  try {
    program(new Dice(seed));
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Run again with ESCAPEMENT_SEED=${seed}. ${text}`, { cause });
  }
}
