import { RollingQuantile } from '../shared/rolling-quantile.ts';

/** How fast the slack may grow when little is missing: motion slows by so much, unseen. */
const RISE_GENTLE = 0.004;
/** How fast it grows when much is missing, which would be seen as stutter anyway. */
const RISE_URGENT = 0.05;
/** How fast it may shrink: motion quickens by so much. */
const FALL = 0.002;
/**
 * Close to what is asked for it goes slower still: by what is missing over this time. The
 * percentile flutters by some microseconds with every tick, and motion is not to flutter with it.
 */
const CLOSING_NS = 500e6;
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
    // Quanta may have become shorter; further back than one there is nothing to show.
    if (this.ns > quantumWallNs) this.ns = quantumWallNs;
    const missing = target - this.ns;
    const urgent = missing > quantumWallNs * URGENT_SHARE;
    const gentle = Math.min(RISE_GENTLE, Math.max(-FALL, missing / CLOSING_NS));
    const step = (urgent ? RISE_URGENT : gentle) * Math.min(Math.max(0, frameNs), FRAME_MAX_NS);
    this.ns += Math.min(step, Math.max(0, missing));
  }

  /** Takes the next figures as its first: another run has others, and the picture jumps anyway. */
  forget(): void {
    this.#settled = false;
  }

  /** Stands at the clock: nothing runs by it, and the picture goes on from the exact alpha. */
  rest(): void {
    this.#settled = true;
    if (this.#fixedNs === undefined) this.ns = 0;
  }
}
