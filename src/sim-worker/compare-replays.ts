import { hashText } from '../shared/replay/replay-position.ts';
import { replayDifferences } from '../shared/replay/replay-identity.ts';
import type { Replay } from '../shared/replay/replay.ts';
import { placeWorld } from '../shared/world-map.ts';
import { firstInputDifference, type InputDifference } from './compare-inputs.ts';
import { type DivergedState, isDecisive } from './find-divergence.ts';
import { diffStates } from './state-diff.ts';

/** In what two recordings differ, as far as the files alone say. */
export interface ReplayComparison {
  /** In what they are not of the same run, a line each: simulation, seed, parameters. */
  readonly headers: readonly string[];
  /** The first input that differs. */
  readonly input: InputDifference | undefined;
  /** Ticks of which both have a hash. */
  readonly hashesCompared: number;
  /** Ticks of which both have a keyframe that was looked into. */
  readonly keyframesCompared: number;
  /** The first hash that differs. */
  readonly hash: HashDifference | undefined;
  /** The last tick whose states are known to be equal, -1 if there is none. */
  readonly lastGood: number;
  /** The first tick whose states are known to differ, undefined if there is none. */
  readonly firstBad: number | undefined;
  /** The states at the first common keyframe from there on. */
  readonly state: DivergedState | undefined;
  /** Whether their states can be compared at all. */
  readonly isComparable: boolean;
}

/** A tick of which two recordings have different hashes. */
export interface HashDifference {
  readonly tick: number;
  readonly a: string;
  readonly b: string;
}

/** Compares two recordings: headers, inputs, hashes and keyframes of the ticks that both have. */
export function compareReplays(a: Replay, b: Replay, limit?: number): ReplayComparison {
  const headers = headerDifferences(a, b);
  const isComparable = haveOneShape(a, b);
  const input = haveOneInputs(a, b) ? firstInputDifference(a, b) : undefined;
  const none = { keyframesCompared: 0, state: undefined };
  const hashes = compareHashes(a, b);
  const { firstBad, lastGood } = hashes;
  const keyframes = isComparable
    ? compareKeyframes(a, b, lastGood, firstBad ?? Number.POSITIVE_INFINITY, limit)
    : { ...none, lastGood, firstBad };
  return {
    headers,
    input,
    hashesCompared: hashes.compared,
    keyframesCompared: keyframes.keyframesCompared,
    hash: hashes.difference,
    lastGood: keyframes.lastGood,
    firstBad: keyframes.firstBad,
    state: keyframes.state,
    isComparable,
  };
}

/** Lists in what two recordings are not of the same run, a line each. */
function headerDifferences(a: Replay, b: Replay): string[] {
  const { schema, identity, seed, params } = b.header;
  const run = { quantum: schema.quantum, seed, params };
  return replayDifferences(a.header, { schema, version: identity }, run).map((line) =>
    line
      .replace(': here, not recorded', ': in B, not in A')
      .replace(': recorded, not here', ': in A, not in B')
      .replace(': recorded ', ': in A ')
      .replace(/, here (?!.*, here )/, ', in B '),
  );
}

function haveOneShape(a: Replay, b: Replay): boolean {
  const shape = ({ header: { schema } }: Replay): string => {
    const { capacity, components, globals, inputs, systems, changes } = schema;
    const bytes = placeWorld(schema, 0).bytes;
    return JSON.stringify([capacity, components, globals, inputs, systems.length, changes, bytes]);
  };
  return shape(a) === shape(b);
}

function haveOneInputs(a: Replay, b: Replay): boolean {
  return JSON.stringify(a.header.schema.inputs) === JSON.stringify(b.header.schema.inputs);
}

interface ComparedHashes {
  readonly compared: number;
  readonly lastGood: number;
  readonly firstBad: number | undefined;
  readonly difference: HashDifference | undefined;
}

function compareHashes(a: Replay, b: Replay): ComparedHashes {
  const words = new Uint32Array(2);
  let compared = 0;
  let lastGood = -1;
  for (let k = 0; k < a.hashCount; k++) {
    const { tick, high, low } = a.hashAt(k);
    if (!b.findHash(tick, words)) continue;
    compared++;
    const [otherHigh, otherLow] = words as unknown as readonly [number, number];
    if (high === otherHigh && low === otherLow) {
      lastGood = tick;
      continue;
    }
    const difference = { tick, a: hashText(high, low), b: hashText(otherHigh, otherLow) };
    return { compared, lastGood, firstBad: tick, difference };
  }
  return { compared, lastGood, firstBad: undefined, difference: undefined };
}

type ComparedKeyframes = Pick<
  ReplayComparison,
  'keyframesCompared' | 'lastGood' | 'firstBad' | 'state'
>;

/** Looks into the common keyframes after `lastGood`, up to the first that differs. */
function compareKeyframes(
  a: Replay,
  b: Replay,
  lastGood: number,
  firstBad: number,
  limit: number | undefined,
): ComparedKeyframes {
  const { schema } = a.header;
  let good = lastGood;
  let keyframesCompared = 0;
  let other = 0;
  for (let k = 0; k < a.keyframes.length; k++) {
    const tick = a.keyframes[k]?.tick as number;
    while ((b.keyframes[other]?.tick ?? Number.POSITIVE_INFINITY) < tick) other++;
    // Where hashes say that all is well up to a tick, what lies before it need not be looked into.
    if (b.keyframes[other]?.tick !== tick || (tick <= lastGood && Number.isFinite(firstBad))) {
      continue;
    }
    keyframesCompared++;
    const diff = diffStates(schema, a.loadKeyframe(k), b.loadKeyframe(other), limit);
    if (tick < firstBad && !isDecisive(diff)) {
      good = Math.max(good, tick);
      continue;
    }
    const bad = Math.min(tick, firstBad);
    // A keyframe may differ in what no hash is of, before hashes that are equal.
    return {
      keyframesCompared,
      lastGood: Math.min(good, bad - 1),
      firstBad: bad,
      state: { tick, diff },
    };
  }
  return {
    keyframesCompared,
    lastGood: good,
    firstBad: Number.isFinite(firstBad) ? firstBad : undefined,
    state: undefined,
  };
}
