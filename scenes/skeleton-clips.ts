import { AnimationClip, atan2, cos, sin } from 'escapement/sim';
import {
  BONE_COUNT,
  BONE_NAMES,
  boneNumber,
  SHIN_LENGTH,
  THIGH_LENGTH,
} from './skeleton-figure.ts';

/*
 * Two movements of a figure as clips that loop: standing and breathing, and walking. Their
 * keyframes are worked out here, where others read them from a file.
 */

/** Keyframes of a loop; the first follows on the last. */
const KEY_COUNT = 24;

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
function writeTurn(out: Float64Array, at: number, pitch: number, yaw: number, roll: number): void {
  const [sx, cx] = [sin(pitch / 2), cos(pitch / 2)];
  const [sy, cy] = [sin(yaw / 2), cos(yaw / 2)];
  const [sz, cz] = [sin(roll / 2), cos(roll / 2)];
  out[at] = cy * sx * cz + sy * cx * sz;
  out[at + 1] = sy * cx * cz - cy * sx * sz;
  out[at + 2] = cy * cx * sz - sy * sx * cz;
  out[at + 3] = cy * cx * cz + sy * sx * sz;
}

/** Makes a clip that goes round once in a second, of keyframes evenly apart. */
function loopOf(movement: (at: number) => Pose): AnimationClip {
  const times = Float64Array.from({ length: KEY_COUNT + 1 }, (_, key) => key / KEY_COUNT);
  const rotations = BONE_NAMES.map(() => new Float64Array(4 * times.length));
  for (const keys of rotations) for (let at = 3; at < keys.length; at += 4) keys[at] = 1;
  times.forEach((_, key) => {
    for (const [name, [pitch, yaw, roll]] of Object.entries(
      movement((key % KEY_COUNT) / KEY_COUNT),
    )) {
      writeTurn(rotations[boneNumber(name)] as Float64Array, 4 * key, pitch, yaw, roll);
    }
  });
  const tracks = rotations.map((keys, bone) => ({ bone, times, rotations: keys }));
  return new AnimationClip({ durationSeconds: 1, loop: true, bones: BONE_COUNT, tracks });
}

/** Standing and breathing: one breath a second of the clip. */
export const STANDING: AnimationClip = loopOf(standing);
/** Walking: two steps a second of the clip. */
export const WALKING: AnimationClip = loopOf(walking);
