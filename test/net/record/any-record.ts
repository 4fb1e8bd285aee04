import fc from 'fast-check';
import { bytes } from '../../../src/net/record/bytes-field.ts';
import { direction } from '../../../src/net/record/direction-field.ts';
import type { FieldSpec } from '../../../src/net/record/field-spec.ts';
import { float32, quantised } from '../../../src/net/record/float-field.ts';
import { bool, enumeration, int, uint } from '../../../src/net/record/integer-field.ts';
import { interned } from '../../../src/net/record/interned-field.ts';
import { NameTable } from '../../../src/net/record/name-table.ts';
import { orientation } from '../../../src/net/record/orientation-field.ts';
import { defineRecord, type RecordDefinition } from '../../../src/net/record/record-definition.ts';
import { turn } from '../../../src/net/record/turn-field.ts';

const anyWidth = fc.constantFrom(1, 2, 3, 4) as fc.Arbitrary<1 | 2 | 3 | 4>;
const upTo = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

/** Any declaration of any kind of field. */
export const anyField: fc.Arbitrary<FieldSpec> = fc.oneof(
  fc
    .tuple(anyWidth, upTo(1, 16))
    .map(([width, bits]) => quantised({ width, min: -300, max: 200, bits })),
  upTo(1, 5000).map((steps) => quantised({ min: -1, max: 1, precision: 2 / steps })),
  anyWidth.map((width) => float32(width)),
  upTo(1, 32).map((bits) => uint(bits)),
  upTo(2, 32).map((bits) => int(bits)),
  fc.constant(0).map(() => bool()),
  upTo(1, 40).map((count) => enumeration(Array.from({ length: count }, (_, n) => `v${n}`))),
  fc.tuple(anyWidth, upTo(1, 20)).map(([width, bits]) => turn({ bits, width })),
  upTo(3, 16).map((bits) => direction(bits)),
  upTo(3, 16).map((bits) => orientation(bits)),
  upTo(1, 19).map((max) => bytes(max)),
  fc.constantFrom(16, 32, new NameTable(['a', 'b', 'c'])).map((names) => interned(names as 16)),
);

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

function bitsOf(value: number): number {
  float[0] = value;
  return word[0] as number;
}

const anyFloat = fc.oneof(
  fc.double({ min: -400, max: 400, noNaN: true }),
  fc.double({ min: -1.1, max: 1.1, noNaN: true }),
  fc.constantFrom(0, -0, 1, -1, 0.5, -0.5, Math.SQRT1_2, -Math.SQRT1_2, 1e-20, 1e20),
);

/** The bits of any values that a field takes, inside of its range or not. */
export function anyValues({ codec }: FieldSpec): fc.Arbitrary<number[]> {
  const any =
    codec.scalar === 'f32' ? anyFloat.map(bitsOf) : fc.integer({ min: 0, max: 2 ** 32 - 1 });
  const small = codec.scalar === 'f32' ? any : fc.nat(20);
  return fc.array(fc.oneof(any, small), { minLength: codec.width, maxLength: codec.width });
}

/** Any record of some fields. */
export const anyRecord: fc.Arbitrary<RecordDefinition> = fc
  .array(anyField, { minLength: 1, maxLength: 18 })
  .map((specs) =>
    defineRecord({ fields: Object.fromEntries(specs.map((spec, index) => [`f${index}`, spec])) }),
  );
