import { atan2, cos, sin } from 'escapement/sim';
import { BONE_COUNT, boneNumber, SHIN_LENGTH, THIGH_LENGTH } from './skeleton-figure.ts';

/*
 * Two movements of a figure, each a loop of keyframes: standing and breathing, and walking. Between
 * two keys every bone is blended linearly and made a unit again, and so is it between the two
 * movements.
 */

/** Keyframes of a loop, evenly apart; the first follows on the last. */
export const KEY_COUNT = 24;
/** Numbers of a pose: one quaternion for each bone. */
export const POSE_WIDTH: number = 4 * BONE_COUNT;

const TURN = 6.283185307179586;
/** The part of a loop in which a foot is stood on; parts of that: to lie flat, until it rises. */
const STANCE = 0.6;
const LANDING = 0.2;
const HEEL_OFF = 0.65;
/** How far ahead of the hip a foot comes down, and behind it leaves; how high the hip is above. */
const AHEAD = 0.31;
const BEHIND = 0.41;
const HIP_HEIGHT = 0.8;
/** How high heels rise, feet swing, and how much they are pitched at both ends. */
const HEEL_RISE = 0.06;
const SWING_LIFT = 0.1;
const TOE_DOWN = 0.35;
const TOE_UP = 0.16;

/** Metres that one loop of walking carries: what is stood on stays where it is. */
export const STRIDE: number = (AHEAD + BEHIND) / STANCE;

/**
 * How the bones are turned at one moment: pitch (about x: what hangs swings back, what stands leans
 * ahead), yaw (about y) and roll (about z).
 */
type Pose = Readonly<Record<string, readonly [pitch: number, yaw: number, roll: number]>>;

/** Standing; `at` goes from 0 to 1 with one breath. */
function standing(at: number): Pose {
  const breath = sin(at * TURN);
  const sway = cos(at * TURN);
  const arm = 0.06 + 0.012 * breath;
  return {
    hips: [0, 0.02 * sway, 0],
    spine: [0.02 - 0.01 * breath, 0, 0],
    chest: [-0.02 - 0.015 * breath, -0.02 * sway, 0],
    head: [0.02 * breath, -0.03 * sway, 0],
    upperArmL: [0.03, 0, arm],
    upperArmR: [0.03, 0, -arm],
    foreArmL: [-0.18, 0, 0],
    foreArmR: [-0.18, 0, 0],
    thighL: [-0.02, 0, 0.03],
    thighR: [-0.02, 0, -0.03],
    shinL: [0.04, 0, 0],
    shinR: [0.04, 0, 0],
    footL: [-0.02, 0, -0.03],
    footR: [-0.02, 0, 0.03],
  };
}

/** Where an ankle is below its hip at one moment, z ahead, and the pitch of the foot in all. */
interface Step {
  readonly z: number;
  readonly down: number;
  readonly pitch: number;
}

/** A foot comes down at `at` 0, is stood on while the body goes past it, and swings ahead. */
function stepAt(at: number): Step {
  if (at < STANCE) {
    const done = at / STANCE;
    const landing = Math.max(0, 1 - done / LANDING);
    const rising = Math.max(0, (done - HEEL_OFF) / (1 - HEEL_OFF));
    return {
      z: AHEAD - done * (AHEAD + BEHIND),
      down: HIP_HEIGHT - HEEL_RISE * rising * rising,
      pitch: TOE_DOWN * rising * rising - TOE_UP * landing,
    };
  }
  const done = (at - STANCE) / (1 - STANCE);
  const ease = (1 - cos((done * TURN) / 2)) / 2;
  return {
    z: ease * (AHEAD + BEHIND) - BEHIND,
    down: HIP_HEIGHT - HEEL_RISE * (1 - ease) - SWING_LIFT * sin((done * TURN) / 2),
    pitch: TOE_DOWN - ease * (TOE_DOWN + TOE_UP),
  };
}

/** The pitches of a leg's bones that put the ankle there: two sides of a triangle and its third. */
function leg(at: number): { readonly thigh: number; readonly shin: number; readonly foot: number } {
  const { z, down, pitch } = stepAt(at - Math.floor(at));
  const [a, b] = [THIGH_LENGTH, SHIN_LENGTH];
  const square = Math.min(down * down + z * z, (a + b) * (a + b) * 0.999);
  const straight = (square - a * a - b * b) / (2 * a * b);
  const bent = Math.sqrt(1 - straight * straight);
  const thigh = -atan2(z, down) - atan2(b * bent, a + b * straight);
  const shin = atan2(bent, straight);
  return { thigh, shin, foot: pitch - thigh - shin };
}

/** Walking; `at` goes from 0 to 1 with two steps. */
function walking(at: number): Pose {
  const left = leg(at);
  const right = leg(at + 0.5);
  const swing = cos(at * TURN);
  const sway = sin(at * TURN);
  return {
    hips: [0, -0.09 * swing, 0.03 * sway],
    spine: [0.05, 0.05 * swing, -0.02 * sway],
    chest: [0.02, 0.14 * swing, -0.02 * sway],
    head: [-0.05, -0.1 * swing, 0.01 * sway],
    upperArmL: [0.45 * swing, 0, 0.09],
    upperArmR: [-0.45 * swing, 0, -0.09],
    foreArmL: [-0.4 + 0.22 * swing, 0, 0],
    foreArmR: [-0.4 - 0.22 * swing, 0, 0],
    thighL: [left.thigh, 0, 0.02],
    thighR: [right.thigh, 0, -0.02],
    shinL: [left.shin, 0, 0],
    shinR: [right.shin, 0, 0],
    footL: [left.foot, 0, -0.02],
    footR: [right.foot, 0, 0.02],
  };
}

/** Writes the quaternion that rolls, then pitches, then yaws: w > 0 for these small ones. */
function writeTurn(out: Float32Array, at: number, pitch: number, yaw: number, roll: number): void {
  const [sx, cx] = [sin(pitch / 2), cos(pitch / 2)];
  const [sy, cy] = [sin(yaw / 2), cos(yaw / 2)];
  const [sz, cz] = [sin(roll / 2), cos(roll / 2)];
  out[at] = cy * sx * cz + sy * cx * sz;
  out[at + 1] = sy * cx * cz - cy * sx * sz;
  out[at + 2] = cy * cx * sz - sy * sx * cz;
  out[at + 3] = cy * cx * cz + sy * sx * sz;
}

/** Row = keyframe: a pose. */
function readKeys(movement: (at: number) => Pose): Float32Array {
  const keys = new Float32Array(KEY_COUNT * POSE_WIDTH);
  for (let at = 3; at < keys.length; at += 4) keys[at] = 1;
  for (let key = 0; key < KEY_COUNT; key++) {
    for (const [name, [pitch, yaw, roll]] of Object.entries(movement(key / KEY_COUNT))) {
      writeTurn(keys, key * POSE_WIDTH + 4 * boneNumber(name), pitch, yaw, roll);
    }
  }
  return keys;
}

/** The keyframes of the two movements. */
export const STANDING: Float32Array = readKeys(standing);
export const WALKING: Float32Array = readKeys(walking);

/** What a pose is made of. A field each: doubles in a call are boxed. */
export interface Mixture {
  /** How far each movement has come: 0 to 1, where it is back at 0. */
  standingAt: number;
  walkingAt: number;
  /** 0 only stands, 1 only walks. */
  gait: number;
}

/** Writes the pose of a mixture at element `at` of a column. */
export function samplePose(
  { standingAt, walkingAt, gait }: Mixture,
  out: Float32Array,
  at: number,
): void {
  const stood = Math.floor(standingAt * KEY_COUNT);
  const walked = Math.floor(walkingAt * KEY_COUNT);
  const standingPart = standingAt * KEY_COUNT - stood;
  const walkingPart = walkingAt * KEY_COUNT - walked;
  // The weights of four keys. All quaternions have w > 0 and lie near each other.
  const a = (1 - gait) * (1 - standingPart);
  const b = (1 - gait) * standingPart;
  const c = gait * (1 - walkingPart);
  const d = gait * walkingPart;
  let from = (stood % KEY_COUNT) * POSE_WIDTH;
  let to = ((stood + 1) % KEY_COUNT) * POSE_WIDTH;
  let walkFrom = (walked % KEY_COUNT) * POSE_WIDTH;
  let walkTo = ((walked + 1) % KEY_COUNT) * POSE_WIDTH;
  for (let k = at; k < at + POSE_WIDTH; k += 4) {
    let square = 0;
    for (let part = 0; part < 4; part++) {
      const sum =
        a * (STANDING[from++] as number) +
        b * (STANDING[to++] as number) +
        c * (WALKING[walkFrom++] as number) +
        d * (WALKING[walkTo++] as number);
      square += sum * sum;
      out[k + part] = sum;
    }
    const scale = 1 / Math.sqrt(square);
    for (let part = 0; part < 4; part++) out[k + part] = (out[k + part] as number) * scale;
  }
}
