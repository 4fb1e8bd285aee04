import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { Replay } from '../shared/replay/replay.ts';
import type { SimulationDefinition } from './definition.ts';
import { type DivergedState, isDecisive, stepTo } from './find-divergence.ts';
import { type LocalReplay, openReplay } from './open-replay.ts';
import { firstKeyframeFrom, lastHashBefore, nextHashFrom } from './replay-search.ts';
import { diffStates, type WholeState } from './state-diff.ts';

/** Where two recordings part, as far as a build that makes one of them again can say. */
export interface NarrowedDivergence {
  readonly lastGood: number;
  readonly firstBad: number;
  readonly state: DivergedState | undefined;
  /** Whether this build makes each of them again up to there. */
  readonly reproduces: readonly [a: boolean, b: boolean];
}

/**
 * Makes two recordings again from the last tick at which they are equal, side by side, until their
 * states differ: the very tick if this build makes both again, else the next keyframe of the one
 * that it does not. `known` is what the files say. Rejects as `openReplay` does.
 */
export async function narrowDivergence<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
  recordings: readonly [a: Replay, b: Replay],
  known: { readonly lastGood: number; readonly firstBad: number },
  limit?: number,
): Promise<NarrowedDivergence> {
  const runs = (await Promise.all(
    recordings.map((replay) => openReplay(definition, replay, quantumOf(replay))),
  )) as unknown as readonly [LocalReplay, LocalReplay];
  const [a, b] = [new Remade(runs[0]), new Remade(runs[1])];
  try {
    const start = Math.max(known.lastGood, ...recordings.map(({ header }) => header.firstTick));
    a.begin(start, known.firstBad);
    b.begin(start, known.firstBad);
    return walk(a, b, known, limit);
  } finally {
    for (const run of runs) run.close();
  }
}

/** The quantum that a recording was made with, as an option of a replay. */
export function quantumOf({ header }: Replay): Pick<Replay['header']['schema'], 'quantum'> {
  return { quantum: header.schema.quantum };
}

function walk(
  a: Remade,
  b: Remade,
  known: { readonly lastGood: number; readonly firstBad: number },
  limit: number | undefined,
): NarrowedDivergence {
  const schema = a.run.replay.header.schema;
  let { lastGood } = known;
  const reproduces = [a.sameThrough >= known.firstBad, b.sameThrough >= known.firstBad] as const;
  for (;;) {
    const { tick } = a.run;
    const [one, other] = [a.state(), b.state()];
    if (one !== undefined && other !== undefined) {
      const diff = diffStates(schema, one, other, limit);
      if (isDecisive(diff)) {
        const firstBad = Math.min(known.firstBad, tick);
        return { lastGood, firstBad, state: { tick, diff }, reproduces };
      }
      if (tick < known.firstBad) lastGood = Math.max(lastGood, tick);
    }
    if (!(a.run.step() && b.run.step())) {
      return { lastGood, firstBad: known.firstBad, state: undefined, reproduces };
    }
  }
}

/** A recording that is made again, and how far it is known to come out the same. */
class Remade {
  readonly run: LocalReplay;
  /** The last tick whose state is the recorded one for certain. */
  sameThrough = -1;

  constructor(run: LocalReplay) {
    this.run = run;
  }

  /** Finds how far it comes out the same, then goes back to `from`, which is before `firstBad`. */
  begin(from: number, firstBad: number): void {
    const { run } = this;
    const { replay } = run;
    run.seek(from);
    const next = nextHashFrom(replay, firstBad);
    const lastHash = next < 0 ? lastHashBefore(replay, firstBad) : next;
    const { divergence } = run.verify(lastHash);
    if (divergence !== undefined) this.sameThrough = lastHashBefore(replay, divergence.tick);
    else this.sameThrough = next < 0 ? this.#metKeyframe(firstBad, lastHash) : next;
    run.seek(from);
  }

  /** Where no hash follows, a keyframe does: returns its tick if it is met, else `otherwise`. */
  #metKeyframe(firstBad: number, otherwise: number): number {
    const { run } = this;
    const { replay } = run;
    const { schema } = replay.header;
    const k = firstKeyframeFrom(replay, firstBad);
    const tick = replay.keyframes[k]?.tick;
    if (tick === undefined) return otherwise;
    stepTo(run, tick);
    return isDecisive(diffStates(schema, replay.loadKeyframe(k), run.save(), 0)) ? otherwise : tick;
  }

  /** The recorded state of the present tick: made again, or a keyframe; undefined if neither. */
  state(): WholeState | undefined {
    const { run } = this;
    if (run.tick <= this.sameThrough) return run.save();
    const k = firstKeyframeFrom(run.replay, run.tick);
    return run.replay.keyframes[k]?.tick === run.tick ? run.replay.loadKeyframe(k) : undefined;
  }
}
