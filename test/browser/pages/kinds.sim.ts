/** Entities with a channel of every kind, whose values jump about from tick to tick. */
import {
  angle,
  colour,
  defineSimulation,
  eulerAngles,
  fixed,
  position3d,
  quaternion,
  reference,
  runSimulation,
  scalar,
  step,
  vec2,
} from 'escapement/sim';

export const POPULATION = 100;

/** A number in [-1, 1) that follows from where it stands. */
function noise(entity: number, tick: number, part: number): number {
  let x = Math.imul(entity + 1, 0x9e3779b1) ^ Math.imul(tick + 7, 0x85ebca6b) ^ (part * 0xc2b2ae35);
  x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39);
  return ((x ^ (x >>> 15)) >>> 0) / 2 ** 31 - 1;
}

/** Quaternions whose arc between two ticks is from nothing to half a turn. */
function turn(entity: number, tick: number, first: number): number[] {
  const spread = entity % 4 === 0 ? 0.01 : 2;
  const still = [0.5, -0.3, 0.7, 0.2];
  const q = still.map((it, part) => it + spread * noise(entity, tick, first + part));
  const length = Math.sqrt(q.reduce((sum, it) => sum + it * it, 0));
  const sign = (entity + tick) % 3 === 0 ? -1 : 1;
  return q.map((it) => (sign * it) / length);
}

const components = {
  single: scalar(),
  pair: vec2(),
  position: position3d(),
  tint: colour(),
  heading: angle(),
  degrees: angle(360),
  look: eulerAngles(),
  orientation: quaternion(),
  cheap: quaternion('nlerp'),
  floats: step('f32', 2),
  words: step('u32'),
  halves: step('u16', 2),
  bytes: step('u8', 4),
  exact: fixed(),
  exacts: fixed(3),
  friend: reference(),
} as const;

type Name = keyof typeof components;

export const kinds = defineSimulation({
  name: 'kinds',
  tickRateHz: 60,
  capacity: 256,
  components,
  publish: Object.keys(components) as Name[],
  setup({ world }) {
    const all = Object.fromEntries(Object.keys(components).map((name) => [name, 0]));
    for (let i = 0; i < POPULATION; i++) world.setBlended(world.spawn(all), i % 10 !== 9);
  },
  systems: [
    {
      name: 'jump',
      writes: Object.keys(components) as Name[],
      run({ world, tick, columns }) {
        const names = Object.keys(components) as Name[];
        for (let i = 0; i < POPULATION; i++) {
          if (i % 10 === 3 && (i + tick) % 4 === 0) world.teleport(world.entityAt(i), {});
          if (i % 10 === 5) world.setBlended(world.entityAt(i), (tick + i) % 3 > 0);
          for (const [k, name] of names.entries()) {
            const { width, blend, scalar: type } = components[name];
            const column = columns[name];
            const q = turn(i, tick, 16 * k);
            for (let part = 0; part < width; part++) {
              const x = noise(i, tick, 16 * k + part);
              let value = 10 * x;
              if (width === 4 && blend.endsWith('lerp') && name !== 'tint') value = q[part] ?? 0;
              if (blend === 'angle') value = (name === 'degrees' ? 360 : 2 * Math.PI) * (x + 1) * 2;
              if (type !== 'f32') value = Math.floor(x * 2 ** 31);
              column[i * width + part] = value;
            }
          }
        }
      },
    },
  ],
});

export type Kinds = typeof kinds;

runSimulation(kinds);
