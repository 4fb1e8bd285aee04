import {
  colour,
  defineSimulation,
  list,
  openHeadless,
  position2d,
  quaternion,
  readReplay,
  type Replay,
  scalar,
  sparse,
  step,
  tag,
  vec2,
} from '../../../src/sim-worker/index.ts';

/** Entities of the scene; the last three slots stay free. */
export const POPULATION = 13;

/**
 * A small scene with every kind of component. Told so, its last system adds one unit to one value
 * in one tick, and its last system throws in one, as bugs of one build would.
 */
export function defineDrift(bumpAt = 0, failAt = 0) {
  return defineSimulation({
    name: 'drift',
    tickRateHz: 60,
    capacity: POPULATION + 3,
    params: { wind: 1, gustAt: 0 },
    components: {
      position: position2d(),
      velocity: vec2(),
      hits: step('i32'),
      tint: colour(),
      spin: quaternion(),
      trail: list(vec2(), 2),
      weight: step('f64'),
      charge: sparse(scalar(), 8),
      marked: tag(),
    },
    globals: { total: 'f64', flags: 'u8' },
    inputs: {
      pointer: { as: 'state', x: 'f32', down: 'bool' },
      hit: { as: 'event', slot: 'u32' },
    },
    publish: ['position'],
    setup({ world, params }) {
      for (let i = 0; i < POPULATION; i++) {
        world.spawn({
          position: [i, 0],
          velocity: [params.wind / (i + 1), 0.5],
          hits: i,
          tint: [1, 0.5, 0.25, 1],
          spin: [0, 0, 0, 1],
          trail: [1, 2, 3, 4],
          weight: 0.1,
          ...(i % 2 === 0 ? { charge: i } : {}),
          ...(i % 3 === 0 ? { marked: true as const } : {}),
        });
      }
    },
    systems: [
      {
        name: 'steer',
        writes: ['velocity'],
        run({ world, columns: { velocity }, random, tick, params }) {
          const gust = tick === params.gustAt ? 1 : 0;
          for (const i of world.live()) {
            velocity[2 * i] = (velocity[2 * i] as number) + (random.nextFloat01() - 0.5) * 0.01;
            velocity[2 * i + 1] = (velocity[2 * i + 1] as number) + gust;
          }
        },
      },
      {
        name: 'move',
        reads: ['velocity'],
        writes: ['position'],
        run({ world, columns: { position, velocity }, dt }) {
          for (const i of world.live()) {
            for (let k = 2 * i; k < 2 * i + 2; k++) {
              position[k] = (position[k] as number) + (velocity[k] as number) * dt;
            }
          }
        },
      },
      {
        name: 'count',
        writes: ['hits'],
        run({ columns: { hits }, globals, inputs, tick }) {
          for (const { slot } of inputs.hit) hits[slot] = (hits[slot] as number) + 1;
          globals.total += inputs.pointer.down ? 1 : 0.5;
          if (tick === bumpAt) hits[3] = (hits[3] as number) + 1;
          if (tick === failAt) throw new Error('failed on purpose');
        },
      },
    ],
  });
}

/** Records a run of the scene. */
export async function recordDrift(
  options: {
    readonly ticks?: number;
    readonly bumpAt?: number;
    readonly gustAt?: number;
    readonly seed?: number;
    readonly hashEveryTicks?: number;
    readonly keyframeEveryTicks?: number;
  } = {},
): Promise<Replay> {
  const { ticks = 600, bumpAt, gustAt = 0, seed = 3 } = options;
  const { hashEveryTicks = 60, keyframeEveryTicks = 600 } = options;
  const headless = await openHeadless(defineDrift(bumpAt), {
    maxTicks: ticks,
    pacing: 'fast',
    seed,
    params: { gustAt },
    record: { hashEveryTicks, keyframeEveryTicks },
  });
  const { recording, error } = await headless.run();
  if (error !== undefined) throw error;
  return readReplay(recording?.bytes as Uint8Array);
}

/** A recording as it is left when its process dies after `lastTick`: without what comes later. */
export function cutBehind(replay: Replay, lastTick: number): Replay {
  const hashes = Array.from({ length: replay.hashCount }, (_, k) => replay.hashAt(k));
  return {
    header: replay.header,
    byteLength: replay.byteLength,
    lastTick,
    end: undefined,
    truncated: { offset: replay.byteLength, why: 'the file ends without its last record' },
    inputCount: 0,
    inputsOf: (tick, visit) => replay.inputsOf(tick, visit),
    nextInputTick: (tick) => replay.nextInputTick(tick),
    hashCount: hashes.filter(({ tick }) => tick <= lastTick).length,
    hashAt: (k) => replay.hashAt(k),
    findHash: (tick, out) => tick <= lastTick && replay.findHash(tick, out),
    keyframes: replay.keyframes.filter(({ tick }) => tick <= lastTick),
    loadKeyframe: (k) => replay.loadKeyframe(k),
  };
}
