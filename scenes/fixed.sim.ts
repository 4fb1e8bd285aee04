import {
  absFixed,
  addFixed,
  atan2Fixed,
  clampFixed,
  cosFixed,
  defineSimulation,
  divFixed,
  expFixed,
  FIXED_ONE,
  fixed,
  length2Fixed,
  logFixed,
  mulFixed,
  negFixed,
  normalise2Fixed,
  powFixed,
  type Random,
  runSimulation,
  sinFixed,
  sqrtFixed,
  subFixed,
  toFixed,
  type World,
} from 'escapement/sim';

/*
 * Bodies around a star, in Q16.16 from end to end: no number of the state is a float. Those that
 * touch become one; one that grows too heavy bursts into splinters; the star burns what comes too
 * near, and what flies too far is lost. New ones keep coming, and a pointer draws them to itself.
 */

/** Bodies nearer to the star than this are burnt, and beyond the other they are lost: units. */
export const BURNT_WITHIN = 1;
export const LOST_BEYOND = 40;

const CAPACITY = 1024;
const PI = toFixed(3.141592653589793);
const TURN = 2 * PI;
const DT = toFixed(1 / 60);
/** The star's pull at one unit: units cubed a second squared. */
const GRAVITY = toFixed(64);
/** What the pointer does to a body one unit away, and how near it still grows. */
const POINTER_PULL = toFixed(20);
const POINTER_NEAREST = toFixed(0.5);
const BURNT = toFixed(BURNT_WITHIN);
const LOST = toFixed(LOST_BEYOND);
/** New bodies come between these distances from the star. */
const NEAREST = toFixed(4);
const FARTHEST = toFixed(26);
/** The radius of a body of mass 1, and what its mass is raised to for it. */
const RADIUS = toFixed(0.3);
const THIRD = toFixed(1 / 3);
const LIGHTEST = toFixed(0.25);
/** A body of this mass bursts into so many of equal mass, which fly off at this speed. */
const BURST_MASS = toFixed(6);
const SPLINTERS = 7;
const SPLINTER_SPEED = toFixed(3);
/** How far from the middle splinters begin: they must not touch each other at once. */
const SPLINTER_DISTANCE = toFixed(1.2);
/** What is left of a body's heat after a tick: e to this. */
const COOLING = toFixed(-1 / 90);

const components = {
  position: fixed(2),
  velocity: fixed(2),
  heading: fixed(),
  mass: fixed(),
  /** Grows by the speed of what hit; the natural logarithm of one more than it is shown. */
  heat: fixed(),
  glow: fixed(),
};

/** Values as `spawn` takes them, filled anew for each body: raw. */
const place: [x: number, y: number] = [0, 0];
const motion: [x: number, y: number] = [0, 0];
const newcomer = { position: place, velocity: motion, heading: 0, mass: 0, heat: 0, glow: 0 };
/** A direction, and radii by slot index. */
const unit: Int32Array = new Int32Array(2);
const radii: Int32Array = new Int32Array(CAPACITY);

/** Makes a body that circles the star, to the left or to the right, if there is room. */
function launch(
  world: World<typeof components>,
  random: Random,
  distance: number,
  angle: number,
): void {
  const cosine = cosFixed(angle);
  const sine = sinFixed(angle);
  const speed = sqrtFixed(divFixed(GRAVITY, distance));
  const turned = random.nextRange(0, 4) === 0 ? negFixed(speed) : speed;
  place[0] = mulFixed(distance, cosine);
  place[1] = mulFixed(distance, sine);
  motion[0] = negFixed(mulFixed(turned, sine));
  motion[1] = mulFixed(turned, cosine);
  newcomer.heading = atan2Fixed(motion[1], motion[0]);
  newcomer.mass = random.nextRange(LIGHTEST, FIXED_ONE);
  newcomer.heat = 0;
  if (world.count < CAPACITY) world.spawn(newcomer);
}

export const fixedOrbits = defineSimulation({
  name: 'fixed',
  tickRateHz: 60,
  capacity: CAPACITY,
  params: { population: 150 },
  components,
  globals: { merged: 'u32', burst: 'u32', burnt: 'u32', lost: 'u32' },
  publish: ['position', 'heading', 'mass', 'glow'],
  inputs: {
    pointer: { as: 'state', x: 'i32', y: 'i32', down: 'bool' },
    launch: { as: 'event', distance: 'i32', angle: 'i32' },
  },
  events: { burst: { x: 'i32', y: 'i32' } },
  setup({ world, random, params }) {
    for (let k = 0; k < params.population; k++) {
      launch(
        world,
        random,
        random.nextRange(NEAREST, FARTHEST),
        random.nextRange(negFixed(PI), PI),
      );
    }
  },
  systems: [
    {
      name: 'come',
      writes: ['position', 'velocity', 'heading', 'mass', 'heat', 'glow'],
      run({ world, random, params, inputs }) {
        for (let n = 0; n < inputs.launch.length; n++) {
          const { distance, angle } = inputs.launch[n] as (typeof inputs.launch)[number];
          launch(world, random, clampFixed(distance, NEAREST, FARTHEST), angle);
        }
        if (world.count >= params.population) return;
        // Square roots of a uniform draw spread the bodies evenly over the disc.
        const share = sqrtFixed(random.nextRange(0, FIXED_ONE));
        const distance = addFixed(NEAREST, mulFixed(subFixed(FARTHEST, NEAREST), share));
        launch(world, random, distance, random.nextRange(negFixed(PI), PI));
      },
    },
    {
      name: 'fly',
      reads: ['position', 'velocity'],
      writes: ['position', 'velocity', 'heading'],
      after: ['come'],
      run({ world, inputs: { pointer }, columns: { position, velocity, heading } }) {
        const live = world.live();
        for (let k = 0; k < live.length; k++) {
          const i = live[k] as number;
          const x = position[2 * i] as number;
          const y = position[2 * i + 1] as number;
          let vx = velocity[2 * i] as number;
          let vy = velocity[2 * i + 1] as number;
          const distance = length2Fixed(x, y);
          normalise2Fixed(x, y, unit);
          const pull = mulFixed(divFixed(divFixed(GRAVITY, distance), distance), DT);
          vx = subFixed(vx, mulFixed(pull, unit[0] as number));
          vy = subFixed(vy, mulFixed(pull, unit[1] as number));
          if (pointer.down) {
            const dx = subFixed(pointer.x, x);
            const dy = subFixed(pointer.y, y);
            const away = length2Fixed(dx, dy);
            normalise2Fixed(dx, dy, unit);
            const nearest = away < POINTER_NEAREST ? POINTER_NEAREST : away;
            const drawn = mulFixed(divFixed(POINTER_PULL, nearest), DT);
            vx = addFixed(vx, mulFixed(drawn, unit[0] as number));
            vy = addFixed(vy, mulFixed(drawn, unit[1] as number));
          }
          velocity[2 * i] = vx;
          velocity[2 * i + 1] = vy;
          position[2 * i] = addFixed(x, mulFixed(vx, DT));
          position[2 * i + 1] = addFixed(y, mulFixed(vy, DT));
          heading[i] = atan2Fixed(vy, vx);
        }
      },
    },
    {
      name: 'merge',
      reads: ['position', 'mass'],
      writes: ['position', 'velocity', 'mass', 'heat'],
      after: ['fly'],
      budgetMs: 4,
      run({ world, commands, globals, columns: { position, velocity, mass, heat } }) {
        const live = world.live();
        for (let k = 0; k < live.length; k++) {
          const i = live[k] as number;
          radii[i] = mulFixed(RADIUS, powFixed(mass[i] as number, THIRD));
        }
        for (let k = 0; k < live.length; k++) {
          const i = live[k] as number;
          if (mass[i] === 0) continue;
          for (let other = k + 1; other < live.length; other++) {
            const j = live[other] as number;
            if (mass[j] === 0) continue;
            const reach = addFixed(radii[i] as number, radii[j] as number);
            const dx = subFixed(position[2 * i] as number, position[2 * j] as number);
            if (absFixed(dx) >= reach) continue;
            const dy = subFixed(position[2 * i + 1] as number, position[2 * j + 1] as number);
            if (absFixed(dy) >= reach || length2Fixed(dx, dy) >= reach) continue;
            const whole = addFixed(mass[i] as number, mass[j] as number);
            const share = divFixed(mass[j] as number, whole);
            const dvx = subFixed(velocity[2 * j] as number, velocity[2 * i] as number);
            const dvy = subFixed(velocity[2 * j + 1] as number, velocity[2 * i + 1] as number);
            velocity[2 * i] = addFixed(velocity[2 * i] as number, mulFixed(dvx, share));
            velocity[2 * i + 1] = addFixed(velocity[2 * i + 1] as number, mulFixed(dvy, share));
            position[2 * i] = subFixed(position[2 * i] as number, mulFixed(dx, share));
            position[2 * i + 1] = subFixed(position[2 * i + 1] as number, mulFixed(dy, share));
            heat[i] = addFixed(heat[i] as number, length2Fixed(dvx, dvy));
            mass[i] = whole;
            mass[j] = 0;
            globals.merged++;
            commands.despawn(world.entityAt(j));
          }
        }
      },
    },
    {
      name: 'burst',
      reads: ['position', 'velocity', 'mass', 'heat'],
      writes: ['position', 'velocity', 'heading', 'mass', 'heat', 'glow'],
      after: ['merge'],
      run({ world, commands, globals, emit, columns }) {
        const { position, velocity, heading, mass, heat } = columns;
        const live = world.live();
        let room = CAPACITY - world.count;
        for (let k = 0; k < live.length; k++) {
          const i = live[k] as number;
          if ((mass[i] as number) < BURST_MASS || room < SPLINTERS) continue;
          room -= SPLINTERS;
          globals.burst++;
          const x = position[2 * i] as number;
          const y = position[2 * i + 1] as number;
          newcomer.mass = divFixed(mass[i] as number, SPLINTERS * FIXED_ONE);
          newcomer.heat = heat[i] as number;
          for (let n = 0; n < SPLINTERS; n++) {
            const turn = divFixed(n * TURN, SPLINTERS * FIXED_ONE);
            const angle = addFixed(heading[i] as number, turn);
            const cosine = cosFixed(angle);
            const sine = sinFixed(angle);
            place[0] = addFixed(x, mulFixed(SPLINTER_DISTANCE, cosine));
            place[1] = addFixed(y, mulFixed(SPLINTER_DISTANCE, sine));
            motion[0] = addFixed(velocity[2 * i] as number, mulFixed(SPLINTER_SPEED, cosine));
            motion[1] = addFixed(velocity[2 * i + 1] as number, mulFixed(SPLINTER_SPEED, sine));
            newcomer.heading = atan2Fixed(motion[1], motion[0]);
            commands.spawn(newcomer);
          }
          commands.despawn(world.entityAt(i));
          emit.burst({ x, y });
        }
      },
    },
    {
      name: 'end',
      reads: ['position', 'heat'],
      writes: ['heat', 'glow'],
      after: ['burst'],
      run({ world, commands, globals, columns: { position, heat, glow } }) {
        const live = world.live();
        const left = expFixed(COOLING);
        for (let k = 0; k < live.length; k++) {
          const i = live[k] as number;
          const cooler = mulFixed(heat[i] as number, left);
          heat[i] = cooler;
          glow[i] = logFixed(addFixed(FIXED_ONE, cooler));
          const distance = length2Fixed(position[2 * i] as number, position[2 * i + 1] as number);
          if (distance < BURNT) globals.burnt++;
          else if (distance > LOST) globals.lost++;
          else continue;
          commands.despawn(world.entityAt(i));
        }
      },
    },
  ],
});
export type FixedOrbits = typeof fixedOrbits;

runSimulation(fixedOrbits);
