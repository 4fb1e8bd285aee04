import { fieldWords } from '../field-codec.ts';
import type { Schema } from '../schema.ts';
import { placeWorld } from '../world-map.ts';
import { FORMAT_VERSION } from './format.ts';
import { decodeJson, encodeJson } from './header-json.ts';
import { readParams, readSchema } from './header-schema.ts';
import { badPart, objectAt, textAt, wholeAt } from './header-value.ts';
import type { ReplayHeader } from './replay.ts';

const TICK_MAX = Number.MAX_SAFE_INTEGER;
const WORD_MAX = 0xffff_ffff;

/** Returns a header as bytes. Throws REPLAY_INVALID for one that {@link decodeHeader} refuses. */
export function encodeHeader(header: ReplayHeader): Uint8Array {
  const bytes = encodeJson(header);
  decodeHeader(bytes);
  return bytes;
}

/**
 * Returns the header that bytes name, built anew from the fields that are known. Throws
 * REPLAY_INVALID.
 */
export function decodeHeader(bytes: Uint8Array): ReplayHeader {
  const given = objectAt('header', decodeJson(bytes));
  if (given['formatVersion'] !== FORMAT_VERSION) {
    throw badPart('formatVersion', given['formatVersion'], String(FORMAT_VERSION));
  }
  return {
    formatVersion: FORMAT_VERSION,
    library: textAt('library', given['library']),
    schema: readSchema('schema', given['schema']),
    identity: textAt('identity', given['identity']),
    seed: readSeed(given['seed']),
    params: readParams('params', given['params']),
    firstTick: wholeAt('firstTick', given['firstTick'], 0, TICK_MAX),
    ...(given['fromSetup'] === false && { fromSetup: false as const }),
    hashEveryTicks: wholeAt('hashEveryTicks', given['hashEveryTicks'], 0, TICK_MAX),
    keyframeEveryTicks: wholeAt('keyframeEveryTicks', given['keyframeEveryTicks'], 0, TICK_MAX),
  };
}

function readSeed(value: unknown): readonly [high: number, low: number] {
  if (!Array.isArray(value) || value.length !== 2) {
    throw badPart('seed', value, 'a list of two 32-bit halves');
  }
  const [high, low] = value as unknown[];
  return [wholeAt('seed[0]', high, 0, WORD_MAX), wholeAt('seed[1]', low, 0, WORD_MAX)];
}

/** Sizes that follow from a schema and that every record has to keep. */
export interface ReplayShape {
  /** Words of each input, by its place in the schema. */
  readonly inputWords: Uint32Array;
  /** Words of all `state` inputs together. */
  readonly stateWords: number;
  readonly worldBytes: number;
}

/** Returns the sizes that follow from a schema. */
export function shapeOf(schema: Schema): ReplayShape {
  let stateWords = 0;
  const inputWords = new Uint32Array(schema.inputs.length);
  schema.inputs.forEach(({ as, fields }, index) => {
    const words = fieldWords(fields);
    inputWords[index] = words;
    if (as === 'state') stateWords += words;
  });
  return { inputWords, stateWords, worldBytes: placeWorld(schema, 0).bytes };
}
