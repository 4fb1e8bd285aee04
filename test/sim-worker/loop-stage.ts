import type { EscapementError } from '../../src/shared/error.ts';
import type { Instant, MonotonicClock } from '../../src/shared/instant.ts';
import { createLog, type Log, type LogRecord } from '../../src/shared/log.ts';
import {
  GameLoop,
  type GameLoopOptions,
  type LoopStatus,
  type LoopTarget,
} from '../../src/sim-worker/game-loop.ts';

/** What the tests of the loop drive it with: a clock they set, and a target that tells. */

/** A clock that stands where a test puts it, in nanoseconds since `baseSeconds`. */
export class HandClock implements MonotonicClock {
  ns = 0;
  reads = 0;
  readonly baseSeconds: number;

  constructor(baseSeconds = 1000) {
    this.baseSeconds = baseSeconds;
  }

  read(out: Instant): Instant {
    this.reads++;
    const seconds = Math.floor(this.ns / 1e9);
    out.seconds = this.baseSeconds + seconds;
    out.nanos = this.ns - seconds * 1e9;
    return out;
  }
}

/** A target that notes every call, such as `begin`, `tick 1 first`, `end`. */
export class NotingTarget implements LoopTarget {
  readonly calls: string[] = [];
  fault: EscapementError | undefined;
  /** Called inside each tick, before it is noted. */
  inTick: (tick: number) => void = () => {};

  beginFrame(): void {
    this.calls.push('begin');
  }

  scheduleFault(): EscapementError | undefined {
    return this.fault;
  }

  runTick(tick: number, firstOfFrame: boolean): void {
    this.inTick(tick);
    this.calls.push(firstOfFrame ? `tick ${tick} first` : `tick ${tick}`);
  }

  endFrame(): void {
    this.calls.push('end');
  }

  /** Forgets and returns what was noted. */
  take(): string[] {
    return this.calls.splice(0);
  }
}

/** A loop with its clock, its target and what it logged. */
export interface LoopStage {
  readonly loop: GameLoop;
  readonly clock: HandClock;
  readonly target: NotingTarget;
  readonly log: Log;
  readonly records: LogRecord[];
  /** The ticks that `onTick` was called with. */
  readonly told: number[];
  /** One frame at a reading in nanoseconds. Returns the ticks it ran. */
  readonly frameAt: (ns: number) => number;
  /** One frame at a reading in nanoseconds. */
  readonly statusAt: (ns: number) => LoopStatus;
}

/** Makes a loop over a noting target. The log's time is the clock's. */
export function openLoop(options: GameLoopOptions = {}, baseSeconds = 1000): LoopStage {
  const clock = new HandClock(baseSeconds);
  const target = new NotingTarget();
  const records: LogRecord[] = [];
  const told: number[] = [];
  const log = createLog({ nowMs: () => clock.ns / 1e6, sink: (record) => records.push(record) });
  const onTick = (tick: number): void => {
    told.push(tick);
  };
  const loop = new GameLoop(target, { clock, log, onTick, ...options });
  const statusAt = (ns: number): LoopStatus => {
    clock.ns = ns;
    return loop.frame();
  };
  const frameAt = (ns: number): number => {
    const before = loop.currentTick;
    statusAt(ns);
    return loop.currentTick - before;
  };
  return { loop, clock, target, log, records, told, frameAt, statusAt };
}
