import { createHook } from 'node:async_hooks';
import { afterEach, describe, expect, test } from 'vitest';
import { POLL_MS_MIN, type WaitPrimitives } from '../../src/shared/async-wait.ts';
import {
  BLOCKING_SLICE_MS,
  canBlock,
  LocalSignal,
  SharedSignal,
  type Signal,
} from '../../src/shared/signal.ts';
import type { SleepEnd } from '../../src/shared/sleepers.ts';

// The runner passes --expose-gc.
const collectGarbage = globalThis.gc as () => void;

const INDEX = 2;

const sharedWords = (start = 0): Int32Array =>
  new Int32Array(new SharedArrayBuffer(16)).fill(start);
const localWords = (start = 0): Int32Array => new Int32Array(4).fill(start);

const atomicsWithoutWaitAsync: WaitPrimitives = {
  wait: (words, index, expected, ms) => Atomics.wait(words, index, expected, ms),
  notify: (words, index) => Atomics.notify(words, index),
};

/** Atomics that count how many asynchronous waits are pending in the engine. */
function countingAtomics(): WaitPrimitives & { pending: number; pendingMax: number } {
  const counting = {
    ...atomicsWithoutWaitAsync,
    pending: 0,
    pendingMax: 0,
    waitAsync(words: Int32Array, index: number, expected: number, ms: number) {
      const wait = Atomics.waitAsync(words, index, expected, ms);
      if (wait.async) {
        counting.pendingMax = Math.max(counting.pendingMax, ++counting.pending);
        void wait.value.then(() => counting.pending--);
      }
      return wait;
    },
  };
  return counting;
}

/** The raw primitive of a thread that may not block, such as a page's main thread. */
const unblockable: WaitPrimitives = {
  ...atomicsWithoutWaitAsync,
  wait() {
    throw new TypeError('Atomics.wait cannot be called in this context');
  },
};

const timers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

const opened: Signal[] = [];
function open<S extends Signal>(signal: S): S {
  opened.push(signal);
  return signal;
}
afterEach(() => {
  for (const signal of opened.splice(0)) signal.close();
});

describe.each<[string, (start?: number) => Signal]>([
  ['shared', (start) => open(new SharedSignal(sharedWords(start), INDEX))],
  [
    'shared, without waitAsync',
    (start) => open(new SharedSignal(sharedWords(start), INDEX, atomicsWithoutWaitAsync)),
  ],
  ['local', (start) => open(new LocalSignal(localWords(start), INDEX))],
])('a signal (%s)', (_, create) => {
  test('changes its word by one for each raise, past 2^31', () => {
    const signal = create(0x7ffffffe);
    expect(signal.load()).toBe(0x7ffffffe);
    signal.raise();
    expect(signal.load()).toBe(0x7fffffff);
    signal.raise();
    expect(signal.load()).toBe(-0x80000000);
  });

  test('wakes all its asynchronous sleepers by one raise', async () => {
    const signal = create();
    const sleeps = [5, 200, 1000, 1000, Infinity].map((ms) => signal.waitAsync(0, ms + 500));
    signal.raise();
    expect(await Promise.all(sleeps)).toEqual(sleeps.map(() => 'changed'));
  });

  test.each([0x7fffffff, -1])('wakes who sleeps on %s by the next raise', async (start) => {
    const signal = create(start);
    const sleep = signal.waitAsync(start, Infinity);
    signal.raise();
    expect(await sleep).toBe('changed');
  });

  test('does not let anybody sleep on a value that is gone', async () => {
    const signal = create();
    const old = signal.waitAsync(0, 1000);
    signal.raise();
    const late = signal.waitAsync(0, 1000);
    const current = signal.waitAsync(1, 1000);
    expect(await Promise.all([old, late])).toEqual(['changed', 'changed']);
    signal.raise();
    expect(await current).toBe('changed');
  });

  test('ends a sleep that nothing ended after its timeout or one slice', async () => {
    const signal = create();
    expect(await signal.waitAsync(0, 0)).toBe('timed-out');
    expect(await signal.waitAsync(0, 5.5)).toBe('timed-out');
    expect(await signal.waitAsync(0, Infinity)).toBe('timed-out');
  });

  test('says closed to sleepers of the past and of the future, and leaves no timer', async () => {
    const before = timers();
    const signal = create();
    const sleeps = [3, 400, Infinity].map((ms) => signal.waitAsync(0, ms));
    expect(timers()).toBeGreaterThan(before);
    signal.close();
    expect(timers()).toBe(before);
    expect(await Promise.all(sleeps)).toEqual(['closed', 'closed', 'closed']);
    expect(await signal.waitAsync(0, Infinity)).toBe('closed');
    expect(timers()).toBe(before);
  });

  test('leaves no timer when its sleepers were woken or timed out', async () => {
    const before = timers();
    const signal = create();
    const sleeps = [signal.waitAsync(0, 3), signal.waitAsync(0, Infinity)];
    expect(await sleeps[0]).toBe('timed-out');
    signal.raise();
    expect(await sleeps[1]).toBe('changed');
    expect(timers()).toBe(before);
  });

  test('leaves no timer when its only sleeper timed out', async () => {
    const before = timers();
    const signal = create();
    expect(await signal.waitAsync(0, 6)).toBe('timed-out');
    // One more turn, so that the timer that just fired is no longer counted.
    await new Promise((resolve) => setImmediate(resolve));
    expect(timers()).toBe(before);
  });

  test('asserts that a sleep has a length', () => {
    const signal = create();
    for (const bad of [NaN, -1]) {
      expect(() => signal.waitAsync(0, bad)).toThrow('a sleep has a length');
    }
  });

  test('keeps no memory of 100,000 sleeps that nothing ended', async () => {
    const signal = create();
    const first = signal.waitAsync(0, Infinity);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let frame = 0; frame < 100_000; frame++) void signal.waitAsync(0, 1000);
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
    signal.close();
    expect(await first).toBe('closed');
  });
});

describe('a shared signal', () => {
  test('has one wait pending in the engine, whoever sleeps how often', async () => {
    const atomics = countingAtomics();
    const signal = open(new SharedSignal(sharedWords(), INDEX, atomics));
    for (let round = 0; round < 200; round++) {
      const sleeps: Promise<SleepEnd>[] = [];
      for (let i = 0; i < 50; i++)
        sleeps.push(signal.waitAsync(round, i % 7 === 0 ? 1000 : 500 + i));
      signal.raise();
      expect(new Set(await Promise.all(sleeps))).toEqual(new Set(['changed']));
    }
    expect(atomics.pendingMax).toBe(1);
  });

  test('keeps no memory of 20,000 sleeps that a raise ended', async () => {
    const signal = open(new SharedSignal(sharedWords(), INDEX));
    const cycle = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++) {
        const sleep = signal.waitAsync(signal.load(), 1000);
        signal.raise();
        await sleep;
      }
    };
    await cycle(500);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    await cycle(20_000);
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
  });

  test('has nothing pending in the engine once it is closed', async () => {
    const atomics = countingAtomics();
    const signal = open(new SharedSignal(sharedWords(), INDEX, atomics));
    const sleep = signal.waitAsync(0, 1000);
    expect(atomics.pending).toBe(1);
    signal.close();
    expect(await sleep).toBe('closed');
    await expect.poll(() => atomics.pending, { timeout: 900, interval: 1 }).toBe(0);
  });

  test('loses one slice, not the wake-up, when the engine loses a notify', async () => {
    const words = sharedWords();
    const deaf: WaitPrimitives = { ...countingAtomics(), notify: () => 0 };
    const signal = open(new SharedSignal(words, INDEX, deaf));
    const sleep = signal.waitAsync(0, Infinity);
    signal.raise();
    expect(['changed', 'timed-out']).toContain(await sleep);
    expect(signal.load()).toBe(1);
    expect(await signal.waitAsync(0, Infinity)).toBe('changed');
  });

  test('polls where waitAsync is missing, never more than once in 4 ms', async () => {
    let timersMade = 0;
    const hook = createHook({
      init(_, type) {
        if (type === 'Timeout') timersMade++;
      },
    });
    const signal = open(new SharedSignal(sharedWords(), INDEX, atomicsWithoutWaitAsync));
    const start = performance.now();
    hook.enable();
    const sleep = signal.waitAsync(0, Infinity);
    await pause(400);
    hook.disable();
    const polls = timersMade - 2;
    expect(polls).toBeGreaterThan(1);
    expect(polls).toBeLessThanOrEqual((performance.now() - start) / POLL_MS_MIN);
    signal.raise();
    expect(await sleep).toBe('changed');
  });

  test('blocks for one slice at most', () => {
    const asked: number[] = [];
    const impatient: WaitPrimitives = {
      ...atomicsWithoutWaitAsync,
      wait: (words, index, expected, ms) => {
        asked.push(ms);
        return Atomics.wait(words, index, expected, 0);
      },
    };
    const signal = open(new SharedSignal(sharedWords(), INDEX, impatient));
    asked.length = 0;
    for (const ms of [0, 0.25, 20, 1000, Infinity]) signal.wait(0, ms);
    expect(asked).toEqual([0, 0.25, 20, BLOCKING_SLICE_MS, BLOCKING_SLICE_MS]);
  });

  test('says changed only if the word is another, whatever the primitive says', () => {
    const liar: WaitPrimitives = { ...atomicsWithoutWaitAsync, wait: () => 'ok' };
    const signal = open(new SharedSignal(sharedWords(), INDEX, liar));
    expect(signal.wait(0, 10)).toBe('timed-out');
    signal.raise();
    expect(signal.wait(0, 10)).toBe('changed');
    expect(signal.wait(1, 10)).toBe('timed-out');
    signal.close();
    expect(signal.wait(1, 10)).toBe('closed');
  });

  test('refuses to block where the thread may not, and never tries', () => {
    let tries = 0;
    const words = sharedWords();
    const primitives: WaitPrimitives = {
      ...unblockable,
      wait(given, ...rest) {
        if (given === words) tries++;
        return unblockable.wait(given, ...rest);
      },
    };
    const signal = open(new SharedSignal(words, INDEX, primitives));
    expect(signal.canBlock).toBe(false);
    expect(() => signal.wait(0, 10)).toThrow(expect.objectContaining({ code: 'CANNOT_BLOCK' }));
    expect(tries).toBe(0);
  });

  test('asserts that its word is shared', () => {
    expect(() => new SharedSignal(localWords(), INDEX)).toThrow('lies in shared memory');
  });
});

test('a local signal never blocks, since nobody could wake it', () => {
  const signal = open(new LocalSignal(localWords(), INDEX));
  expect(signal.canBlock).toBe(false);
  expect(() => signal.wait()).toThrow(expect.objectContaining({ code: 'CANNOT_BLOCK' }));
});

test('canBlock tells threads that may block from those that may not', () => {
  expect(canBlock()).toBe(true);
  expect(canBlock(unblockable)).toBe(false);
});
