import { afterEach, describe, expect, test } from 'vitest';
import type { WaitPrimitives } from '../../src/shared/async-wait.ts';
import {
  addNs,
  copyInstant,
  createInstant,
  elapsedNs,
  type Instant,
  type MonotonicClock,
} from '../../src/shared/instant.ts';
import { LocalSignal, SharedSignal, type Signal } from '../../src/shared/signal.ts';
import { createSystemClock } from '../../src/shared/system-clock.ts';
import { waitUntil, waitUntilAsync, type WaitFailure } from '../../src/shared/wait.ts';

const clock = createSystemClock(globalThis);

const opened: Signal[] = [];
function open<S extends Signal>(signal: S): S {
  opened.push(signal);
  return signal;
}
afterEach(() => {
  for (const signal of opened.splice(0)) signal.close();
});

const primitives: WaitPrimitives = {
  wait: (words, index, expected, ms) => Atomics.wait(words, index, expected, ms),
  notify: (words, index) => Atomics.notify(words, index),
};

function createShared(given?: WaitPrimitives): SharedSignal {
  return open(new SharedSignal(new Int32Array(new SharedArrayBuffer(4)), 0, given));
}

/** A clock that stands still unless moved; counts its readings. */
class ManualClock implements MonotonicClock {
  readings = 0;
  readonly now: Instant = createInstant(7, 999_999_000);

  read(out: Instant): Instant {
    this.readings++;
    return copyInstant(out, this.now);
  }

  advanceMs(ms: number): void {
    addNs(this.now, Math.round(ms * 1e6));
  }
}

/** A shared signal whose blocking sleeps take the manual clock along, less what they cut off. */
function createVirtual(manual: ManualClock, cutMs: number): { signal: Signal; sleeps: number[] } {
  const sleeps: number[] = [];
  const virtual: WaitPrimitives = {
    ...primitives,
    wait: (words, index, expected, ms) => {
      if (words.length !== 2) return 'not-equal';
      sleeps.push(ms);
      manual.advanceMs(Math.max(ms - cutMs, 1e-6));
      return Atomics.load(words, index) === expected ? 'timed-out' : 'not-equal';
    },
  };
  const words = new Int32Array(new SharedArrayBuffer(8));
  return { signal: open(new SharedSignal(words, 0, virtual)), sleeps };
}

type Wait = (
  signal: Signal,
  condition: () => number | undefined,
  timeoutMs: number,
  clock: MonotonicClock,
) => Promise<number | WaitFailure>;

const blocking: Wait = async (...given) => waitUntil(...given);

describe.each<[string, Wait]>([
  ['blocking', blocking],
  ['asynchronous', waitUntilAsync],
])('a wait (%s)', (_, wait) => {
  test('returns at once what the condition returns, 0 and false-like values too', async () => {
    expect(await wait(createShared(), () => 0, Infinity, clock)).toBe(0);
    expect(await wait(createShared(), () => NaN, 1000, clock)).toBe(NaN);
  });

  test('asks once and sleeps not at all for a timeout of 0', async () => {
    const manual = new ManualClock();
    let asked = 0;
    const ask = (): undefined => {
      asked++;
    };
    expect(await wait(createShared(), ask, 0, manual)).toBe('timed-out');
    expect(asked).toBe(1);
    expect(manual.readings).toBe(0);
  });

  test.each([NaN, -1, -Infinity])('refuses a timeout of %s', async (timeoutMs) => {
    await expect(wait(createShared(), () => 1, timeoutMs, clock)).rejects.toThrow(
      expect.objectContaining({ code: 'VALUE_INVALID' }),
    );
  });

  test.each([0.3, 20.4, 100.4])('does not end %s ms early', async (timeoutMs) => {
    const start = clock.read(createInstant());
    expect(await wait(createShared(), () => undefined, timeoutMs, clock)).toBe('timed-out');
    const elapsedMs = elapsedNs(clock.read(createInstant()), start) / 1e6;
    expect(elapsedMs).toBeGreaterThanOrEqual(timeoutMs);
  });

  test('asks once more after its timeout', async () => {
    const manual = new ManualClock();
    let asked = 0;
    const condition = (): number | undefined => {
      asked++;
      manual.advanceMs(1);
      return asked === 2 ? 42 : undefined;
    };
    expect(await wait(createShared(), condition, 1.5, manual)).toBe(42);
  });

  test('passes on what the condition throws', async () => {
    const fail = (): never => {
      throw new RangeError('no such tick');
    };
    await expect(wait(createShared(), fail, 10, clock)).rejects.toThrow('no such tick');
  });
});

/** A condition whose signal is raised just after it first looked, and that holds from then on. */
function raisedOnceAsked(signal: Signal): () => number | undefined {
  let asked = 0;
  return () => {
    asked++;
    if (asked === 1) signal.raise();
    return asked === 2 ? 7 : undefined;
  };
}

describe('a blocking wait', () => {
  test('sleeps in slices until its timeout, never longer than what is left', () => {
    const manual = new ManualClock();
    const { signal, sleeps } = createVirtual(manual, 0);
    expect(waitUntil(signal, () => undefined, 120.25, manual)).toBe('timed-out');
    expect(sleeps.slice(0, 2)).toEqual([50, 50]);
    expect(sleeps[2]).toBeCloseTo(20.25, 6);
  });

  test('keeps to its timeout over a primitive that returns 1 ms early', () => {
    const manual = new ManualClock();
    const start = copyInstant(createInstant(), manual.now);
    const { signal, sleeps } = createVirtual(manual, 1);
    expect(waitUntil(signal, () => undefined, 100.4, manual)).toBe('timed-out');
    expect(elapsedNs(manual.now, start)).toBeGreaterThanOrEqual(100.4e6);
    expect(sleeps.length).toBeGreaterThan(3);
  });

  test('cannot miss a raise between its look and its sleep', () => {
    const outcomes: string[] = [];
    const signal = createShared({
      ...primitives,
      wait(...given) {
        const outcome = Atomics.wait(...given);
        outcomes.push(outcome);
        return outcome;
      },
    });
    outcomes.length = 0;
    expect(waitUntil(signal, raisedOnceAsked(signal), Infinity, clock)).toBe(7);
    expect(outcomes).toEqual(['not-equal']);
  });

  test('says closed on a closed signal, after asking once more', () => {
    const signal = createShared();
    signal.close();
    let asked = 0;
    const ask = (): undefined => {
      asked++;
    };
    expect(waitUntil(signal, ask, Infinity, clock)).toBe('closed');
    expect(asked).toBe(2);
  });

  test('is refused where the thread may not block, unless it only asks', () => {
    const words = new Int32Array(4);
    const unblockable: WaitPrimitives = {
      ...primitives,
      wait() {
        throw new TypeError('not on this thread');
      },
    };
    for (const signal of [open(new LocalSignal(words, 1)), createShared(unblockable)]) {
      expect(() => waitUntil(signal, () => 1, 10, clock)).toThrow(
        expect.objectContaining({ code: 'CANNOT_BLOCK' }),
      );
      expect(waitUntil(signal, () => 1, 0, clock)).toBe(1);
    }
  });
});

describe.each<[string, () => Signal]>([
  ['shared', () => createShared()],
  ['shared, without waitAsync', () => createShared(primitives)],
  ['local', () => open(new LocalSignal(new Int32Array(1), 0))],
])('an asynchronous wait on a signal (%s)', (_, create) => {
  test('goes through raises that do not bring what it waits for', async () => {
    const signal = create();
    let tick = 0;
    let asked = 0;
    const wait = waitUntilAsync(
      signal,
      () => {
        asked++;
        return tick >= 7 ? tick : undefined;
      },
      Infinity,
      clock,
    );
    for (tick = 1; tick < 7; tick++) {
      const before = asked;
      signal.raise();
      await expect.poll(() => asked).toBeGreaterThan(before);
    }
    signal.raise();
    expect(await wait).toBe(7);
  });

  test('says closed once its signal is, after asking once more', async () => {
    const signal = create();
    let asked = 0;
    const ask = (): undefined => {
      asked++;
    };
    const wait = waitUntilAsync(signal, ask, Infinity, clock);
    signal.close();
    expect(await wait).toBe('closed');
    expect(asked).toBe(2);
  });

  test('cannot miss a raise between its look and its sleep', async () => {
    const signal = create();
    const before = process.getActiveResourcesInfo().length;
    const wait = waitUntilAsync(signal, raisedOnceAsked(signal), Infinity, clock);
    // It did not fall asleep: that would have taken a timer.
    expect(process.getActiveResourcesInfo().length).toBe(before);
    expect(await wait).toBe(7);
  });

  test('outlives its slices', async () => {
    const signal = create();
    let asked = 0;
    let sent = false;
    const condition = (): string | undefined => {
      asked++;
      return sent ? 'sent' : undefined;
    };
    const wait = waitUntilAsync(signal, condition, Infinity, clock);
    await expect.poll(() => asked, { timeout: 10_000 }).toBeGreaterThan(1);
    sent = true;
    signal.raise();
    expect(await wait).toBe('sent');
  });
});
