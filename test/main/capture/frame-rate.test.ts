import { expect, test } from 'vitest';
import { frameRateOf, framesWithin } from '../../../src/main/capture/frame-rate.ts';
import { EscapementError } from '../../../src/shared/error.ts';

function refusal(work: () => unknown): EscapementError {
  try {
    work();
  } catch (cause) {
    if (cause instanceof EscapementError) return cause;
    throw cause;
  }
  throw new Error('nothing was refused');
}

test('rates are whole or fractions, as numbers or as text, in lowest terms', () => {
  const thirty = { numerator: 30, denominator: 1 };
  expect(frameRateOf(30)).toEqual(thirty);
  expect(frameRateOf('30')).toEqual(thirty);
  expect(frameRateOf(' 60/2 ')).toEqual(thirty);
  expect(frameRateOf('24000/1001')).toEqual({ numerator: 24_000, denominator: 1001 });
  expect(frameRateOf({ numerator: 50, denominator: 4 })).toEqual({ numerator: 25, denominator: 2 });
});

test.each(['29.97', 29.97, '23.976', '59.94'])('%s is refused, and says what is meant', (given) => {
  const { code, detail } = refusal(() => frameRateOf(given));
  const whole = Math.round(Number(given));
  expect([code, detail.fix]).toEqual([
    'OPTION_INVALID',
    expect.stringContaining(`${whole}000/1001`),
  ]);
});

test.each(['', '0', '0/1', '1/0', '-30', '30/', '1e3', '30fps', '99999999', Number.NaN, 12.5, -1])(
  '%j is no rate',
  (given) => {
    expect(refusal(() => frameRateOf(given)).code).toBe('OPTION_INVALID');
  },
);

test('a film of so many seconds has the frames that begin before its end', () => {
  const film = { numerator: 24_000, denominator: 1001 };
  expect(framesWithin(5, frameRateOf(60))).toBe(300);
  expect(framesWithin(0.1, frameRateOf(60))).toBe(6);
  expect(framesWithin(0.3, frameRateOf(10))).toBe(3);
  expect(framesWithin(5, film)).toBe(120);
  expect(framesWithin(1.001, film)).toBe(24);
  for (const seconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-8]) {
    expect(refusal(() => framesWithin(seconds, film)).code).toBe('OPTION_INVALID');
  }
});
