import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytes, getBytes, putBytes } from '../../../src/net/record/bytes-field.ts';
import { direction } from '../../../src/net/record/direction-field.ts';
import type { FieldSpec } from '../../../src/net/record/field-spec.ts';
import { float32, quantised } from '../../../src/net/record/float-field.ts';
import { bool, enumeration, int, uint } from '../../../src/net/record/integer-field.ts';
import { interned } from '../../../src/net/record/interned-field.ts';
import { NameTable } from '../../../src/net/record/name-table.ts';
import { turn } from '../../../src/net/record/turn-field.ts';
import { scaled } from '../../scaled.ts';
import { anyField, anyValues } from './any-record.ts';
import { columnOf, decodeOne, encodeOne, encodeValues } from './one-row.ts';

const runs = { numRuns: scaled({ tiny: 300, normal: 3000, full: 300_000 }) };

function decoded(spec: FieldSpec, tokens: readonly number[]): number[] {
  return [...decodeOne(spec.codec, tokens).values];
}

/** Sends values through a codec once. */
function sent(spec: FieldSpec, values: readonly number[]): number[] {
  return decoded(spec, encodeValues(spec.codec, values).tokens);
}

function invalidRow({ codec }: FieldSpec, tokens: readonly number[]): number {
  const list = Uint32Array.from(tokens);
  return codec.firstInvalid?.(list, list.length, 0, 0, 1) ?? -1;
}

function length(values: readonly number[]): number {
  return Math.hypot(...values);
}

describe('any field', () => {
  test('gives the same tokens again for what it has decoded, and takes its own tokens', () => {
    fc.assert(
      fc.property(
        anyField.chain((spec) => fc.tuple(fc.constant(spec), anyValues(spec))),
        ([spec, bits]) => {
          const first = encodeOne(spec.codec, bits).tokens;
          const canonical = [...decodeOne(spec.codec, first).bits];
          const again = encodeOne(spec.codec, canonical);
          expect([spec.text, again]).toEqual([spec.text, { tokens: first, clamped: 0 }]);
          expect([...decodeOne(spec.codec, first).bits]).toEqual(canonical);
          expect(invalidRow(spec, first)).toBe(-1);
          first.forEach((token, lane) => {
            expect(token).toBeLessThan(2 ** (spec.codec.lanes[lane]?.bits ?? 0));
          });
        },
      ),
      runs,
    );
  });

  test('works on some rows of many and leaves the others alone', () => {
    fc.assert(
      fc.property(anyField, fc.nat(3), fc.nat(3), ({ codec }, before, after) => {
        const rows = before + 2 + after;
        const column = columnOf(codec, rows);
        const tokens = new Uint32Array(rows * (codec.lanes.length + 3)).fill(77);
        const stride = codec.lanes.length + 3;
        codec.encode(column, before, before + 2, tokens, stride, 2);
        const touched = [...tokens]
          .map((token, at) => (token === 77 ? -1 : at))
          .filter((at) => at >= 0);
        for (const at of touched) {
          const row = Math.floor(at / stride);
          const lane = (at % stride) - 2;
          expect(row >= before && row < before + 2 && lane >= 0).toBe(true);
          expect(lane).toBeLessThan(codec.lanes.length);
        }
        column.bits.fill(1);
        codec.decode(tokens, stride, 2, before, before + 2, column);
        const { width } = codec;
        expect([...column.bits.subarray(0, before * width)].every((word) => word === 1)).toBe(true);
        expect([...column.bits.subarray((before + 2) * width)].every((word) => word === 1)).toBe(
          true,
        );
      }),
      runs,
    );
  });
});

describe('quantised floats', () => {
  const anyRange = fc.record({
    min: fc.double({ min: -10_000, max: 10_000, noNaN: true }),
    extent: fc.double({ min: 1, max: 10_000, noNaN: true }),
    bits: fc.integer({ min: 1, max: 12 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });

  test('are off by at most half a step and some rounding', () => {
    fc.assert(
      fc.property(anyRange, ({ min, extent, bits, share }) => {
        fc.pre(extent / 2 ** bits > (Math.abs(min) + extent) * 2 ** -20);
        const spec = quantised({ min, max: min + extent, bits });
        const low = Math.fround(min);
        const value = Math.fround(low + share * (Math.fround(min + extent) - low));
        const [back = Number.NaN] = sent(spec, [value]);
        const step = extent / (2 ** bits - 1);
        const rounding = (Math.abs(min) + 2 * extent) * 2 ** -22;
        expect(Math.abs(back - value)).toBeLessThanOrEqual(step / 2 + rounding);
      }),
      runs,
    );
  });

  test('case 131: what lies outside is clamped and counted, never wrapped; NaN is refused', () => {
    const spec = quantised({ min: -8192, max: 8192, precision: 0.25 });
    let counted = 0;
    const back = [8192, 8192.5, 1e9, -1e9, Infinity, -8192].map((value) => {
      const { tokens, clamped } = encodeValues(spec.codec, [value]);
      counted += clamped;
      return decoded(spec, tokens)[0];
    });
    expect(back).toEqual([8192, 8192, 8192, -8192, 8192, -8192]);
    expect(counted).toBe(4);
    expect(() => encodeValues(spec.codec, [Number.NaN])).toThrow('not a number');
  });

  test('case 133: a ramp of hundredths at a tenth is rounded as a whole', () => {
    const spec = quantised({ min: 0, max: 1, precision: 0.1 });
    const ramp = Array.from({ length: 100 }, (_, index) => index / 100);
    const back = ramp.map((value) => sent(spec, [value])[0] ?? Number.NaN);
    expect([back[4], back[5], back[99]]).toEqual([0, Math.fround(0.1), 1]);
    const errors = ramp.map((value, index) => Math.abs(value - (back[index] ?? Number.NaN)));
    expect(Math.max(...errors)).toBeLessThanOrEqual(0.05 + 1e-7);
  });

  test('case 133: 100000 steps later both sides hold the same tokens', () => {
    const spec = quantised({ min: 0, max: 1, precision: 0.1 });
    let client = 0;
    let largest = 0;
    for (let step = 0; step < 100_000; step++) {
      const value = ((step * 7) % 1000) / 1000;
      const [token = -1] = encodeValues(spec.codec, [value]).tokens;
      client += token - client;
      largest = Math.max(largest, Math.abs((decoded(spec, [client])[0] ?? 9) - value));
    }
    expect(client).toBe(encodeValues(spec.codec, [((99_999 * 7) % 1000) / 1000]).tokens[0]);
    expect(largest).toBeLessThanOrEqual(0.05 + 1e-7);
  });

  test('a token above the last step is refused', () => {
    const spec = quantised({ min: 0, max: 1, precision: 0.1 });
    expect(spec.codec.lanes).toEqual([{ kind: 'linear', bits: 4 }]);
    expect([10, 11].map((token) => invalidRow(spec, [token]))).toEqual([-1, 0]);
  });
});

describe('floats as they are', () => {
  test('keep their bits, take the largest for infinity, and refuse NaN on both sides', () => {
    const spec = float32(2);
    expect(sent(spec, [-0, 1e-45])).toEqual([-0, 2 ** -149]);
    const { tokens, clamped } = encodeValues(spec.codec, [Infinity, -Infinity]);
    expect([clamped, ...tokens]).toEqual([2, 0x7f7f_ffff, 0xff7f_ffff]);
    expect(() => encodeValues(spec.codec, [0, Number.NaN])).toThrow('not a number');
    expect([0x7fc0_0000, 0xff80_0000].map((token) => invalidRow(spec, [0, token]))).toEqual([0, 0]);
  });
});

describe('whole numbers, names and bytes', () => {
  test('hold their whole range and clamp what is outside', () => {
    expect(sent(uint(32), [2 ** 32 - 1])).toEqual([2 ** 32 - 1]);
    expect(sent(int(32), [-(2 ** 31)])).toEqual([-(2 ** 31)]);
    expect(encodeValues(uint(5).codec, [40])).toEqual({ tokens: [31], clamped: 1 });
    expect(encodeValues(int(5).codec, [-40])).toEqual({ tokens: [0], clamped: 1 });
    expect(encodeValues(int(5).codec, [15])).toEqual({ tokens: [31], clamped: 0 });
    expect(encodeValues(bool().codec, [7])).toEqual({ tokens: [1], clamped: 1 });
  });

  test('refuse a place that an enumeration or a table has not', () => {
    const spec = enumeration(['idle', 'walk', 'run']);
    expect(spec.codec.lanes).toEqual([{ kind: 'category', bits: 2 }]);
    expect([2, 3].map((token) => invalidRow(spec, [token]))).toEqual([-1, 0]);
    const table = new NameTable(['oak', 'elm', 'oak']);
    const names = interned(table);
    expect([table.count, table.idOf('elm'), table.idOf('ash'), table.nameOf(0)]).toEqual([
      2,
      1,
      -1,
      'oak',
    ]);
    expect(names.codec.lanes).toEqual([{ kind: 'category', bits: 1 }]);
    expect(() => table.intern('ash')).toThrow('NAME_UNKNOWN');
    expect(table.intern('oak')).toBe(0);
    expect(interned(16).codec.lanes).toEqual([{ kind: 'category', bits: 16 }]);
  });

  test('bytes come out as they went in, and nothing hides behind their length', () => {
    const spec = bytes(7);
    const column = columnOf(spec.codec, 3);
    column.bits.fill(0xffff_ffff);
    for (const [row, text] of ['', 'abc', 'abcdefghi'].entries()) {
      putBytes(column, 7, row, new TextEncoder().encode(text));
    }
    const tokens = new Uint32Array(9);
    expect(spec.codec.encode(column, 0, 3, tokens, 3, 0)).toBe(0);
    const back = columnOf(spec.codec, 3);
    spec.codec.decode(tokens, 3, 0, 0, 3, back);
    const texts = [0, 1, 2].map((row) => {
      const out = new Uint8Array(7);
      return new TextDecoder().decode(out.subarray(0, getBytes(back, 7, row, out)));
    });
    expect(texts).toEqual(['', 'abc', 'abcdefg']);
    expect(invalidRow(spec, [3, 0x6162_6300, 0])).toBe(-1);
    expect(invalidRow(spec, [3, 0x6162_6301, 0])).toBe(0);
    expect(invalidRow(spec, [3, 0x6162_6300, 1])).toBe(0);
  });
});

describe('angles', () => {
  test('are off by at most half a place, whatever the turn, and come out within one turn', () => {
    const anyAngle = fc.double({ min: -100, max: 100, noNaN: true });
    fc.assert(
      fc.property(anyAngle, fc.integer({ min: 1, max: 16 }), (angle, bits) => {
        const spec = turn({ bits, period: 360 });
        const [back = Number.NaN] = sent(spec, [angle * 360]);
        expect(back >= 0 && back < 360).toBe(true);
        const off = ((((Math.fround(angle * 360) - back) % 360) + 540) % 360) - 180;
        expect(Math.abs(off)).toBeLessThanOrEqual(180 / 2 ** bits + 1e-4);
      }),
      runs,
    );
  });

  test('refuse what has no place on a circle', () => {
    for (const value of [Number.NaN, Infinity]) {
      expect(() => encodeValues(turn({ bits: 8 }).codec, [value])).toThrow('not a number');
    }
  });
});

describe('directions', () => {
  const axis = [-1, 0, 1];
  const edges = axis
    .flatMap((x) => axis.flatMap((y) => axis.map((z) => [x, y, z])))
    .filter((values) => length(values) > 0);

  function degreesOff(spec: FieldSpec, values: readonly number[]): number {
    const back = sent(spec, values);
    expect(Math.abs(length(back) - 1)).toBeLessThanOrEqual(1e-6);
    const cross = [
      back[1]! * values[2]! - back[2]! * values[1]!,
      back[2]! * values[0]! - back[0]! * values[2]!,
      back[0]! * values[1]! - back[1]! * values[0]!,
    ];
    const dot = back.reduce((sum, value, index) => sum + value * values[index]!, 0);
    return (Math.atan2(length(cross), dot) * 180) / Math.PI;
  }

  test('case 136: axes, edges and diagonals come out where they went in', () => {
    for (const values of edges) expect(degreesOff(direction(16), values)).toBeLessThanOrEqual(0.01);
    expect(encodeValues(direction(16).codec, [0, 0, -1]).tokens).toEqual([32_767, 32_767]);
    expect(encodeValues(direction(16).codec, [0, 0, 1]).tokens).toEqual([0, 0]);
    expect(sent(direction(16), [0, 0, -1])).toEqual([0, 0, -1]);
  });

  test('case 136: any direction is within its bound at any length', () => {
    const anyPart = fc.double({ min: -1, max: 1, noNaN: true });
    const anyScale = fc.constantFrom(1, 1e-30, 1e30, 1e-3);
    const bounds: Record<number, number> = { 8: 1, 12: 0.06, 16: 0.004 };
    fc.assert(
      fc.property(
        fc.array(anyPart, { minLength: 3, maxLength: 3 }).filter((parts) => length(parts) > 0.1),
        anyScale,
        fc.constantFrom(8, 12, 16),
        (parts, scale, bits) => {
          const values = parts.map((part) => Math.fround(part * scale));
          expect(degreesOff(direction(bits), values)).toBeLessThanOrEqual(bounds[bits] ?? 0);
          const { tokens } = encodeValues(direction(bits).codec, values);
          expect(tokens.includes(2 ** (bits - 1))).toBe(false);
        },
      ),
      runs,
    );
  });

  test('case 136: zero is +x and counted, what is no number is refused', () => {
    const { codec } = direction(16);
    expect(encodeValues(codec, [0, -0, 0])).toEqual({ tokens: [32_767, 0], clamped: 1 });
    for (const value of [Number.NaN, Infinity, -Infinity]) {
      expect(() => encodeValues(codec, [0, value, 1])).toThrow('not a number');
    }
  });

  test('every token of a small square is refused or stays as it is', () => {
    for (const bits of [3, 4, 5, 6, 7]) {
      const spec = direction(bits);
      for (let a = 0; a < 2 ** bits; a++) {
        for (let b = 0; b < 2 ** bits; b++) {
          if (invalidRow(spec, [a, b]) === 0) continue;
          const again = encodeOne(spec.codec, [...decodeOne(spec.codec, [a, b]).bits]).tokens;
          expect([bits, ...again]).toEqual([bits, a, b]);
        }
      }
    }
  });
});
