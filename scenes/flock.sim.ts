import {
  angle,
  atan2,
  cos,
  defineSimulation,
  position2d,
  runSimulation,
  sin,
  vec2,
} from 'escapement/sim';

/*
 * A flock in the plane: each bird keeps to the heading of its neighbours, stays near them and out
 * of their way. It follows the pointer, and flees from it while it is pressed.
 */

/** Half the width and height of the world. */
export const HALF_WIDTH = 1.6;
export const HALF_HEIGHT = 1;

const CAPACITY = 100_000;
/**
 * How far a bird of a flock of 10,000 sees; more birds see less far, so that a tick stays linear.
 */
const SIGHT = 0.034;
const SIGHT_POPULATION = 10_000;
/** Fewer birds than this see no farther. */
const SIGHT_POPULATION_MIN = 1000;
/**
 * A bird looks at no more others than about this: in a crowd it takes every second, every third,
 * whichever keeps a tick linear, and none of its sides is favoured.
 */
const GLANCES_MAX = 24;
const CELLS_MAX = 1 << 17;
const SPEED_MIN = 0.16;
const SPEED_MAX = 0.42;
const ALIGNMENT = 2.6;
const COHESION = 5;
const SEPARATION = 0.018;
const WALL_MARGIN = 0.18;
const WALL_FORCE = 3.2;
const POINTER_REACH = 0.75;
const FOLLOW_FORCE = 1.1;
/** Nearer than this nothing pulls: birds circle the pointer and do not pile up on it. */
const FOLLOW_DISTANCE = 0.12;
const FLEE_FORCE = 7;
/** A bird this near to a pressed pointer is startled. */
const STARTLE_REACH = 0.3;

/**
 * Birds by cell: places `start[c] .. start[c + 1]` are those of cell c, ascending. Made anew each
 * tick. What a neighbour is asked for lies in the same order, so that a look around reads on.
 */
class Grid {
  /** Cells in a row, and rows. */
  columns = 1;
  rows = 1;
  readonly start: Int32Array = new Int32Array(CELLS_MAX + 1);
  /** The slot index of the bird at a place. */
  readonly order: Int32Array = new Int32Array(CAPACITY);
  /** x, y and velocity of the bird at a place. */
  readonly birds: Float32Array = new Float32Array(4 * CAPACITY);
  /** How far a bird sees, which is the size of a cell. A field: a double in a call is boxed. */
  sight = SIGHT;
  readonly #cellOf: Int32Array = new Int32Array(CAPACITY);

  /** Sorts the living into cells. */
  fill(live: Uint32Array, position: Float32Array, velocity: Float32Array): void {
    this.sight = SIGHT * Math.sqrt(SIGHT_POPULATION / Math.max(live.length, SIGHT_POPULATION_MIN));
    this.columns = Math.ceil((2 * HALF_WIDTH) / this.sight) + 2;
    this.rows = Math.min(
      Math.ceil((2 * HALF_HEIGHT) / this.sight) + 2,
      Math.floor(CELLS_MAX / this.columns),
    );
    this.#count(live, position);
    const { start, order, birds } = this;
    // Backwards, so that every cell lists its birds ascending and `start` ends where it began.
    for (let k = live.length - 1; k >= 0; k--) {
      const i = live[k] as number;
      const cell = this.#cellOf[i] as number;
      const at = (start[cell + 1] as number) - 1;
      start[cell + 1] = at;
      order[at] = i;
      birds[4 * at] = position[2 * i] as number;
      birds[4 * at + 1] = position[2 * i + 1] as number;
      birds[4 * at + 2] = velocity[2 * i] as number;
      birds[4 * at + 3] = velocity[2 * i + 1] as number;
    }
    const cells = this.columns * this.rows;
    for (let cell = 0; cell < cells; cell++) start[cell] = start[cell + 1] as number;
    start[cells] = live.length;
  }

  /** Finds each bird's cell, and leaves in `start[c + 1]` where those of cell c end. */
  #count(live: Uint32Array, position: Float32Array): void {
    const { start, columns, rows, sight } = this;
    const cells = columns * rows;
    start.fill(0, 0, cells + 1);
    for (let k = 0; k < live.length; k++) {
      const i = live[k] as number;
      const column = Math.floor(((position[2 * i] as number) + HALF_WIDTH) / sight) + 1;
      const row = Math.floor(((position[2 * i + 1] as number) + HALF_HEIGHT) / sight) + 1;
      const cell =
        Math.min(rows - 1, Math.max(0, row)) * columns + Math.min(columns - 1, Math.max(0, column));
      this.#cellOf[i] = cell;
      start[cell + 1] = (start[cell + 1] as number) + 1;
    }
    for (let cell = 0; cell < cells; cell++) {
      start[cell + 1] = (start[cell + 1] as number) + (start[cell] as number);
    }
  }
}

const grid = new Grid();
/** Where a bird wants to go, by slot index: velocity changes of this tick. */
const pull: Float64Array = new Float64Array(2 * CAPACITY);
/** First and last place, exclusive, of the birds around a cell: one pair for each of its rows. */
const around: Int32Array = new Int32Array(6);

/** Lets every bird look around: all those of a cell see the same cells. */
function lookAround(): void {
  const { start, columns, rows } = grid;
  for (let cell = 0; cell < columns * rows; cell++) {
    const begin = start[cell] as number;
    const end = start[cell + 1] as number;
    if (begin === end) continue;
    const column = cell % columns;
    const left = Math.max(0, column - 1) - column;
    const right = Math.min(columns - 1, column + 1) + 1 - column;
    let near = 0;
    for (let r = 0; r < 3; r++) {
      const middle = cell + (r - 1) * columns;
      const isThere = middle >= 0 && middle < columns * rows;
      around[2 * r] = isThere ? (start[middle + left] as number) : 0;
      around[2 * r + 1] = isThere ? (start[middle + right] as number) : 0;
      near += (around[2 * r + 1] as number) - (around[2 * r] as number);
    }
    const stride = Math.max(1, Math.floor(near / GLANCES_MAX));
    for (let at = begin; at < end; at++) steer(at, stride);
  }
}

/** Sums up what the neighbours of the bird at a place want of it. */
function steer(at: number, stride: number): void {
  const { birds, order, sight } = grid;
  const i = order[at] as number;
  const x = birds[4 * at] as number;
  const y = birds[4 * at + 1] as number;
  const sightSquared = sight * sight;
  const softness = 0.02 * sightSquared;
  let seen = 0;
  let sumX = 0;
  let sumY = 0;
  let sumVx = 0;
  let sumVy = 0;
  let awayX = 0;
  let awayY = 0;
  for (let r = 0; r < 6; r += 2) {
    const end = around[r + 1] as number;
    for (let other = (around[r] as number) + (i % stride); other < end; other += stride) {
      const dx = (birds[4 * other] as number) - x;
      const dy = (birds[4 * other + 1] as number) - y;
      const squared = dx * dx + dy * dy;
      if (squared > sightSquared || other === at) continue;
      seen++;
      sumX += dx;
      sumY += dy;
      sumVx += birds[4 * other + 2] as number;
      sumVy += birds[4 * other + 3] as number;
      const push = 1 / (squared + softness);
      awayX -= dx * push;
      awayY -= dy * push;
    }
  }
  const share = seen === 0 ? 0 : 1 / seen;
  const turn = seen === 0 ? 0 : ALIGNMENT;
  const separation = SEPARATION * share * (sight / SIGHT);
  pull[2 * i] =
    (sumVx * share - (birds[4 * at + 2] as number)) * turn +
    sumX * share * COHESION +
    awayX * separation;
  pull[2 * i + 1] =
    (sumVy * share - (birds[4 * at + 3] as number)) * turn +
    sumY * share * COHESION +
    awayY * separation;
}

/** Pushes back what comes near a wall: 0 inside the margin, growing towards the wall. */
function wall(at: number, half: number): number {
  const beyond = Math.abs(at) - (half - WALL_MARGIN);
  if (beyond <= 0) return 0;
  return (at > 0 ? -beyond : beyond) * (WALL_FORCE / WALL_MARGIN);
}

export const flock = defineSimulation({
  name: 'flock',
  tickRateHz: 60,
  capacity: CAPACITY,
  params: { population: 10_000 },
  components: { position: position2d(), velocity: vec2(), heading: angle() },
  globals: { startled: 'u32' },
  publish: ['position', 'heading'],
  inputs: { pointer: { as: 'state', x: 'f32', y: 'f32', down: 'bool', active: 'bool' } },
  events: { scattered: { count: 'u32' } },
  queries: ({ world, columns }) => ({
    /** Counts the birds within `radius` of a point. */
    countNear(x: number, y: number, radius: number): number {
      const { position } = columns;
      let count = 0;
      for (const i of world.live()) {
        const dx = (position[2 * i] as number) - x;
        const dy = (position[2 * i + 1] as number) - y;
        if (dx * dx + dy * dy <= radius * radius) count++;
      }
      return count;
    },
  }),
  setup({ world, random, params }) {
    for (let i = 0; i < params.population; i++) {
      const turn = random.nextFloat01() * 6.283185307179586;
      const speed = SPEED_MIN + random.nextFloat01() * (SPEED_MAX - SPEED_MIN);
      world.spawn({
        position: [
          (random.nextFloat01() * 2 - 1) * (HALF_WIDTH - WALL_MARGIN),
          (random.nextFloat01() * 2 - 1) * (HALF_HEIGHT - WALL_MARGIN),
        ],
        velocity: [cos(turn) * speed, sin(turn) * speed],
        heading: turn,
      });
    }
  },
  systems: [
    {
      name: 'look',
      reads: ['position', 'velocity'],
      budgetMs: 4,
      run({ world, columns: { position, velocity } }) {
        grid.fill(world.live(), position, velocity);
        lookAround();
      },
    },
    {
      name: 'heed-pointer',
      reads: ['position'],
      budgetMs: 1,
      run({ world, columns: { position }, inputs: { pointer }, globals, emit }) {
        if (!pointer.active && !pointer.down) {
          globals.startled = 0;
          return;
        }
        const live = world.live();
        const force = pointer.down ? -FLEE_FORCE : FOLLOW_FORCE;
        let startled = 0;
        for (let k = 0; k < live.length; k++) {
          const i = live[k] as number;
          const dx = pointer.x - (position[2 * i] as number);
          const dy = pointer.y - (position[2 * i + 1] as number);
          const distance = Math.sqrt(dx * dx + dy * dy);
          if (distance > POINTER_REACH || distance === 0) continue;
          if (!pointer.down && distance < FOLLOW_DISTANCE) continue;
          if (pointer.down && distance < STARTLE_REACH) startled++;
          const strength = (force * (1 - distance / POINTER_REACH)) / distance;
          pull[2 * i] = (pull[2 * i] as number) + dx * strength;
          pull[2 * i + 1] = (pull[2 * i + 1] as number) + dy * strength;
        }
        if (startled > 0 && globals.startled === 0) emit.scattered({ count: startled });
        globals.startled = startled;
      },
    },
    {
      name: 'fly',
      reads: ['position', 'velocity'],
      writes: ['position', 'velocity', 'heading'],
      after: ['look', 'heed-pointer'],
      budgetMs: 2,
      run({ world, dt, columns: { position, velocity, heading } }) {
        const live = world.live();
        for (let k = 0; k < live.length; k++) {
          const i = live[k] as number;
          const x = position[2 * i] as number;
          const y = position[2 * i + 1] as number;
          let vx =
            (velocity[2 * i] as number) + ((pull[2 * i] as number) + wall(x, HALF_WIDTH)) * dt;
          let vy =
            (velocity[2 * i + 1] as number) +
            ((pull[2 * i + 1] as number) + wall(y, HALF_HEIGHT)) * dt;
          const speed = Math.sqrt(vx * vx + vy * vy);
          const wanted = Math.min(SPEED_MAX, Math.max(SPEED_MIN, speed));
          const scale = speed > 0 ? wanted / speed : 0;
          vx *= scale;
          vy *= scale;
          velocity[2 * i] = vx;
          velocity[2 * i + 1] = vy;
          position[2 * i] = Math.min(HALF_WIDTH, Math.max(-HALF_WIDTH, x + vx * dt));
          position[2 * i + 1] = Math.min(HALF_HEIGHT, Math.max(-HALF_HEIGHT, y + vy * dt));
          heading[i] = atan2(vy, vx);
        }
      },
    },
  ],
});
export type Flock = typeof flock;

runSimulation(flock);
