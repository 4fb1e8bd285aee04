/** Offers the test what a page can do with a simulation; every answer is plain data. */
import {
  EscapementError,
  type RunningSimulation,
  startSimulation,
  type StartOptions,
} from 'escapement';
import { openView } from 'escapement/render';
import { inline, type TypesOf } from 'escapement/sim';
import { type Counter, counter } from './counter.sim.ts';

type CounterTypes = TypesOf<Counter>;
type Tier = 'auto' | 'shared' | 'transfer' | 'calling-thread';

/** What a start came to. */
export interface Outcome {
  readonly ms: number;
  readonly code?: string;
  readonly message?: string;
}

/** What a run of some ticks came to. */
export interface Run {
  readonly tier: string;
  readonly reason: string;
  readonly blocking: boolean;
  readonly workerIsolated: boolean;
  readonly workerHasWaitAsync: boolean;
  readonly tick: number;
  readonly x: number;
  /** How often the wait for a tick ended. */
  readonly waits: number;
  readonly worstFrameMs: number;
  /** Code of what the blocking wait threw; `none` if it did not. */
  readonly blockingWait: string;
}

function startCounter(tier: Tier, noWaitAsync: boolean): Promise<RunningSimulation<CounterTypes>> {
  const options: StartOptions<CounterTypes> = { startTimeoutMs: 3000 };
  if (tier === 'calling-thread') return startSimulation(inline(counter), options);
  const makeWorker = noWaitAsync
    ? () =>
        new Worker(new URL('./counter.sim.js?no-wait-async', import.meta.url), { type: 'module' })
    : () => new Worker(new URL('./counter.sim.js', import.meta.url), { type: 'module' });
  return startSimulation<Counter>(makeWorker, { tier, ...options });
}

function codeOf(work: () => unknown): string {
  try {
    work();
    return 'none';
  } catch (cause) {
    return cause instanceof EscapementError ? cause.code : String(cause);
  }
}

/** Starts, and says what came of it. */
async function start(tier: Tier): Promise<Outcome> {
  const began = performance.now();
  try {
    const sim = await startCounter(tier, false);
    await sim.stop();
    return { ms: performance.now() - began };
  } catch (cause) {
    const { code, message } = cause as EscapementError;
    return { ms: performance.now() - began, code, message };
  }
}

/** Runs until a tick, drawing in every animation frame, and stops. */
async function runTo(tick: number, tier: Tier, noWaitAsync = false): Promise<Run> {
  const sim = await startCounter(tier, noWaitAsync);
  const view = openView(sim.share());
  let x = 0;
  let worstFrameMs = 0;
  let drawing = true;
  const draw = (now: number): void => {
    if (!drawing) return;
    const before = performance.now();
    const frame = view.frame(now);
    x = frame.blend('position')[0] ?? 0;
    frame.release();
    worstFrameMs = Math.max(worstFrameMs, performance.now() - before);
    requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
  let waits = 0;
  for (let seen = 0; seen < tick; waits++) seen = (await sim.waitForTickChange(seen, 2000)).tick;
  await new Promise(requestAnimationFrame);
  drawing = false;
  const run: Run = {
    tier: sim.capabilities.tier,
    reason: sim.capabilities.reason,
    blocking: sim.capabilities.blocking,
    workerIsolated: await sim.queries.isolated(),
    workerHasWaitAsync: await sim.queries.hasWaitAsync(),
    tick: sim.tick,
    x,
    waits,
    worstFrameMs,
    blockingWait: codeOf(() => sim.waitForTickChangeBlocking(sim.tick, 10)),
  };
  view.close();
  await sim.stop();
  return run;
}

/** The page's side of the test. */
export const host = { start, runTo };
export type Host = typeof host;

Object.assign(globalThis, { host });
document.title = 'ready';
