import type { AreaOfInterest, Triple } from './definition.ts';
import { cos } from '../../shared/math/trig.ts';
import { NetError } from '../net-error.ts';
import type { UniformGrid } from './grid.ts';

/** Where a client looks from. */
export interface InterestSource {
  /** World units; each number is rounded to 32 bits. */
  readonly position: Triple;
  /**
   * The direction of the cone, a unit vector within 0.01. Default: (0, 0, 1); in two dimensions
   * (1, 0).
   */
  readonly forward?: Triple | undefined;
  /** The id of the client's own entity, which is always kept; 0 or left out: it has none. */
  readonly self?: number | undefined;
}

const fround = Math.fround;
const TOLERANCE = fround(0.01);
const LONGEST = fround(fround(1 + TOLERANCE) * fround(1 + TOLERANCE));
const SHORTEST = fround(fround(1 - TOLERANCE) * fround(1 - TOLERANCE));
const RADIANS_PER_DEGREE = fround(0.0174532925);
const FORWARD: Triple = [0, 0, 1];
const FORWARD_FLAT: Triple = [1, 0, 0];

/** Indices into the numbers of an {@link InterestFilter}. */
const X = 0;
const Y = 1;
const Z = 2;
/** With the three before it a sphere, as the grid takes it. */
const RADIUS = 3;
const FORWARD_X = 4;
const FORWARD_Y = 5;
const FORWARD_Z = 6;
const COSINE = 7;

/**
 * The exact test of an area of interest: a sphere, or a sphere cut by a cone. All arithmetic is
 * that of 32-bit floats, rounded once an operation, so that every engine keeps the same entities.
 */
export class InterestFilter {
  readonly #cone: boolean;
  readonly #halfSpace: boolean;
  readonly #flat: boolean;
  /** Kept in an array, since numbers in fields would be boxed anew each time. */
  readonly #numbers = new Float32Array(8);

  /** In two dimensions the third number of a place and of a direction is taken as 0. */
  constructor(area: AreaOfInterest, dimensions: number) {
    this.#flat = dimensions === 2;
    this.#cone = area.mode === 'fov';
    this.#halfSpace = area.fovDegrees === 180;
    const half = fround(fround(fround(area.fovDegrees) * 0.5) * RADIANS_PER_DEGREE);
    this.#numbers[RADIUS] = area.radius;
    this.#numbers[COSINE] = cos(half);
  }

  /**
   * Takes where the client looks from. Throws a {@link NetError} `aoi-source-not-finite` or
   * `aoi-forward-not-unit`.
   */
  lookFrom(source: InterestSource): void {
    const numbers = this.#numbers;
    const forward = source.forward ?? (this.#flat ? FORWARD_FLAT : FORWARD);
    for (let k = 0; k < 3; k++) {
      numbers[X + k] = source.position[k] as number;
      numbers[FORWARD_X + k] = forward[k] as number;
    }
    if (this.#flat) {
      numbers[Z] = 0;
      numbers[FORWARD_Z] = 0;
    }
    for (let k = X; k <= FORWARD_Z; k++)
      if (!Number.isFinite(numbers[k])) throw notFinite(source, forward);
    const x = numbers[FORWARD_X] as number;
    const y = numbers[FORWARD_Y] as number;
    const z = numbers[FORWARD_Z] as number;
    const squared = fround(fround(fround(x * x) + fround(y * y)) + fround(z * z));
    if (!(squared >= SHORTEST && squared <= LONGEST))
      throw new NetError(
        'VALUE_INVALID',
        'aoi-forward-not-unit',
        'The forward is not a unit vector.',
        {
          given: forward.join(', '),
          allowed: 'a length from 0.99 to 1.01',
          fix: 'Normalise it.',
        },
      );
    const length = fround(Math.sqrt(squared));
    numbers[FORWARD_X] = x / length;
    numbers[FORWARD_Y] = y / length;
    numbers[FORWARD_Z] = z / length;
  }

  /** Writes the rows of a grid that may be inside, ascending; returns how many. */
  search(grid: UniformGrid, rows: Uint32Array): number {
    return grid.query(this.#numbers, rows);
  }

  /**
   * Writes those of the candidate rows that are inside, in their order, with the square of their
   * distance; returns how many. `positions` has three numbers a row. The row of the client's own
   * entity (-1: none) is kept wherever it is, also if it is no candidate.
   */
  retain(
    positions: Float32Array,
    candidates: Uint32Array,
    count: number,
    own: number,
    rows: Uint32Array,
    squares: Float32Array,
  ): number {
    const numbers = this.#numbers;
    const sourceX = numbers[X] as number;
    const sourceY = numbers[Y] as number;
    const sourceZ = numbers[Z] as number;
    const forwardX = numbers[FORWARD_X] as number;
    const forwardY = numbers[FORWARD_Y] as number;
    const forwardZ = numbers[FORWARD_Z] as number;
    const radius = numbers[RADIUS] as number;
    const limit = fround(radius * radius);
    const cosine = numbers[COSINE] as number;
    const cone = this.#cone;
    const halfSpace = this.#halfSpace;
    let kept = 0;
    let ownLeft = own >= 0;
    for (let i = 0; i < count; i++) {
      const row = candidates[i] as number;
      if (ownLeft && row >= own) {
        ownLeft = false;
        if (row !== own) {
          rows[kept] = own;
          squares[kept++] = 0;
        }
      }
      const at = row * 3;
      const x = fround((positions[at] as number) - sourceX);
      const y = fround((positions[at + 1] as number) - sourceY);
      const z = fround((positions[at + 2] as number) - sourceZ);
      const square = fround(fround(fround(x * x) + fround(y * y)) + fround(z * z));
      rows[kept] = row;
      squares[kept] = square;
      if (row === own) {
        kept++;
        continue;
      }
      if (!(square <= limit)) continue;
      if (cone && square !== 0) {
        const dot = fround(
          fround(fround(forwardX * x) + fround(forwardY * y)) + fround(forwardZ * z),
        );
        if (!(dot >= 0)) continue;
        if (!halfSpace && !(fround(dot * dot) >= fround(fround(square * cosine) * cosine)))
          continue;
      }
      kept++;
    }
    if (ownLeft) {
      rows[kept] = own;
      squares[kept++] = 0;
    }
    return kept;
  }
}

function notFinite(source: InterestSource, forward: Triple): NetError {
  return new NetError(
    'VALUE_INVALID',
    'aoi-source-not-finite',
    'The source of interest is not finite.',
    {
      given: `position ${source.position.join(', ')}, forward ${forward.join(', ')}`,
      allowed: 'finite numbers within the range of 32-bit floats',
    },
  );
}
