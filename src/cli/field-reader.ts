import { EscapementError } from '../shared/error.ts';
import { printValue } from './printed-value.ts';

/** Reads the fields of one request by name; each reading refuses what it does not allow. */
export class FieldReader {
  readonly #fields: Readonly<Record<string, unknown>>;

  /** Throws NAME_UNKNOWN for a field that is none of `names`. */
  constructor(fields: Readonly<Record<string, unknown>>, names: readonly string[]) {
    const unknown = Object.keys(fields).find((name) => !names.includes(name));
    if (unknown !== undefined) {
      throw new EscapementError('NAME_UNKNOWN', 'The request has a field too many.', {
        given: printValue(unknown),
        allowed: ['id', 'verb', ...names].join(', '),
        fix: 'Leave it out, or correct its name.',
      });
    }
    this.#fields = fields;
  }

  /** Whether the field is there. A null counts as absent. */
  has(name: string): boolean {
    return Object.hasOwn(this.#fields, name) && this.#fields[name] !== null;
  }

  /** Returns the field as it is; undefined when it is absent. */
  raw(name: string): unknown {
    return this.has(name) ? this.#fields[name] : undefined;
  }

  /** Returns a finite number of a range. Throws VALUE_INVALID, also when there is no fallback. */
  number(name: string, least: number, most: number, fallback?: number): number {
    const value = this.raw(name) ?? fallback;
    if (typeof value === 'number' && value >= least && value <= most) return value;
    throw refusal(name, value, `a number from ${least} to ${most}`);
  }

  /** Returns an integer of a range. Throws VALUE_INVALID, also when there is no fallback. */
  integer(name: string, least: number, most: number, fallback?: number): number {
    const value = this.raw(name) ?? fallback;
    if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) {
      return value as number;
    }
    throw refusal(name, value, `an integer from ${least} to ${most}`);
  }

  /** Returns a boolean. Throws VALUE_INVALID for anything else. */
  boolean(name: string): boolean {
    const value = this.raw(name);
    if (typeof value === 'boolean') return value;
    throw refusal(name, value, 'true or false');
  }

  /** Returns one of several names. Throws VALUE_INVALID for anything else. */
  choice<N extends string>(name: string, choices: readonly N[]): N {
    const value = choices.find((choice) => choice === this.raw(name));
    if (value !== undefined) return value;
    throw refusal(name, this.raw(name), choices.join(', '));
  }

  /** Returns a list of names, all of them when absent. Throws VALUE_INVALID, NAME_UNKNOWN. */
  names<N extends string>(name: string, known: readonly N[]): readonly N[] {
    const value = this.raw(name);
    if (value === undefined) return known;
    if (!Array.isArray(value) || value.length === 0 || value.length > known.length) {
      throw refusal(name, value, `an array of 1 to ${known.length} names`);
    }
    return value.map((item: unknown) => knownName(item, known));
  }
}

/** Returns `item` as one of the names, else throws NAME_UNKNOWN. */
function knownName<N extends string>(item: unknown, known: readonly N[]): N {
  const found = known.find((name) => name === item);
  if (found !== undefined) return found;
  throw new EscapementError('NAME_UNKNOWN', 'There is no such key.', {
    given: printValue(item),
    allowed: known.join(', '),
    fix: 'Use one of the keys of the state tree.',
  });
}

/** Makes the error of a value that is not allowed. */
export function refusal(name: string, value: unknown, allowed: string): EscapementError {
  return new EscapementError('VALUE_INVALID', `\`${name}\` cannot be that.`, {
    given: value === undefined ? 'nothing' : printValue(value),
    allowed,
    fix: `Send \`${name}\` as ${allowed}.`,
  });
}
