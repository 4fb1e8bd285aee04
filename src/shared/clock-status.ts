import type { ClockStatus } from './clock-control.ts';
import { PublishedClock } from './published-clock.ts';
import type { Rational } from './rational.ts';
import { MODE_CODES } from './record.ts';
import type { Region } from './region.ts';

/** What is being read; nothing of it is kept from one call to the next. */
const clock = new PublishedClock();

/** Returns the clock as the record in force has it; a clock at rest before the first. */
export function readClockStatus(region: Region): ClockStatus {
  if (!clock.read(region)) return AT_REST;
  const { anchor, quantumNumerator, quantumDenominator } = clock;
  return {
    tick: anchor.tick,
    epoch: anchor.epoch,
    time: (anchor.tick * quantumNumerator) / quantumDenominator,
    mode: MODE_CODES[clock.modeCode] ?? 'live',
    speed: clock.speed,
    realizedSpeed: clock.realizedSpeed,
    dropped: clock.ticksDropped,
    fixedDt: quantumNumerator / quantumDenominator,
    lockstepSteps: clock.lockstepSteps,
    alpha: anchor.alpha,
    running: anchor.running,
  };
}

/** An epoch: the tick at which it began, and the quantum in force. */
export interface EpochReading {
  readonly epoch: number;
  readonly start: number;
  readonly quantum: Rational;
}

/** Returns the epoch in force, with where it began and its quantum; undefined before a record. */
export function readEpoch(region: Region): EpochReading | undefined {
  if (!clock.read(region)) return undefined;
  const { anchor, epochStart, quantumNumerator, quantumDenominator } = clock;
  const quantum = { numerator: quantumNumerator, denominator: quantumDenominator };
  return { epoch: anchor.epoch, start: epochStart, quantum };
}

/**
 * Returns whether the clock in force stands: it is paused, or live at speed 0. May be stale as soon
 * as returned. Allocates nothing.
 */
export function isPaused(region: Region): boolean {
  if (!clock.read(region)) return true;
  const mode = MODE_CODES[clock.modeCode];
  return mode === 'paused' || (mode === 'live' && clock.speed === 0);
}

const AT_REST: ClockStatus = Object.freeze({
  tick: 0,
  epoch: 0,
  time: 0,
  mode: 'paused',
  speed: 1,
  realizedSpeed: Number.NaN,
  dropped: 0,
  fixedDt: 0,
  lockstepSteps: 1,
  alpha: 0,
  running: false,
});
