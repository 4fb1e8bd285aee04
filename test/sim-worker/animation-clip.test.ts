import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AnimationClip,
  type AnimationClipData,
  type AnimationTrack,
} from '../../src/sim-worker/index.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';
import { errorOf } from './outcome.ts';

const numRuns = scaled({ tiny: 50, normal: 200, full: 5000 });
const HALF = Math.SQRT1_2;

/** A quarter turn about x, y or z. */
const ABOUT_X = [HALF, 0, 0, HALF];
const ABOUT_Z = [0, 0, HALF, HALF];
const NOT_TURNED = [0, 0, 0, 1];

const unit = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 })
  .filter((q) => Math.hypot(...q) > 0.1)
  .map((q) => q.map((x) => x / Math.hypot(...q)));

const place = fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 3, maxLength: 3 });

/** Ascending times within two seconds, on a grid, so that they differ. */
const times = fc
  .uniqueArray(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 8 })
  .map((list) => list.sort((a, b) => a - b).map((n) => n / 100));

const track = (bone: number): fc.Arbitrary<AnimationTrack> =>
  times.chain((keys) => {
    const size = { minLength: keys.length, maxLength: keys.length };
    return fc.record({
      bone: fc.constant(bone),
      times: fc.constant(keys),
      rotations: fc.array(unit, size).map((list) => list.flat()),
      positions: fc.array(place, size).map((list) => list.flat()),
    });
  });

const clips = fc.record({
  durationSeconds: fc.constant(2),
  loop: fc.boolean(),
  bones: fc.constant(3),
  tracks: fc.tuple(track(2), track(0)),
  restRotations: fc.tuple(unit, unit, unit).map((list) => list.flat()),
  restPositions: fc.tuple(place, place, place).map((list) => list.flat()),
});

const seconds = fc.double({ min: -10, max: 10, noNaN: true });

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);
}

/** What a bone shows at a time, by the definition: keys held at both ends, slerp, lerp. */
function expectedBone(data: AnimationClipData, bone: number, time: number) {
  const { durationSeconds, loop, tracks, restRotations = [], restPositions = [] } = data;
  const found = tracks.find((each) => each.bone === bone);
  const part = (list: ArrayLike<number>, key: number, width: number): number[] =>
    Array.from(list).slice(key * width, (key + 1) * width);
  if (found === undefined) {
    return { rotation: part(restRotations, bone, 4), position: part(restPositions, bone, 3) };
  }
  const wrapped = ((time % durationSeconds) + durationSeconds) % durationSeconds;
  const at = loop ? wrapped : Math.min(Math.max(time, 0), durationSeconds);
  const keys = Array.from(found.times);
  const before = Math.max(
    0,
    keys.findLastIndex((key) => key <= at),
  );
  const behind = Math.min(keys.length - 1, before + 1);
  const [from, to] = [keys[before] as number, keys[behind] as number];
  const t = to > from ? Math.min(1, Math.max(0, (at - from) / (to - from))) : 0;
  const q0 = part(found.rotations ?? [], before, 4);
  const sign = dot(q0, part(found.rotations ?? [], behind, 4)) < 0 ? -1 : 1;
  const q1 = part(found.rotations ?? [], behind, 4).map((x) => x * sign);
  const arc = Math.acos(Math.min(1, dot(q0, q1)));
  const [w0, w1] =
    arc < 1e-6
      ? [1 - t, t]
      : [Math.sin((1 - t) * arc) / Math.sin(arc), Math.sin(t * arc) / Math.sin(arc)];
  const p1 = part(found.positions ?? [], behind, 3);
  return {
    rotation: q0.map((x, i) => x * w0 + (q1[i] as number) * w1),
    position: part(found.positions ?? [], before, 3).map((x, i) => x + ((p1[i] as number) - x) * t),
  };
}

function poseOf(clip: AnimationClip, time: number) {
  const rotations = new Float32Array(4 * clip.bones);
  const positions = new Float32Array(3 * clip.bones);
  clip.poseInto(time, rotations, 0, positions);
  return { rotations, positions };
}

describe('a pose', () => {
  it('is what the definition says, on every bone at any time', () => {
    fc.assert(
      fc.property(clips, seconds, (data, time) => {
        const { rotations, positions } = poseOf(new AnimationClip(data), time);
        for (let bone = 0; bone < 3; bone++) {
          const { rotation, position } = expectedBone(data, bone, time);
          const got = [...rotations.subarray(4 * bone, 4 * bone + 4)];
          // A quaternion and its negative are one rotation.
          expect(Math.abs(dot(got, rotation))).toBeCloseTo(1, 5);
          expect(Math.hypot(...got)).toBeCloseTo(1, 6);
          position.forEach((x, i) => expect(positions[3 * bone + i]).toBeCloseTo(x, 5));
        }
      }),
      { numRuns },
    );
  });

  it('turns at an even pace between two keys, and the shortest way', () => {
    const minusQuarter = ABOUT_Z.map((x) => -x);
    const clip = new AnimationClip({
      durationSeconds: 3,
      bones: 1,
      tracks: [{ bone: 0, times: [0, 3], rotations: [...NOT_TURNED, ...minusQuarter] }],
    });
    for (const third of [0, 1, 2, 3]) {
      const half = (third * Math.PI) / 12;
      const { rotations } = poseOf(clip, third);
      expect(rotations[2]).toBeCloseTo(Math.sin(half), 6);
      expect(rotations[3]).toBeCloseTo(Math.cos(half), 6);
    }
  });

  it('is its keys to the bit of f32, and stands still beyond them', () => {
    const clip = new AnimationClip({
      durationSeconds: 4,
      bones: 1,
      tracks: [{ bone: 0, times: [1, 2], rotations: [...NOT_TURNED, ...ABOUT_X] }],
    });
    const first = Float32Array.from(NOT_TURNED);
    const last = Float32Array.from(ABOUT_X);
    for (const time of [-Infinity, -1, 0, 0.5, 1, Number.NaN]) {
      expect(poseOf(clip, time).rotations).toEqual(first);
    }
    for (const time of [2, 3, 4, 99, Infinity]) expect(poseOf(clip, time).rotations).toEqual(last);
  });

  it('of a looping clip comes round, before 0 too, and is exact at whole rounds', () => {
    const clip = new AnimationClip({
      durationSeconds: 2,
      loop: true,
      bones: 1,
      tracks: [{ bone: 0, times: [0, 1, 2], positions: [0, 0, 0, 8, 0, 0, 0, 0, 0] }],
    });
    const xs = [0.25, 2.25, -1.75, 200.25].map((time) => poseOf(clip, time).positions[0]);
    expect(xs).toEqual([2, 2, 2, 2]);
    expect([0, 2, -2, 4, -1e-300].map((time) => poseOf(clip, time).positions[0])).toEqual([
      0, 0, 0, 0, 0,
    ]);
    expect(poseOf(clip, Infinity).positions[0]).toBe(0);
  });

  it('is written where it belongs and nowhere else', () => {
    const clip = new AnimationClip({
      durationSeconds: 1,
      bones: 2,
      tracks: [{ bone: 1, times: [0], rotations: ABOUT_X, positions: [1, 2, 3] }],
    });
    const rotations = new Float32Array(16).fill(9);
    const positions = new Float32Array(12).fill(9);
    clip.poseInto(0, rotations, 4, positions, 3);
    const nines = (count: number): number[] => Array.from({ length: count }, () => 9);
    const turned = [...Float32Array.from(ABOUT_X)];
    expect([...rotations]).toEqual([...nines(4), ...NOT_TURNED, ...turned, ...nines(4)]);
    // Bone 0 has neither a track nor a rest position: its own stays.
    expect([...positions]).toEqual([...nines(6), 1, 2, 3, ...nines(3)]);
  });

  it('leaves nothing on the heap', () => {
    const track = (bone: number): AnimationTrack => ({
      bone,
      times: [0, 0.5, 1],
      rotations: [...NOT_TURNED, ...ABOUT_X, ...NOT_TURNED],
      positions: [0, 0, 0, 1, 1, 1, 0, 0, 0],
    });
    const walk = new AnimationClip({
      durationSeconds: 1,
      bones: 2,
      tracks: [track(0)],
      loop: true,
    });
    const wave = new AnimationClip({ durationSeconds: 1, bones: 2, tracks: [track(1)] });
    const rotations = new Float32Array(8);
    const positions = new Float32Array(6);
    const clock = new Float64Array(1);
    const left = bytesLeft(scaled({ tiny: 3000, normal: 10_000, full: 10_000 }), () => {
      clock[0] = (clock[0] as number) + 1 / 60;
      walk.poseInto(clock[0], rotations, 0, positions);
      wave.mixInto(clock[0], 0.25, rotations, 0, positions);
    });
    expect(left).toBe(0);
  });
});

describe('a mix', () => {
  const weights = fc.integer({ min: 1, max: 99 }).map((n) => n / 100);

  it('changes nothing at 0, is the pose from 1 on, and has unit rotations in between', () => {
    fc.assert(
      fc.property(clips, clips, seconds, weights, (old, next, time, weight) => {
        const from = new AnimationClip(old);
        const to = new AnimationClip(next);
        const mixed = (share: number) => {
          const pose = poseOf(from, time);
          to.mixInto(time, share, pose.rotations, 0, pose.positions);
          return pose;
        };
        const [a, b] = [poseOf(from, time), poseOf(to, time)];
        for (const share of [0, -1, Number.NaN]) expect(mixed(share)).toEqual(a);
        for (const share of [1, 7]) expect(mixed(share)).toEqual(b);
        const { rotations, positions } = mixed(weight);
        for (let at = 0; at < 12; at += 4) {
          const got = [...rotations.subarray(at, at + 4)];
          expect(Math.hypot(...got)).toBeCloseTo(1, 6);
          // It lies on the shorter arc: no further from either end than they are from each other.
          const apart = Math.abs(
            dot([...a.rotations.subarray(at, at + 4)], [...b.rotations.subarray(at, at + 4)]),
          );
          expect(Math.abs(dot(got, [...a.rotations.subarray(at, at + 4)]))).toBeGreaterThan(
            apart - 1e-6,
          );
          expect(Math.abs(dot(got, [...b.rotations.subarray(at, at + 4)]))).toBeGreaterThan(
            apart - 1e-6,
          );
        }
        positions.forEach((x, i) => {
          const [p, q] = [a.positions[i] as number, b.positions[i] as number];
          expect(x).toBeCloseTo(p + (q - p) * weight, 5);
        });
      }),
      { numRuns },
    );
  });

  it('goes the shortest way, whichever of its two quaternions a rotation has', () => {
    const clip = new AnimationClip({
      durationSeconds: 1,
      bones: 1,
      tracks: [{ bone: 0, times: [0], rotations: ABOUT_X }],
    });
    const rotations = Float32Array.of(0, 0, 0, -1);
    clip.mixInto(0, 0.5, rotations, 0);
    // An eighth of a turn.
    expect(Math.abs(rotations[0] as number)).toBeCloseTo(Math.sin(Math.PI / 8), 6);
    expect(Math.abs(rotations[3] as number)).toBeCloseTo(Math.cos(Math.PI / 8), 6);
  });

  it('over a rotation that was never written is the pose', () => {
    const clip = new AnimationClip({
      durationSeconds: 1,
      bones: 1,
      tracks: [{ bone: 0, times: [0], rotations: ABOUT_X }],
    });
    const rotations = new Float32Array(4);
    clip.mixInto(0, 0.25, rotations, 0);
    rotations.forEach((x, i) => expect(x).toBeCloseTo(ABOUT_X[i] as number, 6));
  });
});

describe('a clip is refused', () => {
  const good: AnimationClipData = {
    durationSeconds: 1,
    bones: 2,
    tracks: [{ bone: 0, times: [0, 1], rotations: [...NOT_TURNED, ...ABOUT_Z] }],
  };
  const [goodTrack] = good.tracks as [AnimationTrack];
  const withTrack = (change: Partial<AnimationTrack>): AnimationClipData => ({
    ...good,
    tracks: [{ ...goodTrack, ...change }],
  });

  it.each<[string, AnimationClipData, string]>([
    ['that takes no time', { ...good, durationSeconds: 0 }, 'durationSeconds'],
    ['that never ends', { ...good, durationSeconds: Infinity }, 'durationSeconds'],
    ['without bones', { ...good, bones: 0 }, 'bones'],
    ['with more bones than a list holds', { ...good, bones: 257 }, 'bones'],
    ['for half a bone', { ...good, bones: 1.5 }, 'bones'],
    ['with a track of no bone', withTrack({ bone: 2 }), 'tracks[0] names no bone'],
    ['with a track without keys', withTrack({ times: [] }), 'tracks[0] has no key'],
    ['with a key beyond its end', withTrack({ times: [0, 1.5] }), 'times[1]'],
    ['with a key before its start', withTrack({ times: [-0.5, 1] }), 'times[0]'],
    ['with two keys at one time', withTrack({ times: [1, 1] }), 'times[1]'],
    ['with a time that is no number', withTrack({ times: [Number.NaN, 1] }), 'times[0]'],
    ['with too few rotations', withTrack({ rotations: NOT_TURNED }), 'rotations has the wrong'],
    ['with too few positions', withTrack({ positions: [0, 0, 0] }), 'positions has the wrong'],
    [
      'with a rotation of length 2',
      withTrack({ rotations: [...NOT_TURNED, 0, 0, 0, 2] }),
      'unit quaternion',
    ],
    ['with a rotation of zeros', withTrack({ rotations: [...NOT_TURNED, 0, 0, 0, 0] }), 'unit'],
    [
      'with an infinite position',
      withTrack({ positions: [0, 0, 0, 0, Infinity, 0] }),
      'positions[4]',
    ],
    [
      'with two tracks for one bone',
      { ...good, tracks: [goodTrack, goodTrack] },
      'Bone 0 has rotations in two tracks',
    ],
    [
      'with a track that moves nothing',
      { ...good, tracks: [{ bone: 1, times: [0] }] },
      'tracks[0] moves nothing',
    ],
    ['with half a rest pose', { ...good, restRotations: NOT_TURNED }, 'restRotations'],
    ['with half the rest positions', { ...good, restPositions: [0, 0, 0] }, 'restPositions'],
  ])('%s', (_, data, headline) => {
    const error = errorOf(() => new AnimationClip(data));
    expect(error.code).toBe('VALUE_INVALID');
    expect(error.message).toContain(headline);
  });

  it('may give rotations and positions of one bone in two tracks', () => {
    const clip = new AnimationClip({
      ...good,
      tracks: [goodTrack, { bone: 0, times: [0.5], positions: [1, 2, 3] }],
    });
    expect([...poseOf(clip, 0).positions]).toEqual([1, 2, 3, 0, 0, 0]);
  });

  it('that does not fit where its pose should go, before anything is written', () => {
    const clip = new AnimationClip(good);
    const rotations = new Float32Array(8);
    expect(errorOf(() => clip.poseInto(0, rotations, 1)).message).toContain(
      'list(quaternion(), 2)',
    );
    const short = new Float32Array(5);
    expect(errorOf(() => clip.poseInto(0, rotations, 0, short)).message).toContain(
      'list(vec3(), 2)',
    );
    expect(errorOf(() => clip.mixInto(0, 1, rotations, -1)).code).toBe('VALUE_INVALID');
    expect([...rotations]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });
});
