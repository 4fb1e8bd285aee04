import {
  addFixed,
  clampFixed,
  defineSimulation,
  fixed,
  fixedFromInt,
  mulFixed,
  negFixed,
  type Random,
  step,
  subFixed,
  toFixed,
  type TypesOf,
  type World,
} from 'escapement/sim';

/*
 * A ball between two paddles, in Q16.16. Every number of the game lies in the world: in columns, in
 * globals, or in a system's generator. So a copy of the world is a copy of the game.
 */

export type Side = 'left' | 'right';

/** The field in cells; y goes down. */
export const WIDTH = 36;
export const HEIGHT = 24;
/** Half the length of a paddle, in cells. */
export const HALF_PADDLE = 3;
/** Columns of cells in which the paddles stand: the left one, the right one. */
export const PADDLE_X: readonly [number, number] = [1, WIDTH - 2];
/** Slots: nobody but sparks comes and goes, so these three stay where they are. */
export const BALL = 0;
export const PADDLES: readonly [number, number] = [1, 2];

/** Cells a tick. */
const PADDLE_SPEED = toFixed(0.45);
const SERVE_SPEED = toFixed(0.35);
const SPEED_MAX = toFixed(1.1);
const DRIFT_MAX = toFixed(0.5);
/** A hit makes the ball faster by so much, and turns it by where it hit. */
const FASTER = toFixed(1.06);
const TURN = toFixed(0.09);

const MIDDLE_X = toFixed(WIDTH / 2);
const MIDDLE_Y = toFixed(HEIGHT / 2);
const LOWEST = fixedFromInt(HEIGHT);
const HALF = fixedFromInt(HALF_PADDLE);
const REACH = toFixed(HALF_PADDLE + 0.5);
/** Where the ball turns back. */
const LEFT_FACE = fixedFromInt(PADDLE_X[0] + 1);
const RIGHT_FACE = fixedFromInt(PADDLE_X[1]);

const PAUSE_TICKS = 45;
const SPARK_TICKS = 24;
const SPARKS = { all: ['life'] } as const;

const components = { position: fixed(2), velocity: fixed(2), life: step('u16') };

/** Values as `spawn` takes them: filled anew, so that sparks leave no garbage. */
const sparkPosition: [x: number, y: number] = [0, 0];
const sparkVelocity: [x: number, y: number] = [0, 0];
const spark = { position: sparkPosition, velocity: sparkVelocity, life: SPARK_TICKS };

export const paddles = defineSimulation({
  name: 'paddles',
  tickRateHz: 60,
  capacity: 64,
  // A tick in which the last bit of the ball is altered: as if the code were not deterministic.
  params: { flawTick: 0 },
  components,
  globals: { leftScore: 'u32', rightScore: 'u32', hits: 'u32', pause: 'u32' },
  publish: ['position'],
  inputs: { left: { as: 'state', move: 'i32' }, right: { as: 'state', move: 'i32' } },
  setup({ world, globals }) {
    world.spawn({ position: [MIDDLE_X, MIDDLE_Y], velocity: 0 });
    for (const x of PADDLE_X) world.spawn({ position: [fixedFromInt(x), MIDDLE_Y] });
    globals.pause = PAUSE_TICKS;
  },
  systems: [
    {
      name: 'paddles',
      writes: ['position'],
      run({ inputs, columns: { position } }) {
        for (let side = 0; side < 2; side++) {
          // Whatever came over the network counts as up, down or nothing.
          const move = Math.sign(side === 0 ? inputs.left.move : inputs.right.move);
          const at = 2 * (PADDLES[side] as number) + 1;
          const y = addFixed(position[at] as number, move * PADDLE_SPEED);
          position[at] = clampFixed(y, HALF, subFixed(LOWEST, HALF));
        }
      },
    },
    {
      name: 'ball',
      writes: ['position', 'velocity', 'life'],
      after: ['paddles'],
      run({ world, random, globals, columns: { position, velocity } }) {
        if (globals.pause > 0) {
          globals.pause--;
          if (globals.pause === 0) serve(velocity, random);
          return;
        }
        move(position, velocity);
        const x = position[0] as number;
        if (x <= LEFT_FACE && (velocity[0] as number) < 0) {
          meet(world, random, globals, 0);
        } else if (x >= RIGHT_FACE && (velocity[0] as number) > 0) {
          meet(world, random, globals, 1);
        }
      },
    },
    {
      name: 'sparks',
      writes: ['position', 'velocity', 'life'],
      after: ['ball'],
      run({ world, commands, columns: { position, velocity, life } }) {
        const sparks = world.query(SPARKS);
        const count = sparks.refresh();
        for (let k = 0; k < count; k++) {
          const i = sparks.indices[k] as number;
          for (let axis = 2 * i; axis < 2 * i + 2; axis++) {
            position[axis] = addFixed(position[axis] as number, velocity[axis] as number);
          }
          life[i] = (life[i] as number) - 1;
          if (life[i] === 0) commands.despawn(world.entityAt(i));
        }
      },
    },
    {
      name: 'flaw',
      writes: ['position'],
      after: ['sparks'],
      run({ tick, params, columns: { position } }) {
        if (tick === params.flawTick) position[2 * BALL] = (position[2 * BALL] as number) + 1;
      },
    },
  ],
});
export type Paddles = TypesOf<typeof paddles>;

type Game = World<typeof components>;

function serve(velocity: Int32Array, random: Random): void {
  velocity[0] = random.nextRange(0, 2) === 0 ? SERVE_SPEED : negFixed(SERVE_SPEED);
  velocity[1] = random.nextRange(-DRIFT_MAX >> 1, DRIFT_MAX >> 1);
}

/** Moves the ball, and turns it at the upper and the lower edge. */
function move(position: Int32Array, velocity: Int32Array): void {
  position[0] = addFixed(position[0] as number, velocity[0] as number);
  let y = addFixed(position[1] as number, velocity[1] as number);
  if (y < 0 || y > LOWEST) {
    y = y < 0 ? negFixed(y) : subFixed(LOWEST, subFixed(y, LOWEST));
    velocity[1] = negFixed(velocity[1] as number);
  }
  position[1] = y;
}

/** The ball is at a player's edge: it is hit, or the other player has a point. */
function meet(world: Game, random: Random, globals: Record<string, number>, side: 0 | 1): void {
  const { position, velocity } = world.columns;
  const off = subFixed(position[1] as number, position[2 * PADDLES[side] + 1] as number);
  const isHit = off >= -REACH && off <= REACH;
  burst(world, random, isHit ? 5 : 16);
  if (isHit) {
    const speed = mulFixed(Math.abs(velocity[0] as number), FASTER);
    velocity[0] = Math.min(speed, SPEED_MAX) * (side === 0 ? 1 : -1);
    const drift = addFixed(velocity[1] as number, mulFixed(off, TURN));
    velocity[1] = clampFixed(drift, -DRIFT_MAX, DRIFT_MAX);
    globals['hits'] = (globals['hits'] as number) + 1;
    return;
  }
  const score = side === 0 ? 'rightScore' : 'leftScore';
  globals[score] = (globals[score] as number) + 1;
  globals['pause'] = PAUSE_TICKS;
  position[0] = MIDDLE_X;
  position[1] = MIDDLE_Y;
  velocity[0] = 0;
  velocity[1] = 0;
}

/** Makes sparks where the ball is, as many as there is room for. */
function burst(world: Game, random: Random, count: number): void {
  sparkPosition[0] = world.columns.position[0] as number;
  sparkPosition[1] = world.columns.position[1] as number;
  for (let n = 0; n < count && world.count < world.capacity; n++) {
    sparkVelocity[0] = random.nextRange(-SERVE_SPEED, SERVE_SPEED);
    sparkVelocity[1] = random.nextRange(-SERVE_SPEED, SERVE_SPEED);
    world.spawn(spark);
  }
}
