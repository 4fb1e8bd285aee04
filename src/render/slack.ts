import { RollingQuantile } from '../shared/rolling-quantile.ts';

/** How fast the slack may grow when little is missing: motion slows by so much, unseen. */
const RISE_GENTLE = 0.004;
/** How fast it grows when much is missing, which would be seen as stutter anyway. */
const RISE_URGENT = 0.05;
/** How fast it shrinks: motion quickens by so much. */
const FALL = 0.002;
/** What is missing is much from this share of a quantum on. */
const URGENT_SHARE = 1 / 8;
/** A frame that took longer than this says nothing about pace. */
const FRAME_MAX_NS = 100e6;

/**
 * How far behind the clock a reader stands, in nanoseconds: the 99th percentile of (published -
 * due) plus the age of the timestamps it is given, at most one quantum, slewed so that motion never
 * jumps. Fixed by option.
 */
export class Slack {
  /** The slack in force. */
  ns = 0;
  readonly #fixedNs: number | undefined;
  readonly #ages: RollingQuantile = new RollingQuantile(128);
  #settled = false;

  /** `fixedNs` stops it from following. */
  constructor(fixedNs?: number) {
    this.#fixedNs = fixedNs;
    if (fixedNs !== undefined) this.ns = fixedNs;
  }

  /** Notes how old a given timestamp was. */
  noteAge(ageNs: number): void {
    this.#ages.add(Math.max(0, ageNs));
  }

  /** Moves towards what the delay asks for, by as much as `frameNs` of wall time allows. */
  follow(delayP99Ns: number, quantumWallNs: number, frameNs: number): void {
    if (this.#fixedNs !== undefined) return;
    if (Number.isNaN(delayP99Ns)) return;
    const age = this.#ages.count > 0 ? this.#ages.percentile(99) : 0;
    const target = Math.min(quantumWallNs, Math.max(0, delayP99Ns) + age);
    if (!this.#settled) {
      // The first figures: nothing has moved yet that could jump.
      this.#settled = true;
      this.ns = target;
      return;
    }
    const frame = Math.min(Math.max(0, frameNs), FRAME_MAX_NS);
    const missing = target - this.ns;
    if (missing > 0) {
      const rate = missing > quantumWallNs * URGENT_SHARE ? RISE_URGENT : RISE_GENTLE;
      this.ns += Math.min(missing, frame * rate);
    } else {
      this.ns -= Math.min(-missing, frame * FALL);
    }
  }

  /** Stands at the clock: nothing runs by it, and the picture goes on from the exact alpha. */
  rest(): void {
    this.#settled = true;
    if (this.#fixedNs === undefined) this.ns = 0;
  }
}
