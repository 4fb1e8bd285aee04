import type { FieldColumn } from '../record/field-codec.ts';
import type { FieldShape } from '../record/record-shape.ts';
import { firstNotFinite, firstNotUnit, firstUnordered, firstZero } from './row-scan.ts';
import type { Snapshot } from './snapshot.ts';

type RowRule = 'zero' | 'not-finite' | 'not-unit' | 'id-zero' | 'id-order';

/** What can be wrong with a row, by the name of the field in kebab-case. */
export type RowFaultName =
  | 'id-zero'
  | 'id-order'
  | `${string}-zero`
  | `${string}-not-finite`
  | `${string}-not-unit`;

/** The first fault among the rows of a snapshot. One is kept and filled again and again. */
export class RowFault {
  /** The row, or the count of rows if there is no fault. */
  row = 0;
  #rule: RowRule | null = null;
  #field = '';

  get found(): boolean {
    return this.#rule !== null;
  }

  /** The fault by its name; only if there is one. */
  get name(): RowFaultName {
    const rule = this.#rule;
    if (rule === null || rule === 'id-zero' || rule === 'id-order') return rule ?? 'id-zero';
    return `${kebabCase(this.#field)}-${rule}`;
  }

  /** Looks for the first row with a reserved number, or with an id that does not ascend. */
  findInIds(snapshot: Snapshot): void {
    const { fields } = snapshot.shape;
    this.#start(snapshot);
    this.#note(firstZero(snapshot.ids, 1, this.row), 'id-zero', '');
    for (let f = 0; f < fields.length; f++) {
      const { check, codec, name } = fields[f] as FieldShape;
      if (check !== 'nonzero') continue;
      const { bits } = snapshot.columns[f] as FieldColumn;
      this.#note(firstZero(bits, codec.width, this.row), 'zero', name);
    }
    this.#note(firstUnordered(snapshot.ids, this.row), 'id-order', '');
  }

  /** Looks for the first row with floats that are not finite or not of length 1. */
  findInValues(snapshot: Snapshot): void {
    const { fields } = snapshot.shape;
    this.#start(snapshot);
    for (let f = 0; f < fields.length; f++) {
      const { check, codec, name } = fields[f] as FieldShape;
      if (codec.scalar !== 'f32' || (check !== 'finite' && check !== 'unit')) continue;
      const { bits, values } = snapshot.columns[f] as FieldColumn;
      this.#note(firstNotFinite(bits, codec.width, this.row), 'not-finite', name);
      if (check !== 'unit') continue;
      this.#note(firstNotUnit(values as Float32Array, codec.width, this.row), 'not-unit', name);
    }
  }

  #start(snapshot: Snapshot): void {
    this.row = snapshot.count;
    this.#rule = null;
  }

  #note(row: number, rule: RowRule, field: string): void {
    if (row >= this.row) return;
    this.row = row;
    this.#rule = rule;
    this.#field = field;
  }
}

/** Tells whether a snapshot has the room for as many entities as it says it has. */
export function fitsItsCount(snapshot: Snapshot): boolean {
  const { count, ids, columns, shape } = snapshot;
  if (!Number.isInteger(count) || count < 0 || count > ids.length) return false;
  for (let f = 0; f < shape.fields.length; f++) {
    const { codec } = shape.fields[f] as FieldShape;
    if ((columns[f]?.bits.length ?? 0) < count * codec.width) return false;
  }
  return true;
}

function kebabCase(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}
