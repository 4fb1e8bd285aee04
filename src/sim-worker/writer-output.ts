import type { ReplayWriter } from '../shared/replay/replay-writer.ts';
import type { Keyframe } from '../shared/replay/replay.ts';
import type { RecorderOutput } from './recorder.ts';

/** Hands a recording over to a writer on the same thread. */
export class WriterOutput implements RecorderOutput {
  readonly #writer: ReplayWriter;

  constructor(writer: ReplayWriter) {
    this.#writer = writer;
  }

  readonly input = (
    tick: number,
    input: number,
    words: Uint32Array,
    begin: number,
    length: number,
  ): void => this.#writer.addInput(tick, input, words, begin, length);

  hash(tick: number, high: number, low: number): void {
    this.#writer.addHash(tick, high, low);
  }

  keyframe(keyframe: Keyframe): void {
    this.#writer.addKeyframe(keyframe);
  }

  mark(tick: number): void {
    // A sink that fails is told by the writer, once, when the recording is closed.
    void this.#writer.flush(tick).catch(() => undefined);
  }

  end(): void {
    // Whoever made the writer closes it.
  }
}
