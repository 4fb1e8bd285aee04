/** How the frames of a view and the ticks of its simulation run beside each other. */
export interface BeatReport {
  /** Frames a second as measured: how often the display comes round, missed frames included. */
  readonly frameRateHz: number;
  /** Ticks a second of wall time at the present speed. */
  readonly tickRateHz: number;
  readonly framesPerTick: number;
  /**
   * How often a second the pattern of frames and ticks slips by one: the distance of the higher
   * rate from the nearest whole multiple of the lower one.
   */
  readonly beatHz: number;
  /** Seconds from one slip to the next; Infinity without a beat. */
  readonly periodSeconds: number;
}

/** Frames that are looked back at. */
const WINDOW = 512;
/** Fewer say nothing. */
const FRAMES_MIN = 32;
/** Periods after which their own mean is surer than the median interval. */
const PERIODS_SURE = 8;
/** A longer pause between two frames is no frame rate: a hidden page, a debugger. */
const PAUSE_NS = 250_000_000;

/** Measures a frame rate; a frame costs one store. */
export class BeatMeter {
  /** A ring of intervals between frames, in whole nanoseconds. */
  readonly #intervals: Int32Array = new Int32Array(WINDOW);
  #count = 0;
  #next = 0;

  /**
   * Takes in the nanoseconds between two frames, whole ones below 2^31. None at all is a second
   * look at one frame; many are a pause, after which it begins anew.
   */
  add(intervalNs: number): void {
    if (intervalNs <= 0) return;
    if (intervalNs > PAUSE_NS) {
      this.clear();
      return;
    }
    this.#intervals[this.#next] = intervalNs;
    this.#next = (this.#next + 1) % WINDOW;
    if (this.#count < WINDOW) this.#count++;
  }

  /** Forgets everything. */
  clear(): void {
    this.#count = 0;
    this.#next = 0;
  }

  /** Returns the beat against a tick rate; undefined until enough frames were seen. */
  report(tickRateHz: number): BeatReport | undefined {
    if (this.#count < FRAMES_MIN || !(tickRateHz > 0 && tickRateHz < Number.POSITIVE_INFINITY))
      return undefined;
    const frameRateHz = 1e9 / this.#periodNs();
    const low = Math.min(frameRateHz, tickRateHz);
    const high = Math.max(frameRateHz, tickRateHz);
    const beatHz = Math.abs(high - low * Math.round(high / low));
    return {
      frameRateHz,
      tickRateHz,
      framesPerTick: frameRateHz / tickRateHz,
      beatHz,
      periodSeconds: 1 / beatHz,
    };
  }

  /**
   * The period behind the intervals. A missed frame is two periods and a late one none of its own:
   * periods are counted along the whole window, by an estimate that the count itself sharpens.
   */
  #periodNs(): number {
    const count = this.#count;
    const begin = (this.#next - count + WINDOW) % WINDOW;
    const sorted = this.#intervals.slice(0, count).sort();
    let period = sorted[count >> 1] as number;
    let elapsed = 0;
    let periods = 0;
    for (let i = 0; i < count; i++) {
      elapsed += this.#intervals[(begin + i) % WINDOW] as number;
      periods += Math.max(0, Math.round(elapsed / period - periods));
      if (periods >= PERIODS_SURE) period = elapsed / periods;
    }
    return period;
  }
}
