/*
 * The pinned f32 backend: IEEE 754 binary32, every operation rounded once to nearest, ties to even,
 * none fused or reordered, subnormals kept, so that every engine returns the same bits. Operands
 * are binary32 values: elements of a Float32Array, or what these functions return.
 *
 * `Math.fround` of a double sum, difference, product, quotient or square root of binary32 values is
 * the binary32 operation itself: a double has 53 bits, and from 2 * 24 + 2 on the first rounding
 * cannot change the second. That holds for one operation, so each has a `Math.fround` of its own.
 */

/** Returns the binary32 value nearest to `value`, ties to even; too large a one gives Infinity. */
export function toF32(value: number): number {
  return Math.fround(value);
}

/** Returns a + b, rounded once. */
export function addF32(a: number, b: number): number {
  return Math.fround(a + b);
}

/** Returns a - b, rounded once. */
export function subF32(a: number, b: number): number {
  return Math.fround(a - b);
}

/** Returns a * b, rounded once. */
export function mulF32(a: number, b: number): number {
  return Math.fround(a * b);
}

/** Returns a / b, rounded once. x / 0 is an infinity, 0 / 0 is NaN. */
export function divF32(a: number, b: number): number {
  return Math.fround(a / b);
}

/** Returns the square root of `a`, rounded once. What is below zero gives NaN, -0 gives -0. */
export function sqrtF32(a: number): number {
  return Math.fround(Math.sqrt(a));
}

/**
 * Returns a + (b - a) * t: one subtraction, one multiplication, one addition, each rounded. `t` 0
 * gives `a`; `t` 1 need not give `b` to the last bit. Beyond those it extrapolates.
 */
export function lerpF32(a: number, b: number, t: number): number {
  return Math.fround(a + Math.fround(Math.fround(b - a) * t));
}

/**
 * Returns `value` held between `low` and `high`, which are not NaN and in order. NaN gives NaN, an
 * infinity gives its bound.
 */
export function clampF32(value: number, low: number, high: number): number {
  if (value < low) return low;
  return value > high ? high : value;
}

/** Tells whether a = b. NaN equals nothing; the two zeros are equal. */
export function equalsF32(a: number, b: number): boolean {
  return a === b;
}

/** Tells whether a = b does not hold: true if one is NaN. */
export function notEqualsF32(a: number, b: number): boolean {
  return a !== b;
}

/** Tells whether a < b; false if one is NaN. */
export function lessF32(a: number, b: number): boolean {
  return a < b;
}

/** Tells whether a <= b; false if one is NaN. */
export function lessOrEqualF32(a: number, b: number): boolean {
  return a <= b;
}

/** Tells whether a > b; false if one is NaN. */
export function greaterF32(a: number, b: number): boolean {
  return a > b;
}

/** Tells whether a >= b; false if one is NaN. */
export function greaterOrEqualF32(a: number, b: number): boolean {
  return a >= b;
}

/** Tells whether neither is NaN. */
export function isOrderedF32(a: number, b: number): boolean {
  return a === a && b === b;
}

/** Tells whether `a` is NaN. */
export function isNaNF32(a: number): boolean {
  return a !== a;
}

/** Tells whether `a` is one of the two infinities. */
export function isInfiniteF32(a: number): boolean {
  return a === a && a - a !== 0;
}

/** Tells whether `a` is neither NaN nor an infinity. */
export function isFiniteF32(a: number): boolean {
  // Infinity - Infinity is NaN.
  return a - a === 0;
}

/**
 * Returns the length of (x, y): the root of x * x + y * y, each step rounded. It is not rescued
 * from its squares: from about 1.8e19 on it is Infinity, below about 2.6e-23 it is 0.
 */
export function length2F32(x: number, y: number): number {
  return sqrtF32(addF32(mulF32(x, x), mulF32(y, y)));
}

/** Returns the length of (x, y, z), as {@link length2F32}: the root of (x * x + y * y) + z * z. */
export function length3F32(x: number, y: number, z: number): number {
  return sqrtF32(addF32(addF32(mulF32(x, x), mulF32(y, y)), mulF32(z, z)));
}

/**
 * Writes (x, y) divided by its length to `out[offset]` and the place behind it, one division for
 * each. Returns whether that is a direction. It is none
 * - where the length is 0: zeros are written;
 * - where the length overflows: a finite part gives a zero of its sign, an infinite one NaN;
 * - where a part is NaN: all become NaN.
 */
export function normalise2F32(x: number, y: number, out: Float32Array, offset: number): boolean {
  const length = length2F32(x, y);
  const some = length !== 0;
  out[offset] = some ? divF32(x, length) : 0;
  out[offset + 1] = some ? divF32(y, length) : 0;
  return some && length < Infinity;
}

/** Writes (x, y, z) divided by its length to three places of `out`, as {@link normalise2F32}. */
export function normalise3F32(
  x: number,
  y: number,
  z: number,
  out: Float32Array,
  offset: number,
): boolean {
  const length = length3F32(x, y, z);
  const some = length !== 0;
  out[offset] = some ? divF32(x, length) : 0;
  out[offset + 1] = some ? divF32(y, length) : 0;
  out[offset + 2] = some ? divF32(z, length) : 0;
  return some && length < Infinity;
}
