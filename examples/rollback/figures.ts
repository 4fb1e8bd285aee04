import type { Match, MatchStatus } from './match.ts';
import type { Player } from './player.ts';

/** What a match was like. */
export interface Figures {
  readonly status: MatchStatus;
  readonly turns: number;
  readonly players: readonly [left: PlayerFigures, right: PlayerFigures];
  readonly packets: {
    readonly sent: number;
    readonly lost: number;
    readonly duplicated: number;
    readonly reordered: number;
  };
}

interface PlayerFigures {
  readonly ticks: number;
  readonly comparedTick: number;
  readonly desyncTick: number | null;
  readonly rollbacks: number;
  readonly ticksAgain: number;
  readonly deepest: number;
  readonly stalls: number;
  readonly score: string;
  readonly hash: string;
}

/** Gathers the figures of a match, before it is closed. */
export function gather({ status, turns, players, link }: Match): Figures {
  const { aToB, bToA } = link.stats();
  return {
    status,
    turns,
    players: [figuresOf(players[0]), figuresOf(players[1])],
    packets: {
      sent: aToB.sent + bToA.sent,
      lost: aToB.lost + bToA.lost,
      duplicated: aToB.duplicated + bToA.duplicated,
      reordered: aToB.reordered + bToA.reordered,
    },
  };
}

function figuresOf(player: Player): PlayerFigures {
  const { run, comparedTick, rollbacks, ticksAgain, deepest, stalls } = player;
  const { leftScore, rightScore } = run.world.globals;
  return {
    ticks: run.tick,
    comparedTick,
    desyncTick: player.desyncTick ?? null,
    rollbacks,
    ticksAgain,
    deepest,
    stalls,
    score: `${leftScore} : ${rightScore}`,
    hash: run.stateHash(),
  };
}

/** Lays the figures out for people. */
export function formatFigures({ status, turns, players, packets }: Figures): string {
  const [left, right] = players;
  const row = (name: string, of: (player: PlayerFigures) => number | string): string =>
    `${name.padEnd(24)}${String(of(left)).padStart(18)}${String(of(right)).padStart(18)}\n`;
  return [
    `${''.padEnd(24)}${'left'.padStart(18)}${'right'.padStart(18)}\n`,
    row('ticks', ({ ticks }) => ticks),
    row('states compared', ({ comparedTick }) => comparedTick),
    row('rollbacks', ({ rollbacks }) => rollbacks),
    row('ticks made again', ({ ticksAgain }) => ticksAgain),
    row('deepest rollback', ({ deepest }) => deepest),
    row('turns waited', ({ stalls }) => stalls),
    row('score', ({ score }) => score),
    row('hash', ({ hash }) => hash),
    `packets: ${packets.sent} sent, ${packets.lost} lost, ${packets.duplicated} doubled, `,
    `${packets.reordered} held back, in ${turns} turns\n`,
    `${verdict(status, players)}\n`,
  ].join('');
}

function verdict(status: MatchStatus, [left, right]: Figures['players']): string {
  if (status === 'over') return 'Both players saw the same game, tick by tick.';
  if (status === 'playing') return 'The match was broken off.';
  if (status === 'desync') {
    return `The games differ from tick ${left.desyncTick ?? right.desyncTick} on.`;
  }
  const common = Math.min(left.comparedTick, right.comparedTick);
  return `Nothing came through any more; the last state known to both is that of tick ${common}.`;
}
