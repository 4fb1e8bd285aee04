import { EscapementError } from '../shared/error.ts';
import { FieldCodec, type FieldValues } from '../shared/field-codec.ts';
import type { InputSchema } from '../shared/schema.ts';
import type { InputSource, InputVisit } from './input-queue.ts';

/** What one tick consumes. */
interface TickInputs {
  tick: number;
  /**
   * For each input in order: its place in the schema, the number of its words, the words. Grown
   * when full.
   */
  words: Uint32Array;
  count: number;
}

/** Inputs by name. */
export type GivenInputs = Readonly<Record<string, Readonly<FieldValues> | undefined>>;

/** The inputs of the last ticks and of those to come, by tick: they can be given late. */
export class InputHistory implements InputSource {
  readonly #ticks: TickInputs[];
  readonly #codecs: readonly FieldCodec[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #schemas: readonly InputSchema[];
  /** By place: where a `state` input lies in a saved state; -1 for an `event`. */
  readonly #savedAt: readonly number[];
  /** What is being added, laid out as the words of a tick. */
  readonly #staged: Uint32Array;

  /** Keeps `ticks` ticks; older ones are overwritten. */
  constructor(schemas: readonly InputSchema[], ticks: number) {
    this.#schemas = schemas;
    this.#places = new Map(schemas.map(({ name }, place) => [name, place]));
    this.#codecs = schemas.map(({ name, fields }) => new FieldCodec(`input "${name}"`, fields));
    this.#savedAt = savedPlaces(schemas, this.#codecs);
    this.#staged = new Uint32Array(this.#codecs.reduce((sum, c) => sum + 2 + c.lengthWords, 0));
    this.#ticks = Array.from({ length: ticks }, () => ({
      tick: -1,
      words: new Uint32Array(0),
      count: 0,
    }));
  }

  /**
   * Adds inputs to those that a tick consumes; a `state` input takes the place of an earlier one.
   * `seen` is what the tick saw of the `state` inputs when it ran, as `InputQueue.save` writes it.
   * Returns whether it would see anything else now. Throws NAME_UNKNOWN and VALUE_INVALID, and has
   * then added nothing.
   */
  add(tick: number, inputs: GivenInputs, seen: Uint32Array): boolean {
    const length = this.#stage(inputs);
    const entry = this.#entry(tick);
    let isOther = false;
    for (let at = 0; at < length; at += 2 + (this.#staged[at + 1] as number)) {
      const savedAt = this.#savedAt[this.#staged[at] as number] as number;
      this.#put(entry, at, savedAt >= 0);
      if (savedAt < 0 || !this.#isSeen(at, seen, savedAt)) isOther = true;
    }
    return isOther;
  }

  /** Forgets what a tick consumes. Returns whether there was an `event`. */
  clear(tick: number): boolean {
    const entry = this.#entry(tick);
    let hadEvent = false;
    for (let at = 0; at < entry.count; at += 2 + (entry.words[at + 1] as number)) {
      if ((this.#savedAt[entry.words[at] as number] as number) < 0) hadEvent = true;
    }
    entry.count = 0;
    return hadEvent;
  }

  inputsOf(tick: number, visit: InputVisit): number {
    const entry = this.#ticks[tick % this.#ticks.length] as TickInputs;
    if (entry.tick !== tick) return 0;
    let inputs = 0;
    for (let at = 0; at < entry.count; inputs++) {
      const length = entry.words[at + 1] as number;
      visit(entry.words[at] as number, entry.words, at + 2, length);
      at += 2 + length;
    }
    return inputs;
  }

  /** Encodes all inputs, and returns the words they take: what throws has changed nothing. */
  #stage(inputs: GivenInputs): number {
    const staged = this.#staged;
    let at = 0;
    for (const name in inputs) {
      const values = inputs[name];
      if (values === undefined) continue;
      const place = this.#places.get(name);
      if (place === undefined) throw unknown(name, this.#schemas);
      const codec = this.#codecs[place] as FieldCodec;
      codec.encode(values, staged, at + 2);
      staged[at] = place;
      staged[at + 1] = codec.lengthWords;
      at += 2 + codec.lengthWords;
    }
    return at;
  }

  #put(entry: TickInputs, stagedAt: number, isState: boolean): void {
    const staged = this.#staged;
    const found = isState ? find(entry, staged[stagedAt] as number) : -1;
    const begin = found < 0 ? entry.count : found;
    const length = 2 + (staged[stagedAt + 1] as number);
    const end = begin + length;
    if (end > entry.words.length) entry.words = grown(entry.words, end);
    for (let i = 0; i < length; i++) entry.words[begin + i] = staged[stagedAt + i] as number;
    if (found < 0) entry.count = end;
  }

  #isSeen(stagedAt: number, seen: Uint32Array, savedAt: number): boolean {
    const length = this.#staged[stagedAt + 1] as number;
    for (let i = 0; i < length; i++) {
      if (this.#staged[stagedAt + 2 + i] !== seen[savedAt + i]) return false;
    }
    return true;
  }

  #entry(tick: number): TickInputs {
    const entry = this.#ticks[tick % this.#ticks.length] as TickInputs;
    if (entry.tick !== tick) {
      entry.tick = tick;
      entry.count = 0;
    }
    return entry;
  }
}

/** `state` inputs lie one behind the other, in the order of the schema. */
function savedPlaces(schemas: readonly InputSchema[], codecs: readonly FieldCodec[]): number[] {
  let next = 0;
  return schemas.map(({ as }, place) => {
    if (as !== 'state') return -1;
    const at = next;
    next += (codecs[place] as FieldCodec).lengthWords;
    return at;
  });
}

/** Room for twice of what is needed. */
function grown(words: Uint32Array, length: number): Uint32Array {
  const next = new Uint32Array(2 * length);
  next.set(words);
  return next;
}

function find({ words, count }: TickInputs, place: number): number {
  for (let at = 0; at < count; at += 2 + (words[at + 1] as number)) {
    if (words[at] === place) return at;
  }
  return -1;
}

function unknown(name: string, schemas: readonly InputSchema[]): EscapementError {
  return new EscapementError('NAME_UNKNOWN', 'There is no such input.', {
    given: JSON.stringify(name),
    allowed: schemas.map((schema) => schema.name).join(', ') || 'none is declared',
  });
}
