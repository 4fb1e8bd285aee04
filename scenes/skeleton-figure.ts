/*
 * A figure on two legs, as whoever draws it has to know it. Metres; y is up, z is ahead of the
 * figure and x to its left. With no bone turned it stands upright, arms and legs straight down.
 *
 * A bone begins at its offset in the frame of its parent, which is turned; its tip is where its
 * flesh ends, in the frame of the bone. The hips have no parent: their offset is from the figure's
 * position, in its heading.
 */

interface BoneSpec {
  readonly name: string;
  readonly parent: string;
  readonly offset: readonly [x: number, y: number, z: number];
  readonly tip: readonly [x: number, y: number, z: number];
}

const SHOULDER = 0.19;
const HIP = 0.1;
export const THIGH_LENGTH = 0.44;
export const SHIN_LENGTH = 0.42;
/** How high the ankles are above the soles. */
export const ANKLE_HEIGHT = 0.08;

/** An arm and a leg; `side` is 1 for the left ones, -1 for the right ones. */
function limbs(letter: 'L' | 'R', side: 1 | -1): readonly BoneSpec[] {
  const [upper, fore, hand] = [`upperArm${letter}`, `foreArm${letter}`, `hand${letter}`];
  const [thigh, shin, foot] = [`thigh${letter}`, `shin${letter}`, `foot${letter}`];
  return [
    { name: upper, parent: 'chest', offset: [side * SHOULDER, 0.22, 0], tip: [0, -0.29, 0] },
    { name: fore, parent: upper, offset: [0, -0.29, 0], tip: [0, -0.25, 0] },
    { name: hand, parent: fore, offset: [0, -0.25, 0], tip: [0, -0.17, 0] },
    { name: thigh, parent: 'hips', offset: [side * HIP, -0.05, 0], tip: [0, -THIGH_LENGTH, 0] },
    { name: shin, parent: thigh, offset: [0, -THIGH_LENGTH, 0], tip: [0, -SHIN_LENGTH, 0] },
    { name: foot, parent: shin, offset: [0, -SHIN_LENGTH, 0], tip: [0, -ANKLE_HEIGHT, 0.18] },
  ];
}

/** Parents come before their children. */
const BONES: readonly BoneSpec[] = [
  {
    name: 'hips',
    parent: '',
    offset: [0, ANKLE_HEIGHT + SHIN_LENGTH + THIGH_LENGTH + 0.05, 0],
    tip: [0, 0.12, 0],
  },
  { name: 'spine', parent: 'hips', offset: [0, 0.12, 0], tip: [0, 0.16, 0] },
  { name: 'chest', parent: 'spine', offset: [0, 0.16, 0], tip: [0, 0.26, 0] },
  { name: 'head', parent: 'chest', offset: [0, 0.32, 0.01], tip: [0, 0.22, 0] },
  ...limbs('L', 1),
  ...limbs('R', -1),
];

/** How many bones a figure has: `boneRotation` holds one quaternion for each, in this order. */
export const BONE_COUNT = 16;

/** Names by bone. */
export const BONE_NAMES: readonly string[] = BONES.map(({ name }) => name);

/** Row = bone: the number of its parent, which is smaller; -1 for the hips. */
export const BONE_PARENTS: Int8Array = Int8Array.from(BONES, ({ parent }) =>
  BONE_NAMES.indexOf(parent),
);

/** Row = bone: x, y, z of where it begins, in the frame of its parent. */
export const BONE_OFFSETS: Float32Array = Float32Array.from(BONES.flatMap(({ offset }) => offset));

/** Row = bone: x, y, z of where its flesh ends, in its own frame. */
export const BONE_TIPS: Float32Array = Float32Array.from(BONES.flatMap(({ tip }) => tip));

/** Row = bone: how far it is from where it begins to its tip. */
export const BONE_LENGTHS: Float32Array = Float32Array.from(BONES, ({ tip: [x, y, z] }) =>
  Math.sqrt(x * x + y * y + z * z),
);

/** Heel and toe of a sole: x, y, z of each, in the frame of a foot. */
export const SOLE: Float32Array = Float32Array.from(
  [
    [0, -ANKLE_HEIGHT, -0.06],
    [0, -ANKLE_HEIGHT, 0.18],
  ].flat(),
);

/** Returns the number of a bone. Throws RangeError when there is none of that name. */
export function boneNumber(name: string): number {
  const bone = BONE_NAMES.indexOf(name);
  if (bone >= 0) return bone;
  throw new RangeError(`there is no bone ${JSON.stringify(name)}`);
}
