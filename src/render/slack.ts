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
/**
 * Ages of timestamps that are looked back at: the percentile of fewer wanders, and motion with it.
 */
const AGES = 512;
/** A frame that took longer than this says nothing about pace. */
const FRAME_MAX_NS = 100e6;

/**
 * How far behind the clock a reader stands, in nanoseconds: the 99th percentile of (published -
 * due) plus how far the timestamps it is given are from the reading, at most one quantum, slewed so
 * that motion never jumps. Fixed by option, at most one quantum too: further back there is nothing
 * to blend. A lead is a fixed slack below 0.
 */
export class Slack {
  /** The slack in force. */
  ns = 0;
  /**
   * What {@link follow} goes by: the delay that the record tells, one quantum and the time since
   * the last frame, in wall nanoseconds. Fields: doubles that are handed to a call may be boxed.
   */
  delayP99Ns = 0;
  quantumWallNs = 0;
  frameNs = 0;
  /**
   * What {@link noteAge} notes: how old a given timestamp was. Below 0 it lies ahead, as a
   * predicted display time does, and asks for as much.
   */
  ageNs = 0;
  readonly #fixedNs: number | undefined;
  readonly #ages: RollingQuantile = new RollingQuantile(AGES);
  /** For a fixed slack: how old the timestamps are. */
  #oldNs = 0;
  #settled = false;

  /** `fixedNs` stops it from following. */
  constructor(fixedNs?: number) {
    this.#fixedNs = fixedNs;
    if (fixedNs !== undefined) this.ns = fixedNs;
  }

  /** Notes {@link ageNs}. */
  noteAge(): void {
    const ages = this.#ages;
    ages.sample = this.ageNs;
    ages.take();
    if (this.#fixedNs === undefined || ages.count === 0) return;
    this.#oldNs = Math.max(0, ages.sorted[ages.place(99)] as number);
  }

  /** Moves towards what the delay asks for, by as much as {@link frameNs} allows. */
  follow(): void {
    const { delayP99Ns, quantumWallNs, frameNs } = this;
    if (this.#fixedNs !== undefined) {
      // Old timestamps stand back by themselves.
      this.ns = Math.min(this.#fixedNs, Math.max(0, quantumWallNs - this.#oldNs));
      return;
    }
    if (Number.isNaN(delayP99Ns)) return;
    const delay = Math.max(0, delayP99Ns);
    let target = delay;
    const ages = this.#ages;
    if (ages.count > 0) {
      const old = Math.max(0, ages.sorted[ages.place(99)] as number);
      const ahead = Math.max(0, -(ages.sorted[ages.place(1)] as number));
      // An old timestamp itself stands back: both together may not reach beyond a second tick.
      target += Math.max(ahead, Math.min(old, quantumWallNs - old - delay));
    }
    target = Math.min(quantumWallNs, target);
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
