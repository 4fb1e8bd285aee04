import type { InputChannel, LinkConditions } from '../../src/net/index.ts';
import { openRollback } from '../../src/sim-worker/index.ts';
import { Match, type MatchOptions } from '../../examples/rollback/match.ts';
import { paddles } from '../../examples/rollback/paddles.sim.ts';

/** What passed through the channels of a match, by player. */
export interface PlayedMatch {
  readonly match: Match;
  /** Where each player's paddle went, from tick 1 on. */
  readonly moves: readonly [number[], number[]];
  /** The hashes of each player's confirmed states, from tick 1 on. */
  readonly hashes: readonly [string[], string[]];
}

/** Options of a match over a network of these conditions, with defaults for the rest. */
export function matchOver(
  conditions: LinkConditions,
  options: Partial<MatchOptions> = {},
): MatchOptions {
  const defaults = { seed: 1, ticks: 300, keepTicks: 16, inputDelayTicks: 0, flawTick: 0 };
  return { ...defaults, conditions, ...options };
}

/** Plays a match to its end; `watch` sees it after each turn. The caller closes it. */
export async function playMatch(
  options: MatchOptions,
  watch: (match: Match) => void = () => undefined,
): Promise<PlayedMatch> {
  const match = await Match.open(options);
  const moves: [number[], number[]] = [[], []];
  const hashes: [string[], string[]] = [[], []];
  for (let goesOn = true; goesOn; ) {
    goesOn = match.turn();
    watch(match);
    for (const side of [0, 1] as const) {
      const { inputs, hashes: states } = match.players[side];
      takeNew(inputs, 1, moves[side], (words) => (words[0] as number) | 0);
      takeNew(states, 2, hashes[side], hexOf);
    }
  }
  return { match, moves, hashes };
}

/** Appends what a channel was given since the last time; its first tick is 1. */
function takeNew<V>(
  channel: InputChannel,
  size: number,
  list: V[],
  read: (words: Uint32Array) => V,
): void {
  const words = new Uint32Array(size);
  while (channel.readLocal(list.length + 1, words)) list.push(read(words));
}

/** The hashes of a run that has the inputs of both players in time. */
export async function straightHashes(
  { seed, ticks }: MatchOptions,
  [left, right]: PlayedMatch['moves'],
): Promise<string[]> {
  const run = await openRollback(paddles, { seed, keepTicks: 1 });
  const hashes: string[] = [];
  for (let tick = 1; tick <= ticks; tick++) {
    const [leftMove, rightMove] = [left[tick - 1] as number, right[tick - 1] as number];
    run.give(tick, { left: { move: leftMove }, right: { move: rightMove } });
    run.advance();
    hashes.push(run.stateHash());
  }
  run.close();
  return hashes;
}

function hexOf(words: Uint32Array): string {
  return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
}
