import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quantumOf } from '../../src/shared/rational.ts';
import { ticksPerStep } from '../../src/shared/ticks-per-step.ts';
import { scaled } from '../scaled.ts';
import { codeOf } from './clock-frames.ts';
import { errorOf } from '../sim-worker/outcome.ts';

const messageOf = (act: () => unknown): string => errorOf(act).message;

describe('the quanta of a step', () => {
  test.each([
    [0.06, 0.01, 6],
    [0.05, 0.01, 5],
    [0.1, 0.01, 10],
    [0.01, 0.01, 1],
    // In doubles these two quotients are 7.000000000000001 and 2.9999999999999996.
    [0.07, 0.01, 7],
    [0.3, 0.1, 3],
    [10, 0.001, 10_000],
    [1e6, 0.01, 1e8],
  ])('%d s at %d s are %d', (dt, fixedDt, quanta) => {
    expect(ticksPerStep(dt, { fixedDt })).toBe(quanta);
    expect(ticksPerStep(dt, quantumOf({ fixedDt }))).toBe(quanta);
  });

  test.each([
    [1 / 20, 60, 3],
    [1 / 60, 120, 2],
    [1001 / 60_000, 60 / 1.001, 1],
    [1001 / 20_000, 60 / 1.001, 3],
  ])('%d s at %d Hz are %d', (dt, tickRateHz, quanta) => {
    expect(ticksPerStep(dt, { tickRateHz })).toBe(quanta);
  });

  test('of any whole multiple are that multiple, and up to a relative 1e-9 beside it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1, max: 100_000_000 }),
        fc.double({ min: -0.99e-9, max: 0.99e-9, noNaN: true }),
        (numerator, denominator, quanta, off) => {
          fc.pre(numerator <= 10 * denominator);
          const dt = ((quanta * numerator) / denominator) * (1 + off);
          expect(ticksPerStep(dt, { quantum: { numerator, denominator } })).toBe(quanta);
        },
      ),
      { numRuns: scaled({ tiny: 200, normal: 2000, full: 50_000 }) },
    );
  });

  test('that are not whole are refused: nothing between two multiples passes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.double({ min: 0.002, max: 0.998, noNaN: true }),
        fc.integer({ min: 20, max: 1000 }),
        (quanta, part, tickRateHz) => {
          const dt = (quanta + part) / tickRateHz;
          expect(codeOf(() => ticksPerStep(dt, { tickRateHz }))).toBe('VALUE_INVALID');
        },
      ),
      { numRuns: scaled({ tiny: 200, normal: 2000, full: 50_000 }) },
    );
  });
});

describe('a step that is not whole', () => {
  test('is told with what it would be, and with the whole steps beside it', () => {
    const message = messageOf(() => ticksPerStep(0.06, { tickRateHz: 120 }));
    expect(message).toContain('0.06 s, 7.2 quanta of 1/120 s');
    expect(message).toContain(`7 quanta = ${7 / 120} s, 8 quanta = ${8 / 120} s`);
  });

  test('and is less than a quantum is told the one quantum it could be', () => {
    const message = messageOf(() => ticksPerStep(0.004, { fixedDt: 0.01 }));
    expect(message).toContain('0.4 quanta of 1/100 s');
    expect(message).toContain('1 quantum = 0.01 s.');
  });

  test('by a relative 2e-9 is refused', () => {
    expect(codeOf(() => ticksPerStep(0.06 * (1 + 2e-9), { fixedDt: 0.01 }))).toBe('VALUE_INVALID');
    expect(codeOf(() => ticksPerStep(0.06 * (1 - 2e-9), { fixedDt: 0.01 }))).toBe('VALUE_INVALID');
  });

  test.each([0, -0.06, Number.NaN, Number.POSITIVE_INFINITY, 1e-300, 1e300, 1e6 + 0.01])(
    'such as %d s is refused',
    (dt) => {
      expect(codeOf(() => ticksPerStep(dt, { fixedDt: 0.01 }))).toBe('VALUE_INVALID');
    },
  );

  test('because it is no number is refused', () => {
    const dt = '0.06' as unknown as number;
    expect(codeOf(() => ticksPerStep(dt, { fixedDt: 0.01 }))).toBe('VALUE_INVALID');
  });
});

test.each([
  { fixedDt: 0 },
  { numerator: 1, denominator: 0 },
  { numerator: 1, denominator: 1001 },
  0.01 as unknown as { fixedDt: number },
])('%o is no quantum', (quantum) => {
  expect(codeOf(() => ticksPerStep(0.06, quantum))).toBe('OPTION_INVALID');
});
