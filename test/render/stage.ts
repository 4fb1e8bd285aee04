import {
  type RunningSimulation,
  startSimulation,
  type StartOptions,
} from '../../src/main/index.ts';
import { openView, type View, type ViewOptions } from '../../src/render/index.ts';
import type { Instant, MonotonicClock } from '../../src/shared/instant.ts';
import {
  angle,
  type Columns,
  defineSimulation,
  eulerAngles,
  fixed,
  inline,
  position2d,
  quaternion,
  scalar,
  step,
  type TypesOf,
  vec2,
  vec3,
  type World,
} from '../../src/sim-worker/index.ts';

/** A clock that goes on only when told to. Whole nanoseconds, from 1000 s on. */
export class VirtualClock implements MonotonicClock {
  ns = 0;

  read(out: Instant): Instant {
    const seconds = Math.floor(this.ns / 1e9);
    out.seconds = 1000 + seconds;
    out.nanos = this.ns - seconds * 1e9;
    return out;
  }

  /** Goes to `ms` after the start of the stage, to the nanosecond. */
  toMs(ms: number): void {
    this.ns = Math.round(ms * 1e6);
  }
}

const components = {
  position: position2d(),
  heading: angle(360),
  yaw: angle(65536),
  orientation: quaternion(),
  facing: step('f32', 2),
  scale: vec2(),
  exact: fixed(),
  velocity: vec2(),
  place: vec3('f64'),
  placeVelocity: vec3('f64'),
  look: eulerAngles(),
  direction: vec3(),
  fieldOfView: scalar(),
};

const names = Object.keys(components) as (keyof StageComponents)[];

type StageComponents = typeof components;

/** What a script is given in each tick. */
export interface StageContext {
  readonly world: World<StageComponents>;
  readonly columns: Columns<StageComponents>;
  readonly tick: number;
}

/** Does what a test wants done in a tick; tick 0 is the setup. */
export type Script = (context: StageContext) => void;

function define(script: Script) {
  return defineSimulation({
    name: 'stage',
    tickRateHz: 60,
    capacity: 256,
    components,
    publish: names,
    setup: ({ world, columns }) => script({ world, columns, tick: 0 }),
    systems: [
      {
        name: 'script',
        writes: names,
        run: script,
      },
    ],
  });
}

export type StageTypes = TypesOf<ReturnType<typeof define>>;
export type StageView = View<StageTypes>;

/** One simulation in virtual time, driven by hand, with views on it. */
export class Stage {
  readonly clock: VirtualClock;
  readonly sim: RunningSimulation<StageTypes>;
  /** Runs what is due now. Returns the milliseconds until more is. */
  readonly runDue: () => number;
  readonly #views: StageView[] = [];

  constructor(clock: VirtualClock, sim: RunningSimulation<StageTypes>, runDue: () => number) {
    this.clock = clock;
    this.sim = sim;
    this.runDue = runDue;
  }

  /** Goes to `ms` and runs what is due there. */
  advanceTo(ms: number): void {
    this.clock.toMs(ms);
    this.runDue();
  }

  /** Opens a view of this thread: slack 0 and exact alpha. */
  openView(options: ViewOptions<StageTypes> = {}): StageView {
    return this.#keep(openView(this.sim.share(), options));
  }

  /**
   * Opens a view as another thread would: under a name that is unknown here, so that it follows
   * what ticks cost. It reads the stage's clock, so nothing has to be calibrated.
   */
  openRemoteView(options: ViewOptions<StageTypes> = {}): StageView {
    const handle = { ...this.sim.share(), id: 'of another thread' };
    return this.#keep(openView(handle, { clock: this.clock, ...options }));
  }

  #keep(view: StageView): StageView {
    this.#views.push(view);
    return view;
  }

  async close(): Promise<void> {
    for (const view of this.#views) view.close();
    await this.sim.stop();
  }
}

/**
 * Starts a stage whose clock stands at 0 and whose every tick is `script`. `reading` is what the
 * simulation reads instead of the clock itself.
 */
export async function openStage(
  script: Script,
  options: StartOptions<StageTypes> = {},
  clock: VirtualClock = new VirtualClock(),
  reading: MonotonicClock = clock,
): Promise<Stage> {
  const source = inline(define(script), { pacing: 'manual', clock: reading });
  const sim = await startSimulation(source, { logLevel: 'off', ...options });
  return new Stage(clock, sim, () => source.runDue());
}

/**
 * A reader that draws while the simulation works, as on two threads: frames fall where their times
 * say, into the middle of a tick too, and a tick takes as long as it spends.
 */
export class TwoThreads {
  readonly clock: VirtualClock = new VirtualClock();
  /** When the display shows the frame at hand; its callback may come later. */
  displayNs = 0;
  readonly #frameRateHz: number;
  readonly #onFrame: () => void;
  readonly #delayMs: () => number;
  #frames = 0;
  #next: number;

  /** `delayMs` says how late a frame's callback comes: less than a frame. */
  constructor(frameRateHz: number, onFrame: () => void, delayMs: () => number = () => 0) {
    this.#frameRateHz = frameRateHz;
    this.#onFrame = onFrame;
    this.#delayMs = delayMs;
    this.#next = this.#dueNs() + Math.round(delayMs() * 1e6);
  }

  /** Lets time pass on the simulation's thread; for scripts. */
  spend(ns: number): void {
    this.#passTo(this.clock.ns + Math.round(ns));
  }

  /** Plays until `ms`, each wake-up of the simulation's thread late by what `latenessMs` says. */
  play(stage: Stage, ms: number, latenessMs: () => number): void {
    const end = Math.round(ms * 1e6);
    for (;;) {
      const wake = this.clock.ns + Math.ceil(stage.runDue() * 1e6) + Math.round(latenessMs() * 1e6);
      if (wake > end) break;
      this.#passTo(wake);
    }
    this.#passTo(end);
  }

  #passTo(ns: number): void {
    while (this.#next <= ns) {
      this.clock.ns = this.#next;
      this.displayNs = this.#dueNs();
      this.#frames++;
      this.#next = this.#dueNs() + Math.round(this.#delayMs() * 1e6);
      this.#onFrame();
    }
    this.clock.ns = ns;
  }

  /** When the next frame is due. */
  #dueNs(): number {
    return Math.round(((this.#frames + 1) * 1e9) / this.#frameRateHz);
  }
}
