import { hasBit } from '../shared/bitset.ts';
import { FieldCodec, type FieldValue } from '../shared/field-codec.ts';
import { STATE_WORDS } from '../shared/math/random.ts';
import type { Keyframe } from '../shared/replay/replay.ts';
import type { ScalarType, Schema } from '../shared/schema.ts';
import type { ComponentStore } from './component-store.ts';
import { type DifferenceKind, DifferenceList, type StateDiff } from './difference-list.ts';
import { fieldName } from './field-names.ts';
import { StateBlock } from './state-block.ts';

/** A whole state, as a keyframe holds it. */
export type WholeState = Pick<Keyframe, 'world' | 'inputs' | 'foreign'>;

/** Differences that are listed if nobody says how many. */
const LISTED_DEFAULT = 20;

/**
 * Compares two states of one schema, number by number: -0 is 0 and one NaN is another, as for the
 * hash. Counts every difference and lists the first `limit`.
 */
export function diffStates(
  schema: Schema,
  a: WholeState,
  b: WholeState,
  limit: number = LISTED_DEFAULT,
): StateDiff {
  const list = new DifferenceList(limit);
  const diff = new Comparison(new StateBlock(schema, a.world), new StateBlock(schema, b.world));
  diff.slots(list);
  diff.components(list);
  diff.globals(list);
  diff.generators(list);
  diffInputs(schema, a.inputs, b.inputs, list);
  diffForeign(a.foreign, b.foreign, list);
  const { total, groups, differences } = list;
  return { total, groups, differences };
}

/** Two states of one schema side by side. */
class Comparison {
  readonly #a: StateBlock;
  readonly #b: StateBlock;
  readonly #schema: Schema;

  constructor(a: StateBlock, b: StateBlock) {
    this.#a = a;
    this.#b = b;
    this.#schema = a.schema;
  }

  /** Who lives where, under which handle, seen and blended. */
  slots(list: DifferenceList): void {
    const [a, b] = [this.#a, this.#b];
    for (let slot = 0; slot < this.#schema.capacity; slot++) {
      const lives = a.lives(slot);
      const both = lives && b.lives(slot);
      const entity = this.#entityAt(slot);
      const add = (kind: DifferenceKind, one: number | boolean, other: number | boolean): void => {
        if (one !== other) list.add({ kind, name: '', slot, entity, a: one, b: other });
      };
      add('lives', lives, b.lives(slot));
      // Of a slot that is free, the handle says which one comes next.
      add('handle', a.handles[slot] as number, b.handles[slot] as number);
      if (!both) continue;
      add('visible', !hasBit(a.hidden, slot), !hasBit(b.hidden, slot));
      add('blended', !hasBit(a.unblended, slot), !hasBit(b.unblended, slot));
    }
  }

  components(list: DifferenceList): void {
    this.#a.stores.forEach((store, c) => {
      this.#component(store, this.#b.stores[c] as ComponentStore, list);
    });
  }

  globals(list: DifferenceList): void {
    this.#schema.globals.forEach(({ name, type }, g) => {
      const [a, b] = [this.#a.global(g), this.#b.global(g)];
      if (!isSame(a, b)) list.add({ kind: 'global', name, a, b, bits: bitsOf(type, a, b) });
    });
  }

  generators(list: DifferenceList): void {
    const [a, b] = [this.#a.random, this.#b.random];
    for (let w = 0; w < a.length; w++) {
      if (a[w] === b[w]) continue;
      const owner = Math.floor(w / STATE_WORDS);
      const name = owner === 0 ? 'the world' : (this.#schema.systems[owner - 1] as string);
      const field = w % STATE_WORDS;
      const [one, other] = [a[w] as number, b[w] as number];
      list.add({ kind: 'generator', name, field, fieldName: `[${field}]`, a: one, b: other });
    }
  }

  #component(a: ComponentStore, b: ComponentStore, list: DifferenceList): void {
    const { name, width, schema } = a;
    for (let slot = 0; slot < this.#schema.capacity; slot++) {
      if (!this.#a.lives(slot) || !this.#b.lives(slot)) continue;
      const has = [this.#a.has(a, slot), this.#b.has(b, slot)] as const;
      const entity = this.#entityAt(slot);
      if (has[0] !== has[1]) list.add({ kind: 'has', name, slot, entity, a: has[0], b: has[1] });
      if (!has[0] || !has[1]) continue;
      const [atA, atB] = [a.rowOf(slot) * width, b.rowOf(slot) * width];
      for (let field = 0; field < width; field++) {
        const [one, other] = [numberAt(a, atA + field), numberAt(b, atB + field)];
        if (isSame(one, other)) continue;
        list.add({
          kind: 'value',
          name,
          slot,
          entity,
          field,
          fieldName: fieldName(schema, field),
          a: one,
          b: other,
          bits: bitsOf(schema.scalar, one, other),
        });
      }
    }
  }

  #entityAt(slot: number): number {
    const block = this.#a.lives(slot) ? this.#a : this.#b;
    return block.lives(slot) ? (block.handles[slot] as number) : 0;
  }
}

function numberAt({ column }: ComponentStore, at: number): number {
  return column[at] ?? Number.NaN;
}

function isSame(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

function bitsOf(
  type: ScalarType,
  a: number,
  b: number,
): readonly [a: string, b: string] | undefined {
  if (type !== 'f32' && type !== 'f64') return undefined;
  return [floatBits(type, a), floatBits(type, b)];
}

function floatBits(type: 'f32' | 'f64', value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  if (type === 'f32') view.setFloat32(0, value);
  else view.setFloat64(0, value);
  const half = (at: number): string => view.getUint32(at).toString(16).padStart(8, '0');
  return type === 'f32' ? half(0) : half(0) + half(4);
}

function diffInputs(schema: Schema, a: Uint32Array, b: Uint32Array, list: DifferenceList): void {
  let at = 0;
  for (const { name, as, fields } of schema.inputs) {
    if (as !== 'state') continue;
    const codec = new FieldCodec(name, fields);
    const one = codec.decode(a, at, {});
    const other = codec.decode(b, at, {});
    at += codec.lengthWords;
    fields.forEach((field, index) => {
      const values = [one[field.name] as FieldValue, other[field.name] as FieldValue] as const;
      if (isSame(Number(values[0]), Number(values[1]))) return;
      const [valueA, valueB] = values;
      list.add({ kind: 'input', name, field: index, fieldName: field.name, a: valueA, b: valueB });
    });
  }
}

function diffForeign(
  a: Uint8Array | undefined,
  b: Uint8Array | undefined,
  list: DifferenceList,
): void {
  const [one, other] = [a ?? new Uint8Array(0), b ?? new Uint8Array(0)];
  if (one.length !== other.length) {
    list.add({ kind: 'foreign', name: '', fieldName: 'bytes', a: one.length, b: other.length });
    return;
  }
  for (let at = 0; at < one.length; at++) {
    if (one[at] === other[at]) continue;
    const [byteA, byteB] = [one[at] as number, other[at] as number];
    list.add({ kind: 'foreign', name: '', field: at, fieldName: `[${at}]`, a: byteA, b: byteB });
  }
}
