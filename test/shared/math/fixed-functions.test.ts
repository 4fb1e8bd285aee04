import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { Fnv64 } from '../../../src/shared/hash.ts';
import { fixedFaults, resetFixedFaults } from '../../../src/shared/math/fixed-faults.ts';
import {
  atan2Fixed,
  cosFixed,
  expFixed,
  logFixed,
  powFixed,
  sinFixed,
} from '../../../src/shared/math/fixed-functions.ts';
import { FIXED_MAX, FIXED_MIN, FIXED_ONE, mulFixed } from '../../../src/shared/math/fixed.ts';
import { scaled } from '../../scaled.ts';
import {
  BITS,
  EXTREMES,
  exponential,
  logarithm,
  Mismatches,
  nearestRaw,
  Raws,
} from './fixed-reference.ts';
import { sineAndCosine } from './reference.ts';

const RUNS = scaled({ tiny: 2000, normal: 50_000, full: 1_000_000 });
/** What the documented bounds of `atan2Fixed` and `powFixed` add to half a raw unit. */
const ANGLE_SLACK = 2 ** -34;
const POWER_SLACK = 1n << BigInt(BITS - 16 - 22);
/** e^x is beyond the range from here on, and below half a raw unit until there. */
const EXP_END = 681_392;
const EXP_BEGIN = -772_243;

const seeds = fc.noShrink(fc.integer({ min: 0, max: 2 ** 31 - 1 }));

/** Draws `count` raw numbers or more in chunks, each with a seed that a failure names. */
function checkRaws(count: number, check: (faults: Mismatches, raws: Raws) => void): void {
  const checkChunk = (seed: number): void => {
    const raws = new Raws(seed);
    const faults = new Mismatches(seed);
    for (let i = 0; i < 500; i++) check(faults, raws);
    expect(faults.list()).toEqual([]);
  };
  fc.assert(fc.property(seeds, checkChunk), { numRuns: Math.ceil(count / 500) });
}

function compareSine(faults: Mismatches, raw: number): void {
  const { sine, cosine } = sineAndCosine(raw / FIXED_ONE);
  faults.compare(sinFixed(raw), nearestRaw(sine, 400), raw);
  faults.compare(cosFixed(raw), nearestRaw(cosine, 400), raw);
}

/** Above 0 where the point lies left of the direction of an angle in raw units. */
function leftOf(angle: number, y: number, x: number): bigint {
  const { sine, cosine } = sineAndCosine(angle / FIXED_ONE);
  return BigInt(y) * cosine - BigInt(x) * sine;
}

function compareAngle(faults: Mismatches, y: number, x: number): void {
  const got = atan2Fixed(y, x);
  if (y === 0 && x === 0) {
    faults.compare(got, 0, y, x);
    return;
  }
  const isInside =
    leftOf(got - 0.5 - ANGLE_SLACK, y, x) > 0n && leftOf(got + 0.5 + ANGLE_SLACK, y, x) < 0n;
  if (!isInside || got > 205_887 || got < -205_887) faults.compare(got, Number.NaN, y, x);
}

/** ln(base) * exponent, in fixed point of {@link BITS}. */
const powerLog = (base: number, exponent: number): bigint =>
  (logarithm(base) * BigInt(exponent)) >> 16n;

/** Compares a power of a positive number, within the documented bound. */
function comparePower(faults: Mismatches, base: number, exponent: number): void {
  const log = powerLog(base, exponent);
  const got = powFixed(base, exponent);
  if (log > 11n << BigInt(BITS) || log < -12n << BigInt(BITS)) {
    faults.compare(got, log > 0n ? FIXED_MAX : 0, base, exponent);
    return;
  }
  const exact = exponential(log);
  const low = nearestRaw(exact - POWER_SLACK, BITS);
  const high = nearestRaw(exact + POWER_SLACK, BITS);
  if (got !== low) faults.compare(got, high, base, exponent);
}

beforeEach(resetFixedFaults);

describe('sine and cosine', () => {
  it('are the exact values rounded to nearest', () => {
    const faults = new Mismatches(0);
    for (const raw of EXTREMES) compareSine(faults, raw);
    expect(faults.list()).toEqual([]);
    checkRaws(RUNS, (each, raws) => compareSine(each, raws.next()));
  });

  it('are right where the exact value comes closest to a tie', () => {
    const faults = new Mismatches(0);
    for (const raw of [1_624_208_088, 1_096_971_357, 1_818_983_540, 1_934_391_726, 1_865_009_771]) {
      compareSine(faults, raw);
      compareSine(faults, -raw);
    }
    expect(faults.list()).toEqual([]);
  });
});

describe('the arc tangent', () => {
  it('lies within 0.5 + 2^-34 raw units of the exact angle', () => {
    const faults = new Mismatches(0);
    for (const y of EXTREMES) {
      for (const x of EXTREMES) compareAngle(faults, y, x);
    }
    expect(faults.list()).toEqual([]);
    checkRaws(RUNS / 2, (each, raws) => compareAngle(each, raws.next(), raws.next()));
  });

  it('takes the smallest number in both coordinates (FXP 106)', () => {
    expect(atan2Fixed(FIXED_MIN, FIXED_MIN)).toBe(-154_416);
    expect(Math.round((-135 / 180) * Math.PI * FIXED_ONE)).toBe(-154_416);
  });

  it('is 0 at the origin, which has no direction (FXP 107)', () => {
    expect(atan2Fixed(0, 0)).toBe(0);
  });

  it('is a whole, half or quarter turn on the axes', () => {
    expect(atan2Fixed(0, 1)).toBe(0);
    expect(atan2Fixed(1, 0)).toBe(102_944);
    expect(atan2Fixed(-1, 0)).toBe(-102_944);
    expect(atan2Fixed(0, -1)).toBe(205_887);
    expect(atan2Fixed(-1, FIXED_MIN)).toBe(-205_887);
  });
});

describe('the exponential', () => {
  it('is the exact value rounded to nearest, for every raw value that is not saturated', () => {
    const step = scaled({ tiny: 97, normal: 7, full: 1 });
    const faults = new Mismatches(0);
    for (let raw = EXP_BEGIN - 100; raw < EXP_END + 100; raw += step) {
      faults.compare(expFixed(raw), nearestRaw(exponential(toBits(raw)), BITS), raw);
    }
    expect(faults.list()).toEqual([]);
  });

  it('is right where the exact value comes closest to a tie', () => {
    const faults = new Mismatches(0);
    for (const raw of [-129_660, -481_090, -107_547, 454_390, -700_245, -509_619, 137_674]) {
      faults.compare(expFixed(raw), nearestRaw(exponential(toBits(raw)), BITS), raw);
    }
    expect(faults.list()).toEqual([]);
  });

  it('saturates from 10.4 on and vanishes below -11.8', () => {
    expect(expFixed(EXP_END - 1)).toBeLessThan(FIXED_MAX);
    for (const raw of [EXP_END, 11 * FIXED_ONE, 12 * FIXED_ONE, FIXED_MAX]) {
      expect(expFixed(raw)).toBe(FIXED_MAX);
    }
    expect(expFixed(EXP_BEGIN)).toBe(1);
    for (const raw of [EXP_BEGIN - 1, -12 * FIXED_ONE, -13 * FIXED_ONE, FIXED_MIN]) {
      expect(expFixed(raw)).toBe(0);
    }
    expect(expFixed(0)).toBe(FIXED_ONE);
    expect(expFixed(FIXED_ONE)).toBe(178_145);
  });
});

describe('the logarithm', () => {
  it('is the exact value rounded to nearest', () => {
    const faults = new Mismatches(0);
    const compare = (each: Mismatches, raw: number): void => {
      if (raw > 0) each.compare(logFixed(raw), nearestRaw(logarithm(raw), BITS), raw);
    };
    for (const raw of EXTREMES) compare(faults, raw);
    expect(faults.list()).toEqual([]);
    checkRaws(RUNS, (each, raws) => compare(each, raws.next()));
  });

  it('of 0 is the smallest number, of a negative one 0 and counted', () => {
    expect(logFixed(0)).toBe(FIXED_MIN);
    expect(fixedFaults().negativeLog).toBe(0);
    expect(logFixed(-1)).toBe(0);
    expect(logFixed(FIXED_MIN)).toBe(0);
    expect(fixedFaults().negativeLog).toBe(2);
    expect(logFixed(FIXED_ONE)).toBe(0);
  });
});

describe('a power', () => {
  it('lies within 0.5 + 2^-22 raw units of the exact one', () => {
    const faults = new Mismatches(0);
    for (const base of EXTREMES) {
      for (const exponent of EXTREMES) {
        if (base > 0 && exponent !== 0) comparePower(faults, base, exponent);
      }
    }
    expect(faults.list()).toEqual([]);
    checkRaws(RUNS, (each, raws) => {
      const base = raws.next();
      const exponent = raws.next();
      if (base > 0 && exponent !== 0) comparePower(each, base, exponent);
      if (base <= 0 || base === FIXED_ONE) return;
      // Most of those saturate or vanish: now an exponent that makes the power the other number.
      const log = Math.log(base / FIXED_ONE);
      const fit = Math.trunc((Math.log((Math.abs(exponent) + 1) / FIXED_ONE) / log) * FIXED_ONE);
      if (fit !== 0 && Math.abs(fit) < 2 ** 31) comparePower(each, base, fit);
    });
  });

  it('is right where the exact value comes so close to a tie that a plain double errs', () => {
    const faults = new Mismatches(0);
    for (const [base, exponent] of [
      [372_073, 352_942],
      [13_982, -435_757],
      [161_410, 702_786],
      [116_844, 1_133_084],
      [6_485_532, 143_344],
      [68_579, 13_837_707],
      [287_190, 444_447],
      [162_505, 747_814],
      [188_676, 632_389],
      [20_552, -556_607],
      [115_711, 1_116_214],
      [275_649, 460_265],
      [161_957, 747_141],
      [257_333, 453_106],
      [7189, -301_553],
      [137_137, 905_761],
      [1981, -191_128],
      [48_533, -2_031_221],
      [34_413_745, 96_961],
      [188_601_388, 76_991],
      [85_724, 2_268_908],
      [93, -101_143],
    ] as const) {
      const exact = exponential(powerLog(base, exponent));
      faults.compare(powFixed(base, exponent), nearestRaw(exact, BITS), base, exponent);
    }
    expect(faults.list()).toEqual([]);
  });

  it('with a whole exponent has the sign of the exact one', () => {
    expect(powFixed(-2 * FIXED_ONE, 3 * FIXED_ONE)).toBe(-8 * FIXED_ONE);
    expect(powFixed(-2 * FIXED_ONE, 4 * FIXED_ONE)).toBe(16 * FIXED_ONE);
    expect(powFixed(-2 * FIXED_ONE, -FIXED_ONE)).toBe(-32_768);
    expect(powFixed(FIXED_MIN, FIXED_ONE)).toBe(FIXED_MIN);
    expect(powFixed(FIXED_MIN, 2 * FIXED_ONE)).toBe(FIXED_MAX);
    expect(powFixed(FIXED_MIN, 3 * FIXED_ONE)).toBe(FIXED_MIN);
    expect(powFixed(-1, 17 * FIXED_ONE)).toBe(0);
    expect(fixedFaults().negativePower).toBe(0);
  });

  it('of a negative number to a fraction is 0 and counted', () => {
    expect(powFixed(-FIXED_ONE, 32_768)).toBe(0);
    expect(powFixed(-1, FIXED_ONE + 1)).toBe(0);
    expect(fixedFaults().negativePower).toBe(2);
  });

  it('to the 0 is 1, and of 0 is 0 or the largest number', () => {
    for (const base of EXTREMES) expect(powFixed(base, 0)).toBe(FIXED_ONE);
    expect(powFixed(0, 1)).toBe(0);
    expect(powFixed(0, FIXED_MAX)).toBe(0);
    expect(powFixed(0, -1)).toBe(FIXED_MAX);
  });

  it('of a power of two with a whole exponent is exact, half a raw unit a tie', () => {
    for (let log = -16; log <= 14; log++) {
      for (let exponent = -20; exponent <= 20; exponent++) {
        const exact = log * exponent < -16 ? 0 : Math.min(2 ** (log * exponent + 16), FIXED_MAX);
        expect(powFixed(2 ** (log + 16), exponent * FIXED_ONE)).toBe(exact);
      }
    }
  });

  it('to the 1 is the number itself, to the 2 its product with itself', () => {
    checkRaws(RUNS * 4, (faults, raws) => {
      const base = raws.next();
      faults.compare(powFixed(base, FIXED_ONE), base, base);
      const reach = base >> 8;
      faults.compare(powFixed(reach, 2 * FIXED_ONE), mulFixed(reach, reach), reach);
    });
  });
});

describe('golden raw values', () => {
  it('of 65,536 arguments of each function never change', () => {
    const hash = new Fnv64();
    for (let index = 0; index < 65_536; index++) {
      const raw = Math.imul(index, 0x9e3779b1);
      const small = raw >> 11;
      for (const value of [
        sinFixed(raw),
        cosFixed(small),
        atan2Fixed(raw, small),
        expFixed(small),
      ]) {
        hash.u32(value >>> 0);
      }
      hash.u32(logFixed(raw >>> 1) >>> 0);
      hash.u32(powFixed(raw >>> 9, small >> 1) >>> 0);
    }
    expect(hash.hex()).toBe('f73d937aa66b323d');
  });
});

function toBits(raw: number): bigint {
  return BigInt(raw) << BigInt(BITS - 16);
}
