import { SampleRing } from '../shared/sample-ring.ts';
import { FrameRecords } from './frame-records.ts';
import { budgetNsOf, OVERRUN, type Overrun, SystemTimer } from './system-timer.ts';

/** What the profiler has to know of a system. */
export interface ProfiledSystem {
  readonly name: string;
  /** Milliseconds above 0; undefined for no budget. */
  readonly budgetMs?: number | undefined;
}

const TICKS = 512;
const FRAMES = 256;

/**
 * The windows of the simulation thread: ticks, frames and each system. It reads no clock: a caller
 * takes the time and hands it in as whole nanoseconds.
 *
 * A sample is begun and then recorded:
 *
 *     const timed = profiler.beginSystem();
 *     const start = timed ? clock() : 0;
 *     run();
 *     if (timed) overrun = profiler.recordSystem(index, clock() - start);
 *
 * One that was not begun, or begun before a `disable`, is passed over, also if the profiler was
 * enabled again in between: part of it may not have been measured. What is begun and not recorded,
 * as a tick that threw, is forgotten at the next begin. Nothing here allocates after construction,
 * and a disabled profiler costs a branch.
 */
export class Profiler {
  /** Ticks that succeeded, the last 512. */
  readonly ticks: SampleRing = new SampleRing(TICKS);
  /** Frames without their sleep, the last 256. */
  readonly frames: SampleRing = new SampleRing(FRAMES);
  /** What the last 32 frames cost. */
  readonly frameRecords: FrameRecords = new FrameRecords();
  /** One a system, in the order of declaration: ids begin at 1. */
  readonly systems: readonly SystemTimer[];
  #enabled = true;
  #tickBegun = false;
  #frameBegun = false;
  #systemBegun = false;

  /** Makes an enabled profiler without samples. Asserts that each budget is above 0. */
  constructor(systems: readonly ProfiledSystem[]) {
    this.systems = systems.map(({ name, budgetMs }, i) => {
      const budgetNs = budgetMs === undefined ? undefined : budgetNsOf(budgetMs);
      return new SystemTimer(i + 1, name, budgetNs);
    });
  }

  /** Whether samples are taken. */
  get enabled(): boolean {
    return this.#enabled;
  }

  /** Takes samples again, from the next one that is begun. The windows go on. */
  enable(): void {
    this.#enabled = true;
  }

  /** Takes no more samples; those begun are dropped. The windows keep what they have. */
  disable(): void {
    this.#enabled = false;
    this.#tickBegun = false;
    this.#frameBegun = false;
    this.#systemBegun = false;
  }

  /** Begins the sample of a tick. Returns whether its time is wanted. */
  beginTick(): boolean {
    this.#tickBegun = this.#enabled;
    return this.#enabled;
  }

  /** Records the tick that was begun. To be called only if it succeeded. */
  recordTick(ns: number): void {
    if (!this.#tickBegun) return;
    this.#tickBegun = false;
    this.ticks.record(ns);
  }

  /** Begins the sample of a frame. Returns whether its time is wanted. */
  beginFrame(): boolean {
    this.#frameBegun = this.#enabled;
    return this.#enabled;
  }

  /**
   * Records the frame that was begun: `ns` without the sleep, the `ticks` made, what the simulation
   * allocated, and `overruns`, the sum of what {@link recordSystem} returned. `tick` is the one
   * that stands at its end. The first frame of a clock, which makes no tick, is not to be recorded.
   */
  recordFrame(
    ns: number,
    ticks: number,
    simAllocs: number,
    simAllocBytes: number,
    overruns: number,
    tick: number,
  ): void {
    if (!this.#frameBegun) return;
    this.#frameBegun = false;
    this.frames.record(ns);
    this.frameRecords.record(ns, ticks, simAllocs, simAllocBytes, overruns, tick);
  }

  /** Begins the sample of a system's run. Returns whether its time is wanted. */
  beginSystem(): boolean {
    this.#systemBegun = this.#enabled;
    return this.#enabled;
  }

  /**
   * Records the run that was begun, of the system declared as number `index` from 0, and returns
   * how far it went over its budget; none if nothing was recorded.
   */
  recordSystem(index: number, ns: number): Overrun {
    if (!this.#systemBegun) return OVERRUN.none;
    this.#systemBegun = false;
    return (this.systems[index] as SystemTimer).record(ns);
  }
}
