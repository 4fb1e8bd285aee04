import { EscapementError } from '../shared/error.ts';
import { evaluateSine, trigWork } from '../shared/math/trig.ts';
import {
  type AnimationClipData,
  checkClip,
  type ClipTracks,
  readTracks,
  type TrackKeys,
} from './animation-tracks.ts';

/*
 * Between two keys a rotation is turned along the shortest arc at an even pace (slerp), as glTF
 * says of LINEAR samplers, and a position goes straight. What an arc needs is worked out once, when
 * the clip is made: q(t) = q0 cos(t arc) + side sin(t arc), where `side` is the unit quaternion a
 * quarter turn of the 4-sphere away from q0 in the direction of q1. This holds for tiny arcs too.
 *
 * All arithmetic is IEEE doubles, rounded to f32 where it is written: the same bits everywhere.
 * Doubles go from step to step in `work`: an engine boxes those of a call it does not inline.
 */

/** Places in `work`. */
const TIME = 0;
const WEIGHT = 1;

const work: Float64Array = new Float64Array(2);

/** A quaternion or a position on its way to its place. */
const value: Float64Array = new Float64Array(4);

/**
 * The motion of a skeleton's bones over some seconds, made once from plain data and asked for a
 * pose in systems. It never changes and holds no playing time of its own: keep that in a component,
 * so that it is part of the state.
 */
export class AnimationClip {
  readonly durationSeconds: number;
  readonly loop: boolean;
  /** How many bones a pose has: rows of `rotations` and `positions`. */
  readonly bones: number;
  readonly #tracks: ClipTracks;

  /**
   * Makes a clip from its data, which is copied. Throws VALUE_INVALID for a duration that is not
   * positive, a bone that is not there or has two tracks for the same, times that do not ascend
   * within the duration, keys that do not fit their times, and rotations that are no unit
   * quaternions.
   */
  constructor(data: AnimationClipData) {
    checkClip(data);
    this.durationSeconds = data.durationSeconds;
    this.loop = data.loop ?? false;
    this.bones = data.bones;
    this.#tracks = readTracks(data);
  }

  /**
   * Writes the pose at a time: four numbers (x, y, z, w) a bone into `rotations` from element `at`
   * on, and three a bone into `positions` from `positionsAt` on, if given. A looping clip goes
   * round, also before 0; any other stands still at its ends, and so does a bone before its first
   * key and after its last. A bone without a track gets the rest pose; where the data has no rest
   * positions, its position is left alone. Allocates nothing. Throws VALUE_INVALID when the pose
   * does not fit.
   */
  poseInto(
    timeSeconds: number,
    rotations: Float32Array,
    at: number,
    positions?: Float32Array,
    positionsAt = 0,
  ): void {
    work[TIME] = timeSeconds;
    work[WEIGHT] = 1;
    this.#write(rotations, at, positions, positionsAt);
  }

  /**
   * Mixes the pose at a time over the one that is there: at weight 0 nothing changes, from 1 on it
   * is `poseInto`. In between rotations are the normalised weighted sum, the shortest way, and
   * positions the weighted mean. For a cross-fade write the pose of the old clip, then mix the new
   * one over it while the weight grows. Allocates nothing. Throws as `poseInto`.
   */
  mixInto(
    timeSeconds: number,
    weight: number,
    rotations: Float32Array,
    at: number,
    positions?: Float32Array,
    positionsAt = 0,
  ): void {
    work[TIME] = timeSeconds;
    work[WEIGHT] = weight;
    this.#write(rotations, at, positions, positionsAt);
  }

  /** Brings the time in `work` into the clip. */
  #wrapTime(): void {
    const time = work[TIME] as number;
    const duration = this.durationSeconds;
    if (this.loop) {
      const wrapped = time - duration * Math.floor(time / duration);
      // What is no number is 0; a hair below 0 rounds up to a whole round.
      work[TIME] = wrapped > 0 && wrapped < duration ? wrapped : 0;
    } else if (!(time > 0)) {
      work[TIME] = 0;
    } else if (time > duration) {
      work[TIME] = duration;
    }
  }

  /**
   * Writes the pose at the time in `work`, with the weight there. One large function: it is too
   * large to be inlined, so that `poseInto` and `mixInto`, which carry doubles, always are.
   */
  #write(
    rotations: Float32Array,
    at: number,
    positions: Float32Array | undefined,
    positionsAt: number,
  ): void {
    checkRoom(rotations, at, this.bones, 4);
    if (positions !== undefined) checkRoom(positions, positionsAt, this.bones, 3);
    // A weight that is no number changes nothing.
    if (!((work[WEIGHT] as number) > 0)) return;
    this.#wrapTime();
    const time = work[TIME] as number;
    const tracks = this.#tracks;
    for (const line of tracks.timelines) {
      const { times } = line;
      let before = 0;
      let behind = times.length;
      while (behind - before > 1) {
        const middle = (before + behind) >>> 1;
        if ((times[middle] as number) <= time) before = middle;
        else behind = middle;
      }
      line.key = before;
      const from = times[before] as number;
      const isBetween = behind < times.length && time > from;
      line.part[0] = isBetween ? (time - from) / ((times[behind] as number) - from) : 0;
    }
    for (const track of tracks.rotations) writeRotation(track, rotations, at + 4 * track.bone);
    if (positions === undefined) return;
    for (const track of tracks.positions) {
      writePosition(track, positions, positionsAt + 3 * track.bone);
    }
  }
}

/** Writes or mixes one bone's rotation. */
function writeRotation(track: TrackKeys, out: Float32Array, at: number): void {
  const { line, keys, arcs, sides } = track;
  const from = 4 * line.key;
  const angle = (line.part[0] as number) * (arcs[line.key] as number);
  if (angle > 0) {
    trigWork[0] = angle;
    evaluateSine(1);
    const cosine = trigWork[0] as number;
    trigWork[0] = angle;
    evaluateSine(0);
    const sine = trigWork[0] as number;
    for (let i = 0; i < 4; i++) {
      value[i] = (keys[from + i] as number) * cosine + (sides[from + i] as number) * sine;
    }
  } else {
    for (let i = 0; i < 4; i++) value[i] = keys[from + i] as number;
  }
  if ((work[WEIGHT] as number) < 1) mixRotation(out, at);
  else for (let i = 0; i < 4; i++) out[at + i] = value[i] as number;
}

/** Writes or mixes one bone's position. */
function writePosition(track: TrackKeys, out: Float32Array, at: number): void {
  const { line, keys } = track;
  const from = 3 * line.key;
  const part = line.part[0] as number;
  const weight = work[WEIGHT] as number;
  for (let i = 0; i < 3; i++) {
    let goal = keys[from + i] as number;
    if (part > 0) goal += ((keys[from + 3 + i] as number) - goal) * part;
    const here = out[at + i] as number;
    out[at + i] = weight < 1 ? here + (goal - here) * weight : goal;
  }
}

/** Moves the rotation that is there towards `value` the shortest way and normalises it. */
function mixRotation(out: Float32Array, at: number): void {
  const weight = work[WEIGHT] as number;
  let dot = 0;
  for (let i = 0; i < 4; i++) dot += (out[at + i] as number) * (value[i] as number);
  const goalWeight = dot < 0 ? -weight : weight;
  let squares = 0;
  for (let i = 0; i < 4; i++) {
    const sum = (out[at + i] as number) * (1 - weight) + (value[i] as number) * goalWeight;
    value[i] = sum;
    squares += sum * sum;
  }
  const scale = 1 / Math.sqrt(squares);
  for (let i = 0; i < 4; i++) out[at + i] = (value[i] as number) * scale;
}

function checkRoom(array: Float32Array, at: number, bones: number, width: number): void {
  if (at >= 0 && array.length >= at + bones * width) return;
  throw new EscapementError('VALUE_INVALID', 'The pose does not fit into the array.', {
    given: `length ${array.length}, from element ${at} on`,
    allowed: `${bones * width} elements for ${bones} bones`,
    fix: `Declare the component as list(${width === 4 ? 'quaternion' : 'vec3'}(), ${bones}).`,
  });
}
