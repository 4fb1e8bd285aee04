import { expect, test } from 'vitest';
import { LatestSeek } from '../../demo/timeline/latest-seek.ts';

/** A seek that ends when it is told to. */
function slowSeek(): { seek: LatestSeek; begun: number[]; end: () => Promise<void> } {
  const begun: number[] = [];
  let finish: () => void = () => undefined;
  const seek = new LatestSeek((tick) => {
    begun.push(tick);
    return new Promise((resolve) => {
      finish = resolve;
    });
  });
  const end = async (): Promise<void> => {
    finish();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { seek, begun, end };
}

test('one seek is under way, and of those asked for meanwhile the last one follows', async () => {
  const { seek, begun, end } = slowSeek();
  for (const tick of [3, 4, 9, 7]) seek.ask(tick);
  expect([begun, seek.target]).toEqual([[3], 7]);
  await end();
  expect([begun, seek.target]).toEqual([[3, 7], 7]);
  await end();
  expect([begun, seek.target]).toEqual([[3, 7], undefined]);
  seek.ask(1);
  expect(begun).toEqual([3, 7, 1]);
});

test('what is cancelled does not follow', async () => {
  const { seek, begun, end } = slowSeek();
  seek.ask(3);
  seek.ask(4);
  seek.cancel();
  await end();
  expect([begun, seek.target]).toEqual([[3], undefined]);
});
