import {
  angle,
  atan2,
  cos,
  defineSimulation,
  list,
  position3d,
  quaternion,
  type Random,
  runSimulation,
  scalar,
  sin,
  step,
  vec2,
} from 'escapement/sim';
import { STANDING, STRIDE, WALKING } from './skeleton-clips.ts';
import { BONE_COUNT, BONE_OFFSETS, boneNumber, SOLE } from './skeleton-figure.ts';

export * from './skeleton-figure.ts';

/*
 * A crowd of figures with bones. Each walks to a goal of its own, turning as it goes, stands there
 * for a while or walks on. How its bones are turned is made here, tick by tick, as its legs carry
 * it; a reader blends each bone between two ticks and puts the figure together.
 *
 * Metres; y is up and the plane is y = 0. A heading of 0 looks along z, a quarter turn along x.
 */

const CAPACITY = 4000;
const TURN = 6.283185307179586;
const SPEED_MIN = 0.9;
const SPEED_MAX = 1.5;
/** Radians a second that a figure turns at most. */
const TURN_RATE = 1.7;
/** How near to its goal it has come there: wider than its tightest turn. */
const NEAR_GOAL = 1.2;
/** One out of so many goals is a place to stand at, for so many seconds. */
const STANDING_SHARE = 3;
const STAND_SECONDS_MIN = 1;
const STAND_SECONDS_MAX = 4;
/** Seconds from standing to walking, and back. */
const CHANGE_SECONDS = 0.4;
const BREATH_SECONDS = 3.6;
/** How far a call is heard. */
const CALL_REACH = 6;

/** Half the side of the square that so many figures walk on. */
export function planeHalf(population: number): number {
  return Math.max(4, 0.7 * Math.sqrt(population));
}

/** Numbers of a pose: one quaternion for each bone. */
const POSE_WIDTH = 4 * BONE_COUNT;
/** The bones from the hips to a foot. */
const LEGS: readonly Uint8Array[] = ['L', 'R'].map((side) =>
  Uint8Array.from(['hips', `thigh${side}`, `shin${side}`, `foot${side}`], boneNumber),
);
/** A point that is carried from bone to bone: x, y, z. */
const point: Float64Array = new Float64Array(3);

/** Turns `point` by the quaternion at an element. */
function turnPoint(rotations: Float32Array, at: number): void {
  const [x, y, z] = [point[0] as number, point[1] as number, point[2] as number];
  const i = rotations[at] as number;
  const j = rotations[at + 1] as number;
  const k = rotations[at + 2] as number;
  const w = rotations[at + 3] as number;
  const a = 2 * (j * z - k * y);
  const b = 2 * (k * x - i * z);
  const c = 2 * (i * y - j * x);
  point[0] = x + w * a + j * c - k * b;
  point[1] = y + w * b + k * a - i * c;
  point[2] = z + w * c + i * b - j * a;
}

/** Lets the figure stand on its lower foot: moves it so that the lowest point of a sole is at 0. */
function setDown(index: number, position: Float32Array, rotations: Float32Array): void {
  let lowest = Number.POSITIVE_INFINITY;
  for (let leg = 0; leg < 2; leg++) {
    const bones = LEGS[leg] as Uint8Array;
    for (let corner = 0; corner < SOLE.length; corner += 3) {
      for (let axis = 0; axis < 3; axis++) point[axis] = SOLE[corner + axis] as number;
      for (let n = bones.length - 1; n >= 0; n--) {
        const bone = bones[n] as number;
        turnPoint(rotations, index * POSE_WIDTH + 4 * bone);
        for (let axis = 0; axis < 3; axis++) {
          point[axis] = (point[axis] as number) + (BONE_OFFSETS[3 * bone + axis] as number);
        }
      }
      lowest = Math.min(lowest, point[1] as number);
    }
  }
  position[3 * index + 1] = -lowest;
}

interface PoseColumns {
  readonly position: Float32Array;
  readonly boneRotation: Float32Array;
  readonly gait: Float32Array;
  readonly progress: Float32Array;
}

/** Turns the bones of the figure at a slot index as its movements have come, and sets it down. */
function pose(index: number, { position, boneRotation, gait, progress }: PoseColumns): void {
  const walks = gait[index] as number;
  const at = index * POSE_WIDTH;
  if (walks < 1) STANDING.poseInto(progress[2 * index] as number, boneRotation, at);
  // It neither starts nor stops at once.
  const weight = walks * walks * (3 - 2 * walks);
  WALKING.mixInto(progress[2 * index + 1] as number, weight, boneRotation, at);
  setDown(index, position, boneRotation);
}

/** Draws a place on a square as large as `half` says. */
function drawPlace(random: Random, half: number, column: Float32Array, index: number): void {
  column[2 * index] = (2 * random.nextFloat01() - 1) * half;
  column[2 * index + 1] = (2 * random.nextFloat01() - 1) * half;
}

export const skeletons = defineSimulation({
  name: 'skeletons',
  tickRateHz: 60,
  capacity: CAPACITY,
  params: { population: 300 },
  components: {
    position: position3d(),
    /** Radians about y; 0 looks along z. */
    heading: angle(),
    /** One quaternion a bone, in the frame of its parent; in the order of BONE_NAMES. */
    boneRotation: list(quaternion(), BONE_COUNT),
    /** 0 to below 1, once around the colour circle. */
    hue: step('f32'),
    goal: vec2(),
    speed: scalar(),
    /** 0 while it stands, 1 while it walks. */
    gait: scalar(),
    /** Seconds that it still stands. */
    standing: scalar(),
    /** How far its two movements have come: breathing and walking, 0 to 1 each. */
    progress: vec2(),
  },
  publish: ['position', 'heading', 'boneRotation', 'hue'],
  inputs: { call: { as: 'event', x: 'f32', z: 'f32' } },
  setup({ world, random, params: { population }, columns }) {
    const half = planeHalf(population);
    for (let n = 0; n < population; n++) {
      const index = world.indexOf(
        world.spawn({
          position: [
            (2 * random.nextFloat01() - 1) * half,
            0,
            (2 * random.nextFloat01() - 1) * half,
          ],
          heading: (random.nextFloat01() - 0.5) * TURN,
          boneRotation: new Float32Array(POSE_WIDTH),
          hue: random.nextFloat01(),
          goal: 0,
          speed: SPEED_MIN + random.nextFloat01() * (SPEED_MAX - SPEED_MIN),
          gait: 1,
          standing: 0,
          progress: [random.nextFloat01(), random.nextFloat01()],
        }),
      );
      drawPlace(random, half, columns.goal, index);
      pose(index, columns);
    }
  },
  systems: [
    {
      name: 'heed-call',
      reads: ['position'],
      writes: ['goal', 'standing'],
      run({ world, inputs: { call }, columns: { position, goal, standing } }) {
        for (let n = 0; n < call.length; n++) {
          const { x, z } = call[n] as (typeof call)[number];
          const live = world.live();
          for (let k = 0; k < live.length; k++) {
            const i = live[k] as number;
            const dx = x - (position[3 * i] as number);
            const dz = z - (position[3 * i + 2] as number);
            if (dx * dx + dz * dz > CALL_REACH * CALL_REACH) continue;
            goal[2 * i] = x;
            goal[2 * i + 1] = z;
            standing[i] = 0;
          }
        }
      },
    },
    {
      name: 'choose',
      reads: ['position'],
      writes: ['goal', 'standing'],
      after: ['heed-call'],
      run({ world, random, dt, columns: { position, goal, standing } }) {
        const live = world.live();
        const half = planeHalf(live.length);
        for (let k = 0; k < live.length; k++) {
          const i = live[k] as number;
          const left = standing[i] as number;
          if (left > 0) standing[i] = left - dt;
          const dx = (goal[2 * i] as number) - (position[3 * i] as number);
          const dz = (goal[2 * i + 1] as number) - (position[3 * i + 2] as number);
          if (dx * dx + dz * dz > NEAR_GOAL * NEAR_GOAL) continue;
          drawPlace(random, half, goal, i);
          if (random.nextRange(0, STANDING_SHARE) > 0) continue;
          standing[i] =
            STAND_SECONDS_MIN + random.nextFloat01() * (STAND_SECONDS_MAX - STAND_SECONDS_MIN);
        }
      },
    },
    {
      name: 'walk',
      reads: ['goal', 'standing', 'speed'],
      writes: ['position', 'heading', 'gait', 'progress'],
      after: ['choose'],
      budgetMs: 2,
      run({ world, dt, columns }) {
        const { position, heading, gait, progress, goal, standing, speed } = columns;
        const live = world.live();
        for (let k = 0; k < live.length; k++) {
          const i = live[k] as number;
          const change = (standing[i] as number) > 0 ? -dt / CHANGE_SECONDS : dt / CHANGE_SECONDS;
          const walks = Math.min(1, Math.max(0, (gait[i] as number) + change));
          gait[i] = walks;
          const way = (speed[i] as number) * walks * dt;
          const dx = (goal[2 * i] as number) - (position[3 * i] as number);
          const dz = (goal[2 * i + 1] as number) - (position[3 * i + 2] as number);
          let off = atan2(dx, dz) - (heading[i] as number);
          off -= TURN * Math.floor(off / TURN + 0.5);
          const most = TURN_RATE * walks * dt;
          const ahead = (heading[i] as number) + Math.min(most, Math.max(-most, off));
          heading[i] = ahead - TURN * Math.floor(ahead / TURN + 0.5);
          position[3 * i] = (position[3 * i] as number) + sin(ahead) * way;
          position[3 * i + 2] = (position[3 * i + 2] as number) + cos(ahead) * way;
          const breath = (progress[2 * i] as number) + dt / BREATH_SECONDS;
          const stride = (progress[2 * i + 1] as number) + way / STRIDE;
          progress[2 * i] = breath - Math.floor(breath);
          progress[2 * i + 1] = stride - Math.floor(stride);
        }
      },
    },
    {
      name: 'pose',
      reads: ['gait', 'progress'],
      writes: ['position', 'boneRotation'],
      after: ['walk'],
      budgetMs: 2,
      run({ world, columns }) {
        const live = world.live();
        for (let k = 0; k < live.length; k++) pose(live[k] as number, columns);
      },
    },
  ],
});
export type Skeletons = typeof skeletons;

runSimulation(skeletons);
