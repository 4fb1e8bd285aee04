import { Worker } from 'node:worker_threads';
import { startSimulation, type StartOptions } from 'escapement';
import type { RegionHandle } from '../../src/shared/handle.ts';
import { computeLayout } from '../../src/shared/layout.ts';
import { openRegion, type Region } from '../../src/shared/region.ts';
import { builtModule, startWorker } from './built-worker.ts';
import { type ProbeSimulation, type ProbeTypes, until } from './tier.ts';
import { FOLLOWING, FOLLOWING_WORDS, type FollowingTask } from './workers/following-task.ts';
import type { Probe } from './workers/probe.sim.ts';

const closing: (() => Promise<unknown>)[] = [];

/** Notes what is to be ended after a test. */
export function closeLater(close: () => Promise<unknown>): void {
  closing.push(close);
}

/** Ends whatever was started since the last call, the newest first. */
export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}

/** Starts the probe on a thread of its own, advanced by nothing but what is asked for. */
export async function startDriven(
  options: StartOptions<ProbeTypes> = {},
): Promise<ProbeSimulation> {
  const sim = await startSimulation<Probe>(() => new Worker(builtModule('probe.sim')), {
    logLevel: 'off',
    drivenBy: 'host',
    ...options,
  });
  closing.push(() => sim.stop());
  return sim;
}

/** A small seeded generator, whose seed a failure shows. */
export function createDice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Followers on threads of their own, and what they note. */
export class Crew {
  readonly words: Int32Array = new Int32Array(new SharedArrayBuffer(64 * FOLLOWING_WORDS));
  readonly workers: Worker[] = [];
  readonly reports: Promise<string>[] = [];
  readonly #sim: ProbeSimulation;

  constructor(sim: ProbeSimulation) {
    this.#sim = sim;
    closing.push(() => Promise.all(this.workers.map((worker) => worker.terminate())));
  }

  word(index: number, name: keyof typeof FOLLOWING): number {
    return Atomics.load(this.words, index * FOLLOWING_WORDS + FOLLOWING[name]);
  }

  number(index: number): number {
    return this.word(index, 'ready') - 1;
  }

  /** Starts one, or another in its place, and waits until it follows. */
  async start(index: number, everyTicks: number, task: Partial<FollowingTask> = {}): Promise<void> {
    const own = index * FOLLOWING_WORDS;
    this.words.fill(0, own, own + FOLLOWING_WORDS);
    const { worker, report } = startWorker<FollowingTask, string>('following', {
      handle: this.#sim.share(),
      everyTicks,
      wait: 'blocking',
      delayMsMax: 0,
      seed: index + 1,
      words: this.words,
      index,
      job: 'follow',
      ...task,
    });
    this.workers[index] = worker;
    this.reports[index] = report;
    await until('the follower is open', () => this.word(index, 'ready') > 0, 20_000);
  }
}

/** Opens a simulation's region, as another thread does. */
export const regionOf = (sim: ProbeSimulation): Region => {
  const { memory, schema, options } = sim.share() as unknown as RegionHandle;
  return openRegion(memory, computeLayout(schema, options));
};
