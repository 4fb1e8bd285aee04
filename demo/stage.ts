import type {
  Capabilities,
  ClockControl,
  EscapementError,
  ProfileReport,
  RunningSimulation,
  RunOptions,
  SimulationStats,
  SimulationTypes,
} from 'escapement';
import { type Frame, type FrameStatus, openView, type View } from 'escapement/render';
import type { Bounds } from './camera.ts';

/** What one frame shows. The columns stay valid until the next look. */
export interface Picture {
  status: FrameStatus;
  tick: number;
  alpha: number;
  /** World time shown, in seconds. */
  time: number;
  slackNs: number;
  count: number;
  /** x, y by row. */
  positions: Float32Array;
  /** Radians by row: where bodies head, and their colour; undefined colours them by row. */
  headings: Float32Array | undefined;
  /** Draws discs, whose heading is a colour and no more. */
  isRound: boolean;
}

/** What the page may ask of a run. */
export interface RunChoice {
  readonly population: number;
  readonly tickRateHz: number;
  readonly speed: number;
  readonly paused: boolean;
}

/** What differs from scene to scene once it runs. */
export interface StageParts<T extends SimulationTypes> {
  /** What of the world is shown, and how. */
  readonly bounds: Bounds;
  readonly fit: 'cover' | 'contain';
  readonly simulation: RunningSimulation<T>;
  /** Blends what is drawn. */
  read(frame: Frame<T>, into: Picture): void;
  /** Turns the page's choice into the scene's own options. */
  runOptions(choice: RunChoice): RunOptions<T>;
  /** Tells the simulation where the pointer is, in world units. */
  point?(x: number, y: number, isPresent: boolean, isDown: boolean): void;
}

/** A scene that runs and can be looked at, whatever its types. */
export interface Stage {
  readonly bounds: Bounds;
  readonly fit: 'cover' | 'contain';
  readonly capabilities: Capabilities;
  readonly clock: ClockControl;
  readonly ended: Promise<EscapementError | undefined>;
  readonly picture: Readonly<Picture>;
  stats(): SimulationStats;
  /** Asks the simulation's thread what its ticks and systems took. */
  profile(): Promise<ProfileReport>;
  /** Brings the picture up to a time stamp; returns whether it differs from the one before. */
  look(now: number): boolean;
  /** Says where the pointer is, in world units; for scenes without one it does nothing. */
  point(x: number, y: number, isPresent: boolean, isDown: boolean): void;
  restart(choice: RunChoice): Promise<void>;
  stop(): Promise<void>;
}

/** Opens a view on a running scene. */
export function openStage<T extends SimulationTypes>(parts: StageParts<T>): Stage {
  return new OpenStage(parts);
}

const NONE: Float32Array = new Float32Array(0);

class OpenStage<T extends SimulationTypes> implements Stage {
  readonly picture: Picture = {
    status: 'not-ready',
    tick: 0,
    alpha: 0,
    time: 0,
    slackNs: 0,
    count: 0,
    positions: NONE,
    headings: undefined,
    isRound: false,
  };
  readonly #parts: StageParts<T>;
  readonly #view: View<T>;
  #shownTick = -1;
  #shownEpoch = -1;

  constructor(parts: StageParts<T>) {
    this.#parts = parts;
    this.#view = openView(parts.simulation.share()) as View<T>;
  }

  get bounds(): Bounds {
    return this.#parts.bounds;
  }

  get fit(): 'cover' | 'contain' {
    return this.#parts.fit;
  }

  get capabilities(): Capabilities {
    return this.#parts.simulation.capabilities;
  }

  get clock(): ClockControl {
    return this.#parts.simulation.clock;
  }

  get ended(): Promise<EscapementError | undefined> {
    return this.#parts.simulation.ended;
  }

  stats(): SimulationStats {
    return this.#parts.simulation.stats();
  }

  profile(): Promise<ProfileReport> {
    return this.#parts.simulation.profile();
  }

  look(now: number): boolean {
    const { picture } = this;
    const frame = this.#view.frame(now);
    const { pairTick, epoch, alpha, count } = frame;
    const differs =
      pairTick !== this.#shownTick ||
      epoch !== this.#shownEpoch ||
      alpha !== picture.alpha ||
      count !== picture.count;
    picture.status = frame.status;
    picture.tick = frame.tick;
    picture.time = frame.time;
    picture.slackNs = frame.slackNs;
    if (differs) {
      this.#shownTick = pairTick;
      this.#shownEpoch = epoch;
      picture.alpha = alpha;
      picture.count = count;
      this.#parts.read(frame, picture);
    }
    frame.release();
    return differs;
  }

  point(x: number, y: number, isPresent: boolean, isDown: boolean): void {
    this.#parts.point?.(x, y, isPresent, isDown);
  }

  async restart(choice: RunChoice): Promise<void> {
    await this.#parts.simulation.restart(this.#parts.runOptions(choice));
    this.#shownTick = -1;
  }

  async stop(): Promise<void> {
    this.#view.close();
    await this.#parts.simulation.stop();
  }
}
