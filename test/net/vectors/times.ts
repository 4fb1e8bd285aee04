/**
 * Times of the vectors, decimal digits up to 64 bits, as numbers: counted from the first that
 * comes, so that those that are near it stay exact.
 */
export class Times {
  #begin: bigint | undefined;
  readonly #digits: Map<number, string> = new Map();

  /** Returns a time as a number that keeps its order and its distance. */
  numberOf(digits: string): number {
    this.#begin ??= BigInt(digits);
    const time = Number(BigInt(digits) - this.#begin);
    this.#digits.set(time, digits);
    return time;
  }

  /** Returns the digits that a number was given for. */
  digitsOf(time: number): string {
    return this.#digits.get(time) ?? `no time: ${time}`;
  }
}
