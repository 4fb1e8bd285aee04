import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getU32, getU64, putU32, putU64 } from '../../../src/shared/little-endian.ts';
import { ByteCursor, putVarint, varintBytes } from '../../../src/shared/replay/byte-cursor.ts';

const wholes = fc.oneof(
  fc.maxSafeNat(),
  fc.nat(300),
  fc.integer({ min: 0, max: 52 }).chain((bits) => fc.constantFrom(2 ** bits, 2 ** bits - 1)),
  fc.constant(Number.MAX_SAFE_INTEGER),
);

function read(...bytes: number[]): number {
  const cursor = new ByteCursor(Uint8Array.from(bytes));
  cursor.open(0, bytes.length);
  return cursor.varint();
}

test('a whole number comes back, in the bytes that were foretold and no fewer', () => {
  fc.assert(
    fc.property(wholes, fc.nat(3), (value, begin) => {
      const bytes = new Uint8Array(16).fill(0xff);
      const end = putVarint(bytes, begin, value);
      expect(end - begin).toBe(varintBytes(value));
      const cursor = new ByteCursor(bytes);
      cursor.open(begin, end);
      expect([cursor.varint(), cursor.at]).toEqual([value, end]);
      cursor.open(begin, end - 1);
      expect(cursor.varint()).toBe(-1);
    }),
  );
});

test('a varint that is cut off, too long, too large or padded is refused', () => {
  expect(read()).toBe(-1);
  expect(read(0x80)).toBe(-1);
  expect(read(0x80, 0)).toBe(-1);
  expect(read(0xff, 0x80, 0)).toBe(-1);
  expect(read(...Array(7).fill(0xff), 0x0f)).toBe(Number.MAX_SAFE_INTEGER);
  expect(read(...Array(7).fill(0x80), 0x10)).toBe(-1);
  expect(read(...Array(8).fill(0x80), 1)).toBe(-1);
  expect(read(...Array(100).fill(0xff))).toBe(-1);
});

test('fixed numbers come back from any offset, and a u64 above 2^53 - 1 is refused', () => {
  fc.assert(
    fc.property(wholes, fc.nat(3), (value, at) => {
      const bytes = new Uint8Array(12);
      putU64(bytes, at, value);
      expect(getU64(bytes, at)).toBe(value);
      putU32(bytes, at, value % 2 ** 32);
      expect(getU32(bytes, at)).toBe(value % 2 ** 32);
    }),
  );
  expect(getU64(Uint8Array.of(0, 0, 0, 0, 0, 0, 0x20, 0), 0)).toBe(-1);
  expect(getU64(new Uint8Array(8).fill(0xff), 0)).toBe(-1);
});
