import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeltaBank } from '../../src/shared/delta-bank.ts';
import { createRational } from '../../src/shared/rational.ts';
import { scaled } from '../scaled.ts';
import { Fraction } from './exact.ts';

const TOLERANCE = new Fraction(1n, 1_000_000_000n);

describe('a delta bank', () => {
  test('owes the floor of the exact sum, with a nanosecond of tolerance', () => {
    const delta = fc.oneof(
      fc.constantFrom(1 / 60, 1 / 120, 1 / 24, 0.01, 0.1, 0, 1e-12, 86_400),
      fc.double({ min: 0, max: 10, noNaN: true }),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 ** 12 }),
        fc.integer({ min: 1, max: 10 ** 9 }),
        fc.array(delta, { minLength: 1, maxLength: 60 }),
        (numerator, denominator, deltas) => {
          const rate = createRational(numerator, denominator);
          fc.pre(numerator / denominator <= 400_000);
          const exactRate = new Fraction(BigInt(numerator), BigInt(denominator));
          const bank = new DeltaBank(rate);
          let sum = new Fraction(0n);
          let spent = 0n;
          for (const seconds of deltas) {
            bank.deposit(seconds);
            sum = sum.plus(Fraction.ofDouble(seconds));
            const due = sum.plus(TOLERANCE).times(exactRate).floor() - spent;
            expect(BigInt(bank.owed())).toBe(due);
            bank.spend(Number(due));
            spent += due;
          }
        },
      ),
      { numRuns: scaled({ tiny: 50, normal: 400, full: 10_000 }) },
    );
  });

  test('counts a quantum that lacks less than a nanosecond, and still owes what it lent', () => {
    const bank = new DeltaBank({ numerator: 100, denominator: 1 });
    bank.deposit(0.01 - 0.9e-9);
    expect(bank.owed()).toBe(1);
    bank.spend(1);
    bank.measure();
    expect(bank.numerator).toBe(0);
    bank.deposit(0.01 - 0.9e-9);
    expect(bank.owed()).toBe(0);
    bank.deposit(1e-9);
    expect(bank.owed()).toBe(1);
  });

  test('keeps the phase over a change of rate', () => {
    const bank = new DeltaBank({ numerator: 60, denominator: 1 });
    bank.deposit(0.75 / 60);
    bank.continueAt({ numerator: 60, denominator: 7 });
    bank.measure();
    expect(bank.numerator / bank.denominator).toBe(0.75);
    bank.deposit((0.25 * 7) / 60);
    expect(bank.owed()).toBe(1);
    bank.spend(1);
    expect(bank.owed()).toBe(0);
  });

  test('does not lose an entry beside a far larger one', () => {
    const bank = new DeltaBank({ numerator: 60, denominator: 1 });
    bank.deposit(1e9);
    bank.deposit(1 / 120);
    bank.spend(60e9);
    bank.measure();
    expect(bank.owed()).toBe(0);
    expect(bank.numerator / bank.denominator).toBe(0.5);
  });

  test('keeps what each product rounds away: 10^5 of them leave alpha exact', () => {
    const bank = new DeltaBank({ numerator: 61, denominator: 7 });
    const count = 100_000;
    for (let i = 0; i < count; i++) {
      bank.deposit(0.1);
      bank.spend(bank.owed());
    }
    bank.measure();
    const sum = Fraction.ofDouble(0.1).times(new Fraction(BigInt(count * 61), 7n));
    const alpha = sum.minus(new Fraction(sum.floor())).toDouble();
    expect(alpha).toBeGreaterThan(0.01);
    expect(Math.abs(bank.numerator / bank.denominator - alpha)).toBeLessThan(2 ** -51);
  });
});
