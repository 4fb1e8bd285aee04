import { openHeadless } from 'escapement/sim';
import { expect, test } from 'vitest';
import {
  BONE_COUNT,
  BONE_LENGTHS,
  BONE_NAMES,
  BONE_OFFSETS,
  BONE_PARENTS,
  BONE_TIPS,
  planeHalf,
  skeletons,
  SOLE,
} from '../../scenes/skeletons.sim.ts';
import { createLog, type LogRecord } from '../../src/shared/log.ts';
import { hashChannels, runScene } from './scene-run.ts';

const POPULATION = 100;
/** What is shown of so many figures at tick 599. */
const GOLDEN = '8885b1ddbc0a63e6';
const WIDTH = 4 * BONE_COUNT;

type Point = readonly [x: number, y: number, z: number];

/** Turns a point by the quaternion at an element: q p q*, written out as a matrix. */
function turned(rotations: Float32Array, at: number, [px, py, pz]: Point): Point {
  const [x = 0, y = 0, z = 0, w = 0] = rotations.subarray(at, at + 4);
  return [
    (1 - 2 * (y * y + z * z)) * px + 2 * (x * y - z * w) * py + 2 * (x * z + y * w) * pz,
    2 * (x * y + z * w) * px + (1 - 2 * (x * x + z * z)) * py + 2 * (y * z - x * w) * pz,
    2 * (x * z - y * w) * px + 2 * (y * z + x * w) * py + (1 - 2 * (x * x + y * y)) * pz,
  ];
}

/** Where a point of a bone is in the world, of the figure at a slot index. */
function place(world: Columns, index: number, bone: number, at: Point): Point {
  const { position, heading, boneRotation } = world;
  let [x, y, z] = at;
  for (let b = bone; b >= 0; b = BONE_PARENTS[b] as number) {
    [x, y, z] = turned(boneRotation, index * WIDTH + 4 * b, [x, y, z]);
    x += BONE_OFFSETS[3 * b] as number;
    y += BONE_OFFSETS[3 * b + 1] as number;
    z += BONE_OFFSETS[3 * b + 2] as number;
  }
  const turn = heading[index] as number;
  return [
    (position[3 * index] as number) + x * Math.cos(turn) + z * Math.sin(turn),
    (position[3 * index + 1] as number) + y,
    (position[3 * index + 2] as number) - x * Math.sin(turn) + z * Math.cos(turn),
  ];
}

interface Columns {
  readonly position: Float32Array;
  readonly heading: Float32Array;
  readonly boneRotation: Float32Array;
  readonly gait: Float32Array;
}

function corner(of: number): Point {
  return [SOLE[3 * of] as number, SOLE[3 * of + 1] as number, SOLE[3 * of + 2] as number];
}

const FEET = ['footL', 'footR'].map((name) => BONE_NAMES.indexOf(name));

async function open(maxTicks: number, onTick?: (tick: number) => void, seed = 1) {
  const log = createLog({ nowMs: () => 0, sink: () => undefined, level: 'off' });
  const params = { population: POPULATION };
  return openHeadless(skeletons, { params, maxTicks, pacing: 'fast', onTick, seed, log });
}

test('a figure has its bones in order, and stands upright on its soles', () => {
  expect([BONE_NAMES.length, BONE_PARENTS.length, BONE_LENGTHS.length]).toEqual([16, 16, 16]);
  expect([BONE_OFFSETS.length, BONE_TIPS.length]).toEqual([48, 48]);
  BONE_PARENTS.forEach((parent, bone) => expect(parent).toBeLessThan(bone));
  expect([...BONE_PARENTS].filter((parent) => parent < 0)).toEqual([-1]);
  const still: Columns = {
    position: new Float32Array(3),
    heading: new Float32Array(1),
    boneRotation: Float32Array.from({ length: WIDTH }, (_, k) => (k % 4 === 3 ? 1 : 0)),
    gait: new Float32Array(1),
  };
  for (const foot of FEET) expect(place(still, 0, foot, corner(0))[1]).toBeCloseTo(0, 6);
  const head = BONE_NAMES.indexOf('head');
  const crown = place(still, 0, head, [0, BONE_TIPS[3 * head + 1] as number, 0])[1];
  expect(crown).toBeGreaterThan(1.6);
  expect(crown).toBeLessThan(1.9);
});

test.each([30, 60, 144])('ten seconds at %s Hz are 600 ticks and one state', async (hz) => {
  const run = await runScene(skeletons, { params: { population: POPULATION }, seed: 1 });
  run.sim.inputs.call({ x: 1, z: -1 });
  for (let k = 1; k <= 10 * hz; k++) run.frameAt((k * 1e9) / hz);
  expect(run.sim.tick).toBe(600);
  expect(hashChannels(run, ['position', 'heading', 'boneRotation', 'hue'])).toBe(GOLDEN);
  await run.close();
});

test('in every tick all turns are units, and the lower foot stands on the plane', async () => {
  const figures = { off: 0, lowest: 0 };
  const run = await open(300, () => {
    const { columns } = run.world;
    for (const i of run.world.live()) {
      let lowest = Number.POSITIVE_INFINITY;
      for (const foot of FEET) {
        for (let c = 0; c < 2; c++)
          lowest = Math.min(lowest, place(columns, i, foot, corner(c))[1]);
      }
      figures.lowest = Math.max(figures.lowest, Math.abs(lowest));
      for (let bone = 0; bone < BONE_COUNT; bone++) {
        const at = i * WIDTH + 4 * bone;
        const length = Math.hypot(...columns.boneRotation.subarray(at, at + 4));
        figures.off = Math.max(figures.off, Math.abs(length - 1));
      }
    }
  });
  expect((await run.run()).tick).toBe(300);
  expect(figures.off).toBeLessThan(1e-6);
  expect(figures.lowest).toBeLessThan(1e-5);
});

test('feet take turns, and the one that stands slides less than the figure walks', async () => {
  const before = new Map<string, Point>();
  const figures = { walked: 0, slid: 0, stands: 0, lifted: 0 };
  const at = new Map<number, Point>();
  const run = await open(600, () => {
    const { columns } = run.world;
    for (const i of run.world.live()) {
      const body = place(columns, i, -1, [0, 0, 0]);
      const was = at.get(i);
      at.set(i, body);
      FEET.forEach((foot, side) => {
        const sole = place(columns, i, foot, [0, -0.08, 0.06]);
        const last = before.get(`${i} ${side}`);
        before.set(`${i} ${side}`, sole);
        if (last === undefined || was === undefined || columns.gait[i] !== 1) return;
        if (sole[1] > 0.08) figures.lifted++;
        if (sole[1] > 0.015 || last[1] > 0.015) return;
        figures.stands++;
        figures.slid += Math.hypot(sole[0] - last[0], sole[2] - last[2]);
        figures.walked += Math.hypot(body[0] - was[0], body[2] - was[2]);
      });
    }
  });
  await run.run();
  process.stdout.write(
    `skeletons: a standing foot slides ${((100 * figures.slid) / figures.walked).toFixed(0)} % ` +
      `of the way; ${figures.stands} looked at, ${figures.lifted} lifted\n`,
  );
  expect(figures.stands).toBeGreaterThan(10_000);
  expect(figures.lifted).toBeGreaterThan(10_000);
  expect(figures.slid / figures.walked).toBeLessThan(0.25);
});

test('figures walk, stand and turn, and none leaves the plane by more than its turn', async () => {
  const figures = { farthest: 0, stood: new Set<number>(), turnMax: 0 };
  const headings = new Map<number, number>();
  const half = planeHalf(POPULATION);
  const run = await open(1200, () => {
    const { position, heading, gait } = run.world.columns;
    for (const i of run.world.live()) {
      const [x, z] = [position[3 * i] as number, position[3 * i + 2] as number];
      figures.farthest = Math.max(figures.farthest, Math.abs(x), Math.abs(z));
      if (gait[i] === 0) figures.stood.add(i);
      const now = heading[i] as number;
      const off = Math.abs(now - (headings.get(i) ?? now));
      figures.turnMax = Math.max(figures.turnMax, Math.min(off, 2 * Math.PI - off));
      headings.set(i, now);
    }
  });
  await run.run();
  expect(figures.farthest).toBeGreaterThan(half * 0.8);
  expect(figures.farthest).toBeLessThan(half + 2);
  expect(figures.stood.size).toBeGreaterThan(POPULATION / 4);
  expect(figures.turnMax).toBeGreaterThan(0.02);
  expect(figures.turnMax).toBeLessThan(1.7 / 60 + 1e-5);
});

test('the same seed gives the same crowd, another seed another', async () => {
  const hashes = await Promise.all(
    [7, 7, 8].map(async (seed) => (await (await open(120, undefined, seed)).run()).stateHash),
  );
  expect(hashes[1]).toBe(hashes[0]);
  expect(hashes[2]).not.toBe(hashes[0]);
});

test('in development nothing is complained of', async () => {
  const lines: LogRecord[] = [];
  const log = createLog({ nowMs: () => 0, sink: (line) => void lines.push(line), level: 'warn' });
  const params = { population: POPULATION };
  const options = { params, maxTicks: 300, pacing: 'fast', log, development: true } as const;
  const { tick, error } = await (await openHeadless(skeletons, options)).run();
  expect([tick, error]).toEqual([300, undefined]);
  // Budgets are the machine's affair.
  expect(lines.map(({ event }) => event).filter((event) => !event.startsWith('budget_'))).toEqual(
    [],
  );
});
