import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orientation } from '../../../src/net/record/orientation-field.ts';
import { scaled } from '../../scaled.ts';
import { decodeOne, encodeOne, encodeValues } from './one-row.ts';

const runs = { numRuns: scaled({ tiny: 300, normal: 5000, full: 500_000 }) };
const MOST = Math.SQRT1_2;

function lengthOf(values: readonly number[]): number {
  return Math.hypot(...values);
}

/** The most that a component is off, for q or -q, whichever is nearer. */
function offBy(a: readonly number[], b: readonly number[]): number {
  const off = (sign: number): number =>
    Math.max(...a.map((value, index) => Math.abs(value - sign * (b[index] ?? Number.NaN))));
  return Math.min(off(1), off(-1));
}

function sent(bits: number, values: readonly number[]): number[] {
  const { codec } = orientation(bits);
  return [...decodeOne(codec, encodeValues(codec, values).tokens).values];
}

test('any quaternion is within its bound, for either sign, and comes out with length 1', () => {
  const anyPart = fc.double({ min: -1, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(anyPart, { minLength: 4, maxLength: 4 }).filter((parts) => lengthOf(parts) > 0.1),
      fc.integer({ min: 3, max: 16 }),
      (parts, bits) => {
        const unit = parts.map((part) => part / lengthOf(parts));
        const back = sent(bits, parts);
        const half = MOST / (2 ** (bits - 1) - 1) / 2;
        // The largest is what the others leave: at most three errors of theirs, and no more.
        expect(offBy(unit, back)).toBeLessThanOrEqual(3 * half * 1.3 + 1e-6);
        if (bits >= 8) expect(Math.abs(lengthOf(back) - 1)).toBeLessThanOrEqual(1e-6);
        const mirrored = parts.map((part) => -part);
        expect(sent(bits, mirrored)).toEqual(back);
      },
    ),
    runs,
  );
});

test('case 134: components at 10 bits are within 0.000692, and 513 is the least', () => {
  const { codec } = orientation(10);
  let worst = 0;
  for (let index = 0; index <= 200_000; index++) {
    const value = (index / 100_000 - 1) * MOST;
    const { tokens } = encodeValues(codec, [value, 0, 0, Math.sqrt(1 - value * value)]);
    const back = decodeOne(codec, tokens).values;
    worst = Math.max(worst, offBy([value], [back[0] as number]));
  }
  expect(worst).toBeLessThanOrEqual(0.000_692 + 1e-7);
  expect(sent(10, [-0.001, 0, 0, 1])[0]).toBeCloseTo(-0.001_384, 6);
  expect(decodeOne(codec, [3, 513, 0, 0]).values[0]).toBeCloseTo(-0.707_106_78, 7);
  expect(encodeValues(codec, [0.5, -0.7, 0, 0.51]).tokens[0]).toBe(1);
});

test('no turn is exact; zero is no turn and counted; what is no number is refused', () => {
  expect(sent(10, [0, 0, 0, 1])).toEqual([0, 0, 0, 1]);
  expect(sent(10, [0, 0, 0, -5])).toEqual([0, 0, 0, 1]);
  expect(encodeValues(orientation(10).codec, [0, 0, 0, 0])).toEqual({
    tokens: [3, 0, 0, 0],
    clamped: 1,
  });
  for (const value of [Number.NaN, Infinity]) {
    expect(() => encodeValues(orientation(10).codec, [value, 0, 0, 1])).toThrow('not a number');
  }
});

test('codes that no quaternion has are refused', () => {
  const { codec } = orientation(10);
  const invalid = (codes: number[]): number | undefined =>
    codec.firstInvalid?.(Uint32Array.from(codes), 4, 0, 0, 1);
  expect(invalid([0, 512, 0, 0])).toBe(0);
  expect(invalid([0, 511, 511, 511])).toBe(0);
  expect(invalid([0, 511, 511, 0])).toBe(-1);
});

test('every code of a few bits stays as it is, or is another name of what it becomes', () => {
  const { codec } = orientation(4);
  for (let code = 0; code < 4 * 16 ** 3; code++) {
    const tokens = [code >> 12, (code >> 8) & 15, (code >> 4) & 15, code & 15];
    if (codec.firstInvalid?.(Uint32Array.from(tokens), 4, 0, 0, 1) === 0) continue;
    const bits = [...decodeOne(codec, tokens).bits];
    const first = encodeOne(codec, bits).tokens;
    const again = encodeOne(codec, [...decodeOne(codec, first).bits]).tokens;
    expect(again).toEqual(first);
  }
});

/** A real capture: 9 bits a component, spread over -1/1.414214 to 1/1.414214. */
function readCapture(): number[][] {
  const file = fileURLToPath(
    new URL('../../../../shared/data/fiedler_smallest_three_values.txt.gz', import.meta.url),
  );
  if (!existsSync(file)) {
    process.stdout.write('orientation: no capture in ../shared/data, none checked\n');
    return [];
  }
  const text = gunzipSync(readFileSync(file)).toString();
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(',').map(Number));
}

test('orientations of a real capture come out as near as their bits allow', () => {
  const { codec } = orientation(10);
  const lines = readCapture();
  let worst = 0;
  for (const [largest = 0, a = 0, b = 0, c = 0] of lines) {
    const small = [a, b, c].map((code) => ((code / 511) * 2 - 1) / 1.414_214);
    const rest = Math.sqrt(Math.max(0, 1 - small.reduce((sum, part) => sum + part * part, 0)));
    const quaternion = small.toSpliced(largest, 0, rest);
    const { tokens } = encodeValues(codec, quaternion);
    worst = Math.max(worst, offBy(quaternion, [...decodeOne(codec, tokens).values]));
  }
  process.stdout.write(`orientation: ${lines.length} orientations of a capture checked\n`);
  expect(worst).toBeLessThanOrEqual(0.002);
});
