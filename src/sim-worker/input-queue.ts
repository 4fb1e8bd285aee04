import { FieldCodec, type FieldValues } from '../shared/field-codec.ts';
import type { RingReader } from '../shared/ring-reader.ts';
import type { InputSchema } from '../shared/schema.ts';

/** Waiting events of one input are bounded; beyond it they are refused and counted. */
const WAITING_MAX = 4096;

/** Told of each input as a tick consumes it: as words, before the tick runs. */
export type InputTrace = (
  tick: number,
  input: number,
  words: Uint32Array,
  begin: number,
  length: number,
) => void;

/** Where inputs come from in place of the ring: what a recording says that a tick consumed. */
export interface InputSource {
  /** Calls `visit` with each input of a tick, in order. */
  inputsOf(tick: number, visit: InputVisit): number;
}

/** Called with one input: the place in the schema and its words. */
export type InputVisit = (input: number, words: Uint32Array, begin: number, length: number) => void;

interface InputLane {
  readonly schema: InputSchema;
  readonly codec: FieldCodec;
  /** `state`: words that the next tick will see. */
  readonly pending: Uint32Array;
  /** `state`: words that this tick sees. */
  readonly presentWords: Uint32Array;
  /** `state`: what this tick sees; the same object for life. */
  readonly present: FieldValues;
  /** `event`: waiting for the next advance. */
  waiting: FieldValues[];
  /** `event`: what this tick consumes. */
  consumed: FieldValues[];
}

const NOTHING: FieldValues[] = [];

/**
 * Inputs on the simulation's side: drained from the ring whenever the driver wakes, handed to the
 * first tick of an advance. While nothing runs, `state` inputs coalesce and `event` inputs wait.
 */
export class InputQueue {
  /** By input name: an object for `state`, an array for `event`. */
  readonly view: Record<string, FieldValues | readonly FieldValues[]> = {};
  /** Events refused because too many were waiting. */
  overflowCount = 0;
  /** Inputs refused because a recording is replayed. */
  refusedCount = 0;
  /** Told of what ticks consume. */
  trace: InputTrace | undefined;
  /** While there is one, it alone says what ticks consume, and the ring's inputs are refused. */
  source: InputSource | undefined;
  readonly #lanes: readonly InputLane[];
  readonly #ring: RingReader;
  readonly #words: Uint32Array;
  readonly #take: InputVisit = (input, words, begin) => this.#give(input, words, begin);
  #consumedAny = false;
  /** The tick that takes from the source. */
  #tick = 0;

  constructor(schemas: readonly InputSchema[], ring: RingReader) {
    this.#ring = ring;
    this.#lanes = schemas.map((schema) => {
      const codec = new FieldCodec(`input "${schema.name}"`, schema.fields);
      const pending = new Uint32Array(codec.lengthWords);
      const presentWords = new Uint32Array(codec.lengthWords);
      const present = codec.defaults();
      return { schema, codec, pending, presentWords, present, waiting: [], consumed: NOTHING };
    });
    const lengths = this.#lanes.map(({ codec }) => codec.lengthWords);
    this.#words = new Uint32Array(Math.max(1, ...lengths));
    for (const lane of this.#lanes) {
      this.view[lane.schema.name] = lane.schema.as === 'state' ? lane.present : lane.consumed;
    }
  }

  /** Takes everything out of the ring. */
  drain(): void {
    while (this.#ring.next()) {
      const lane = this.#lanes[this.#ring.kind];
      if (lane === undefined) continue;
      if (this.source !== undefined) {
        this.refusedCount++;
      } else if (lane.schema.as === 'state') {
        copyWords(this.#ring.words, 0, lane.pending);
      } else if (lane.waiting.length < WAITING_MAX) {
        lane.waiting.push(lane.codec.decode(this.#ring.words, 0, {}));
      } else {
        this.overflowCount++;
      }
    }
  }

  /** Hands the tick about to run what it consumes: what waits, if it is the first of an advance. */
  consume(tick: number, firstOfAdvance: boolean): void {
    if (this.source === undefined) {
      if (firstOfAdvance) this.#consumeWaiting(tick);
      return;
    }
    this.#tick = tick;
    this.source.inputsOf(tick, this.#take);
  }

  #consumeWaiting(tick: number): void {
    for (let i = 0; i < this.#lanes.length; i++) {
      const lane = this.#lanes[i] as InputLane;
      if (lane.schema.as === 'state') {
        if (!showWords(lane, lane.pending, 0)) continue;
        this.trace?.(tick, i, lane.presentWords, 0, lane.presentWords.length);
      } else if (lane.waiting.length > 0) {
        this.#consumeEvents(tick, i, lane);
      }
    }
  }

  #consumeEvents(tick: number, input: number, lane: InputLane): void {
    lane.consumed = lane.waiting;
    lane.waiting = [];
    this.view[lane.schema.name] = lane.consumed;
    this.#consumedAny = true;
    if (this.trace === undefined) return;
    for (const values of lane.consumed) {
      lane.codec.encode(values, this.#words, 0);
      this.trace(tick, input, this.#words, 0, lane.codec.lengthWords);
    }
  }

  /** Takes one input of the source for the tick about to run. */
  #give(input: number, words: Uint32Array, begin: number): void {
    const lane = this.#lanes[input];
    if (lane === undefined) return;
    if (lane.schema.as === 'state') {
      copyWords(words, begin, lane.pending);
      if (!showWords(lane, words, begin)) return;
      this.trace?.(this.#tick, input, words, begin, lane.codec.lengthWords);
      return;
    }
    this.trace?.(this.#tick, input, words, begin, lane.codec.lengthWords);
    if (lane.consumed === NOTHING) {
      lane.consumed = [];
      this.view[lane.schema.name] = lane.consumed;
      this.#consumedAny = true;
    }
    lane.consumed.push(lane.codec.decode(words, begin, {}));
  }

  /** Ends the tick: what it consumed is gone for the next. */
  settle(): void {
    if (!this.#consumedAny) return;
    this.#consumedAny = false;
    for (const lane of this.#lanes) {
      if (lane.schema.as === 'state') continue;
      lane.consumed = NOTHING;
      this.view[lane.schema.name] = NOTHING;
    }
  }

  /** Words of {@link save}. */
  get stateWords(): number {
    let sum = 0;
    for (const lane of this.#lanes) if (lane.schema.as === 'state') sum += lane.pending.length;
    return sum;
  }

  /** Writes what the last tick saw of the `state` inputs, one behind the other. */
  save(out: Uint32Array): void {
    let at = 0;
    for (const { schema, presentWords } of this.#lanes) {
      if (schema.as !== 'state') continue;
      out.set(presentWords, at);
      at += presentWords.length;
    }
  }

  /**
   * Takes over what {@link save} wrote, and forgets the events that wait: they were of another
   * time. Returns how many those were.
   */
  restore(words: Uint32Array): number {
    let at = 0;
    let forgotten = 0;
    for (const lane of this.#lanes) {
      forgotten += lane.waiting.length;
      if (lane.waiting.length > 0) lane.waiting = [];
      if (lane.schema.as !== 'state') continue;
      copyWords(words, at, lane.pending);
      showWords(lane, words, at);
      at += lane.presentWords.length;
    }
    return forgotten;
  }
}

/** Has the tick see these words; returns whether that is anything new. */
function showWords(lane: InputLane, words: Uint32Array, begin: number): boolean {
  if (!copyWords(words, begin, lane.presentWords)) return false;
  lane.codec.decode(lane.presentWords, 0, lane.present);
  return true;
}

/** Fills `to` from `from[begin]` on; returns whether anything changed. */
function copyWords(from: Uint32Array, begin: number, to: Uint32Array): boolean {
  let isChanged = false;
  for (let i = 0; i < to.length; i++) {
    const word = from[begin + i] as number;
    if (to[i] === word) continue;
    to[i] = word;
    isChanged = true;
  }
  return isChanged;
}
