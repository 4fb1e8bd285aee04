import { EscapementError } from '../shared/error.ts';
import type { Column, ComponentSchema } from '../shared/schema.ts';
import type { SparseRows } from './sparse-rows.ts';

/** A component's value: as many numbers as its width, or one for all of them; `true` for a tag. */
export type ComponentValue = number | true | ArrayLike<number>;

/** Where one component's presence and numbers lie, and how often they changed. */
export class ComponentStore {
  /** 1 for the first registered; 0 is no component. */
  readonly id: number;
  readonly schema: ComponentSchema;
  readonly name: string;
  readonly width: number;
  /** A bit for each living slot that has the component. */
  readonly presence: Uint32Array;
  /** `width` numbers a row: the row is the slot index, or for a sparse component its place. */
  readonly column: Column;
  readonly rows: SparseRows | undefined;
  /** Raised whenever an entity gains or loses the component. */
  version = 1;
  readonly #normalises: boolean;

  constructor(
    schema: ComponentSchema,
    index: number,
    presence: Uint32Array,
    column: Column,
    rows: SparseRows | undefined,
  ) {
    this.id = index + 1;
    this.schema = schema;
    this.name = schema.name;
    this.width = schema.width;
    this.presence = presence;
    this.column = column;
    this.rows = rows;
    this.#normalises = schema.blend === 'slerp' || schema.blend === 'nlerp';
  }

  /** Writes a value into a row. Throws VALUE_INVALID for another width. */
  put(row: number, value: ComponentValue): void {
    const { column, width } = this;
    const at = row * width;
    if (typeof value === 'number') {
      for (let i = 0; i < width; i++) column[at + i] = value;
    } else if (value !== true) {
      this.checkWidth(value);
      for (let i = 0; i < width; i++) column[at + i] = value[i] as number;
    }
    this.settle(at);
  }

  /** Brings the numbers from `at` on, just written, into the form that is kept. */
  settle(at: number): void {
    if (!this.#normalises) return;
    const { column, width } = this;
    for (let i = 0; i < width; i += 4) normalise(column, at + i);
  }

  /** Returns the row of a slot that has the component. */
  rowOf(index: number): number {
    return this.rows === undefined ? index : this.rows.find(index);
  }

  /** Throws VALUE_INVALID for what is no value of this component. */
  checkWidth(value: ComponentValue): void {
    if (typeof value === 'number') return;
    if (value === true) {
      if (this.width === 0) return;
    } else if (typeof value === 'object' && value !== null && value.length === this.width) return;
    this.#refuse(value);
  }

  #refuse(value: unknown): never {
    const { width } = this;
    const count = (value as { length?: unknown } | null)?.length;
    const isList = typeof value === 'object' && typeof count === 'number';
    const many = width === 1 ? 'a number' : `${width} numbers, or one for all of them`;
    throw new EscapementError('VALUE_INVALID', `That is no value of component "${this.name}".`, {
      given: isList ? `${count} numbers` : String(value),
      allowed: width === 0 ? 'true: it is a tag' : many,
    });
  }
}

/** Scales a quaternion to length 1; one of length 0 becomes the identity. */
function normalise(column: Column, at: number): void {
  const x = column[at] as number;
  const y = column[at + 1] as number;
  const z = column[at + 2] as number;
  const w = column[at + 3] as number;
  const length = Math.sqrt(x * x + y * y + z * z + w * w);
  column[at] = length > 0 ? x / length : 0;
  column[at + 1] = length > 0 ? y / length : 0;
  column[at + 2] = length > 0 ? z / length : 0;
  column[at + 3] = length > 0 ? w / length : 1;
}
