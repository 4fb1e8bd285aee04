import { createLossyLink, type LinkConditions, type LossyLink } from 'escapement/net';
import { Player } from './player.ts';

export interface MatchOptions {
  readonly seed: number;
  readonly ticks: number;
  readonly keepTicks: number;
  readonly inputDelayTicks: number;
  readonly conditions: LinkConditions;
  /** A tick in which the right player's game goes wrong; 0 is none. */
  readonly flawTick: number;
}

/** `cut`: for ten seconds nothing was confirmed. */
export type MatchStatus = 'playing' | 'over' | 'desync' | 'cut';

const TURN_MS = 1000 / 60;
const PATIENCE_TURNS = 600;

/** Two players in one process, with a bad network between them. */
export class Match {
  readonly players: readonly [left: Player, right: Player];
  readonly link: LossyLink;
  readonly ticks: number;
  turns = 0;
  status: MatchStatus = 'playing';
  #confirmedTicks = 0;
  #progressTurn = 0;

  static async open(options: MatchOptions): Promise<Match> {
    const { seed, conditions, keepTicks, inputDelayTicks, flawTick } = options;
    const link = createLossyLink({ seed, conditions });
    const shared = { seed, keepTicks, inputDelayTicks };
    const left = await Player.open({ ...shared, side: 'left', end: link.a, flawTick: 0 });
    const right = await Player.open({ ...shared, side: 'right', end: link.b, flawTick });
    return new Match(options.ticks, link, [left, right]);
  }

  private constructor(ticks: number, link: LossyLink, players: readonly [Player, Player]) {
    this.ticks = ticks;
    this.link = link;
    this.players = players;
  }

  /** A sixtieth of a second on both sides. Returns whether there is another. */
  turn(): boolean {
    this.link.advanceTo(++this.turns * TURN_MS);
    for (const player of this.players) player.turn(this.ticks);
    this.status = this.#judge();
    return this.status === 'playing';
  }

  /** Ends both runs. */
  close(): void {
    for (const player of this.players) player.close();
  }

  #judge(): MatchStatus {
    const { players } = this;
    if (players.some(({ desyncTick }) => desyncTick !== undefined)) return 'desync';
    if (players.every(({ comparedTick }) => comparedTick === this.ticks)) return 'over';
    const confirmedTicks = players[0].comparedTick + players[1].comparedTick;
    if (confirmedTicks > this.#confirmedTicks) {
      this.#confirmedTicks = confirmedTicks;
      this.#progressTurn = this.turns;
    }
    return this.turns - this.#progressTurn < PATIENCE_TURNS ? 'playing' : 'cut';
  }
}
