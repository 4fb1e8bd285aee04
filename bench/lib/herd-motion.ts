import { Random } from 'escapement/sim';

/** Metres along each edge of the cube that the herd never leaves. */
export const WORLD_M = 320;

/** Metres that one that moves steps along its heading. */
const STEP_M = 0.4;

/** How many of them move in a tick. */
const MOVING = 0.3;

/** Most that one axis of a heading is pushed before it is made a unit vector again. */
const TURN = 0.1;

const STATE_WORDS = 6;
const SEED = 0x6865_7264;

/** What an entity looks like to a client, by entity: three f32, a unit vector of three, a byte. */
export interface HerdState {
  readonly position: Float32Array;
  readonly heading: Float32Array;
  readonly hue: Uint8Array;
}

/** Makes the state of that many entities, all zero. */
export function createHerdState(entities: number): HerdState {
  return {
    position: new Float32Array(3 * entities),
    heading: new Float32Array(3 * entities),
    hue: new Uint8Array(entities),
  };
}

/**
 * The motion that every contender of the bench `replicate` sends: at each tick a random 30 % turn a
 * little and step along their heading. The same count gives the same herd in every process, so
 * that one process can check what another one sent. At tick 0 all of them count as moved.
 */
export class HerdMotion implements HerdState {
  readonly entities: number;
  readonly position: Float32Array;
  readonly heading: Float32Array;
  readonly hue: Uint8Array;
  /** Entities that moved in this tick, ascending; only the first `movedCount` count. */
  readonly moved: Uint32Array;
  movedCount: number;
  tick = 0;
  readonly #random: Random;

  constructor(entities: number) {
    this.entities = entities;
    const { position, heading, hue } = createHerdState(entities);
    this.position = position;
    this.heading = heading;
    this.hue = hue;
    this.moved = Uint32Array.from({ length: entities }, (_, i) => i);
    this.movedCount = entities;
    this.#random = Random.seed(new Uint32Array(STATE_WORDS), 0, 0, SEED, 0);
    for (let i = 0; i < entities; i++) {
      for (let axis = 0; axis < 3; axis++) {
        position[3 * i + axis] = this.#random.nextFloat01() * WORLD_M;
      }
      this.#turn(i, 1);
      hue[i] = this.#random.nextRange(0, 256);
    }
  }

  /** Goes on by one tick. Allocates nothing. */
  advance(): void {
    let moved = 0;
    for (let i = 0; i < this.entities; i++) {
      if (this.#random.nextFloat01() >= MOVING) continue;
      this.moved[moved++] = i;
      this.#turn(i, TURN);
      this.#step(i);
    }
    this.movedCount = moved;
    this.tick++;
  }

  #turn(entity: number, most: number): void {
    const { heading } = this;
    const at = 3 * entity;
    const x = (heading[at] as number) + (2 * this.#random.nextFloat01() - 1) * most;
    const y = (heading[at + 1] as number) + (2 * this.#random.nextFloat01() - 1) * most;
    const z = (heading[at + 2] as number) + (2 * this.#random.nextFloat01() - 1) * most;
    const length = Math.sqrt(x * x + y * y + z * z);
    if (length === 0) return;
    heading[at] = x / length;
    heading[at + 1] = y / length;
    heading[at + 2] = z / length;
  }

  /** Steps; one that would leave the world turns back on that axis first. */
  #step(entity: number): void {
    const { position, heading } = this;
    for (let at = 3 * entity; at < 3 * entity + 3; at++) {
      const from = position[at] as number;
      const way = (heading[at] as number) * STEP_M;
      const inside = from + way >= 0 && from + way <= WORLD_M;
      if (!inside) heading[at] = -(heading[at] as number);
      position[at] = inside ? from + way : from - way;
    }
  }
}

/** How far a client's state is from the truth at worst. */
export interface HerdError {
  readonly positionM: number;
  readonly headingDegrees: number;
  /** Entities whose hue differs. */
  readonly hues: number;
}

/** Compares what a client has with the herd. A heading counts by its direction only. */
export function compareHerd(herd: HerdMotion, got: HerdState): HerdError {
  let positionM = 0;
  let headingDegrees = 0;
  let hues = 0;
  for (let i = 0; i < herd.entities; i++) {
    positionM = Math.max(positionM, distance(herd.position, got.position, 3 * i));
    headingDegrees = Math.max(headingDegrees, angle(herd.heading, got.heading, 3 * i));
    if (herd.hue[i] !== got.hue[i]) hues++;
  }
  return { positionM, headingDegrees, hues };
}

function distance(a: Float32Array, b: Float32Array, at: number): number {
  let squares = 0;
  for (let i = at; i < at + 3; i++) squares += ((a[i] as number) - (b[i] as number)) ** 2;
  return Math.sqrt(squares);
}

function angle(a: Float32Array, b: Float32Array, at: number): number {
  const [ax, ay, az] = [a[at] as number, a[at + 1] as number, a[at + 2] as number];
  const [bx, by, bz] = [b[at] as number, b[at + 1] as number, b[at + 2] as number];
  const cross = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
  return (Math.atan2(cross, ax * bx + ay * by + az * bz) * 180) / Math.PI;
}
