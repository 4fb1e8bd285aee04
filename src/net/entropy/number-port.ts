/** Where counts and ids pass: out of an encoder or into a decoder, by the same call. */
export interface NumberPort {
  readonly decoding: boolean;
  /** Passes a number of 32 bits; small ones are short. Returns what was written or read. */
  number(value: number): number;
  /** Whether more was read than was there: then what was read since is zeros. */
  readonly overran: boolean;
}
