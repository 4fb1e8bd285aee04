import type { MonotonicClock } from '../shared/instant.ts';
import type { QuerySpec } from '../shared/query-spec.ts';
import type { ComponentSpec } from '../shared/schema.ts';
import type { SimulationTypes, Typed } from '../shared/simulation-types.ts';
import type { BeatReport } from './beat-meter.ts';
import type { ChannelName, Frame } from './frame.ts';
import type { ChannelMotions } from './motion-options.ts';
import type { RenderSystem, RenderSystems } from './render-systems.ts';
import type { ViewQuery } from './view-query.ts';

/** Options of {@link openView}. */
export interface ViewOptions<T extends SimulationTypes = SimulationTypes> {
  /**
   * Stand this far behind the clock, in milliseconds, instead of following what ticks cost; more
   * than one quantum counts as one.
   */
  readonly slackMs?: number;
  /**
   * Stand this far ahead of the clock, in milliseconds, instead of behind it. Channels that
   * extrapolate go on beyond the newest tick, the others stop there.
   */
  readonly leadMs?: number;
  /**
   * Show the newest tick as it is, and nothing in between: for comparisons, and for whoever sends
   * or stores what was published. Cannot be combined with `slackMs`, `leadMs` and `channels`.
   */
  readonly latest?: boolean;
  /** Channels that move by their velocity, by name; none by default. */
  readonly channels?: ChannelMotions<T>;
  /** The clock to read; the thread's own by default. */
  readonly clock?: MonotonicClock;
  /**
   * `auto` blends by WebAssembly kernels where the engine has SIMD and policy allows to compile
   * them; `off` by the loops in JavaScript, whose results are the same bits. `auto` by default.
   */
  readonly kernels?: 'auto' | 'off';
}

/** Figures of a view. */
export interface ViewStats {
  readonly frames: number;
  /** Frames that found nothing newer because publications overtook them. */
  readonly busyFrames: number;
  /** How far behind the clock this view stands, in milliseconds; negative with a lead. */
  readonly slackMs: number;
  /**
   * Frames that stood beyond the newest tick: there they stop, but for channels that extrapolate.
   */
  readonly clampedFrames: number;
  /** Simulation's clock minus this thread's, and how far that may be off, in nanoseconds. */
  readonly clockOffsetNs: number;
  readonly clockErrorNs: number;
  /**
   * The beat of frames and ticks; undefined until enough frames were taken, and while the clock
   * does not run.
   */
  readonly beat: BeatReport | undefined;
  /** How this view blends: by kernels, or by the loops in JavaScript. */
  readonly path: 'simd' | 'javascript';
}

/** A reader of a simulation on one thread; made by `openView`. */
export interface View<T extends SimulationTypes = SimulationTypes> extends Typed<T> {
  /**
   * Pins the newest ticks and places this view between them. `now` is a timestamp of this thread in
   * milliseconds, such as the one an animation frame is given; without it the clock is read. The
   * frame is the same object every time: release it before the next. Throws FRAME_OPEN otherwise.
   */
  frame(now?: number): Frame<T>;
  /**
   * Pins the newest ticks and stands at `alpha` between the last two of them, from 0 to 1, where 1
   * is the newest as it is: for a capture, which says itself which time it shows. Reads no clock.
   * Throws VALUE_INVALID for another alpha, and FRAME_OPEN as {@link frame} does.
   */
  frameAt(alpha: number): Frame<T>;
  /**
   * Makes an ordered list of systems that draw, to be run once a frame. Throws OPTION_INVALID,
   * NAME_UNKNOWN and SCHEDULE_INVALID for lists that have no order.
   */
  renderSystems(systems: readonly RenderSystem<T>[]): RenderSystems;
  /** The most entities there can be: rows a blended column may have. */
  readonly capacity: number;
  /** Returns what a published channel is: width, scalar and blend. Throws NAME_UNKNOWN. */
  channel(name: ChannelName<T>): ComponentSpec;
  /**
   * Makes a standing question to the frames of this view, by components, published or not. Make it
   * once and keep it. Throws NAME_UNKNOWN.
   */
  query(spec: QuerySpec<keyof T['components'] & string>): ViewQuery<T>;
  /** Figures of this view so far. */
  stats(): ViewStats;
  /** Gives the reader back. An open frame is released. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
}
