import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BitPort } from '../../../src/net/entropy/bit-port.ts';
import { RangePort } from '../../../src/net/entropy/range-port.ts';
import { scaled } from '../../scaled.ts';

const runs = scaled({ tiny: 50, normal: 1000, full: 20_000 });

const u32 = fc.oneof(
  fc.nat(20),
  fc.integer({ min: 0, max: 0xffff_ffff }),
  fc.constant(0xffff_ffff),
);
const words = fc.array(fc.tuple(u32, fc.nat(32), fc.nat(20)), { maxLength: 60 });

describe('what goes into a port comes out of it', () => {
  test('as plain bits', () => {
    fc.assert(
      fc.property(words, (numbers) => {
        const port = new BitPort();
        const pass = (): number[] =>
          numbers.flatMap(([value, count, order]) => [
            port.word(count === 32 ? value : value % 2 ** count, count),
            port.golomb(value, order),
            port.number(value),
          ]);
        port.startWriting();
        const written = pass();
        const bytes = new Uint8Array(port.finish(0));
        port.copyTo(bytes, 0);
        port.startReading(bytes, 0, bytes.length);
        expect(pass()).toEqual(written);
        expect([port.overran, port.drained]).toEqual([false, true]);
      }),
      { numRuns: runs },
    );
  });

  test('through the range coder, at any chances, likely or not', () => {
    const bits = fc.array(
      fc.tuple(
        fc.nat(1),
        fc.oneof(fc.constantFrom(1, 65_535), fc.integer({ min: 1, max: 65_535 })),
      ),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(words, bits, fc.nat(40), (numbers, decisions, least) => {
        const port = new RangePort();
        const pass = (): number[] => [
          ...decisions.map(([bit, chance]) => port.bit(bit, chance)),
          ...numbers.flatMap(([value, count]) => [
            port.word(count === 32 ? value : value % 2 ** count, count),
            port.number(value),
          ]),
          ...decisions.map(([bit, chance]) => port.bit(bit, chance > 32_768 ? 65_535 : chance)),
        ];
        port.startWriting();
        const written = pass();
        const bytes = new Uint8Array(port.finish(least));
        port.copyTo(bytes, 0);
        port.startReading(bytes, 0, bytes.length);
        expect(pass()).toEqual(written);
        expect(port.drained).toBe(true);
      }),
      { numRuns: runs },
    );
  });
});
