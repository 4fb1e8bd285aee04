import type { Recording, RecordingResult } from 'escapement';
import type { Stage } from '../stage.ts';

/** Every state has its hash, and none is more than a second from one that can be gone back to. */
const HASH_EVERY_TICKS = 1;
const KEYFRAME_EVERY_TICKS = 60;

/** Records the run of a stage, in memory. */
export class Recorder {
  #recording: Recording | undefined;
  #isStarting = false;

  /** The recording that is being made, until its result was taken. */
  get recording(): Recording | undefined {
    return this.#recording;
  }

  /** Whether a run is being recorded, or just begins to be. */
  get isActive(): boolean {
    return this.#isStarting || this.#recording !== undefined;
  }

  /** Whether the recording has ended by itself: it was full, or its run is over. */
  get hasEnded(): boolean {
    const { end, failure } = this.#recording ?? {};
    return end !== undefined || failure !== undefined;
  }

  /** Begins with the present state of a run. */
  async start(stage: Stage): Promise<void> {
    this.#isStarting = true;
    try {
      this.#recording = await stage.run.record({
        hashEveryTicks: HASH_EVERY_TICKS,
        keyframeEveryTicks: KEYFRAME_EVERY_TICKS,
      });
    } finally {
      this.#isStarting = false;
    }
  }

  /** Ends the recording and hands it out; undefined when there is none. Rejects if it failed. */
  async take(): Promise<RecordingResult | undefined> {
    const recording = this.#recording;
    this.#recording = undefined;
    return recording?.stop();
  }
}
