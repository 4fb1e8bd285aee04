/** Where bodies that never move through the middle stand, by tick: what the test expects. */

/** The two sides between which nothing may be seen. */
export const SIDE = 1.2;
/** What happens to the body of each row when it changes sides. */
export const CASES = [
  'teleported',
  'recycled',
  'component removed, added later',
  'hidden, shown later',
  'ended, spawned later',
  'opted out of blending',
  'component removed and added at once',
] as const;
/** Ticks that each body stays on a side, and how many of them it is seen. */
const STAYS = [7, 5, 10, 8, 12, 3, 6];
const SEEN = [7, 5, 6, 5, 7, 3, 6];

export interface Place {
  readonly x: number;
  readonly isSeen: boolean;
  /** Whether it came to this side in this tick, and whether it was taken away in it. */
  readonly comes: boolean;
  readonly goes: boolean;
}

/** Where the body of a case is at a tick. */
export function placeAt(kind: number, tick: number): Place {
  const stay = STAYS[kind] as number;
  const seen = SEEN[kind] as number;
  const phase = tick % stay;
  const side = Math.floor(tick / stay) % 2 === 0 ? -1 : 1;
  return {
    x: side * SIDE,
    isSeen: phase < seen,
    comes: phase === 0,
    goes: phase === seen,
  };
}

/** Where the body of a row is from bottom to top. */
export function heightOf(row: number): number {
  return 0.84 - 0.24 * row;
}

/** The row of a body that moves evenly from side to side: it is seen in between. */
export const WALKER: number = CASES.length;

/** Where the walker is, in units of the world; turns fall on ticks, so that blends are exact. */
export function walkerAt(ticks: number): number {
  const along = (ticks / 40) % 2;
  return SIDE * (along <= 1 ? 2 * along - 1 : 3 - 2 * along);
}
