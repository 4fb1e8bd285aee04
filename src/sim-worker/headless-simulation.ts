import type { EscapementError } from '../shared/error.ts';
import type { MonotonicClock } from '../shared/instant.ts';
import type { Log } from '../shared/log.ts';
import type { ProfileReport, ReportBudgets } from '../shared/profile-report.ts';
import type { RecordingResult } from '../shared/replay/memory-sink.ts';
import type { RecordOptions } from '../shared/replay/record-options.ts';
import { type RunOptions, seedWords } from '../shared/run-options.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import { type ClockScope, createSystemClock } from '../shared/system-clock.ts';
import { createConsoleLog } from './console-log.ts';
import type { SimulationDefinition } from './definition.ts';
import type { GameLoop } from './game-loop.ts';
import {
  type HeadlessOptions,
  type HeadlessResult,
  HeadlessRunner,
  type HeadlessTarget,
} from './headless.ts';
import { LocalRecording } from './local-recording.ts';
import { buildLocal } from './local-simulation.ts';
import type { Simulation } from './simulation.ts';
import type { World } from './world.ts';

/** Options of {@link openHeadless}: those of a run, and those of the runner that drives it. */
export interface HeadlessSimulationOptions<T extends SimulationTypes>
  extends Pick<RunOptions<T>, 'params' | 'tickRateHz' | 'fixedDt' | 'seed'>,
    Omit<HeadlessOptions, 'tickRateHz' | 'log' | 'profiler' | 'onTick'> {
  /** Called after each completed tick with its number; the world is as that tick left it. */
  readonly onTick?: ((tick: number) => void) | undefined;
  /**
   * Called once the run is over, before the world is cleared: what is to be kept is copied here.
   */
  readonly onEnd?: ((world: World<T['components']>) => void) | undefined;
  /** Records the run from its first tick on; its outcome has the recording. */
  readonly record?: RecordOptions | undefined;
  /** Where events go; by default warnings go to the console. */
  readonly log?: Log | undefined;
  /** Checks each run of a system as in development. Default false. */
  readonly development?: boolean | undefined;
  /** Whether the profiler starts enabled. Default true. */
  readonly profile?: boolean | undefined;
}

/** How a headless run ended. */
export interface HeadlessOutcome extends HeadlessResult {
  /** The hash of the state that was left: after a failure, by the tick that failed. */
  readonly stateHash: string;
  /** What was recorded, if that was asked for. */
  readonly recording: RecordingResult | undefined;
}

/**
 * Builds a run of a definition on the calling thread, for tools, tests and batch runs: no worker,
 * no views, nothing published. Runs setup; no tick runs before {@link HeadlessSimulation.run}.
 * Throws OPTION_INVALID and NAME_UNKNOWN for what is not possible, SIMULATION_FAILED when setup
 * throws.
 */
export async function openHeadless<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
  options: HeadlessSimulationOptions<T> = {},
): Promise<HeadlessSimulation<T>> {
  const headless = new HeadlessSimulation<T>(definition, options);
  await headless.setup();
  return headless;
}

/** One headless run; {@link openHeadless} makes it. */
export class HeadlessSimulation<T extends SimulationTypes = SimulationTypes> {
  readonly #simulation: Simulation<T>;
  readonly #runner: HeadlessRunner;
  readonly #log: Log;
  readonly #ownsLog: boolean;
  readonly #onEnd: HeadlessSimulationOptions<T>['onEnd'];
  readonly #beginRecording: () => LocalRecording | undefined;
  #recording: LocalRecording | undefined;
  #hash = '';

  /** Called by {@link openHeadless} only. */
  constructor(definition: SimulationDefinition<T>, options: HeadlessSimulationOptions<T>) {
    const { params, tickRateHz, fixedDt, seed, development, profile, ...rest } = options;
    const { record, ...runner } = rest;
    const clock: MonotonicClock = options.clock ?? createSystemClock(globalThis as ClockScope);
    const log = options.log ?? createConsoleLog(clock);
    this.#log = log;
    this.#ownsLog = options.log === undefined;
    this.#onEnd = options.onEnd;
    const run = { params, tickRateHz, fixedDt, seed };
    const local = buildLocal<T>(definition, run, { log, clock, development, profile });
    this.#simulation = local.simulation;
    const { quantum } = local;
    this.#beginRecording = () =>
      record === undefined
        ? undefined
        : new LocalRecording(
            local.simulation as unknown as Simulation,
            quantum,
            seedWords(seed ?? 0),
            record,
          );
    this.#runner = new HeadlessRunner(this.#target(), { ...runner, log }, quantum);
  }

  /** The world; empty once the run is over. */
  get world(): World<T['components']> {
    return this.#simulation.world;
  }

  /** The loop: its counts, its anchor, its alpha. */
  get loop(): GameLoop {
    return this.#runner.loop;
  }

  /** Runs setup; {@link openHeadless} has done so. */
  async setup(): Promise<void> {
    await this.#simulation.setup();
    this.#recording = this.#beginRecording();
  }

  /**
   * Runs to the end and returns how it ended; never rejects, but for what made a recording fail.
   * Whatever brought it about, the loop is then stopped, the world cleared, the resources given up,
   * and the log closed unless given.
   */
  async run(): Promise<HeadlessOutcome> {
    const result = await this.#runner.run();
    if (this.#ownsLog) this.#log.close();
    const reason = result.status === 'failed' ? 'failed' : 'stopped';
    const recording = await this.#recording?.close(reason);
    return { ...result, stateHash: this.#hash, recording };
  }

  /** Ends the run before its next frame. Idempotent. */
  stop(): void {
    this.#runner.stop();
  }

  /** Returns the hash of the present state, or of the last: 16 hexadecimal digits. */
  stateHash(): string {
    if (this.#hash !== '') return this.#hash;
    return this.world.stateHash.hex(this.#simulation.tick);
  }

  /** Returns what the profiler has measured. */
  profile(budgets?: ReportBudgets): ProfileReport {
    return this.#simulation.profile(undefined, budgets);
  }

  #target(): HeadlessTarget {
    const simulation = this.#simulation;
    return {
      beginFrame: () => simulation.beginFrame(),
      scheduleFault: (): EscapementError | undefined => simulation.systems.scheduleFault(),
      runTick: (_tick, firstOfFrame) => simulation.runTick(firstOfFrame),
      endFrame: () => simulation.endFrame(),
      profiler: simulation.profiler,
      relief: () => this.#recording?.relief(),
      dispose: () => {
        if (this.#hash !== '') return;
        this.#hash = this.stateHash();
        this.#recording?.end(this.#runner.loop.lastError !== undefined);
        try {
          this.#onEnd?.(simulation.world);
        } finally {
          simulation.world.clear();
        }
      },
    };
  }
}
