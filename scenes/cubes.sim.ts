import {
  colour,
  defineSimulation,
  linearColour,
  position3d,
  quaternion,
  type Random,
  runSimulation,
  vec3,
  type World,
} from 'escapement/sim';
import { CubePhysics } from './cube-physics.ts';

/*
 * Cubes that fall onto a floor and stack, under a physics engine that runs inside the simulation:
 * rapier keeps its own state beside the world, and the world is told where each cube is. When all
 * have come to rest, they are lifted and fall again.
 *
 * Metres; y is up and the floor is y = 0. A unit cube, scaled, turned and moved, is the body.
 */

/** Cubes that a run begins with, at most; the rest of the capacity is for those dropped later. */
export const POPULATION_MAX = 3000;
const CAPACITY = 4096;
/** Edges of the cubes, in metres: a cube turned about fits between the places of the grid. */
const EDGE_MIN = 0.3;
const EDGE_MAX = 0.56;
/** How far apart the places are from which cubes fall. */
const SPACING = 1;
/** Seconds until another cube falls from the same place: the one before is out of the way. */
const PLACE_FREE_SECONDS = 0.2;
/** Velocities of a lifted and of a dropped cube, downwards. */
const LIFT_SPEED = 6;
const DROP_SPEED = 8;
const SPIN_MAX = 2;
/** Seconds that all lie still before they are lifted. */
const REST_SECONDS = 1.5;
/** How far a blow reaches, what it does to the speed of a cube beside it, and how deep it is. */
const BLOW_REACH = 3;
const BLOW_SPEED = 9;
const BLOW_DEPTH = 0.5;

const COLOURS = [0x42ccff, 0x737aff, 0xff6ba8, 0xffbd66].map((code) => linearColour(code));

const components = {
  position: position3d(),
  orientation: quaternion(),
  /** The edges, in metres: all three alike. */
  scale: vec3(),
  /** One of a few, for life. */
  colour: colour(),
};

/** The engine of the present run: state beside the world, which `foreign` gives an account of. */
let physics: CubePhysics | undefined;

function engine(): CubePhysics {
  if (physics !== undefined) return physics;
  throw new Error('there is no engine before setup');
}

/** Values as `spawn` and `teleport` take them, filled anew for each cube. */
const place: [x: number, y: number, z: number] = [0, 0, 0];
const turn: [x: number, y: number, z: number, w: number] = [0, 0, 0, 1];
const size: [x: number, y: number, z: number] = [0, 0, 0];
const lifted = { position: place, orientation: turn };
const newcomer = { ...lifted, scale: size, colour: COLOURS[0] as (typeof COLOURS)[number] };

/** Places along one side of the square from which so many cubes fall. */
function sideOf(count: number): number {
  let side = 1;
  while (side * side * side < count) side++;
  return side;
}

/** How high above the floor cubes begin to fall when they are lifted: above the heap. */
function fallHeight(count: number): number {
  return (sideOf(count) + 3) * SPACING;
}

/** Puts place `k` of a square grid into `place`, at a height. */
function findPlace(k: number, side: number, height: number): void {
  const middle = (side - 1) / 2;
  place[0] = ((k % side) - middle) * SPACING;
  place[1] = height;
  place[2] = ((Math.floor(k / side) % side) - middle) * SPACING;
}

/** Draws a number between -most and most. */
function spread(random: Random, most: number): number {
  return (2 * random.nextFloat01() - 1) * most;
}

/** Readies the next body: at `place`, turned and spinning by chance, going down. */
function aim(random: Random, speed: number): void {
  let square = 0;
  do {
    square = 0;
    for (let part = 0; part < 4; part++) {
      const drawn = spread(random, 1);
      turn[part] = drawn;
      square += drawn * drawn;
    }
  } while (square < 0.01);
  const scale = 1 / Math.sqrt(square);
  for (let part = 0; part < 4; part++) turn[part] = (turn[part] as number) * scale;
  const { position, orientation, motion, spin } = engine();
  [position.x, position.y, position.z] = place;
  [orientation.x, orientation.y, orientation.z, orientation.w] = turn;
  motion.x = 0;
  motion.y = -speed;
  motion.z = 0;
  spin.x = spread(random, SPIN_MAX);
  spin.y = spread(random, SPIN_MAX);
  spin.z = spread(random, SPIN_MAX);
}

/** Puts the cube at a slot index where `aim` has readied it. */
function move(world: World<typeof components>, index: number): void {
  world.teleport(world.entityAt(index), lifted);
  engine().place(index);
}

/** Makes a cube of some size and colour, which `aim` has readied. */
function spawnNext(world: World<typeof components>, random: Random): void {
  // As f32, so that the body is as large as it is shown.
  const edge = Math.fround(EDGE_MIN + random.nextFloat01() * (EDGE_MAX - EDGE_MIN));
  size.fill(edge);
  newcomer.colour = COLOURS[random.nextRange(0, COLOURS.length)] as (typeof COLOURS)[number];
  world.spawn(newcomer);
  engine().add(edge);
}

export const cubes = defineSimulation({
  name: 'cubes',
  tickRateHz: 60,
  capacity: CAPACITY,
  params: { population: 500 },
  components,
  globals: { awake: 'u32', restSeconds: 'f32', toLift: 'u32', rounds: 'u32' },
  publish: ['position', 'orientation', 'scale', 'colour'],
  inputs: {
    drop: { as: 'event', x: 'f32', z: 'f32' },
    blow: { as: 'event', x: 'f32', y: 'f32', z: 'f32' },
  },
  foreign: {
    save: () => engine().save(),
    restore: (bytes) => engine().restore(bytes),
    hash: () => engine().hash(),
  },
  async setup({ world, random, params: { population }, globals }) {
    if (!(Number.isInteger(population) && population >= 0 && population <= POPULATION_MAX)) {
      throw new RangeError(
        `\`population\` is a whole number up to ${POPULATION_MAX}, not ${population}`,
      );
    }
    physics?.free();
    physics = undefined;
    physics = await CubePhysics.load(CAPACITY);
    const side = sideOf(population);
    for (let k = 0; k < population; k++) {
      findPlace(k, side, SPACING * (1 + Math.floor(k / (side * side))));
      aim(random, 0);
      spawnNext(world, random);
    }
    globals.awake = population;
  },
  systems: [
    {
      name: 'drop',
      writes: ['position', 'orientation', 'scale', 'colour'],
      run({ world, random, inputs: { drop } }) {
        for (let n = 0; n < drop.length; n++) {
          const { x, z } = drop[n] as (typeof drop)[number];
          place[0] = x;
          place[1] = fallHeight(world.count) + SPACING;
          place[2] = z;
          aim(random, DROP_SPEED);
          if (world.count < CAPACITY) spawnNext(world, random);
          else move(world, random.nextRange(0, CAPACITY));
        }
      },
    },
    {
      name: 'blow',
      reads: ['position', 'scale'],
      after: ['drop'],
      run({ world, inputs: { blow }, columns: { position, scale } }) {
        const bodies = engine();
        const { motion } = bodies;
        for (let n = 0; n < blow.length; n++) {
          const { x, y, z } = blow[n] as (typeof blow)[number];
          const live = world.live();
          for (let k = 0; k < live.length; k++) {
            const i = live[k] as number;
            const dx = (position[3 * i] as number) - x;
            const dy = (position[3 * i + 1] as number) - y + BLOW_DEPTH;
            const dz = (position[3 * i + 2] as number) - z;
            const distance = Math.sqrt(dx * dx + dy * dy + dz * dz);
            if (distance > BLOW_REACH || distance === 0) continue;
            const edge = scale[3 * i] as number;
            const speed = BLOW_SPEED * (1 - distance / BLOW_REACH);
            const strength = (edge * edge * edge * speed) / distance;
            motion.x = dx * strength;
            motion.y = dy * strength;
            motion.z = dz * strength;
            bodies.push(i);
          }
        }
      },
    },
    {
      name: 'lift',
      writes: ['position', 'orientation'],
      after: ['blow'],
      run({ world, random, dt, globals }) {
        if (globals.toLift === 0) {
          if (world.count === 0) return;
          globals.restSeconds = globals.awake === 0 ? globals.restSeconds + dt : 0;
          if (globals.restSeconds < REST_SECONDS) return;
          globals.restSeconds = 0;
          globals.toLift = world.count;
          globals.rounds++;
        }
        // No place lets another cube fall before the one before is out of the way.
        const side = sideOf(world.count);
        const places = side * side;
        const most = Math.min(places, Math.max(1, Math.floor((places * dt) / PLACE_FREE_SECONDS)));
        for (let n = 0; n < most && globals.toLift > 0; n++) {
          const index = --globals.toLift;
          findPlace(index, side, fallHeight(world.count));
          aim(random, LIFT_SPEED);
          move(world, index);
        }
      },
    },
    {
      name: 'fall',
      writes: ['position', 'orientation'],
      after: ['lift'],
      budgetMs: 12,
      run({ dt, globals, columns: { position, orientation } }) {
        const bodies = engine();
        bodies.step(dt);
        bodies.readInto(position, orientation);
        globals.awake = bodies.awake;
      },
    },
  ],
});
export type Cubes = typeof cubes;

runSimulation(cubes);
