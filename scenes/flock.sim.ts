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

/** Birds by cell: `order[start[c] .. start[c + 1])` are those of cell c. Made anew each tick. */
class Grid {
  readonly #start: Int32Array = new Int32Array(CELLS_MAX + 1);
  readonly #order: Int32Array = new Int32Array(CAPACITY);
  readonly #cellOf: Int32Array = new Int32Array(CAPACITY);
  #columns = 1;
  #rows = 1;
  #size = 1;

  fill(live: Uint32Array, position: Float32Array, size: number): void {
    this.#size = size;
    this.#columns = Math.ceil((2 * HALF_WIDTH) / size) + 2;
    this.#rows = Math.min(
      Math.ceil((2 * HALF_HEIGHT) / size) + 2,
      Math.floor(CELLS_MAX / this.#columns),
    );
    const cells = this.#columns * this.#rows;
    const start = this.#start;
    start.fill(0, 0, cells + 1);
    for (let k = 0; k < live.length; k++) {
      const i = live[k] as number;
      const cell =
        this.row(position[2 * i + 1] as number) * this.#columns +
        this.column(position[2 * i] as number);
      this.#cellOf[i] = cell;
      start[cell + 1] = (start[cell + 1] as number) + 1;
    }
    for (let cell = 0; cell < cells; cell++) {
      start[cell + 1] = (start[cell + 1] as number) + (start[cell] as number);
    }
    // Backwards, so that every cell lists its birds ascending and `start` ends where it began.
    for (let k = live.length - 1; k >= 0; k--) {
      const i = live[k] as number;
      const after = (this.#cellOf[i] as number) + 1;
      const at = (start[after] as number) - 1;
      start[after] = at;
      this.#order[at] = i;
    }
    for (let cell = 0; cell < cells; cell++) start[cell] = start[cell + 1] as number;
    start[cells] = live.length;
  }

  column(x: number): number {
    return Math.min(this.#columns - 1, Math.max(0, Math.floor((x + HALF_WIDTH) / this.#size) + 1));
  }

  row(y: number): number {
    return Math.min(this.#rows - 1, Math.max(0, Math.floor((y + HALF_HEIGHT) / this.#size) + 1));
  }

  get columns(): number {
    return this.#columns;
  }

  get rows(): number {
    return this.#rows;
  }

  get start(): Int32Array {
    return this.#start;
  }

  get order(): Int32Array {
    return this.#order;
  }
}

const grid = new Grid();
/** Where a bird wants to go: velocity changes of this tick. */
const pull: Float64Array = new Float64Array(2 * CAPACITY);

/** Sums up what one bird's neighbours want of it. */
function steer(i: number, position: Float32Array, velocity: Float32Array, sight: number): void {
  const x = position[2 * i] as number;
  const y = position[2 * i + 1] as number;
  const { start, order, columns, rows } = grid;
  const column = grid.column(x);
  const row = grid.row(y);
  const sightSquared = sight * sight;
  let seen = 0;
  let sumX = 0;
  let sumY = 0;
  let sumVx = 0;
  let sumVy = 0;
  let awayX = 0;
  let awayY = 0;
  const left = Math.max(0, column - 1);
  const right = Math.min(columns - 1, column + 1) + 1;
  const top = Math.min(rows - 1, row + 1);
  const bottom = Math.max(0, row - 1);
  let near = 0;
  for (let r = bottom; r <= top; r++) {
    near += (start[r * columns + right] as number) - (start[r * columns + left] as number);
  }
  const stride = Math.max(1, Math.floor(near / GLANCES_MAX));
  for (let r = bottom; r <= top; r++) {
    const end = start[r * columns + right] as number;
    for (let at = (start[r * columns + left] as number) + (i % stride); at < end; at += stride) {
      const j = order[at] as number;
      const dx = (position[2 * j] as number) - x;
      const dy = (position[2 * j + 1] as number) - y;
      const squared = dx * dx + dy * dy;
      if (j === i || squared > sightSquared) continue;
      seen++;
      sumX += dx;
      sumY += dy;
      sumVx += velocity[2 * j] as number;
      sumVy += velocity[2 * j + 1] as number;
      const push = 1 / (squared + 0.02 * sightSquared);
      awayX -= dx * push;
      awayY -= dy * push;
    }
  }
  if (seen === 0) {
    pull[2 * i] = 0;
    pull[2 * i + 1] = 0;
    return;
  }
  const share = 1 / seen;
  const separation = SEPARATION * share * (sight / SIGHT);
  pull[2 * i] =
    (sumVx * share - (velocity[2 * i] as number)) * ALIGNMENT +
    sumX * share * COHESION +
    awayX * separation;
  pull[2 * i + 1] =
    (sumVy * share - (velocity[2 * i + 1] as number)) * ALIGNMENT +
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
        const live = world.live();
        const sight = SIGHT * Math.sqrt(SIGHT_POPULATION / Math.max(live.length, 1000));
        grid.fill(live, position, sight);
        for (let k = 0; k < live.length; k++) {
          steer(live[k] as number, position, velocity, sight);
        }
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
