import { expect, test } from 'vitest';
import type * as Torn from '../../bench/lib/torn.ts';
import { scaled } from '../scaled.ts';

const { race } = (await import(
  new URL('../../build/bench/lib/torn.js', import.meta.url).href
)) as typeof Torn;

const milliseconds = scaled({ tiny: 1000, normal: 5000, full: 120_000 });

test('SAB 71: two threads at full speed, and no read is torn', async () => {
  const { reads, torn, published } = await race(true, milliseconds);
  expect(published).toBeGreaterThan(1000);
  expect(reads).toBeGreaterThan(1000);
  expect(torn).toBe(0);
});

test('SAB 71: without the confirming load, reads are torn', async () => {
  const { torn } = await race(false, milliseconds);
  expect(torn).toBeGreaterThan(0);
});
