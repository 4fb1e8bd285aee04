import type { Lane } from '../record/lane.ts';

/**
 * How the lanes of a field are coded together.
 *
 * - `motion`: places on lines or circles that are predicted from how they moved.
 * - `rotation`: an orientation as smallest three: a category of two bits for the largest component,
 *   then three linear lanes for the others, of which 0 is -1/sqrt(2) and the greatest is 1/sqrt(2).
 * - `value`: anything else, each lane by itself.
 */
export type GroupKind = 'motion' | 'rotation' | 'value';

/** The lanes of one field. */
export interface LaneGroup {
  readonly kind: GroupKind;
  readonly first: number;
  readonly count: number;
}

/** Returns the groups of a record, one a field that has lanes, in the order of the lanes. */
export function groupLanes(lanes: readonly Lane[]): LaneGroup[] {
  const groups: LaneGroup[] = [];
  for (let first = 0; first < lanes.length; ) {
    const field = (lanes[first] as Lane).field;
    let end = first + 1;
    while (end < lanes.length && (lanes[end] as Lane).field === field) end++;
    const own = lanes.slice(first, end);
    groups.push({ kind: kindOf(own), first, count: own.length });
    first = end;
  }
  return groups;
}

function kindOf(lanes: readonly Lane[]): GroupKind {
  const moves = (lane: Lane): boolean => lane.kind === 'linear' || lane.kind === 'circular';
  if (lanes.every(moves)) return 'motion';
  const [largest, ...others] = lanes as [Lane, ...Lane[]];
  const bits = others[0]?.bits ?? 0;
  const isRotation =
    largest.kind === 'category' &&
    largest.bits === 2 &&
    others.length === 3 &&
    bits <= 20 &&
    others.every((lane) => lane.kind === 'linear' && lane.bits === bits);
  return isRotation ? 'rotation' : 'value';
}

/** Returns the group that says where a row is: the first of two or three linear lanes, or -1. */
export function findPlace(lanes: readonly Lane[], groups: readonly LaneGroup[]): number {
  return groups.findIndex(
    ({ first, count, kind }) =>
      kind === 'motion' &&
      (count === 2 || count === 3) &&
      lanes.slice(first, first + count).every((lane) => lane.kind === 'linear'),
  );
}
