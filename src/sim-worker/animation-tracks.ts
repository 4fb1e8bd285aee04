import { EscapementError } from '../shared/error.ts';
import { atan2 } from '../shared/math/trig.ts';
import { WIDTH_MAX } from '../shared/schema.ts';

/** The keys of one bone in an {@link AnimationClipData}. */
export interface AnimationTrack {
  /** Index of the bone, from 0. */
  readonly bone: number;
  /** Seconds, ascending, from 0 to the clip's duration. */
  readonly times: ArrayLike<number>;
  /** Unit quaternions (x, y, z, w), one a key, relative to the bone's parent. */
  readonly rotations?: ArrayLike<number>;
  /** Offsets (x, y, z), one a key, in the parent's coordinates. */
  readonly positions?: ArrayLike<number>;
}

/** An animation clip as plain data, which JSON can hold; see `AnimationClip`. */
export interface AnimationClipData {
  readonly durationSeconds: number;
  /** Whether time goes round at the end. A smooth loop has its first key again at the end. */
  readonly loop?: boolean;
  /** How many bones a pose has, from 1 to 256. */
  readonly bones: number;
  readonly tracks: readonly AnimationTrack[];
  /**
   * The pose of bones without a track: four numbers a bone (none: not turned), and three a bone
   * (none: their positions are left alone).
   */
  readonly restRotations?: ArrayLike<number>;
  readonly restPositions?: ArrayLike<number>;
}

/** The times of one or more tracks, and where among them the clip is. */
export interface Timeline {
  readonly times: Float64Array;
  /** The last key that is not behind the time, the first one before it. */
  key: number;
  /** One number: how much of the way to the next key has been gone, in [0, 1). */
  readonly part: Float64Array;
}

/** The keys of one bone's rotations or positions. */
export interface TrackKeys {
  readonly bone: number;
  readonly line: Timeline;
  /** Four or three numbers a key. */
  readonly keys: Float64Array;
  /** For rotations: the angle to the next key on the 4-sphere, and the unit quaternion aside. */
  readonly arcs: Float64Array;
  readonly sides: Float64Array;
}

/** The tracks of a clip. */
export interface ClipTracks {
  readonly timelines: readonly Timeline[];
  readonly rotations: readonly TrackKeys[];
  readonly positions: readonly TrackKeys[];
}

const BONES_MAX: number = WIDTH_MAX / 4;

/** Refuses data that is no clip; see the constructor of `AnimationClip`. */
export function checkClip(data: AnimationClipData): void {
  const { durationSeconds, bones } = data;
  if (!(durationSeconds > 0 && durationSeconds < Infinity)) {
    throw fault(
      '`durationSeconds` is no duration.',
      String(durationSeconds),
      'more than 0 seconds',
    );
  }
  if (!(Number.isInteger(bones) && bones >= 1 && bones <= BONES_MAX)) {
    throw fault('`bones` is out of range.', String(bones), `a whole number from 1 to ${BONES_MAX}`);
  }
  const seen = { rotations: new Set<number>(), positions: new Set<number>() };
  data.tracks.forEach((track, index) => checkTrack(data, track, `tracks[${index}]`, seen));
  if (data.restRotations !== undefined) {
    checkNumbers(data.restRotations, bones * 4, 'restRotations', `4 numbers for ${bones} bones`);
    checkUnits(data.restRotations, 'restRotations');
  }
  if (data.restPositions !== undefined) {
    checkNumbers(data.restPositions, bones * 3, 'restPositions', `3 numbers for ${bones} bones`);
  }
}

function checkTrack(
  { bones, durationSeconds }: AnimationClipData,
  track: AnimationTrack,
  where: string,
  seen: Readonly<Record<'rotations' | 'positions', Set<number>>>,
): void {
  const { bone, times } = track;
  if (!(Number.isInteger(bone) && bone >= 0 && bone < bones)) {
    throw fault(`${where} names no bone.`, String(bone), `a whole number from 0 to ${bones - 1}`);
  }
  checkTimes(times, durationSeconds, where);
  if (track.rotations === undefined && track.positions === undefined) {
    throw fault(`${where} moves nothing.`, 'only times', 'rotations, positions, or both');
  }
  for (const kind of ['rotations', 'positions'] as const) {
    const keys = track[kind];
    if (keys === undefined) continue;
    const width = kind === 'rotations' ? 4 : 3;
    const allowed = `${width} numbers for ${times.length} times`;
    checkNumbers(keys, times.length * width, `${where}.${kind}`, allowed);
    if (kind === 'rotations') checkUnits(keys, `${where}.rotations`);
    if (seen[kind].has(bone)) {
      throw fault(`Bone ${bone} has ${kind} in two tracks.`, where, 'one track of a bone for each');
    }
    seen[kind].add(bone);
  }
}

function checkTimes(times: ArrayLike<number>, durationSeconds: number, where: string): void {
  if (times.length === 0) throw fault(`${where} has no key.`, 'no time', 'at least one');
  for (let i = 0; i < times.length; i++) {
    const time = times[i] as number;
    const least = i === 0 ? 0 : (times[i - 1] as number);
    if ((i === 0 ? time >= 0 : time > least) && time <= durationSeconds) continue;
    throw fault(
      `${where}.times[${i}] is out of order or beyond the clip.`,
      String(time),
      `${i === 0 ? 'from' : 'more than'} ${least}, up to ${durationSeconds} seconds`,
    );
  }
}

function checkNumbers(
  numbers: ArrayLike<number>,
  length: number,
  where: string,
  allowed: string,
): void {
  if (numbers.length !== length) {
    throw fault(`${where} has the wrong length.`, String(numbers.length), allowed);
  }
  for (let i = 0; i < length; i++) {
    if (Number.isFinite(numbers[i])) continue;
    throw fault(`${where}[${i}] is no number.`, String(numbers[i]), 'finite numbers');
  }
}

/** Keys that were stored in bytes are off by less than a hundredth. */
const LENGTH_TOLERANCE = 0.01;

function checkUnits(rotations: ArrayLike<number>, where: string): void {
  for (let at = 0; at < rotations.length; at += 4) {
    const length = lengthOf(rotations, at);
    if (Math.abs(length - 1) <= LENGTH_TOLERANCE) continue;
    throw fault(
      `${where} holds what is no unit quaternion.`,
      `length ${length} from element ${at} on`,
      'x, y, z, w of length 1, to a hundredth',
    );
  }
}

function fault(headline: string, given: string, allowed: string): EscapementError {
  return new EscapementError('VALUE_INVALID', headline, { given, allowed });
}

function lengthOf(numbers: ArrayLike<number>, at: number): number {
  let squares = 0;
  for (let i = at; i < at + 4; i++) squares += (numbers[i] as number) * (numbers[i] as number);
  return Math.sqrt(squares);
}

/** Makes the tracks of data that has been checked. */
export function readTracks(data: AnimationClipData): ClipTracks {
  const timelines: Timeline[] = [];
  const rotations: TrackKeys[] = [];
  const positions: TrackKeys[] = [];
  const restRotations = data.restRotations ?? identities(data.bones);
  for (let bone = 0; bone < data.bones; bone++) {
    const turning = data.tracks.find((track) => track.bone === bone && track.rotations);
    const turns = turning?.rotations ?? slice(restRotations, bone, 4);
    rotations.push(rotationKeys(bone, timelineOf(turning?.times ?? [0], timelines), turns));
    const moving = data.tracks.find((track) => track.bone === bone && track.positions);
    const rest = data.restPositions && slice(data.restPositions, bone, 3);
    const moves = moving?.positions ?? rest;
    if (moves === undefined) continue;
    positions.push({
      bone,
      line: timelineOf(moving?.times ?? [0], timelines),
      keys: Float64Array.from(moves),
      arcs: NONE,
      sides: NONE,
    });
  }
  return { timelines, rotations, positions };
}

const NONE: Float64Array = new Float64Array(0);

function identities(bones: number): number[] {
  return Array.from({ length: bones * 4 }, (_, i) => (i % 4 === 3 ? 1 : 0));
}

function slice(numbers: ArrayLike<number>, bone: number, width: number): number[] {
  return Array.from({ length: width }, (_, i) => numbers[bone * width + i] as number);
}

/** Returns the timeline of equal times, so that each is looked up once a pose. */
function timelineOf(times: ArrayLike<number>, timelines: Timeline[]): Timeline {
  const exact = Float64Array.from(times);
  const known = timelines.find(
    (line) =>
      line.times.length === exact.length && exact.every((time, i) => time === line.times[i]),
  );
  if (known !== undefined) return known;
  const line: Timeline = { times: exact, key: 0, part: new Float64Array(1) };
  timelines.push(line);
  return line;
}

/** Normalises the keys, turns each to the side of the one before, and measures the arcs. */
function rotationKeys(bone: number, line: Timeline, numbers: ArrayLike<number>): TrackKeys {
  const keys = Float64Array.from(numbers);
  const arcs = new Float64Array(keys.length / 4);
  const sides = new Float64Array(keys.length);
  for (let at = 0; at < keys.length; at += 4) {
    const scale = (dotBefore(keys, at) < 0 ? -1 : 1) / lengthOf(keys, at);
    for (let i = at; i < at + 4; i++) keys[i] = (keys[i] as number) * scale;
    if (at > 0) measureArc(keys, at - 4, arcs, sides);
  }
  return { bone, line, keys, arcs, sides };
}

function dotBefore(keys: Float64Array, at: number): number {
  if (at === 0) return 1;
  let dot = 0;
  for (let i = at; i < at + 4; i++) dot += (keys[i - 4] as number) * (keys[i] as number);
  return dot;
}

function measureArc(keys: Float64Array, at: number, arcs: Float64Array, sides: Float64Array): void {
  const cosine = dotBefore(keys, at + 4);
  for (let i = at; i < at + 4; i++) {
    sides[i] = (keys[i + 4] as number) - (keys[i] as number) * cosine;
  }
  const sine = lengthOf(sides, at);
  // Equal keys have no side; the arc stays 0.
  if (sine === 0) return;
  arcs[at / 4] = atan2(sine, cosine);
  for (let i = at; i < at + 4; i++) sides[i] = (sides[i] as number) / sine;
}
