import { type Entity, openHeadless } from 'escapement/sim';
import { expect, test } from 'vitest';
import { CubePhysics } from '../../scenes/cube-physics.ts';
import { cubes, POPULATION_MAX } from '../../scenes/cubes.sim.ts';
import { createLog, type LogRecord } from '../../src/shared/log.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';
import { type CubeColumns, deepestOverlap, lowestCorner } from './boxes.ts';
import { runScene } from './scene-run.ts';

const POPULATION = 60;
/** The state of so many cubes at tick 599, one dropped and all struck; rapier's is in it too. */
const GOLDEN = '9d2add08e626b94a';
const QUANTUM_NS = 1e9 / 60;

/** A run on this thread, without a view: its columns are looked at directly. */
async function open(population: number, maxTicks: number, onTick?: (tick: number) => void) {
  const log = createLog({ nowMs: () => 0, sink: () => undefined, level: 'off' });
  const params = { population };
  return openHeadless(cubes, { params, maxTicks, pacing: 'fast', onTick, seed: 1, log });
}

test.each([30, 60, 144])('ten seconds at %s Hz are 600 ticks and one state', async (hz) => {
  const run = await runScene(cubes, { params: { population: POPULATION }, seed: 1 });
  run.sim.inputs.drop({ x: 0.5, z: -0.5 });
  run.sim.inputs.blow({ x: 0, y: 1, z: 0 });
  for (let k = 1; k <= 10 * hz; k++) run.frameAt((k * 1e9) / hz);
  expect(await run.sim.stateHash()).toEqual({ tick: 600, hash: GOLDEN });
  await run.close();
});

test('rapier goes on from a snapshot as it would have gone on', async () => {
  const ticks = 240;
  const at = 100;
  const hashes: string[] = [];
  let saved = new Uint8Array();
  const straight = await open(POPULATION, ticks, (tick) => {
    if (tick === at) saved = cubes.foreign?.save().slice() ?? saved;
    hashes[tick] = straight.stateHash();
  });
  await straight.run();
  let early = new Uint8Array();
  const resumed = await open(POPULATION, ticks, (tick) => {
    if (tick === at - 30) early = cubes.foreign?.save().slice() ?? early;
    if (tick === at) {
      // The engine is led astray first, so that whatever it kept would show.
      cubes.foreign?.restore(early);
      expect(resumed.stateHash()).not.toBe(hashes[at]);
      cubes.foreign?.restore(saved);
    }
    expect(resumed.stateHash()).toBe(hashes[tick]);
  });
  const outcome = await resumed.run();
  expect([outcome.tick, outcome.error]).toEqual([ticks, undefined]);
  expect(() => cubes.foreign?.restore(new Uint8Array(8))).toThrow(RangeError);
});

test('at rest all cubes lie on the floor or on others, none inside another', async () => {
  const population = scaled({ tiny: 100, normal: 300, full: 1000 });
  let restedAt = 0;
  const figures = { deepest: 0, lowest: 0, highest: 0 };
  const run = await open(population, 1500, (tick) => {
    const { world } = run;
    if (world.globals.awake !== 0 || restedAt > 0) return;
    restedAt = tick;
    const columns: CubeColumns = world.columns;
    figures.deepest = deepestOverlap(columns, world.live());
    figures.lowest = lowestCorner(columns, world.live());
    figures.highest = Math.max(
      ...Array.from(world.live(), (i) => world.columns.position[3 * i + 1] as number),
    );
    run.stop();
  });
  await run.run();
  process.stdout.write(
    `cubes: ${population} at rest after ${restedAt} ticks; ` +
      `${(1000 * figures.deepest).toFixed(1)} mm deep in one another at most, ` +
      `lowest corner at ${(1000 * figures.lowest).toFixed(1)} mm\n`,
  );
  expect(restedAt).toBeGreaterThan(60);
  expect(figures.lowest).toBeGreaterThan(-0.02);
  expect(figures.deepest).toBeLessThan(0.02);
  // Some lie on others: the floor alone would have them all lower than one edge.
  expect(figures.highest).toBeGreaterThan(0.56);
});

test('rested cubes are lifted in turn, and no frame shows them on the way', async () => {
  const run = await runScene(cubes, { params: { population: POPULATION }, seed: 3 });
  const before = new Map<Entity, number>();
  const liftedIn = new Map<Entity, number>();
  const out = [0, 0, 0];
  for (let tick = 1; liftedIn.size < POPULATION && tick < 2000; tick++) {
    // Between two ticks: whatever is blended over a jump would be shown half-way.
    run.frameAt((tick + 0.5) * QUANTUM_NS);
    const frame = run.view.frame();
    for (const handle of frame.entities as unknown as Iterable<Entity>) {
      const status = frame.sample(handle, 'position', out);
      const y = out[1] as number;
      const rose = y - (before.get(handle) ?? y);
      before.set(handle, y);
      if (status === 'snapped' && tick > 1) {
        liftedIn.set(handle, tick);
        expect(rose).toBeGreaterThan(2);
      } else {
        expect(rose).toBeLessThan(0.5);
      }
    }
    frame.release();
  }
  expect(liftedIn.size).toBe(POPULATION);
  const ticks = [...liftedIn.values()];
  // 16 places, one cube each 0.2 s.
  expect(Math.max(...ticks) - Math.min(...ticks)).toBeGreaterThan(30);
  await run.close();
});

test('a dropped cube is one more until there is no room, then one of those there', async () => {
  const run = await runScene(cubes, { params: { population: 0 } });
  const capacity = 4096;
  const drop = (k: number) => run.sim.inputs.drop({ x: k % 64, z: Math.floor(k / 64) });
  let dropped = 0;
  for (let step = 0; dropped < capacity && step < capacity; step++) {
    while (dropped < capacity && drop(dropped)) dropped++;
    await run.sim.clock.advanceTicks(1);
    expect(run.sim.stats().entityCount).toBe(dropped);
  }
  drop(-1);
  await run.sim.clock.advanceTicks(1);
  const frame = run.view.frame();
  expect([dropped, frame.entities.length]).toEqual([capacity, capacity]);
  const at = frame.blend('position');
  expect(at.filter((x, k) => k % 3 === 0 && Math.abs(x + 1) < 0.01).length).toBe(1);
  frame.release();
  await run.close();
});

test('a blow throws up the cubes beside it', async () => {
  const run = await runScene(cubes, { params: { population: POPULATION } });
  await run.sim.clock.advanceTicks(300);
  const readHeights = (): number[] => {
    const frame = run.view.frame();
    const heights = [...frame.blend('position')].filter((_, k) => k % 3 === 1);
    frame.release();
    return heights;
  };
  const resting = readHeights();
  run.sim.inputs.blow({ x: 0, y: 0, z: 0 });
  await run.sim.clock.advanceTicks(15);
  const thrown = readHeights().filter((y, row) => y > (resting[row] as number) + 0.3);
  expect(thrown.length).toBeGreaterThan(POPULATION / 10);
  await run.close();
});

test('a step leaves nothing on the heap, nor does a look at cubes that sleep', async () => {
  const bodies = await CubePhysics.load(20);
  const place = (k: number, height: number): void => {
    bodies.position.x = 2 * k;
    bodies.position.y = height;
  };
  for (let k = 0; k < 20; k++) {
    // So high that they fall for as long as this takes.
    place(k, 1e5);
    bodies.add(0.5);
  }
  const position = new Float32Array(60);
  const orientation = new Float32Array(80);
  const read = (): void => bodies.readInto(position, orientation);
  const step = (): void => bodies.step(1 / 60);
  expect(bytesLeft(200, step)).toBe(0);
  read();
  expect(bodies.awake).toBe(20);
  bodies.motion.y = 0;
  for (let k = 0; k < 20; k++) {
    place(k, 0.25);
    bodies.place(k);
  }
  for (let tick = 0; tick < 300; tick++) step();
  read();
  expect([bytesLeft(200, read), bodies.awake]).toEqual([0, 0]);
  bodies.free();
});

test('neither the engine nor a system asks for what development forbids', async () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'performance');
  const lines: LogRecord[] = [];
  const log = createLog({ nowMs: () => 0, sink: (line) => void lines.push(line), level: 'warn' });
  const run = await openHeadless(cubes, {
    params: { population: POPULATION },
    maxTicks: 300,
    pacing: 'fast',
    log,
    development: true,
  });
  expect(Object.getOwnPropertyDescriptor(globalThis, 'performance')).toEqual(own);
  const { tick, error } = await run.run();
  expect([tick, error]).toEqual([300, undefined]);
  // Budgets are the machine's affair.
  expect(lines.map(({ event }) => event).filter((event) => !event.startsWith('budget_'))).toEqual(
    [],
  );
});

test.each([-1, 1.5, POPULATION_MAX + 1])('a population of %s is refused', async (population) => {
  await expect(open(population, 1)).rejects.toThrow('setup threw');
});
