import { Worker } from 'node:worker_threads';
import { SingleBar } from 'cli-progress';
import { EscapementError, type RunningSimulation, startSimulation } from 'escapement';
import { openView, type View } from 'escapement/render';
import type { TypesOf } from 'escapement/sim';
import type { Bounce } from '#build/scenes/bounce.sim.js';
import type { Crowd } from '#build/scenes/crowd.sim.js';
import { type Figures, formatTable, gather } from './figures.ts';
import { type HeadlessOptions, readOptions, USAGE, UsageError } from './options.ts';
import { readRecording } from './recording.ts';

/*
 * A scene without a screen: it runs in a worker of Node's, the main thread reads it at 144 frames a
 * second as a renderer would, and a table at the end says what it was like.
 */

const FRAME_RATE_HZ = 144;

/** All scenes publish positions, and that is all a frame here blends: one type stands for them. */
type SceneTypes = TypesOf<Bounce>;

async function start(options: HeadlessOptions): Promise<RunningSimulation<SceneTypes>> {
  const { scene, entities, seed, data } = options;
  const worker = (): Worker => new Worker(new URL(`../scenes/${scene}.sim.js`, import.meta.url));
  if (scene !== 'crowd') {
    const params = entities === undefined ? {} : { population: entities };
    return startSimulation<Bounce>(worker, { params, seed });
  }
  // Read before anything runs: a file that cannot be played leaves no worker behind.
  const { positions, frames, people } = readRecording(data as string);
  const sim = await startSimulation<Crowd>(worker, { seed, paused: true });
  await sim.queries.load(positions, frames, people);
  await sim.clock.resume();
  return sim as unknown as RunningSimulation<SceneTypes>;
}

/** Nobody's word: to wait on it is to sleep. */
const word: Int32Array = new Int32Array(new SharedArrayBuffer(4));

/** Parks until `due` (milliseconds of `performance.now`), its last part exactly. */
async function parkUntil(due: number): Promise<void> {
  const early = due - performance.now() - 2;
  // The event loop has to turn, for Ctrl-C and for what the simulation may have to say.
  await new Promise((resolve) => (early > 1 ? setTimeout(resolve, early) : setImmediate(resolve)));
  const rest = due - performance.now();
  if (rest > 0) Atomics.wait(word, 0, 0, rest);
}

/** Draws frames until the time is over or `stopped` says so; returns what each one cost. */
async function draw(
  sim: RunningSimulation<SceneTypes>,
  view: View<SceneTypes>,
  seconds: number,
  stopped: () => boolean,
): Promise<{ readonly frameMs: number[]; readonly alpha: number }> {
  const bar = new SingleBar({
    format: '  {bar} {value}/{total} s  tick {tick}  {entities} entities',
    clearOnComplete: true,
    noTTYOutput: false,
  });
  const showsBar = process.stdout.isTTY === true;
  if (showsBar) bar.start(Math.ceil(seconds), 0, { tick: 0, entities: 0 });
  const frameMs: number[] = [];
  let alpha = 0;
  const begin = performance.now();
  for (let k = 1; !stopped(); k++) {
    const due = begin + (k * 1000) / FRAME_RATE_HZ;
    if (due - begin > seconds * 1000) break;
    await parkUntil(due);
    const before = performance.now();
    const frame = view.frame(before);
    frame.blend('position');
    alpha = frame.alpha;
    frame.release();
    frameMs.push(performance.now() - before);
    if (showsBar && k % FRAME_RATE_HZ === 0) {
      const { tick, entityCount } = sim.stats();
      bar.update(k / FRAME_RATE_HZ, { tick, entities: entityCount });
    }
  }
  if (showsBar) bar.stop();
  return { frameMs, alpha };
}

async function run(options: HeadlessOptions): Promise<Figures> {
  const sim = await start(options);
  const view = openView(sim.share());
  let stopped = false;
  const stop = (): void => {
    stopped = true;
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  let failure: EscapementError | undefined;
  void sim.ended.then((cause) => {
    failure = cause;
    stopped = true;
  });
  try {
    const { frameMs, alpha } = await draw(sim, view, options.seconds, () => stopped);
    if (failure !== undefined) throw failure;
    return gather(sim.stats(), view.stats(), alpha, frameMs, sim.capabilities);
  } finally {
    view.close();
    await sim.stop();
  }
}

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2));
    if (!options.json) process.stdout.write(`${options.scene}, ${options.seconds} s\n`);
    const figures = await run(options);
    process.stdout.write(options.json ? `${JSON.stringify(figures)}\n` : formatTable(figures));
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message}\n\n${USAGE}`);
      return 2;
    }
    if (!(error instanceof EscapementError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

process.exitCode = await main();
