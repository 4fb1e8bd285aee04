import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { Frame } from './frame.ts';
import type { ViewOptions } from './view.ts';

/** Where a picture is drawn, and which one of a film it is. */
export interface PictureStage {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** The frame's number in its film, from 0, and when it is shown there, in seconds. */
  readonly index: number;
  readonly time: number;
}

/**
 * How a scene is drawn: what `escapement capture` looks for, exported as `picture` by the module
 * `flock.picture.ts` beside `flock.sim.ts`. `C` is the context to draw with, such as the 2D context
 * of a canvas; a structural type of what is used of it fits pages and Node alike.
 */
export interface Picture<T extends SimulationTypes = SimulationTypes, C = unknown> {
  /** Pixels, unless another size is asked for. */
  readonly width: number;
  readonly height: number;
  /** Options of the view that frames come from. */
  readonly view?: ViewOptions<T>;
  /**
   * Draws a frame over whatever is there, anew: the picture follows from the frame and the stage
   * alone, since frames may be drawn on several threads and none of them draws all.
   */
  draw(context: C, frame: Frame<T>, stage: PictureStage): void;
}
