/**
 * A reading of a monotonic clock: whole seconds plus nanoseconds. Both are integers, `nanos` in
 * [0, 1e9), so every reading of a 64-bit nanosecond counter is exact without BigInt. Instants are
 * mutable and reused: a clock writes into one, it never makes one.
 */
export interface Instant {
  seconds: number;
  nanos: number;
}

/** A monotonic clock. Reading it twice never goes back; its zero is its own. */
export interface MonotonicClock {
  /** Writes the present reading into `out` and returns `out`. Allocates nothing. */
  read(out: Instant): Instant;
}

/** Makes an instant; 0 s by default. */
export function createInstant(seconds = 0, nanos = 0): Instant {
  return { seconds, nanos };
}

/** Copies `from` into `out`. */
export function copyInstant(out: Instant, from: Instant): Instant {
  out.seconds = from.seconds;
  out.nanos = from.nanos;
  return out;
}

/** Returns a negative number, 0 or a positive number as `a` is before, at or after `b`. */
export function compareInstants(a: Instant, b: Instant): number {
  return a.seconds === b.seconds ? a.nanos - b.nanos : a.seconds - b.seconds;
}

/**
 * Returns `later - earlier` in nanoseconds as a double: exact while the two lie within 104 days,
 * rounded to 53 bits beyond. Negative when `later` is the earlier one.
 */
export function elapsedNs(later: Instant, earlier: Instant): number {
  return (later.seconds - earlier.seconds) * 1e9 + (later.nanos - earlier.nanos);
}

/** Adds whole nanoseconds (of either sign, a safe integer) to `out` in place. */
export function addNs(out: Instant, ns: number): Instant {
  const total = out.nanos + (ns % 1e9);
  const carry = Math.floor(total / 1e9);
  out.seconds += Math.trunc(ns / 1e9) + carry;
  out.nanos = total - carry * 1e9;
  return out;
}

/**
 * Writes a number of milliseconds, such as `performance.now()`, as an instant, to the nanosecond.
 */
export function instantFromMs(out: Instant, ms: number): Instant {
  const seconds = Math.floor(ms / 1000);
  const nanos = Math.round((ms - seconds * 1000) * 1e6);
  out.seconds = nanos === 1e9 ? seconds + 1 : seconds;
  out.nanos = nanos === 1e9 ? 0 : nanos;
  return out;
}
