import { TRACE, TRACE_HEADER_WORDS } from '../shared/replay/trace-words.ts';
import type { Keyframe } from '../shared/replay/replay.ts';
import type { RingWriter } from '../shared/ring-writer.ts';
import type { Schema } from '../shared/schema.ts';
import { FieldCodec } from '../shared/field-codec.ts';
import type { RecorderOutput } from './recorder.ts';

/*
 * Threads    the simulation thread; the host empties the ring.
 * Memory     writes the region's trace ring, and words of its own while that is full.
 * Ordering   records leave in the order in which they were handed over.
 * Progress   wait-free; allocates only while the host does not keep up.
 * Invariant  a record is written once, or the recording says after which tick it lost them.
 */

/** Words that wait for room at most: beyond it the recording ends rather than fill the memory. */
const WAITING_WORDS_MAX = 2 ** 22;
const WAITING_WORDS_FIRST = 4096;
/** Room that is kept once nothing waits any more. */
const WAITING_WORDS_KEPT = 2 ** 16;

/** Hands a recording over to the host through the region; keyframes go by message. */
export class TraceRing implements RecorderOutput {
  readonly #ring: RingWriter;
  readonly #record: Uint32Array;
  readonly #sendKeyframe: (keyframe: Keyframe) => void;
  /** What waits for room: for each record its kind and length, then its words. */
  #waiting: Uint32Array = new Uint32Array(0);
  #begin = 0;
  #end = 0;
  #lastMark = 0;
  /** Whether records could not be kept: none is written any more. */
  #isLost = false;

  constructor(ring: RingWriter, schema: Schema, sendKeyframe: (keyframe: Keyframe) => void) {
    this.#ring = ring;
    this.#sendKeyframe = sendKeyframe;
    const lengths = schema.inputs.map(
      ({ name, fields }) => new FieldCodec(name, fields).lengthWords,
    );
    const longest = TRACE_HEADER_WORDS + Math.max(1, ...lengths);
    ring.check(longest);
    this.#record = new Uint32Array(longest);
  }

  /** Begins another recording: nothing of the one before is written any more. */
  reset(): void {
    this.#forget();
    this.#lastMark = 0;
    this.#isLost = false;
  }

  readonly input = (
    tick: number,
    input: number,
    words: Uint32Array,
    begin: number,
    length: number,
  ): void => {
    const record = this.#record;
    record[2] = input;
    for (let i = 0; i < length; i++) record[TRACE_HEADER_WORDS + i] = words[begin + i] as number;
    this.#write(TRACE.input, tick, TRACE_HEADER_WORDS + length);
  };

  hash(tick: number, high: number, low: number): void {
    this.#record[2] = high;
    this.#record[3] = low;
    this.#write(TRACE.hash, tick, 4);
  }

  mark(tick: number): void {
    this.#write(TRACE.mark, tick, 2);
    if (!this.#isLost) this.#lastMark = tick;
  }

  /** Ends the recording with a tick: the ticks that come next do not follow it. */
  cut(tick: number): void {
    this.#write(TRACE.cut, tick, 2);
  }

  keyframe(keyframe: Keyframe): void {
    if (!this.#isLost) this.#sendKeyframe(keyframe);
  }

  /** Writes what waited, as far as there is room. Returns whether nothing waits any more. */
  flush(): boolean {
    const waiting = this.#waiting;
    while (this.#begin < this.#end) {
      const header = waiting[this.#begin] as number;
      const length = header & 0xffff;
      if (this.#ring.freeWords() < length + 1) return false;
      const payload = waiting.subarray(this.#begin + 1, this.#begin + 1 + length);
      this.#ring.tryWrite(header >>> 16, payload, length);
      this.#begin += 1 + length;
    }
    if (this.#end > 0) this.#forget();
    return true;
  }

  #forget(): void {
    this.#begin = 0;
    this.#end = 0;
    if (this.#waiting.length > WAITING_WORDS_KEPT) this.#waiting = new Uint32Array(0);
  }

  #write(kind: number, tick: number, length: number): void {
    if (this.#isLost) {
      this.flush();
      return;
    }
    const record = this.#record;
    record[0] = tick >>> 0;
    record[1] = Math.floor(tick / 2 ** 32);
    // Room is asked for first: a refused write would count as dropped, and nothing is lost here.
    if (this.#begin === this.#end || this.flush()) {
      if (this.#ring.freeWords() > length) {
        this.#ring.tryWrite(kind, record, length);
        return;
      }
    }
    this.#keep(kind, length);
  }

  #keep(kind: number, length: number): void {
    if (this.#end - this.#begin + 1 + length > WAITING_WORDS_MAX) {
      this.#lose();
      return;
    }
    this.#reserve(1 + length);
    this.#waiting[this.#end] = ((kind << 16) | length) >>> 0;
    this.#waiting.set(this.#record.subarray(0, length), this.#end + 1);
    this.#end += 1 + length;
  }

  /** Ends the recording where it is known to be whole. */
  #lose(): void {
    this.#isLost = true;
    this.#record[0] = this.#lastMark >>> 0;
    this.#record[1] = Math.floor(this.#lastMark / 2 ** 32);
    this.#reserve(3);
    this.#waiting[this.#end] = ((TRACE.lost << 16) | 2) >>> 0;
    this.#waiting.set(this.#record.subarray(0, 2), this.#end + 1);
    this.#end += 3;
  }

  #reserve(words: number): void {
    if (this.#end + words <= this.#waiting.length) return;
    const left = this.#waiting.subarray(this.#begin, this.#end);
    const size = Math.max(WAITING_WORDS_FIRST, 2 * (left.length + words));
    // What has left makes room first: a host that is always a little behind is no reason to grow.
    const room = size > this.#waiting.length ? new Uint32Array(size) : this.#waiting;
    room.set(left);
    this.#waiting = room;
    this.#begin = 0;
    this.#end = left.length;
  }
}
