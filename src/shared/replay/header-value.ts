import type { EscapementError } from '../error.ts';
import { replayInvalid } from './format.ts';

const NAME = /^[A-Za-z_$][\w$]*$/;

/** Makes the error for a part of a header, which stands at `path`. */
export function badPart(path: string, given: unknown, allowed: string): EscapementError {
  return replayInvalid(`\`${path}\` in the header of this replay is not possible.`, {
    given: shown(given),
    allowed,
    fix: 'Record again with this version of escapement.',
  });
}

/** Returns `value` as an object whose fields are not known yet. */
export function objectAt(path: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw badPart(path, value, 'an object');
}

/** Returns the items of a list, each read with the path of its place. */
export function listAt<T>(
  path: string,
  value: unknown,
  read: (path: string, item: unknown) => T,
): T[] {
  if (!Array.isArray(value)) throw badPart(path, value, 'a list');
  return value.map((item: unknown, index) => read(`${path}[${index}]`, item));
}

/** Returns the items of a list whose names all differ. */
export function namedListAt<T extends { readonly name: string }>(
  path: string,
  value: unknown,
  read: (path: string, item: unknown) => T,
): T[] {
  const items = listAt(path, value, read);
  const names = new Set<string>();
  for (const { name } of items) {
    if (names.has(name)) throw badPart(path, name, 'names that all differ');
    names.add(name);
  }
  return items;
}

/** Returns `value` as any text. */
export function textAt(path: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw badPart(path, value, 'a text');
}

/** Returns `value` as the name of a property. */
export function nameAt(path: string, value: unknown): string {
  // The one identifier that does not name a property of its own when it is assigned.
  if (typeof value === 'string' && NAME.test(value) && value !== '__proto__') return value;
  throw badPart(path, value, 'an identifier');
}

/** Returns `value` as one of some words. */
export function wordAt<T extends string>(path: string, value: unknown, words: readonly T[]): T {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw badPart(path, value, words.join(', '));
}

/** Returns `value` as true or false. */
export function flagAt(path: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw badPart(path, value, 'true or false');
}

/** Returns `value` as a finite number. */
export function numberAt(path: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw badPart(path, value, 'a finite number');
}

/** Returns `value` as a whole number in a range. */
export function wholeAt(path: string, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
    // 0 for -0, which JSON can name.
    return value + 0;
  }
  throw badPart(path, value, `an integer from ${min} to ${max}`);
}

const SHOWN_UNITS_MAX = 40;

function shown(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.slice(0, SHOWN_UNITS_MAX));
    case 'number':
    case 'boolean':
      return String(value);
    case 'undefined':
      return 'nothing';
    default:
      return Array.isArray(value) ? 'a list' : value === null ? 'null' : 'an object';
  }
}
