import { expect, test } from 'vitest';
import { formatProgress, ProgressMeter } from '../../src/cli/progress-line.ts';

test('the time left goes by the pace since the first step, which holds what happens once', () => {
  let ms = 0;
  const meter = new ProgressMeter(11, () => ms);
  expect(meter.read()).toEqual({ done: 0, total: 11, secondsLeft: undefined });
  ms = 9000;
  meter.step();
  expect(meter.read().secondsLeft).toBe(undefined);
  for (const step of [1, 2, 3]) {
    ms = 9000 + 500 * step;
    meter.step();
  }
  expect(meter.read()).toEqual({ done: 4, total: 11, secondsLeft: 3.5 });
  for (let step = 4; step < 11; step++) meter.step();
  expect(meter.read()).toEqual({ done: 11, total: 11, secondsLeft: 0 });
});

test.each([
  [0, undefined, '  0 %  0/200 frames'],
  [50, 12.3, ' 25 %  50/200 frames  13 s left'],
  [199, 61, ' 99 %  199/200 frames  1 min 1 s left'],
  [10, 7500, '  5 %  10/200 frames  2 h 5 min left'],
  [200, 0, '100 %  200/200 frames  0 s left'],
])('%i of 200 with %s s left', (done, secondsLeft, tail) => {
  const line = formatProgress({ done, total: 200, secondsLeft });
  expect(line.slice(29)).toBe(tail);
  expect(line.slice(0, 28)).toMatch(/^█*░*$/);
  expect(line.indexOf('░')).toBe(done === 200 ? -1 : Math.floor((28 * done) / 200));
});
