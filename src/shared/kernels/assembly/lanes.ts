/*
 * The steps between four rows (x y z w each) and four vectors of one coordinate each: the way is
 * the same in both directions.
 */

/** The first halves of two rows, in turn: x x y y. */
@inline
export function zipLow(a: v128, b: v128): v128 {
  return v128.shuffle<u32>(a, b, 0, 4, 1, 5);
}

/** The second halves of two rows, in turn: z z w w. */
@inline
export function zipHigh(a: v128, b: v128): v128 {
  return v128.shuffle<u32>(a, b, 2, 6, 3, 7);
}

/** The first halves of two vectors. */
@inline
export function firstHalves(a: v128, b: v128): v128 {
  return v128.shuffle<u64>(a, b, 0, 2);
}

/** The second halves of two vectors. */
@inline
export function secondHalves(a: v128, b: v128): v128 {
  return v128.shuffle<u64>(a, b, 1, 3);
}

/** Loads a row of f32: three, two (the rest is 0), or one, which fills the vector. */
@inline
export function loadRow(base: usize, width: u32, row: u32): v128 {
  if (width == 1) return v128.load_splat<u32>(base + (row << 2));
  if (width == 2) return v128.load_zero<u64>(base + (row << 3));
  const at = base + row * 12;
  return v128.load_lane<u32>(at, v128.load_zero<u64>(at), 2, 8);
}
