import { expect, it } from 'vitest';
import {
  atan2Fixed,
  cosFixed,
  expFixed,
  logFixed,
  powFixed,
  sinFixed,
} from '../../../src/shared/math/fixed-functions.ts';
import {
  length2Fixed,
  length3Fixed,
  lerpFixedInto,
  normalise2Fixed,
  normalise3Fixed,
} from '../../../src/shared/math/fixed-vector.ts';
import {
  addFixed,
  clampFixed,
  divFixed,
  fixedToInt,
  mulFixed,
  sqrtFixed,
} from '../../../src/shared/math/fixed.ts';
import { bytesLeft } from '../../heap-growth.ts';
import { EXTREMES, Raws } from './fixed-reference.ts';

const CALLS = 2000;
const COUNT = 64;
const raws = new Raws(1);
const values = Int32Array.from({ length: COUNT }, (_, index) => EXTREMES[index] ?? raws.next());
const others = Int32Array.from({ length: COUNT }, () => raws.next());
const out = new Int32Array(COUNT);

it('arithmetic allocates nothing, faults and saturation included', () => {
  const work = (): void => {
    for (let i = 0; i < COUNT; i++) {
      const a = values[i] as number;
      const b = others[i] as number;
      out[i] = addFixed(mulFixed(a, b), clampFixed(divFixed(a, b), a, sqrtFixed(b)));
      out[i] = fixedToInt(out[i] as number);
    }
  };
  expect(bytesLeft(CALLS, work)).toBe(0);
});

it('vectors allocate nothing', () => {
  const work = (): void => {
    for (let i = 0; i < COUNT - 2; i++) {
      const a = values[i] as number;
      const b = others[i] as number;
      normalise2Fixed(a, b, out, i);
      normalise3Fixed(b, length2Fixed(a, b), length3Fixed(a, b, i), out, i);
    }
    lerpFixedInto(values, others, 30_000, out);
  };
  expect(bytesLeft(CALLS, work)).toBe(0);
});

it('functions allocate nothing', () => {
  const work = (): void => {
    for (let i = 0; i < COUNT; i++) {
      const a = values[i] as number;
      const b = others[i] as number;
      out[i] = sinFixed(a) + cosFixed(b) + atan2Fixed(a, b);
      out[i] = expFixed(a >> 10) + logFixed(b);
      out[i] = powFixed(a, b >> 12);
    }
  };
  expect(bytesLeft(CALLS, work)).toBe(0);
});
