/** How often fixed-point operations of this thread were asked for what has no value. */
export interface FixedFaults {
  /** Divisions 0 / 0, which gave 0. */
  readonly zeroByZero: number;
  /** Square roots of negative numbers, which gave 0. */
  readonly negativeRoot: number;
  /** Logarithms of negative numbers, which gave 0. */
  readonly negativeLog: number;
  /** Powers of a negative number to one that is not whole, which gave 0. */
  readonly negativePower: number;
}

const counts = { zeroByZero: 0, negativeRoot: 0, negativeLog: 0, negativePower: 0 };

/** Counts one fault. */
export function countFixedFault(fault: keyof FixedFaults): void {
  counts[fault] += 1;
}

/**
 * Returns a copy of this thread's counts since the last {@link resetFixedFaults}. Saturation is no
 * fault, nor is x / 0, whose result says enough. The counts are no part of a simulation's state.
 */
export function fixedFaults(): FixedFaults {
  return { ...counts };
}

/** Sets all counts of this thread to 0. */
export function resetFixedFaults(): void {
  counts.zeroByZero = 0;
  counts.negativeRoot = 0;
  counts.negativeLog = 0;
  counts.negativePower = 0;
}
