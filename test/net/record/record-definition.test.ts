import { describe, expect, test } from 'vitest';
import { bytes } from '../../../src/net/record/bytes-field.ts';
import { direction } from '../../../src/net/record/direction-field.ts';
import { float32, quantised } from '../../../src/net/record/float-field.ts';
import { enumeration, int, uint } from '../../../src/net/record/integer-field.ts';
import { interned } from '../../../src/net/record/interned-field.ts';
import { NameTable } from '../../../src/net/record/name-table.ts';
import { orientation } from '../../../src/net/record/orientation-field.ts';
import { defineRecord } from '../../../src/net/record/record-definition.ts';
import { turn } from '../../../src/net/record/turn-field.ts';

/** Returns the fault of a declaration. */
function faultOf(declare: () => unknown): string {
  try {
    declare();
    return 'ok';
  } catch (error) {
    const { code, fault, message } = error as { code: string; fault: string; message: string };
    expect([code, message.includes('Given:'), message.includes('Allowed:')]).toEqual([
      'SCHEMA_INVALID',
      true,
      true,
    ]);
    return fault;
  }
}

describe('a declaration that cannot be is refused', () => {
  test.each<[string, () => unknown]>([
    ['field-bits-invalid', () => uint(0)],
    ['field-bits-invalid', () => uint(33)],
    ['field-bits-invalid', () => uint(7.5)],
    ['field-bits-invalid', () => int(1)],
    ['field-bits-invalid', () => turn({ bits: 21 })],
    ['field-bits-invalid', () => direction(2)],
    ['field-bits-invalid', () => orientation(17)],
    ['field-bits-invalid', () => quantised({ min: 0, max: 1, bits: 21 })],
    ['field-bits-invalid', () => quantised({ min: 0, max: 1, bits: Number.NaN })],
    ['field-width-invalid', () => float32(5 as never)],
    ['field-width-invalid', () => quantised({ min: [0, 0], max: [1, 1, 1], bits: 8 })],
    ['field-width-invalid', () => quantised({ width: 3, min: [0, 0], max: 1, bits: 8 })],
    ['field-range-invalid', () => quantised({ min: 1, max: 1, bits: 8 })],
    ['field-range-invalid', () => quantised({ min: 0, max: Number.NaN, bits: 8 })],
    ['field-range-invalid', () => quantised({ min: -3e38, max: 3e38, bits: 8 })],
    ['field-precision-invalid', () => quantised({ min: 0, max: 1 })],
    ['field-precision-invalid', () => quantised({ min: 0, max: 1, bits: 8, precision: 0.1 })],
    ['field-precision-invalid', () => quantised({ min: 0, max: 1, precision: 0 })],
    ['field-precision-invalid', () => quantised({ min: 0, max: 1, precision: 1e-9 })],
    ['field-precision-invalid', () => quantised({ min: 1e6, max: 1e6 + 1, bits: 16 })],
    ['field-period-invalid', () => turn({ bits: 8, period: 0 })],
    ['field-values-invalid', () => enumeration([])],
    ['field-values-invalid', () => enumeration(['a', 'b', 'a'])],
    ['field-values-invalid', () => enumeration('abc' as never)],
    ['field-length-invalid', () => bytes(0)],
    ['field-length-invalid', () => bytes(1025)],
    ['field-names-invalid', () => interned(new NameTable())],
    ['field-names-invalid', () => interned(8 as never)],
  ])('%s: %s', (fault, declare) => {
    expect(faultOf(declare)).toBe(fault);
  });
});

describe('a record that cannot be is refused', () => {
  const many = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, uint(1)]));

  test.each<[string, object]>([
    ['ok', { fields: many(31) }],
    ['record-fields-invalid', { fields: {} }],
    ['record-fields-invalid', {}],
    ['record-fields-invalid', { fields: many(32) }],
    ['record-field-name-invalid', { fields: { '0': uint(1) } }],
    ['record-field-name-invalid', { fields: { 'a b': uint(1) } }],
    ['record-field-not-declared', { fields: { a: { scalar: 'f32', width: 1 } } }],
    ['record-field-not-declared', { fields: { a: undefined } }],
    ['record-position-invalid', { fields: { a: uint(1) }, position: 'a' }],
    ['record-position-invalid', { fields: { a: uint(1) }, position: 'b' }],
    ['record-position-invalid', { fields: { a: float32(4) }, position: 'a' }],
    ['record-position-invalid', { fields: { a: direction() }, position: 'a' }],
    ['ok', { fields: { a: float32(2) }, position: 'a' }],
  ])('%s', (fault, options) => {
    expect(faultOf(() => defineRecord(options as never))).toBe(fault);
  });
});

test('fields and lanes have their places in the order in which they are declared', () => {
  const { shape } = defineRecord({
    fields: { a: uint(3), b: float32(2), c: orientation(9) },
    position: 'b',
  });
  expect(shape.fields.map(({ name, index, lane }) => [name, index, lane])).toEqual([
    ['a', 0, 0],
    ['b', 1, 1],
    ['c', 2, 3],
  ]);
  expect(shape.lanes.map(({ field, kind, bits }) => `${field} ${kind} ${bits}`)).toEqual([
    '0 linear 3',
    '1 opaque 32',
    '1 opaque 32',
    '2 category 2',
    '2 circular 9',
    '2 circular 9',
    '2 circular 9',
  ]);
  expect(shape.position).toBe(1);
});

test('the longest enumeration is declared at once', { timeout: 5000 }, () => {
  const values = Array.from({ length: 65_536 }, (_, index) => `value ${index}`);
  expect(enumeration(values).codec.lanes).toEqual([{ kind: 'category', bits: 16 }]);
});

test('a number that is none is printed as it is', () => {
  const declare = (): unknown => quantised({ min: Number.NaN, max: 1, bits: 8 });
  expect(declare).toThrow('Given: ["NaN",1]');
});
