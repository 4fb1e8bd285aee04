import { copyInstant, type Instant } from '../shared/instant.ts';
import type { Rational } from '../shared/rational.ts';
import { MODE_CODES, RECORD_DOUBLE } from '../shared/record.ts';
import { RollingQuantile } from '../shared/rolling-quantile.ts';
import type { WorldClock } from '../shared/world-clock.ts';

/** Figures the driver keeps and each record carries. Times in nanoseconds. */
export class DriverStats {
  /** Tick start - due. */
  readonly lateness: RollingQuantile = new RollingQuantile();
  /** Published - due: lateness and the tick's own cost. Readers stand this far behind. */
  readonly delay: RollingQuantile = new RollingQuantile();
  /** Cost of one tick. */
  readonly tickTime: RollingQuantile = new RollingQuantile();
  readonly published: Instant = { seconds: 0, nanos: 0 };
  readonly start: Instant = { seconds: 0, nanos: 0 };
  modeCode = 0;
  inputsDropped = 0;
  eventsDropped = 0;
  ticksDropped = 0;
  realizedSpeed: number = Number.NaN;
  speed = 1;
  quantum: Rational = { numerator: 0, denominator: 1 };
  lockstepSteps = 1;
  epochStart = 0;

  /** Takes over what the clock says of itself. */
  readClock(clock: WorldClock): void {
    copyInstant(this.start, clock.startReference);
    this.modeCode = MODE_CODES.indexOf(clock.mode);
    this.ticksDropped = clock.ticksDropped;
    this.realizedSpeed = clock.realizedSpeed();
    this.speed = clock.speed;
    this.lockstepSteps = clock.lockstepSteps;
    this.quantum = clock.quantum;
  }

  /** Writes every figure into a record's doubles. */
  writeTo(f64: Float64Array, double: number): void {
    f64[double + RECORD_DOUBLE.publishedSeconds] = this.published.seconds;
    f64[double + RECORD_DOUBLE.publishedNanos] = this.published.nanos;
    f64[double + RECORD_DOUBLE.latenessP50Ns] = this.lateness.percentile(50);
    f64[double + RECORD_DOUBLE.latenessP99Ns] = this.lateness.percentile(99);
    f64[double + RECORD_DOUBLE.latenessMaxNs] = this.lateness.max();
    f64[double + RECORD_DOUBLE.delayP99Ns] = this.delay.percentile(99);
    f64[double + RECORD_DOUBLE.tickTimeP50Ns] = this.tickTime.percentile(50);
    f64[double + RECORD_DOUBLE.tickTimeP99Ns] = this.tickTime.percentile(99);
    f64[double + RECORD_DOUBLE.ticksDropped] = this.ticksDropped;
    f64[double + RECORD_DOUBLE.realizedSpeed] = this.realizedSpeed;
    f64[double + RECORD_DOUBLE.speed] = this.speed;
    f64[double + RECORD_DOUBLE.startSeconds] = this.start.seconds;
    f64[double + RECORD_DOUBLE.startNanos] = this.start.nanos;
    const { numerator, denominator } = this.quantum;
    f64[double + RECORD_DOUBLE.quantumSeconds] = numerator / denominator;
    f64[double + RECORD_DOUBLE.quantumNumerator] = numerator;
    f64[double + RECORD_DOUBLE.quantumDenominator] = denominator;
    f64[double + RECORD_DOUBLE.epochStart] = this.epochStart;
    f64[double + RECORD_DOUBLE.lockstepSteps] = this.lockstepSteps;
  }
}
