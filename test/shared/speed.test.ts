import { describe, expect, test } from 'vitest';
import { effectiveRate, resolveSpeed } from '../../src/shared/speed.ts';
import { SpeedMeter } from '../../src/shared/speed-meter.ts';

const quantum = { numerator: 1, denominator: 60 };

describe('resolveSpeed', () => {
  test.each([
    [1, '1/1'],
    [0.37, '37/100'],
    [1 / 3, '1/3'],
    [2.01, '201/100'],
    [0, '0/1'],
    [0.0001, '0/1'],
    [1000, '1000/1'],
  ])('takes %d as %s', (value, expected) => {
    const speed = resolveSpeed(value, quantum);
    expect(`${speed?.numerator}/${speed?.denominator}`).toBe(expected);
  });

  test.each([-1, -1e-9, Number.NaN, Number.POSITIVE_INFINITY, 1000.1])('refuses %d', (value) => {
    expect(resolveSpeed(value, quantum)).toBeUndefined();
  });

  test('refuses what asks for more than 400,000 quanta a second', () => {
    const fine = { numerator: 1, denominator: 1000 };
    expect(resolveSpeed(400, fine)).toEqual({ numerator: 400, denominator: 1 });
    expect(resolveSpeed(400.001, fine)).toBeUndefined();
  });
});

test('an effective rate is quanta a wall second in lowest terms', () => {
  const half = { numerator: 1, denominator: 2 };
  expect(effectiveRate(quantum, half)).toEqual({ numerator: 30, denominator: 1 });
  expect(effectiveRate({ numerator: 1001, denominator: 60_000 }, half)).toEqual({
    numerator: 30_000,
    denominator: 1001,
  });
});

describe('a speed meter', () => {
  test('knows nothing before half a second has passed', () => {
    const meter = new SpeedMeter();
    meter.elapse(499_999_990);
    meter.close(30, quantum);
    expect(meter.value).toBeNaN();
    meter.elapse(10);
    meter.close(30, quantum);
    expect(meter.value).toBeCloseTo(1, 12);
  });

  test('measures each window alone', () => {
    const meter = new SpeedMeter();
    meter.elapse(1e9);
    meter.close(60, quantum);
    meter.elapse(1e9);
    meter.close(90, quantum);
    expect(meter.value).toBeCloseTo(0.5, 12);
  });

  test('keeps its value over a restart and loses it at a reset', () => {
    const meter = new SpeedMeter();
    meter.elapse(1e9);
    meter.close(60, quantum);
    meter.restart(200);
    expect(meter.value).toBeCloseTo(1, 12);
    meter.elapse(1e9);
    meter.close(260, quantum);
    expect(meter.value).toBeCloseTo(1, 12);
    meter.reset();
    expect(meter.value).toBeNaN();
  });
});
