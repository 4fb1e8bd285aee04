import type { Frame } from './frame.ts';

/** Remembers which frame something was made from: whose ticks, and where between them. */
export class FrameMark {
  #run = Number.NaN;
  #epoch = Number.NaN;
  #earlierTick = Number.NaN;
  #laterTick = Number.NaN;
  #earlierVersion = Number.NaN;
  #laterVersion = Number.NaN;
  #alpha = Number.NaN;
  #time = Number.NaN;
  #overrun = Number.NaN;

  /** Whether a frame is of the run that was noted. */
  isRunOf({ pair }: Frame): boolean {
    return pair.run === this.#run;
  }

  /** Whether the later tick of a frame has the roster that was noted. */
  isRosterOf({ pair }: Frame): boolean {
    return pair.run === this.#run && pair.laterVersion === this.#laterVersion;
  }

  /** Whether a frame stands between the two ticks that were noted. */
  isPairOf({ pair }: Frame): boolean {
    return (
      pair.run === this.#run &&
      pair.epoch === this.#epoch &&
      pair.laterTick === this.#laterTick &&
      pair.earlierTick === this.#earlierTick &&
      pair.laterVersion === this.#laterVersion &&
      pair.earlierVersion === this.#earlierVersion
    );
  }

  /** Whether a frame shows what the noted one showed. */
  isOf(frame: Frame): boolean {
    return (
      frame.alpha === this.#alpha &&
      frame.time === this.#time &&
      frame.overrun === this.#overrun &&
      this.isPairOf(frame)
    );
  }

  /** Notes a frame. */
  note({ pair, alpha, time, overrun }: Frame): void {
    this.#run = pair.run;
    this.#epoch = pair.epoch;
    this.#earlierTick = pair.earlierTick;
    this.#laterTick = pair.laterTick;
    this.#earlierVersion = pair.earlierVersion;
    this.#laterVersion = pair.laterVersion;
    this.#alpha = alpha;
    this.#time = time;
    this.#overrun = overrun;
  }

  /** Forgets the frame: nothing is of it any more. */
  forget(): void {
    this.#alpha = Number.NaN;
  }
}
