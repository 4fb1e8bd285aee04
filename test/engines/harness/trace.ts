import { EscapementError, type RunningSimulation, startSimulation } from 'escapement';
import { inline } from 'escapement/sim';
import { createPace, type Pace } from './paces.ts';
import {
  findWay,
  hashTicks,
  type Hashes,
  INPUT_EVERY_TICKS,
  type RunJob,
  type Way,
} from './plan.ts';
import { type EngineWorker, firstMessage, makeWorker } from './platform.ts';
import type { ReaderTask } from './reader.ts';
import { type Scene, SCENES, senderOf } from './scenes.ts';

const SEED = 20_260_109;
const OTHER_SEED = 7;
/** How long a run goes by its own clock between two hashes, in seconds, and how fast at most. */
const OWN_SECONDS = 0.1;
const OWN_SPEED_MAX = 20;
const TICK_RATE = 60;
/** Seeks in a replay, and how far apart in the list of its stops. */
const SEEKS = 20;
const SEEK_STRIDE = 7;
/** How often a run goes on from what it saved. */
const RESTORATIONS = 20;
/** Milliseconds without a tick after which a run is given up. */
const PATIENCE_MS = 20_000;

/** Says that this engine cannot run that way, and why. */
export class Unavailable extends Error {}

/** Runs a scene in one way and returns the hashes of its state by tick. */
export async function traceScene(job: RunJob): Promise<Hashes> {
  const run = new TracedRun(job);
  try {
    return await run.trace();
  } finally {
    await run.close();
  }
}

class TracedRun {
  readonly #scene: Scene;
  readonly #way: Way;
  readonly #ticks: number;
  readonly #silent: boolean;
  readonly #hashes: Record<string, string> = {};
  readonly #running: RunningSimulation[] = [];
  readonly #readers: EngineWorker[] = [];

  constructor({ scene, way, ticks, silent }: RunJob) {
    this.#scene = SCENES[scene];
    this.#way = findWay(way);
    this.#ticks = ticks;
    this.#silent = silent;
  }

  async trace(): Promise<Hashes> {
    const { pace, readers = 0 } = this.#way;
    if (pace === 'own clock') {
      await this.#byItsClock(await this.#start({ paused: true }));
      return this.#hashes;
    }
    if (pace === 'led') {
      await this.#led();
      return this.#hashes;
    }
    const sim = await this.#start({ drivenBy: 'host' });
    await this.#openReaders(sim, readers);
    const go = createPace(pace);
    if (this.#way.from === 'replay') {
      await this.#replayed(sim, go);
      return this.#hashes;
    }
    if (this.#way.from === 'saved') {
      await this.#restored(sim, go);
      return this.#hashes;
    }
    await this.#inStretches(sim, async (tick) => {
      await go(sim.clock, tick);
      if (readers > 0) await expectCaughtUp(sim);
    });
    return this.#hashes;
  }

  /** Records all of it, and takes the hashes of the replay, which compares its own too. */
  async #replayed(sim: RunningSimulation, go: Pace): Promise<void> {
    const recording = await sim.record({ hashEveryTicks: 20, keyframeEveryTicks: 250 });
    await this.#inStretches(sim, (tick) => go(sim.clock, tick));
    const { bytes } = await recording.stop();
    if (bytes === undefined) throw new Error('the recording is kept in memory');
    await sim.restart({ replay: bytes });
    const stops = hashTicks(this.#ticks);
    for (const stop of stops) {
      if (stop > 0) await sim.clock.advanceTicks(stop - sim.tick);
      await this.#hash(sim, stop);
    }
    // Back to some of them, from the nearest keyframe, in no order.
    for (let k = 0; k < SEEKS; k++) {
      const stop = stops[(k * SEEK_STRIDE) % stops.length] as number;
      await sim.clock.seekTick(stop);
      await this.#hash(sim, stop);
    }
    const status = await sim.replay?.status();
    if (status === undefined || status.divergence !== undefined || status.compared === 0) {
      throw new Error(`the replay diverged: ${JSON.stringify(status)}`);
    }
  }

  /** Goes on from what it saved, twenty times on the way. */
  async #restored(sim: RunningSimulation, go: Pace): Promise<void> {
    let next = 0;
    await this.#inStretches(sim, async (tick) => {
      if (tick < next) return go(sim.clock, tick);
      next = tick + this.#ticks / RESTORATIONS;
      const half = Math.ceil((sim.tick + tick) / 2);
      await go(sim.clock, half);
      await sim.restart({ restore: await sim.save() });
      if (half < tick) await go(sim.clock, tick);
    });
  }

  async close(): Promise<void> {
    for (const sim of this.#running.reverse()) await sim.stop();
    for (const reader of this.#readers) await reader.terminate();
  }

  async #start(options: Parameters<typeof startSimulation>[1]): Promise<RunningSimulation> {
    const { definition, module, params } = this.#scene;
    const { tier, restarted = false } = this.#way;
    const run = { params, seed: restarted ? OTHER_SEED : SEED };
    const all = { logLevel: 'off', profile: false, ...options, ...run } as const;
    const starting =
      tier === 'calling-thread'
        ? startSimulation(inline(definition), all)
        : startSimulation(() => makeWorker(module), { tier, ...all });
    const sim = (await starting.catch(asUnavailable)) as RunningSimulation;
    this.#running.push(sim);
    if (restarted) {
      await sim.clock.advanceTicks(33);
      await sim.restart({ params, seed: SEED });
    }
    return sim;
  }

  /** Opens threads that follow each tick, each second one, and so on. */
  async #openReaders(sim: RunningSimulation, count: number): Promise<void> {
    const { components } = this.#scene.definition.schema;
    const channels = components
      .filter(({ channelIndex }) => channelIndex >= 0)
      .map(({ name }) => name);
    for (let everyTicks = 1; everyTicks <= count; everyTicks++) {
      const reader = makeWorker('./reader.js');
      this.#readers.push(reader);
      reader.postMessage({ handle: sim.share(), everyTicks, channels } satisfies ReaderTask);
      await firstMessage(reader);
    }
  }

  /** Goes on from stop to stop: hashes at some, inputs at others. */
  async #inStretches(
    sim: RunningSimulation,
    go: (tick: number) => Promise<unknown>,
  ): Promise<void> {
    const send = senderOf(sim);
    const hashed = new Set(hashTicks(this.#ticks));
    let tick = 0;
    for (;;) {
      if (hashed.has(tick)) await this.#hash(sim, tick);
      const isInput = tick % INPUT_EVERY_TICKS === 0 && !this.#silent;
      if (isInput) this.#scene.input(tick / INPUT_EVERY_TICKS, send);
      if (tick >= this.#ticks) return;
      let next = tick + 1;
      while (next < this.#ticks && next % INPUT_EVERY_TICKS !== 0 && !hashed.has(next)) next++;
      await go(next);
      tick = next;
    }
  }

  /**
   * From hash to hash: lets it run, stops it on the way, wherever that is, and goes on from there.
   * The last stretch is for catching up: whatever keeps this thread, the end must not be missed.
   */
  async #byItsClock(sim: RunningSimulation): Promise<void> {
    const stops = hashTicks(this.#ticks);
    const last = stops.length - 1;
    await this.#hash(sim, 0);
    for (let k = 1; k <= last; k++) {
      const half = ((stops[k] as number) - sim.tick) / 2;
      if (k < last && half >= 10) {
        await sim.clock.setSpeed(Math.min(OWN_SPEED_MAX, half / TICK_RATE / OWN_SECONDS));
        await sim.clock.resume();
        const enough = sim.tick + half;
        await reach(sim, enough);
        await sim.clock.pause();
      }
      while (k < last && sim.tick > (stops[k] as number)) k++;
      const stop = stops[k] as number;
      if (sim.tick < stop) await sim.clock.advanceTicks(stop - sim.tick);
      await this.#hash(sim, stop);
    }
  }

  async #led(): Promise<void> {
    const leader = await startSimulation(() => makeWorker(SCENES.bounce.module), {
      tier: 'shared',
      drivenBy: 'host',
      logLevel: 'off',
    }).catch(asUnavailable);
    this.#running.push(leader as RunningSimulation);
    const sim = await this.#start({ follow: (leader as RunningSimulation).share() });
    const go = createPace('live, given deltas');
    await this.#inStretches(sim, async (tick) => {
      await go((leader as RunningSimulation).clock, tick);
      await reach(sim, tick);
    });
  }

  async #hash(sim: RunningSimulation, tick: number): Promise<void> {
    const reading = await sim.stateHash();
    if (reading.tick !== tick) throw new Error(`it stands at ${reading.tick}, not at ${tick}`);
    const before = this.#hashes[tick];
    if (before !== undefined && before !== reading.hash) {
      throw new Error(`tick ${tick} was ${before}, and is ${reading.hash} when it comes again`);
    }
    this.#hashes[tick] = reading.hash;
  }
}

/** Waits until a run has come to a tick. It is read once a turn: it goes on while this looks. */
async function reach(sim: RunningSimulation, tick: number): Promise<void> {
  for (let seen = sim.tick; seen < tick; seen = sim.tick) {
    const { reason } = await sim.waitForTickChange(seen, PATIENCE_MS);
    if (reason === 'changed') continue;
    const standing = JSON.stringify(sim.stats());
    throw new Error(`no tick came after ${seen}, on the way to ${tick}: ${reason}, ${standing}`);
  }
}

async function expectCaughtUp(sim: RunningSimulation): Promise<void> {
  const { reason } = await sim.waitCaughtUp({ timeoutMs: PATIENCE_MS });
  if (reason !== 'caught-up') throw new Error(`a reading thread is behind: ${reason}`);
}

/** What says that an engine has no memory that threads share. */
const NOT_THERE: readonly string[] = ['NOT_ISOLATED', 'NOT_SHARED', 'TIER_UNAVAILABLE'];

function asUnavailable(cause: unknown): never {
  const isKnown = cause instanceof EscapementError && NOT_THERE.includes(cause.code);
  throw isKnown ? new Unavailable(cause.message) : cause;
}
