import { EscapementError } from '../shared/error.ts';
import type { FollowerClaim } from '../shared/follower-block.ts';
import { createInstant, elapsedNs, type Instant, type MonotonicClock } from '../shared/instant.ts';
import type {
  Ended,
  InlineConnection,
  InlineSimulation,
  KeyframeMessage,
  StartConfig,
} from '../shared/protocol.ts';
import type { Region } from '../shared/region.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import { type ClockScope, createSystemClock } from '../shared/system-clock.ts';
import { REGION_STATE } from '../shared/words.ts';
import type { SimulationDefinition } from './definition.ts';
import { describeHello } from './hello.ts';
import { paceEventLoop } from './pacing.ts';
import { buildRun, type Run } from './run.ts';

/** Options of {@link inline}. */
export interface InlineOptions {
  /** `manual`: ticks run only in `runDue()` and when a command is given. Default `event-loop`. */
  readonly pacing?: 'event-loop' | 'manual';
  /** The clock to live by; the platform's by default. A test gives its own. */
  readonly clock?: MonotonicClock;
}

/** Makes a simulation for `startSimulation` that runs on the calling thread. */
export function inline<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
  options: InlineOptions = {},
): InlineSimulation<T> {
  return new InlineSession(definition, options);
}

class InlineSession<T extends SimulationTypes> implements InlineConnection {
  readonly kind = 'escapement/inline';
  readonly clock: MonotonicClock;
  readonly pacing: 'event-loop' | 'manual';
  readonly service: InlineConnection['service'];
  readonly #definition: SimulationDefinition<T>;
  readonly #listeners: ((ended: Ended) => void)[] = [];
  readonly #keyframeListeners: ((message: KeyframeMessage) => void)[] = [];
  readonly #now: Instant = createInstant();
  /** Milliseconds until the next tick is due. */
  readonly #untilMs: Float64Array = new Float64Array(1);
  #region: Region | undefined;
  #run: Run | undefined;
  #pacingDone: Promise<void> = Promise.resolve();

  constructor(definition: SimulationDefinition<T>, options: InlineOptions) {
    this.#definition = definition;
    this.clock = options.clock ?? createSystemClock(globalThis as ClockScope);
    this.pacing = options.pacing ?? 'event-loop';
    this.service = {
      start: (config) => this.#start(config),
      query: async (name, args) => this.#running().simulation.query(name, args),
      profile: async (enabled, budgets) => this.#running().simulation.profile(enabled, budgets),
      stateHash: async () => this.#running().simulation.readState(),
      record: async (periods) => this.#running().desk.record(periods),
      save: async () => this.#running().desk.save(),
      replayStatus: async () => this.#running().desk.status(),
      leaveReplay: async () => {
        this.#running().desk.leave();
        return this.#running().desk.status();
      },
      readClock: async () => {
        const { seconds, nanos } = this.clock.read(createInstant());
        return [seconds, nanos];
      },
    };
  }

  hello(): ReturnType<InlineConnection['hello']> {
    return describeHello(this.#definition);
  }

  attach(region: Region): void {
    this.#region = region;
  }

  onEnded(listener: (ended: Ended) => void): void {
    this.#listeners.push(listener);
  }

  onKeyframe(listener: (message: KeyframeMessage) => void): void {
    this.#keyframeListeners.push(listener);
  }

  // So short that callers inline it: else the double that it returns is boxed, 16 bytes a tick.
  runDue(): number {
    this.#runTicks();
    return this.#untilMs[0] as number;
  }

  #runTicks(): void {
    const driver = this.#run?.driver;
    this.#untilMs[0] = Number.POSITIVE_INFINITY;
    if (driver === undefined || driver.ended) return;
    const now = this.clock.read(this.#now);
    driver.runDue(now);
    if (driver.hasNext) this.#untilMs[0] = Math.max(0, elapsedNs(driver.next, now) / 1e6);
  }

  dispose(): void {
    this.#run?.driver.end(REGION_STATE.stopped);
    this.#run?.wake.raise();
  }

  #running(): Run {
    if (this.#run !== undefined) return this.#run;
    throw new EscapementError('STATE_INVALID', 'The simulation has not started.');
  }

  async #start(config: StartConfig): Promise<FollowerClaim | undefined> {
    this.#run?.driver.end(REGION_STATE.replaced);
    this.#run?.wake.raise();
    await this.#pacingDone;
    const run = await buildRun(this.#definition, config, this.clock, this.#region, (message) => {
      for (const listener of this.#keyframeListeners) listener(message);
    });
    this.#run = run;
    this.#pacingDone = this.#pace(run);
    return run.claim;
  }

  async #pace(run: Run): Promise<void> {
    const { driver, wake } = run;
    try {
      if (this.pacing === 'event-loop') await paceEventLoop(driver, wake, this.clock);
      else await this.#obeyWhenWoken(run);
    } catch (cause) {
      driver.fail(cause);
    }
    run.desk.close(driver.failure !== undefined);
    run.log.close();
    const ended: Ended = {
      kind: 'escapement/ended',
      run: run.config.run,
      error: driver.failure?.toRecord(),
    };
    for (const listener of this.#listeners) listener(ended);
  }

  /** Manual pacing: time stands still, but commands are obeyed at once. */
  async #obeyWhenWoken(run: Run): Promise<void> {
    const { driver, wake } = run;
    while (!driver.ended) {
      const seen = wake.load();
      this.runDue();
      if (driver.ended) return;
      await wake.waitAsync(seen, Number.POSITIVE_INFINITY);
    }
  }
}
