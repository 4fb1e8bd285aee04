import { expect, test } from 'vitest';
import { flock } from '../../scenes/flock.sim.ts';
import { hashChannels, runScene } from './scene-run.ts';

const POPULATION = 500;
/** At this instant alpha is 0: what a frame shows is the state of tick 599. */
const TEN_SECONDS_NS = 10e9;

/** Ten seconds of frames that end exactly there, by the instants at which they are drawn. */
const FRAMES: Readonly<Record<string, (k: number) => number>> = {
  '30 Hz': (k) => (k * 1e9) / 30,
  '59.94 Hz': (k) => (k * 1001e6) / 60,
  '60 Hz': (k) => (k * 1e9) / 60,
  '90 Hz': (k) => (k * 1e9) / 90,
  '120 Hz': (k) => (k * 1e9) / 120,
  '144 Hz': (k) => (k * 1e9) / 144,
  '240 Hz': (k) => (k * 1e9) / 240,
  '8 and 25 ms in turn': (k) => Math.floor(k / 2) * 33e6 + (k % 2) * 8e6,
};

/** The state after ten seconds; a change of it is a change of the simulation, and says why. */
const GOLDEN = '9a1dd9b7985f3cd5';

async function tenSeconds(frames: (k: number) => number, seed = 1): Promise<[number, string]> {
  const run = await runScene(flock, { params: { population: POPULATION }, seed });
  run.sim.inputs.pointer({ x: 0.3, y: -0.2, down: false, active: true });
  for (let k = 1; frames(k) < TEN_SECONDS_NS; k++) run.frameAt(frames(k));
  run.frameAt(TEN_SECONDS_NS);
  const result: [number, string] = [run.sim.tick, hashChannels(run, ['position', 'heading'])];
  expect(run.sim.stats().ticksDropped).toBe(0);
  await run.close();
  return result;
}

test.each(Object.entries(FRAMES))('CLK 22: ten seconds of %s are 600 ticks', async (_, frames) => {
  expect(await tenSeconds(frames)).toEqual([600, GOLDEN]);
});

test('the same seed gives the same flock, another seed another', async () => {
  const sixty = FRAMES['60 Hz'] as (k: number) => number;
  const [, once] = await tenSeconds(sixty, 7);
  const [, again] = await tenSeconds(sixty, 7);
  const [, other] = await tenSeconds(sixty, 8);
  expect(again).toBe(once);
  expect(other).not.toBe(once);
});

test('the flock gathers at the pointer and flees from it when pressed', async () => {
  const run = await runScene(flock, { params: { population: POPULATION } });
  const near = (): Promise<number> => run.sim.queries.countNear(0, 0, 0.3);
  const at = (down: boolean): boolean => run.sim.inputs.pointer({ x: 0, y: 0, down, active: true });
  at(false);
  await run.sim.clock.advanceTicks(600);
  const gathered = await near();
  at(true);
  await run.sim.clock.advanceTicks(120);
  const scattered = await near();
  expect(gathered).toBeGreaterThan(POPULATION / 3);
  expect(scattered).toBeLessThan(gathered / 4);
  const events: number[] = [];
  run.sim.events.drain((event) => events.push(event.count));
  expect(events.length).toBeGreaterThanOrEqual(1);
  expect(events[0]).toBeGreaterThan(0);
  await run.close();
});
