/** Offers the test what a page can do with a simulation; every answer is plain data. */
import {
  EscapementError,
  openFollower,
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

/** What following a clock on the page came to. */
export interface Following {
  readonly advanced: readonly number[];
  readonly taken: number;
  readonly stepWait: string;
  readonly blockingWait: string;
  readonly caughtUp: string;
  /** The tick of a simulation that is led at a third of the rate, once it has caught up. */
  readonly ledTick: number;
  /** Seconds between what views of both show, at the worst. */
  readonly apart: number;
}

/** Advances by hand, follows on the page, and leads a second simulation in another worker. */
async function follow(): Promise<Following> {
  const makeWorker = (): Worker =>
    new Worker(new URL('./counter.sim.js', import.meta.url), { type: 'module' });
  const sim = await startSimulation<Counter>(makeWorker, { tier: 'shared', drivenBy: 'host' });
  const led = await startSimulation<Counter>(makeWorker, {
    tier: 'shared',
    follow: sim.share(),
    tickRateHz: 20,
  });
  const follower = openFollower(sim.share(), { everyTicks: 2 });
  const blockingWait = codeOf(() => follower.waitForStep(10));
  const waiting = follower.waitForStepAsync(5000);
  const advanced: number[] = [];
  for (let k = 0; k < 30; k++) advanced.push((await sim.clock.advance(1 / 30)).steps);
  const stepWait = await waiting;
  const taken = follower.take();
  follower.markPublished();
  const { reason: caughtUp } = await sim.waitCaughtUp();
  const ledTick = led.tick;
  follower.close();
  await led.stop();
  await sim.stop();
  return {
    advanced,
    taken,
    stepWait,
    blockingWait,
    caughtUp,
    ledTick,
    apart: await measureApart(makeWorker),
  };
}

/** Returns how far apart two views are of which one is of a simulation that is led. */
async function measureApart(makeWorker: () => Worker): Promise<number> {
  const sim = await startSimulation<Counter>(makeWorker, { tier: 'shared' });
  const follow = sim.share();
  const led = await startSimulation<Counter>(makeWorker, {
    tier: 'shared',
    follow,
    tickRateHz: 20,
  });
  const first = openView(follow, { slackMs: 0 });
  const second = openView(led.share(), { slackMs: 0 });
  let apart = 0;
  for (let i = 0; i < 60; i++) {
    await sim.waitForTickChange(sim.tick);
    const a = first.frame();
    const b = second.frame();
    // What is clamped stands still and tells nothing.
    if (i > 20 && a.alpha > 0 && a.alpha < 1 && b.alpha > 0 && b.alpha < 1) {
      apart = Math.max(apart, Math.abs((a.pairTick + a.alpha) / 60 - (b.pairTick + b.alpha) / 20));
    }
    a.release();
    b.release();
  }
  await led.stop();
  await sim.stop();
  return apart;
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
export const host = { follow, start, runTo };
export type Host = typeof host;

Object.assign(globalThis, { host });
document.title = 'ready';
