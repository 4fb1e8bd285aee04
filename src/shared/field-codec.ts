import { EscapementError } from './error.ts';
import type { FieldSchema, FieldType } from './schema.ts';

/** A field's value on either side of the boundary. */
export type FieldValue = number | boolean;

/** Values of a record by field name. */
export type FieldValues = Record<string, FieldValue>;

const WORDS: Readonly<Record<FieldType, number>> = {
  f32: 1,
  f64: 2,
  i32: 1,
  u32: 1,
  bool: 1,
  entity: 1,
};

/** Returns the words that the fields of an input or an event take. */
export function fieldWords(fields: readonly FieldSchema[]): number {
  return fields.reduce((sum, field) => sum + WORDS[field.type], 0);
}

/** Packs the fields of an input or an event into ring words and back. */
export class FieldCodec {
  readonly fields: readonly FieldSchema[];
  readonly lengthWords: number;
  readonly #what: string;
  readonly #double: Float64Array = new Float64Array(1);
  readonly #float: Float32Array = new Float32Array(1);
  readonly #doubleWords: Uint32Array;
  readonly #floatWord: Uint32Array;

  /** `what` names the record in errors, such as `input "pointer"`. */
  constructor(what: string, fields: readonly FieldSchema[]) {
    this.fields = fields;
    this.#what = what;
    this.lengthWords = fieldWords(fields);
    this.#doubleWords = new Uint32Array(this.#double.buffer);
    this.#floatWord = new Uint32Array(this.#float.buffer);
  }

  /**
   * Writes `values` into `out` from word `begin`. Refuses missing, unknown-typed and NaN values.
   */
  encode(values: Readonly<FieldValues>, out: Uint32Array, begin: number): void {
    let at = begin;
    for (const field of this.fields) {
      const value = values[field.name];
      if (typeof value !== 'number' && typeof value !== 'boolean') throw this.#fault(field, value);
      const number = Number(value);
      if (!Number.isFinite(number)) throw this.#fault(field, value);
      at = this.#put(field.type, number, out, at);
    }
  }

  #put(type: FieldType, value: number, out: Uint32Array, at: number): number {
    switch (type) {
      case 'f32':
        this.#float[0] = value;
        out[at] = this.#floatWord[0] as number;
        return at + 1;
      case 'f64':
        this.#double[0] = value;
        out[at] = this.#doubleWords[0] as number;
        out[at + 1] = this.#doubleWords[1] as number;
        return at + 2;
      case 'bool':
        out[at] = value === 0 ? 0 : 1;
        return at + 1;
      default:
        out[at] = value;
        return at + 1;
    }
  }

  /** Reads the fields from `words` at `begin` into `out`. */
  decode(words: Uint32Array, begin: number, out: FieldValues): FieldValues {
    let at = begin;
    for (const field of this.fields) {
      out[field.name] = this.#get(field.type, words, at);
      at += WORDS[field.type];
    }
    return out;
  }

  #get(type: FieldType, words: Uint32Array, at: number): FieldValue {
    const word = words[at] as number;
    switch (type) {
      case 'f32':
        this.#floatWord[0] = word;
        return this.#float[0] as number;
      case 'f64':
        this.#doubleWords[0] = word;
        this.#doubleWords[1] = words[at + 1] as number;
        return this.#double[0] as number;
      case 'i32':
        return word | 0;
      case 'bool':
        return word !== 0;
      default:
        return word;
    }
  }

  /** Makes the values before anything was given: zeros and false. */
  defaults(): FieldValues {
    const out: FieldValues = {};
    for (const field of this.fields) out[field.name] = field.type === 'bool' ? false : 0;
    return out;
  }

  #fault(field: FieldSchema, given: unknown): EscapementError {
    return new EscapementError(
      'VALUE_INVALID',
      `Field "${field.name}" of ${this.#what} is wrong.`,
      {
        given: typeof given === 'string' ? JSON.stringify(given) : String(given),
        allowed: field.type === 'bool' ? 'true or false' : `a finite number (${field.type})`,
        fix: `Give every field: ${this.fields.map((f) => `${f.name}: ${f.type}`).join(', ')}.`,
      },
    );
  }
}
