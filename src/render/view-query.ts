import type { SimulationTypes, Typed } from '../shared/simulation-types.ts';

/** A frame, as far as a query asks it. */
export interface QueriedFrame<T extends SimulationTypes = SimulationTypes> {
  /** Brings a query up to date with the frame and returns its slot indices, ascending. */
  indicesOf(query: ViewQuery<T>): Uint32Array;
}

/**
 * A standing question to the frames of a view; made by `view.query`. Its list is brought up to date
 * when a frame uses it, and only if who is there has changed. Entities that are hidden are not in
 * it. It outlives a restart.
 */
export interface ViewQuery<T extends SimulationTypes = SimulationTypes> extends Typed<T> {
  /** Entities that matched in the last frame that used this query. */
  readonly count: number;
  /**
   * Returns the slot indices of those that match at the later tick of `frame`, ascending. Valid
   * until a newer frame uses this query.
   */
  indices(frame: QueriedFrame<T>): Uint32Array;
}
