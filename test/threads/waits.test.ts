import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import type { WaitPrimitives } from '../../src/shared/async-wait.ts';
import { SharedSignal } from '../../src/shared/signal.ts';
import { createSystemClock } from '../../src/shared/system-clock.ts';
import { waitUntilAsync } from '../../src/shared/wait.ts';
import { scaled } from '../scaled.ts';
import { builtModule, startWorker } from './built-worker.ts';
import { FOLLOWER, FOLLOWER_WORDS, type FollowerTask, WORD } from './workers/follower-task.ts';

const clock = createSystemClock(globalThis);
/** A wait that takes longer has failed; far above a slice, since machines are busy. */
const ARRIVAL_MS = 10_000;
/** How long the tests of removed guards wait for what should not come, and how often they try. */
const ABSENCE_MS = 500;
const TRIES = 100;

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

const plainAtomics: WaitPrimitives = {
  wait: (words, index, expected, ms) => Atomics.wait(words, index, expected, ms),
  notify: (words, index) => Atomics.notify(words, index),
};

const wakesOne: WaitPrimitives = {
  ...plainAtomics,
  notify: (words, index) => Atomics.notify(words, index, 1),
};

function dropsEveryTenth(): WaitPrimitives & { dropped: number } {
  let notifies = 0;
  const primitives = {
    ...plainAtomics,
    dropped: 0,
    notify(words: Int32Array, index: number): number {
      if (++notifies % 10 !== 0) return Atomics.notify(words, index);
      primitives.dropped++;
      return 0;
    },
  };
  return primitives;
}

/** The test's end of a set of followers: announces ticks and knows who arrived. */
class Leader {
  readonly words = new Int32Array(new SharedArrayBuffer(1024));
  readonly followers: Worker[] = [];
  readonly failures: unknown[] = [];
  readonly #arrival = new SharedSignal(this.words, WORD.arrival);
  readonly #signal: SharedSignal;

  constructor(primitives: WaitPrimitives = plainAtomics) {
    this.#signal = new SharedSignal(this.words, WORD.signal, primitives);
  }

  get tick(): number {
    return Atomics.load(this.words, WORD.tick);
  }

  word(follower: number, field: keyof typeof FOLLOWER): number {
    return Atomics.load(this.words, WORD.followers + follower * FOLLOWER_WORDS + FOLLOWER[field]);
  }

  /** Starts a follower, or another in its place. */
  async start(index: number, wait: FollowerTask['wait'], patient = false): Promise<void> {
    const own = WORD.followers + index * FOLLOWER_WORDS;
    this.words.fill(0, own, own + FOLLOWER_WORDS);
    const task: FollowerTask = { words: this.words, index, wait, patient };
    const { worker } = startWorker<FollowerTask>('follower', task);
    worker.on('error', (error) => this.failures.push(error));
    this.followers[index] = worker;
    expect(await this.until(() => this.word(index, 'ready') === 1)).toBe(true);
  }

  announce(tick: number): void {
    this.words[WORD.payload] = Math.imul(tick, tick);
    Atomics.store(this.words, WORD.tick, tick);
    this.#signal.raise();
  }

  /** Wakes who sleeps on the signal without any news. */
  notifyOnly(): number {
    return Atomics.notify(this.words, WORD.signal);
  }

  /** Whether all followers but one arrive at the present tick in time. */
  allArrive(timeoutMs: number, except = -1): Promise<boolean> {
    return this.until(
      () => this.followers.every((_, i) => i === except || this.word(i, 'tick') === this.tick),
      timeoutMs,
    );
  }

  /** Announces ticks until somebody does not arrive; returns that tick, or TRIES + 1. */
  async announceUntilOneIsLost(): Promise<number> {
    for (let tick = 1; tick <= TRIES; tick++) {
      // Let all fall asleep, so that they cannot see the news on the way into the wait.
      await pause(20);
      this.announce(tick);
      if (!(await this.allArrive(ABSENCE_MS))) return tick;
    }
    return TRIES + 1;
  }

  async until(holds: () => boolean, timeoutMs = ARRIVAL_MS): Promise<boolean> {
    const condition = (): true | undefined => (holds() ? true : undefined);
    return (await waitUntilAsync(this.#arrival, condition, timeoutMs, clock)) === true;
  }

  stop(): void {
    Atomics.store(this.words, WORD.stop, 1);
    this.#signal.raise();
  }

  async close(): Promise<void> {
    this.#arrival.close();
    this.#signal.close();
    await Promise.all(this.followers.map((worker) => worker.terminate()));
  }
}

const leaders: Leader[] = [];
function lead(primitives?: WaitPrimitives): Leader {
  const leader = new Leader(primitives);
  leaders.push(leader);
  return leader;
}
afterEach(async () => {
  const ended = leaders.splice(0);
  await Promise.all(ended.map((leader) => leader.close()));
  expect(ended.flatMap((leader) => leader.failures)).toEqual([]);
});

/** A small seeded generator: which follower dies next. */
function createPicker(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('one raise', () => {
  test('SAB 67: brings all to the tick though one of them is being terminated', async () => {
    const rounds = scaled({ tiny: 50, normal: 100, full: 1000 });
    const leader = lead();
    const pick = createPicker(1);
    const waitOf = (index: number): FollowerTask['wait'] => (index < 6 ? 'blocking' : 'async');
    // Patient: no slice helps, only the notify.
    const start = (i: number): Promise<void> => leader.start(i, waitOf(i), i < 6);
    for (let i = 0; i < 8; i++) await start(i);
    for (let tick = 1; tick <= rounds; tick++) {
      const victim = pick(8);
      const end = leader.followers[victim]?.terminate();
      leader.announce(tick);
      expect([tick, await leader.allArrive(ARRIVAL_MS, victim)]).toEqual([tick, true]);
      await end;
      await start(victim);
    }
  });

  test('SAB 67: leaves followers asleep if it notifies one alone', async () => {
    const leader = lead(wakesOne);
    for (let i = 0; i < 4; i++) await leader.start(i, 'blocking', true);
    expect(await leader.announceUntilOneIsLost()).toBeLessThanOrEqual(TRIES);
  });

  test.each(['blocking', 'async', 'polling'] as const)(
    'SAB 65: brings exactly its own news to 4 followers (%s), generation after generation',
    async (wait) => {
      const generations = scaled({ tiny: 200, normal: 1000, full: 20_000 });
      const leader = lead();
      for (let i = 0; i < 4; i++) await leader.start(i, wait);
      for (let tick = 1; tick <= generations; tick++) {
        leader.announce(tick);
        expect([tick, await leader.allArrive(ARRIVAL_MS)]).toEqual([tick, true]);
      }
      for (let i = 0; i < 4; i++) {
        expect([leader.word(i, 'arrivals'), leader.word(i, 'stale')]).toEqual([generations, 0]);
      }
    },
  );

  test.each(['blocking', 'async', 'polling'] as const)(
    'ends a parked follower (%s) that is asked to stop',
    async (wait) => {
      const leader = lead();
      await leader.start(0, wait, wait === 'blocking');
      const exit = once(leader.followers[0] as Worker, 'exit');
      leader.stop();
      expect(await exit).toEqual([0]);
    },
  );
});

describe('SAB 65: a wake-up without news', () => {
  /** Notifies 1000 times; returns how many sleepers that woke. */
  async function disturb(leader: Leader): Promise<number> {
    let woken = 0;
    for (let i = 0; i < 1000; i++) {
      if (i % 50 === 0) await pause(2);
      woken += leader.notifyOnly();
    }
    return woken;
  }

  test.each(['blocking', 'async'] as const)(
    'does not end a wait (%s), be there 1000 of them; the news ends it once',
    async (wait) => {
      const leader = lead();
      await leader.start(0, wait);
      expect(await disturb(leader)).toBeGreaterThan(0);
      expect(leader.word(0, 'arrivals')).toBe(0);
      leader.announce(7);
      expect(await leader.allArrive(ARRIVAL_MS)).toBe(true);
      expect(leader.word(0, 'arrivals')).toBe(1);
    },
  );

  test('ends a wait that does not loop', async () => {
    const leader = lead();
    await leader.start(0, 'once');
    expect(await disturb(leader)).toBeGreaterThan(0);
    expect(leader.word(0, 'arrivals')).toBeGreaterThan(0);
  });
});

describe('SAB 64: a lost notify', () => {
  test('costs followers one slice and no tick', async () => {
    const ticks = scaled({ tiny: 50, normal: 200, full: 10_000 });
    const primitives = dropsEveryTenth();
    const leader = lead(primitives);
    for (let i = 0; i < 2; i++) await leader.start(i, 'blocking');
    for (let tick = 1; tick <= ticks; tick++) {
      leader.announce(tick);
      expect([tick, await leader.allArrive(ARRIVAL_MS)]).toEqual([tick, true]);
    }
    expect(primitives.dropped).toBe(Math.floor(ticks / 10));
  });

  test('costs the tick if waits have no slices', async () => {
    const leader = lead(dropsEveryTenth());
    await leader.start(0, 'blocking', true);
    expect(await leader.announceUntilOneIsLost()).toBeLessThanOrEqual(TRIES);
  });
});

test('SAB 61: an asynchronous wait without waitAsync ends in two frames of the news', async () => {
  const leader = lead();
  await leader.start(0, 'polling');
  const lateMs: number[] = [];
  for (let tick = 1; tick <= 50; tick++) {
    const before = performance.now();
    leader.announce(tick);
    expect(await leader.allArrive(ARRIVAL_MS)).toBe(true);
    lateMs.push(performance.now() - before);
  }
  // The median: a busy machine may hold up any single one.
  expect(lateMs.sort((a, b) => a - b)[25]).toBeLessThan(2 * (1000 / 60));
});

describe('a process that only waits', () => {
  /** Starts it, lets it wait for more than a slice, then tells it something. */
  async function watch(how: string, command: string): Promise<unknown[]> {
    const child = fork(builtModule('waiting-process'), [how], { execArgv: [] });
    const exit = once(child, 'exit');
    expect(await once(child, 'message')).toEqual(['waiting', undefined]);
    await Promise.race([exit, pause(1500)]);
    const aliveWhileWaiting = child.exitCode === null;
    let end: unknown;
    if (aliveWhileWaiting) {
      const answer = Promise.race([once(child, 'message'), once(child, 'disconnect')]);
      child.send(command);
      [end] = await answer;
    }
    const [code] = await exit;
    return [aliveWhileWaiting, end, code];
  }

  test.each([
    ['engine', 'raise', 'raised'],
    ['engine', 'close', 'closed'],
    ['polling', 'raise', 'raised'],
    ['polling', 'close', 'closed'],
  ])('(%s) stays alive, and exits after %s', async (how, command, end) => {
    expect(await watch(how, command)).toEqual([true, end, 0]);
  });

  test('exits under the bare wait of the engine', async () => {
    expect(await watch('bare', 'raise')).toEqual([false, undefined, 0]);
  });
});
