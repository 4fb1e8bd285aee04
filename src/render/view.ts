import type { MonotonicClock } from '../shared/instant.ts';
import type { ComponentSpec } from '../shared/schema.ts';
import type { SimulationTypes, Typed } from '../shared/simulation-types.ts';
import type { ChannelName, Frame } from './frame.ts';

/** Options of {@link openView}. */
export interface ViewOptions {
  /** Stand this far behind the clock, in milliseconds, instead of following what ticks cost. */
  readonly slackMs?: number;
  /** The clock to read; the thread's own by default. */
  readonly clock?: MonotonicClock;
}

/** Figures of a view. */
export interface ViewStats {
  readonly frames: number;
  /** Frames that found nothing newer because publications overtook them. */
  readonly busyFrames: number;
  /** How far behind the clock this view stands, in milliseconds. */
  readonly slackMs: number;
  /** Frames that had to stop at the later tick because the next one was not published yet. */
  readonly clampedFrames: number;
  /** Simulation's clock minus this thread's, and how far that may be off, in nanoseconds. */
  readonly clockOffsetNs: number;
  readonly clockErrorNs: number;
}

/** A reader of a simulation on one thread; made by `openView`. */
export interface View<T extends SimulationTypes = SimulationTypes> extends Typed<T> {
  /**
   * Pins the newest ticks and places this view between them. `now` is a timestamp of this thread in
   * milliseconds, such as the one an animation frame is given; without it the clock is read. The
   * frame is the same object every time: release it before the next. Throws FRAME_OPEN otherwise.
   */
  frame(now?: number): Frame<T>;
  /** Returns what a published channel is: width, scalar and blend. Throws NAME_UNKNOWN. */
  channel(name: ChannelName<T>): ComponentSpec;
  /** Figures of this view so far. */
  stats(): ViewStats;
  /** Gives the reader back. An open frame is released. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
}
