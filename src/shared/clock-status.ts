import type { ClockStatus } from './clock-control.ts';
import { RECORD_BYTES } from './layout.ts';
import type { Rational } from './rational.ts';
import { MODE_CODES, RECORD_DOUBLE, RECORD_FLAG, RECORD_WORD } from './record.ts';
import { isStillInForce } from './record-check.ts';
import type { Region } from './region.ts';
import { HEADER } from './words.ts';

/*
 * Threads    any.
 * Memory     sequence, current, and the fields of the record in force.
 * Ordering   a record is filled before `current` names it, and again only after `sequence` went
 *            on: what is read between two equal loads of it belongs together.
 * Progress   lock-free: reads again when a publication came between; allocates its result.
 * Invariant  pins nothing and claims nothing, so any thread may ask at any time.
 */

/** Returns the clock as the record in force has it; a clock at rest before the first. */
export function readClockStatus(region: Region): ClockStatus {
  const { i32, u32, f64, layout } = region;
  for (;;) {
    const sequence = Atomics.load(i32, HEADER.sequence);
    const current = Atomics.load(i32, HEADER.current);
    if (current < 0) return AT_REST;
    const word = (layout.records + current * RECORD_BYTES) / 4;
    const double = word / 2;
    const low = Atomics.load(i32, word + RECORD_WORD.tickLow) >>> 0;
    const high = Atomics.load(i32, word + RECORD_WORD.tickHigh) >>> 0;
    const tick = high * 2 ** 32 + low;
    const numerator = f64[double + RECORD_DOUBLE.quantumNumerator] as number;
    const denominator = f64[double + RECORD_DOUBLE.quantumDenominator] as number;
    const flags = u32[word + RECORD_WORD.flags] as number;
    const status: ClockStatus = {
      tick,
      epoch: Atomics.load(i32, word + RECORD_WORD.epoch) >>> 0,
      time: (tick * numerator) / denominator,
      mode: MODE_CODES[u32[word + RECORD_WORD.mode] as number] ?? 'live',
      speed: f64[double + RECORD_DOUBLE.speed] as number,
      realizedSpeed: f64[double + RECORD_DOUBLE.realizedSpeed] as number,
      dropped: f64[double + RECORD_DOUBLE.ticksDropped] as number,
      fixedDt: numerator / denominator,
      lockstepSteps: f64[double + RECORD_DOUBLE.lockstepSteps] as number,
      alpha: f64[double + RECORD_DOUBLE.alpha] as number,
      running: (flags & RECORD_FLAG.running) !== 0,
    };
    if (isStillInForce(region, sequence)) return status;
  }
}

/** An epoch: the tick at which it began, and the quantum in force. */
export interface EpochReading {
  readonly epoch: number;
  readonly start: number;
  readonly quantum: Rational;
}

/** Returns the epoch in force, with where it began and its quantum; undefined before a record. */
export function readEpoch(region: Region): EpochReading | undefined {
  const { i32, f64, layout } = region;
  for (;;) {
    const sequence = Atomics.load(i32, HEADER.sequence);
    const current = Atomics.load(i32, HEADER.current);
    if (current < 0) return undefined;
    const word = (layout.records + current * RECORD_BYTES) / 4;
    const numerator = f64[word / 2 + RECORD_DOUBLE.quantumNumerator] as number;
    const denominator = f64[word / 2 + RECORD_DOUBLE.quantumDenominator] as number;
    const start = f64[word / 2 + RECORD_DOUBLE.epochStart] as number;
    const epoch = Atomics.load(i32, word + RECORD_WORD.epoch) >>> 0;
    if (isStillInForce(region, sequence)) {
      return { epoch, start, quantum: { numerator, denominator } };
    }
  }
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
