import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { ViewQuery } from './view-query.ts';

/**
 * Whose rows a bulk call makes: those of a query, or of a list of slot indices in any order, which
 * may name one twice. A slot of such a list that nobody is seen at keeps its row: NaN, 0 in an
 * integer column, a matrix of zeros.
 */
export type RowsOf<T extends SimulationTypes = SimulationTypes> = ViewQuery<T> | Uint32Array;

/** Keeps what lies in a rectangle of x and y, its edges included. */
export interface WithinRectangle {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
  /** How far beyond the edges is still inside: how far an entity reaches. 0 by default. */
  readonly margin?: number;
}

/** Keeps what reaches into six half-spaces; see `frustumPlanes`. */
export interface WithinFrustum<K extends string = string> {
  /**
   * Six times (a, b, c, d): inside is where a x + b y + c z + d >= -radius. The normals (a, b, c)
   * have length 1 and point inwards. Positions of two numbers have z = 0.
   */
  readonly planes: Float32Array;
  /** How far an entity reaches, or a channel of one f32 that says so; 0 for who lacks it. */
  readonly radius: number | K;
}

/** What rows must lie in to be kept; compared in f32. A position that is NaN is nowhere. */
export type Within<K extends string = string> = WithinRectangle | WithinFrustum<K>;

/** Whose rows a bulk call makes, and which of them it keeps. */
export interface RowOptions<T extends SimulationTypes, K extends string> {
  /** By default all entities that are seen. */
  readonly of?: RowsOf<T>;
  /** By default all rows are kept. */
  readonly within?: Within<K>;
}

/** Options of `frame.sampleInto`. */
export interface SampleOptions<T extends SimulationTypes, K extends string>
  extends RowOptions<T, K> {
  /** Elements from row to row; the width of the channel by default. */
  readonly stride?: number;
  /** The element that the first row begins at. 0 by default. */
  readonly offset?: number;
  /** The position that `within` looks at; the sampled channel itself by default. */
  readonly position?: K;
}

/** The channels that a matrix is composed of. */
export interface MatrixParts<K extends string = string> {
  /** Two or three f32, blended linearly or by step. Who lacks it gets a matrix of zeros. */
  readonly position: K;
  /** A quaternion, or an angle about z of any period. Who lacks it is not turned. */
  readonly orientation?: K;
  /**
   * One f32 for all directions, two for x and y, or three, blended linearly or by step. Who lacks
   * it is not scaled.
   */
  readonly scale?: K;
}

/** Options of `frame.composeMatricesInto`. */
export interface MatrixOptions<T extends SimulationTypes, K extends string>
  extends RowOptions<T, K> {
  /** Elements from matrix to matrix; 16 by default. */
  readonly stride?: number;
  /** The element that the first matrix begins at. 0 by default. */
  readonly offset?: number;
}
