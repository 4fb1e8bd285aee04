import { EscapementError } from '../shared/error.ts';
import type { Replay } from '../shared/replay/replay.ts';
import { firstKeyframeFrom, lastHashBefore } from './replay-search.ts';
import type { StateDiff } from './difference-list.ts';
import type { LocalReplay } from './open-replay.ts';
import type { Divergence } from './replay-player.ts';
import { diffStates } from './state-diff.ts';

/** Where a replay parts from its recording. */
export interface DivergenceReport {
  /** The first hash that was not met; undefined if a keyframe after the last hash differs. */
  readonly divergence: Divergence | undefined;
  /** Hashes compared. */
  readonly compared: number;
  /** The last tick known to be as recorded; -1 if there is none. */
  readonly lastGood: number;
  /** The first tick known to differ; the state parted after `lastGood`, and not later than here. */
  readonly firstBad: number;
  /** The states at the first recorded keyframe from there on; undefined if there is none. */
  readonly state: DivergedState | undefined;
  /** What made this build fail after it parted, before a keyframe could be compared. */
  readonly failure: EscapementError | undefined;
}

/** Two states of one tick: `a` is the recorded one, `b` the one of this build. */
export interface DivergedState {
  readonly tick: number;
  readonly diff: StateDiff;
}

/**
 * Runs a replay to its first tick that is not as recorded, and compares the states there. Hashes
 * say that they differ; keyframes say in what, and where they lie between two hashes, or after the
 * last one, narrow the tick down. Undefined when all is as recorded. Throws SIMULATION_FAILED when
 * a system throws while it still is.
 */
export function findDivergence(run: LocalReplay, limit?: number): DivergenceReport | undefined {
  const { replay } = run;
  const lastHash = lastHashBefore(replay, replay.lastTick + 1);
  const { divergence, compared } = run.verify(lastHash);
  const badAt = divergence?.tick ?? Number.POSITIVE_INFINITY;
  let lastGood = Math.min(lastHash, lastHashBefore(replay, badAt));
  // From there on nothing but steps: a seek would put a recorded state in place of this build's.
  if (lastGood >= 0 && lastGood < run.tick) run.seek(lastGood);
  const report = (
    firstBad: number,
    state?: DivergedState,
    failure?: EscapementError,
  ): DivergenceReport => ({ divergence, compared, lastGood, firstBad, state, failure });
  try {
    let k = firstKeyframeFrom(replay, run.tick === badAt ? run.tick : lastGood + 1);
    for (; k < replay.keyframes.length; k++) {
      const { tick } = replay.keyframes[k] as { readonly tick: number };
      if (!stepTo(run, tick)) break;
      const state = compareAt(run, replay, k, limit);
      if (tick >= badAt || isDecisive(state.diff)) return report(Math.min(tick, badAt), state);
      lastGood = tick;
    }
    if (divergence !== undefined) return report(badAt);
    stepTo(run, replay.lastTick);
    return undefined;
  } catch (cause) {
    const hasFailed = cause instanceof EscapementError && cause.code === 'SIMULATION_FAILED';
    if (divergence === undefined || !hasFailed) throw cause;
    return report(badAt, undefined, cause);
  }
}

/** Whether states differ for certain: bytes kept elsewhere may for states that are equal. */
export function isDecisive({ groups }: StateDiff): boolean {
  return groups.some(({ kind }) => kind !== 'foreign');
}

/** Steps to a tick; returns false where the recording ends before. */
export function stepTo(run: LocalReplay, tick: number): boolean {
  while (run.tick < tick) {
    if (!run.step()) return false;
  }
  return true;
}

function compareAt(run: LocalReplay, replay: Replay, k: number, limit?: number): DivergedState {
  const { schema } = replay.header;
  const recorded = replay.loadKeyframe(k);
  const found = run.save();
  return { tick: run.tick, diff: diffStates(schema, recorded, found, limit) };
}
