import { assert } from '../assert.ts';
import { getU32, getU64, putU32, putU64 } from '../little-endian.ts';
import { deflate, inflateInto, lengthOf } from './deflate.ts';
import {
  DEFLATE_RATIO_MAX,
  KEYFRAME_FLAG,
  KEYFRAME_HEAD_BYTES,
  RECORD_HEAD_BYTES,
  RECORD_TYPE,
  replayInvalid,
} from './format.ts';
import type { ReplayShape } from './header.ts';
import { createRecord, sealRecord } from './record.ts';
import type { Keyframe } from './replay.ts';

/** Returns the bytes of a keyframe's state. */
export function stateBytes({ world, inputs, foreign }: Keyframe): number {
  return world.length + 4 * inputs.length + (foreign?.length ?? 0);
}

/** Throws an AssertionError unless a keyframe has the sizes of its schema. */
export function assertKeyframe({ tick, world, inputs }: Keyframe, shape: ReplayShape): void {
  assert(Number.isSafeInteger(tick) && tick >= 0, 'a keyframe has a tick');
  assert(world.length === shape.worldBytes, 'a keyframe has the world of its schema');
  assert(inputs.length === shape.stateWords, 'a keyframe has the inputs of its schema');
}

/** Returns a keyframe as a whole record, deflated where that is shorter. */
export async function packKeyframe(keyframe: Keyframe): Promise<Uint8Array> {
  const { tick, world, inputs, foreign } = keyframe;
  const inputBytes = new Uint8Array(4 * inputs.length);
  inputs.forEach((word, index) => putU32(inputBytes, 4 * index, word));
  const parts = [world, inputBytes, foreign ?? new Uint8Array(0)];
  const deflated = await deflate(parts);
  const stored = deflated ?? parts;
  const flags =
    (deflated === undefined ? 0 : KEYFRAME_FLAG.deflated) |
    (foreign === undefined ? 0 : KEYFRAME_FLAG.foreign);
  const record = createRecord(RECORD_TYPE.keyframe, flags, KEYFRAME_HEAD_BYTES + lengthOf(stored));
  putU64(record, RECORD_HEAD_BYTES, tick);
  putU32(record, RECORD_HEAD_BYTES + 8, world.length);
  putU32(record, RECORD_HEAD_BYTES + 12, inputs.length);
  putU32(record, RECORD_HEAD_BYTES + 16, foreign?.length ?? 0);
  let at = RECORD_HEAD_BYTES + KEYFRAME_HEAD_BYTES;
  for (const part of stored) {
    record.set(part, at);
    at += part.length;
  }
  return sealRecord(record);
}

/** A keyframe's place in a file: its payload, from `begin` up to, not including, `end`. */
export interface KeyframePlace {
  readonly flags: number;
  readonly begin: number;
  readonly end: number;
}

/** Returns what is wrong with a keyframe's payload as far as that shows without inflating it. */
export function keyframeFault(
  bytes: Uint8Array,
  flags: number,
  begin: number,
  end: number,
  shape: ReplayShape,
): string | undefined {
  const stored = end - begin - KEYFRAME_HEAD_BYTES;
  if (stored < 0) return 'a keyframe is shorter than its fixed part';
  if ((flags & ~(KEYFRAME_FLAG.deflated | KEYFRAME_FLAG.foreign)) !== 0) {
    return 'a keyframe has flags that version 1 does not know';
  }
  if (getU64(bytes, begin) < 0) return 'a keyframe has no tick';
  if (getU32(bytes, begin + 8) !== shape.worldBytes) {
    return 'a keyframe has a world of another size than the schema';
  }
  if (getU32(bytes, begin + 12) !== shape.stateWords) {
    return 'a keyframe has inputs of another size than the schema';
  }
  const foreignBytes = getU32(bytes, begin + 16);
  if (foreignBytes > 0 && (flags & KEYFRAME_FLAG.foreign) === 0) {
    return 'a keyframe has foreign state and says it has none';
  }
  if (getU32(bytes, begin + 20) !== 0) return 'a keyframe has bits that version 1 does not know';
  const raw = rawBytesOf(bytes, begin);
  const isPossible =
    (flags & KEYFRAME_FLAG.deflated) === 0
      ? stored === raw
      : stored < raw && raw <= stored * DEFLATE_RATIO_MAX;
  return isPossible ? undefined : `${stored} bytes of a keyframe cannot become ${raw}`;
}

/** Returns the bytes that the state of a checked keyframe has. */
export function rawBytesOf(bytes: Uint8Array, begin: number): number {
  const world = getU32(bytes, begin + 8);
  return world + 4 * getU32(bytes, begin + 12) + getU32(bytes, begin + 16);
}

/**
 * Returns a checked keyframe in memory of its own. Throws REPLAY_INVALID if its state cannot be
 * inflated to the size that it has by its schema, and if that does not fit into memory.
 */
export function unpackKeyframe(bytes: Uint8Array, place: KeyframePlace): Keyframe {
  const { flags, begin, end } = place;
  const tick = getU64(bytes, begin);
  const worldBytes = getU32(bytes, begin + 8);
  const inputWords = getU32(bytes, begin + 12);
  const state = allocate(tick, rawBytesOf(bytes, begin));
  const stored = bytes.subarray(begin + KEYFRAME_HEAD_BYTES, end);
  if ((flags & KEYFRAME_FLAG.deflated) === 0) state.set(stored);
  else if (!inflateInto(state, stored)) {
    throw badKeyframe(tick, `${stored.length} bytes that do not inflate to ${state.length}`);
  }
  const inputs = new Uint32Array(inputWords);
  const inputsEnd = worldBytes + 4 * inputWords;
  for (let index = 0; index < inputWords; index++) {
    inputs[index] = getU32(state, worldBytes + 4 * index);
  }
  const hasForeign = (flags & KEYFRAME_FLAG.foreign) !== 0;
  return {
    tick,
    world: state.subarray(0, worldBytes),
    inputs,
    foreign: hasForeign ? state.subarray(inputsEnd) : undefined,
  };
}

function allocate(tick: number, length: number): Uint8Array {
  try {
    return new Uint8Array(length);
  } catch (cause) {
    throw badKeyframe(tick, `a state of ${length} bytes`, cause);
  }
}

function badKeyframe(tick: number, given: string, cause?: unknown): Error {
  return replayInvalid(`The keyframe of tick ${tick} cannot be loaded.`, {
    given,
    allowed: 'a state of the size that the schema has, and that fits into memory',
    fix: 'Use an earlier keyframe: the run follows from it and the inputs.',
    cause,
  });
}
