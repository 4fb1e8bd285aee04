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

/** The inputs of the last ticks and of those to come, by tick: they can be given late. */
export class InputHistory implements InputSource {
  readonly #ticks: TickInputs[];
  readonly #codecs: readonly FieldCodec[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #schemas: readonly InputSchema[];
  readonly #scratch: Uint32Array;

  /** Keeps `ticks` ticks; older ones are overwritten. */
  constructor(schemas: readonly InputSchema[], ticks: number) {
    this.#schemas = schemas;
    this.#places = new Map(schemas.map(({ name }, place) => [name, place]));
    this.#codecs = schemas.map(({ name, fields }) => new FieldCodec(`input "${name}"`, fields));
    this.#scratch = new Uint32Array(Math.max(1, ...this.#codecs.map((c) => c.lengthWords)));
    this.#ticks = Array.from({ length: ticks }, () => ({
      tick: -1,
      words: new Uint32Array(0),
      count: 0,
    }));
  }

  /**
   * Adds an input to those that a tick consumes; a `state` input takes the place of an earlier one.
   * Throws NAME_UNKNOWN and VALUE_INVALID.
   */
  add(tick: number, name: string, values: Readonly<FieldValues>): void {
    const place = this.#places.get(name);
    if (place === undefined) throw unknown(name, this.#schemas);
    const codec = this.#codecs[place] as FieldCodec;
    codec.encode(values, this.#scratch, 0);
    const entry = this.#entry(tick);
    const at = this.#schemas[place]?.as === 'state' ? find(entry, place) : -1;
    const begin = at < 0 ? entry.count : at;
    const end = begin + 2 + codec.lengthWords;
    if (end > entry.words.length) entry.words = grown(entry.words, end);
    const { words } = entry;
    words[begin] = place;
    words[begin + 1] = codec.lengthWords;
    for (let i = begin + 2; i < end; i++) words[i] = this.#scratch[i - begin - 2] as number;
    if (at < 0) entry.count = end;
  }

  /** Forgets what a tick consumes. */
  clear(tick: number): void {
    this.#entry(tick).count = 0;
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

  #entry(tick: number): TickInputs {
    const entry = this.#ticks[tick % this.#ticks.length] as TickInputs;
    if (entry.tick !== tick) {
      entry.tick = tick;
      entry.count = 0;
    }
    return entry;
  }
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
