/** Cubes as a scene keeps them: columns of three, four and three numbers. */
export interface CubeColumns {
  readonly position: Float32Array;
  readonly orientation: Float32Array;
  readonly scale: Float32Array;
}

type Triple = readonly [x: number, y: number, z: number];

/** A box in space: where its middle is, its three directions, and half of its edges. */
interface Box {
  readonly middle: Triple;
  readonly axes: readonly [Triple, Triple, Triple];
  readonly half: Triple;
}

/** Reads three numbers of a column, as one vector. */
function triple(column: Float32Array, index: number): Triple {
  const [x = Number.NaN, y = Number.NaN, z = Number.NaN] = column.subarray(3 * index);
  return [x, y, z];
}

function boxAt({ position, orientation, scale }: CubeColumns, index: number): Box {
  const [x = 0, y = 0, z = 0, w = 0] = orientation.subarray(4 * index);
  const [a, b, c] = triple(scale, index);
  return {
    middle: triple(position, index),
    axes: [
      [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
      [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
      [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
    ],
    half: [a / 2, b / 2, c / 2],
  };
}

function dot([a, b, c]: Triple, [x, y, z]: Triple): number {
  return a * x + b * y + c * z;
}

function cross([a, b, c]: Triple, [x, y, z]: Triple): Triple {
  return [b * z - c * y, c * x - a * z, a * y - b * x];
}

/** How far a box reaches from its middle along a direction of length 1. */
function reach({ axes, half }: Box, direction: Triple): number {
  let sum = 0;
  for (let k = 0; k < 3; k++) {
    sum += Math.abs(dot(axes[k] as Triple, direction)) * (half[k] as number);
  }
  return sum;
}

/**
 * How deep two boxes are inside each other: the least way along which moving one frees it, negative
 * when they are apart (separating axes: the faces of both, and edge across edge).
 */
function overlap(one: Box, other: Box): number {
  const between: Triple = [
    other.middle[0] - one.middle[0],
    other.middle[1] - one.middle[1],
    other.middle[2] - one.middle[2],
  ];
  let least = Number.POSITIVE_INFINITY;
  const edges = one.axes.flatMap((axis) => other.axes.map((across) => cross(axis, across)));
  for (const direction of [...one.axes, ...other.axes, ...edges]) {
    const length = Math.sqrt(dot(direction, direction));
    // Parallel edges give no direction.
    if (length < 1e-3) continue;
    const unit: Triple = [direction[0] / length, direction[1] / length, direction[2] / length];
    least = Math.min(least, reach(one, unit) + reach(other, unit) - Math.abs(dot(between, unit)));
  }
  return least;
}

/** Returns how deep the two that are deepest inside each other are, in metres. */
export function deepestOverlap(columns: CubeColumns, live: Uint32Array): number {
  const boxes = Array.from(live, (index) => boxAt(columns, index));
  let deepest = Number.NEGATIVE_INFINITY;
  boxes.forEach((one, k) => {
    for (let l = k + 1; l < boxes.length; l++) {
      const other = boxes[l] as Box;
      const apart = Math.hypot(
        ...one.middle.map((at, axis) => at - (other.middle[axis] as number)),
      );
      if (apart > Math.hypot(...one.half) + Math.hypot(...other.half)) continue;
      deepest = Math.max(deepest, overlap(one, other));
    }
  });
  return deepest;
}

/** Returns the height of the lowest corner of all, in metres above the floor. */
export function lowestCorner(columns: CubeColumns, live: Uint32Array): number {
  return Math.min(
    ...Array.from(live, (index) => {
      const box = boxAt(columns, index);
      return box.middle[1] - reach(box, [0, 1, 0]);
    }),
  );
}
