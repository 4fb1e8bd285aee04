import type { Instant } from '../../src/shared/instant.ts';

/** Exact arithmetic for models in tests, in big integers. */

export const NANOS = 1_000_000_000n;

export function divideFloor(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n !== b < 0n && a % b !== 0n ? quotient - 1n : quotient;
}

/** Rounds a / b to the nearest integer, a half upwards; b is positive. */
export function roundHalfUp(a: bigint, b: bigint): bigint {
  return divideFloor(2n * a + b, 2n * b);
}

export function instantOf(ns: bigint): Instant {
  const seconds = divideFloor(ns, NANOS);
  return { seconds: Number(seconds), nanos: Number(ns - seconds * NANOS) };
}

export function nanosOf({ seconds, nanos }: Instant): bigint {
  return BigInt(seconds) * NANOS + BigInt(nanos);
}

/** An exact fraction, reduced, its denominator positive. */
export class Fraction {
  readonly n: bigint;
  readonly d: bigint;

  constructor(n: bigint, d = 1n) {
    let [a, b] = [n < 0n ? -n : n, d];
    while (b !== 0n) [a, b] = [b, a % b];
    this.n = n / a;
    this.d = d / a;
  }

  /** The exact value of a double. */
  static ofDouble(value: number): Fraction {
    let scale = 1n;
    let whole = value;
    for (; !Number.isInteger(whole); whole *= 2) scale *= 2n;
    return new Fraction(BigInt(whole), scale);
  }

  plus(other: Fraction): Fraction {
    return new Fraction(this.n * other.d + other.n * this.d, this.d * other.d);
  }

  minus(other: Fraction): Fraction {
    return new Fraction(this.n * other.d - other.n * this.d, this.d * other.d);
  }

  times(other: Fraction): Fraction {
    return new Fraction(this.n * other.n, this.d * other.d);
  }

  over(other: Fraction): Fraction {
    return new Fraction(this.n * other.d, this.d * other.n);
  }

  magnitude(): Fraction {
    return this.n < 0n ? new Fraction(-this.n, this.d) : this;
  }

  floor(): bigint {
    return divideFloor(this.n, this.d);
  }

  ceil(): bigint {
    return -divideFloor(-this.n, this.d);
  }

  round(): bigint {
    return roundHalfUp(this.n, this.d);
  }

  /** The nearest double, ties to even; for fractions that are not negative. */
  toDouble(): number {
    if (this.n === 0n) return 0;
    const shift = BigInt(Math.max(0, bits(this.d) - bits(this.n) + 66));
    const scaledUp = this.n << shift;
    const sticky = scaledUp % this.d === 0n ? 0n : 1n;
    return Number(((scaledUp / this.d) << 1n) | sticky) / 2 / 2 ** Number(shift);
  }
}

function bits(value: bigint): number {
  return value.toString(2).length;
}
