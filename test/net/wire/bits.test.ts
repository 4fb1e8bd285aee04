import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitReader } from '../../../src/net/wire/bit-reader.ts';
import { BitWriter } from '../../../src/net/wire/bit-writer.ts';
import { scaled } from '../../scaled.ts';

const runs = { numRuns: scaled({ tiny: 100, normal: 1000, full: 20_000 }) };

/** A number of some bits, with those that break readers among them. */
const anyField = fc.integer({ min: 1, max: 32 }).chain((bits) => {
  const max = 2 ** bits - 1;
  const edges = [0, 1, 2 ** 31, max].filter((value) => value <= max);
  const value = fc.oneof(fc.constantFrom(...edges), fc.integer({ min: 0, max }));
  return fc.record({ bits: fc.constant(bits), value });
});

/** The same by the book: a text of zeros and ones. */
function bitsOf(fields: readonly { bits: number; value: number }[]): string {
  return fields.map(({ bits, value }) => value.toString(2).padStart(bits, '0')).join('');
}

function write(fields: readonly { bits: number; value: number }[], at: number): Uint8Array {
  const total = fields.reduce((sum, { bits }) => sum + bits, 0);
  const bytes = new Uint8Array(at + Math.ceil(total / 8)).fill(0xff);
  const writer = new BitWriter();
  writer.start(bytes, at);
  for (const { bits, value } of fields) writer.write(value, bits);
  expect(writer.finish()).toBe(bytes.length);
  return bytes;
}

test('bits are written one behind the other, and the last byte is filled with zeros', () => {
  fc.assert(
    fc.property(fc.array(anyField), fc.nat(5), (fields, at) => {
      const bytes = write(fields, at);
      const text = Array.from(bytes.subarray(at), (byte) => byte.toString(2).padStart(8, '0'));
      const bits = bitsOf(fields);
      expect(text.join('')).toBe(bits.padEnd(8 * text.length, '0'));
      expect([...bytes.subarray(0, at)]).toEqual(Array.from({ length: at }, () => 0xff));
    }),
    runs,
  );
});

test('what was written is read again, to the last bit', () => {
  fc.assert(
    fc.property(fc.array(anyField), fc.nat(5), (fields, at) => {
      const bytes = write(fields, at);
      const reader = new BitReader();
      reader.start(bytes, at, bytes.length);
      expect(fields.map(({ bits }) => reader.read(bits))).toEqual(fields.map(({ value }) => value));
      expect(reader.bitsLeft).toBeLessThan(8);
      expect(reader.skipPadding()).toBe(true);
    }),
    runs,
  );
});

test('case 137: every width at every offset keeps every edge', () => {
  for (let offset = 0; offset < 32; offset++) {
    for (let bits = 1; bits <= 32; bits++) {
      for (const value of [0, 1, 2 ** 31, 2 ** 32 - 1, 0x5555_5555]) {
        const kept = value % 2 ** bits;
        const fields = [
          ...(offset > 0 ? [{ bits: offset, value: 2 ** offset - 1 }] : []),
          { bits, value: kept },
          { bits: 3, value: 5 },
        ];
        const reader = new BitReader();
        const bytes = write(fields, 0);
        reader.start(bytes, 0, bytes.length);
        if (offset > 0) reader.read(offset);
        expect([offset, bits, reader.read(bits), reader.read(3)]).toEqual([offset, bits, kept, 5]);
      }
    }
  }
});

test('case 137: a field of 32 bits between two of 4 keeps its upper bits', () => {
  const reader = new BitReader();
  reader.start(Uint8Array.of(0x87, 0x75, 0x09, 0x91, 0x10), 0, 5);
  expect([reader.read(4), reader.read(32), reader.read(4)]).toEqual([8, 2_001_770_769, 0]);
});

test('case 137: one bit past the end throws, and only the lower bits are written', () => {
  const reader = new BitReader();
  reader.start(Uint8Array.of(0xab, 0xcd), 0, 1);
  expect(reader.read(8)).toBe(0xab);
  expect(() => reader.read(1)).toThrow('as many bits as are read');
  const writer = new BitWriter();
  const bytes = new Uint8Array(1);
  writer.start(bytes, 0);
  writer.write(0xffff_fff3, 4);
  expect(writer.finish()).toBe(1);
  expect(bytes[0]).toBe(0x30);
  writer.write(1, 8);
  expect(() => writer.finish()).toThrow('room for the bits');
});

test('a bit behind the last field that is not zero is seen', () => {
  const reader = new BitReader();
  reader.start(Uint8Array.of(0b1010_0001), 0, 1);
  expect(reader.read(4)).toBe(10);
  expect(reader.skipPadding()).toBe(false);
});
