import { expect, test } from 'vitest';
import { createStateTree } from '../../src/shared/state-tree.ts';
import { ClockBinding } from '../../src/sim-worker/clock-binding.ts';
import { ClockDriver } from '../../src/sim-worker/clock-driver.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';

const calls = scaled({ tiny: 20_000, normal: 50_000, full: 100_000 });

test('advance, take and markPublished leave nothing on the heap', () => {
  const seen = { steps: 0 };
  const alpha = new Float64Array(1);
  for (const [speed, delta] of [
    [1, 1 / 60],
    [1.5, 1 / 144],
    [1, undefined],
  ] as const) {
    const driver = new ClockDriver({ fixedDt: 0.01, speed });
    const nav = driver.follow({ everyTicks: 6 });
    const left = bytesLeft(calls, () => {
      alpha[0] = driver.advance(delta).alpha;
      seen.steps = (seen.steps + nav.take()) & 0xffff;
      nav.markPublished();
    });
    expect([speed, delta, left]).toEqual([speed, delta, 0]);
    expect(nav.caughtUp).toBe(true);
  }
});

// Apart from the others: in a large function the engine may not inline it, and then boxes what it
// returns.
test('a follower’s alpha leaves nothing on the heap', () => {
  const alpha = new Float64Array(1);
  const driver = new ClockDriver({ fixedDt: 0.01 });
  const nav = driver.follow({ everyTicks: 6 });
  driver.advance(0.065);
  expect(
    bytesLeft(calls, () => {
      alpha[0] = nav.alpha();
    }),
  ).toBe(0);
  expect(alpha[0]).toBeCloseTo(0.5 / 6, 12);
});

test.each([1, 0.5, 0])('a drive at speed %d leaves nothing on the heap', (speed) => {
  const tree = createStateTree();
  const driver = new ClockDriver({ fixedDt: 0.01, speed });
  const binding = new ClockBinding(tree, driver);
  const nav = driver.follow({ everyTicks: 6 });
  const seen = { steps: 0 };
  const left = bytesLeft(calls, () => {
    const { steps } = binding.drive(1 / 60);
    seen.steps = (seen.steps + steps + nav.take()) & 0xffff;
  });
  expect([left, tree.get('sim.tick')]).toEqual([0, driver.tick]);
});

test('reads, and numbers set every frame, leave nothing on the heap', () => {
  const tree = createStateTree();
  for (const key of ['sim', 'sim.mode', 'a']) tree.set(key, 0.5);
  // A captured variable, or a field, would box the number by itself.
  const time = new Float64Array(1);
  const state = { seen: 0 };
  const left = bytesLeft(calls, () => {
    time[0] = (time[0] as number) + 0.25;
    tree.setFrom('sim', time);
    if (tree.get('sim.mode') === 0.5 && tree.has('a')) state.seen = (state.seen + 1) & 0xffff;
  });
  expect([left, tree.get('sim')]).toEqual([0, time[0]]);
  expect(state.seen).toBeGreaterThan(0);
});
