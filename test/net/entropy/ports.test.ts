import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BitPort, REST_WIDTH } from '../../../src/net/entropy/bit-port.ts';
import { RangePort } from '../../../src/net/entropy/range-port.ts';
import { FLAG_SYMBOLS, FLAG_TABLES, RangeRun } from '../../../src/net/entropy/range-run.ts';
import { layTable, renewTables, TABLE_WORDS } from '../../../src/net/entropy/symbol-tables.ts';
import { scaled } from '../../scaled.ts';

/** Writes what passes, and expects that the same passes when it is read, and nothing is left. */
function expectReadBack(port: BitPort, pass: () => unknown): void {
  port.startWriting();
  const written = pass();
  const bytes = new Uint8Array(port.finish(0));
  port.copyTo(bytes, 0);
  port.startReading(bytes, 0, bytes.length);
  expect(pass()).toEqual(written);
  expect([port.overran, port.drained]).toEqual([false, true]);
}

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
        expectReadBack(port, pass);
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

  test('in a run of the range coder between plain bits, as its tables learn', () => {
    const tables = FLAG_TABLES + 3;
    const end = tables * TABLE_WORDS;
    const rare = fc.oneof(
      { weight: 9, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.nat(1) },
    );
    const flags = fc.array(fc.tuple(fc.nat(1), rare), { maxLength: 200 });
    const size = fc.oneof(fc.nat(31), fc.constant(31), fc.constant(3));
    const symbols = fc.array(fc.tuple(fc.nat(2), size), { maxLength: 700 });
    fc.assert(
      fc.property(flags, symbols, fc.array(fc.nat(0xffff)), (pairs, sized, rests) => {
        const port = new BitPort();
        const run = new RangeRun(port);
        const pass = (): unknown => {
          const words = new Uint32Array(end + tables);
          for (let t = 0; t < tables; t++) {
            layTable(words, t * TABLE_WORDS, t < FLAG_TABLES ? FLAG_SYMBOLS : 32);
          }
          renewTables(words, end);
          const passed: unknown[] = [port.bits(5, 3)];
          for (let round = 0; round < 3; round++) {
            const contexts = Uint8Array.from(pairs, ([context]) => context);
            const bits = Uint8Array.from(pairs, ([, bit]) => (port.decoding ? 0 : bit));
            const places = Int32Array.from(
              sized,
              ([table, symbol]) =>
                (FLAG_TABLES + table) * TABLE_WORDS + (port.decoding ? 0 : symbol),
            );
            run.begin();
            run.flags(words, 0, contexts, bits, bits.length);
            run.symbols(words, places, places.length);
            run.end();
            renewTables(words, end);
            const got = port.decoding ? [...places] : sized.map(([, symbol]) => symbol);
            passed.push([...bits], got, port.number(round));
            if (port.decoding) for (const _ of rests) passed.push(port.bits(0, 16));
            else
              port.writeAll(
                Int32Array.from(rests, (it) => it | (16 << REST_WIDTH)),
                rests.length,
              );
            if (!port.decoding) passed.push(...rests);
          }
          return [passed, [...words]];
        };
        expectReadBack(port, pass);
      }),
      { numRuns: runs },
    );
  });
});
