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
import type { BlendPath } from './blend-path.ts';
import type { Showing } from './showing.ts';
import type { Subject } from './subject.ts';

/** What the figures say of the frame that was looked at last. */
export interface Look {
  status: FrameStatus;
  tick: number;
  alpha: number;
  /** World time shown, in seconds. */
  time: number;
  slackNs: number;
  count: number;
}

/** What the page may ask of a run. */
export interface RunChoice {
  readonly population: number;
  readonly tickRateHz: number;
  readonly speed: number;
  readonly paused: boolean;
  /** A recording to replay; rate and population are its own then. */
  readonly replay?: Uint8Array;
}

/** What records a run, and tells of the replay of one. */
export type StageRun = Pick<RunningSimulation, 'record' | 'replay' | 'stateHash'>;

/** What differs from scene to scene once it runs. */
export interface StageParts<T extends SimulationTypes> {
  readonly simulation: RunningSimulation<T>;
  /** Makes what is drawn of the view's frames. */
  createSubject(view: View<T>): Subject<T>;
  /** Turns the page's choice into the scene's own options. */
  runOptions(choice: RunChoice): RunOptions<T>;
  /** Tells the simulation where the pointer is, in world units. */
  point?(x: number, y: number, isPresent: boolean, isDown: boolean): void;
}

/** A scene that runs and can be looked at, whatever its types. */
export interface Stage {
  readonly capabilities: Capabilities;
  readonly clock: ClockControl;
  readonly run: StageRun;
  readonly ended: Promise<EscapementError | undefined>;
  /** The frame that was looked at last. */
  readonly last: Readonly<Look>;
  /** How it is blended: as was asked for, or by the kernels where the scene cannot do that. */
  readonly path: BlendPath;
  /** What draws it. */
  readonly subject: Pick<
    Subject,
    'kind' | 'paths' | 'aim' | 'paint' | 'toWorld' | 'positions' | 'uploadsInPlace'
  >;
  stats(): SimulationStats;
  /** Asks the simulation's thread what its ticks and systems took. */
  profile(): Promise<ProfileReport>;
  /** Brings the subject up to a time stamp; returns whether it differs from what was shown. */
  look(now: number, showing: Readonly<Showing>): boolean;
  /** Says where the pointer is, in world units; for scenes without one it does nothing. */
  point(x: number, y: number, isPresent: boolean, isDown: boolean): void;
  restart(choice: RunChoice): Promise<void>;
  /** Takes in the next frame whether it differs or not: what was drawn from is lost. */
  forget(): void;
  stop(): Promise<void>;
}

/** Opens a view on a running scene. */
export function openStage<T extends SimulationTypes>(parts: StageParts<T>): Stage {
  return new OpenStage(parts);
}

class OpenStage<T extends SimulationTypes> implements Stage {
  readonly last: Look = {
    status: 'not-ready',
    tick: 0,
    alpha: 0,
    time: 0,
    slackNs: 0,
    count: 0,
  };
  readonly #parts: StageParts<T>;
  #view: View<T>;
  #subject: Subject<T>;
  #frame: Frame<T> | undefined;
  #raw: View<T> | undefined;
  #rawFrame: Frame<T> | undefined;
  readonly #showing: Showing = { path: 'simd', isSplit: false };
  #hasKernels = true;
  #shownTick = -1;
  #shownEpoch = -1;
  #shownPath: BlendPath = 'simd';
  #shownSplit = false;

  constructor(parts: StageParts<T>) {
    this.#parts = parts;
    this.#view = this.#open();
    this.#subject = parts.createSubject(this.#view);
  }

  get subject(): Subject<T> {
    return this.#subject;
  }

  get path(): BlendPath {
    return this.#shownPath;
  }

  get capabilities(): Capabilities {
    return this.#parts.simulation.capabilities;
  }

  get clock(): ClockControl {
    return this.#parts.simulation.clock;
  }

  get run(): StageRun {
    return this.#parts.simulation;
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

  look(now: number, asked: Readonly<Showing>): boolean {
    const showing = this.#showing;
    showing.path = this.#subject.paths.includes(asked.path) ? asked.path : 'simd';
    showing.isSplit = asked.isSplit;
    this.#frame?.release();
    this.#rawFrame?.release();
    this.#choose(showing.path);
    const frame = this.#view.frame(now);
    const { last } = this;
    const differs = this.#differs(frame, showing);
    last.status = frame.status;
    last.tick = frame.tick;
    last.time = frame.time;
    last.slackNs = frame.slackNs;
    this.#rawFrame = showing.isSplit ? this.#rawView().frame(now) : undefined;
    if (differs) {
      this.#shownTick = frame.pairTick;
      this.#shownEpoch = frame.epoch;
      this.#shownPath = showing.path;
      this.#shownSplit = showing.isSplit;
      last.alpha = frame.alpha;
      last.count = frame.count;
      this.#subject.take(frame, this.#rawFrame, showing);
    }
    // Held until the next look: what is drawn from it reads the ticks themselves.
    this.#frame = frame;
    return differs;
  }

  point(x: number, y: number, isPresent: boolean, isDown: boolean): void {
    this.#parts.point?.(x, y, isPresent, isDown);
  }

  async restart(choice: RunChoice): Promise<void> {
    await this.#parts.simulation.restart(this.#parts.runOptions(choice));
    this.#renew();
  }

  forget(): void {
    this.#shownTick = -1;
  }

  async stop(): Promise<void> {
    this.#subject.dispose();
    this.#view.close();
    this.#raw?.close();
    await this.#parts.simulation.stop();
  }

  #differs({ pairTick, epoch, alpha, count }: Frame<T>, { path, isSplit }: Showing): boolean {
    return (
      pairTick !== this.#shownTick ||
      epoch !== this.#shownEpoch ||
      alpha !== this.last.alpha ||
      count !== this.last.count ||
      path !== this.#shownPath ||
      isSplit !== this.#shownSplit
    );
  }

  /** A view has kernels or has none: the other kind is another view. */
  #choose(path: BlendPath): void {
    const hasKernels = path !== 'javascript';
    if (hasKernels === this.#hasKernels) return;
    this.#hasKernels = hasKernels;
    this.#view.close();
    this.#view = this.#open();
    this.#renew();
  }

  /** Makes the subject anew: for another view, or a run that is of another size. */
  #renew(): void {
    this.#subject.dispose();
    this.#subject = this.#parts.createSubject(this.#view);
    this.forget();
  }

  #rawView(): View<T> {
    const { simulation } = this.#parts;
    this.#raw ??= openView(simulation.share(), { latest: true }) as View<T>;
    return this.#raw;
  }

  #open(): View<T> {
    const kernels = this.#hasKernels ? 'auto' : 'off';
    return openView(this.#parts.simulation.share(), { kernels } as object) as View<T>;
  }
}
