import { InputChannel, type LinkEnd } from 'escapement/net';
import { openRollback, type Rollback } from 'escapement/sim';
import { Bot } from './bot.ts';
import { type Paddles, paddles, type Side } from './paddles.sim.ts';

export interface PlayerOptions {
  readonly side: Side;
  readonly end: LinkEnd;
  /** Both players have the same: it is part of what makes their games one. */
  readonly seed: number;
  /** Ticks that this side may be ahead of what it knows to be true. */
  readonly keepTicks: number;
  /** Ticks after which an own input acts: as many fewer are guessed on the other side. */
  readonly inputDelayTicks: number;
  /** A tick in which this side's game goes wrong; 0 is none. */
  readonly flawTick: number;
}

/** How far an end may be ahead of what is acknowledged: two seconds, in one datagram. */
const WINDOW_TICKS = 120;

/** What tells the two channels of a match from each other. */
const INPUTS = 1;
const HASHES = 2;

/**
 * One of two players: a run of the game that goes back when the other's inputs come, and two
 * channels. The first carries inputs, tick by tick. The second carries the hash of each state that
 * is confirmed, which is to say that both players' inputs are in it: two games that have drifted
 * apart are found out in the very tick.
 */
export class Player {
  readonly side: Side;
  readonly run: Rollback<Paddles>;
  readonly inputs: InputChannel;
  readonly hashes: InputChannel;
  /** No input can change the ticks up to this one any more; their hashes are on their way. */
  confirmedTick = 0;
  /** Up to here the other player's states were the same. */
  comparedTick = 0;
  /** The first tick whose states differ. */
  desyncTick: number | undefined;
  /** Times that ticks were made again, how many those were, and the most of them at once. */
  rollbacks = 0;
  ticksAgain = 0;
  deepest = 0;
  /** Turns in which no tick was made, so as not to get too far ahead. */
  stalls = 0;
  readonly #end: LinkEnd;
  readonly #bot: Bot;
  readonly #packet: Uint8Array;
  readonly #input: Uint32Array = new Uint32Array(1);
  readonly #hash: Uint32Array = new Uint32Array(2);
  readonly #otherHash: Uint32Array = new Uint32Array(2);
  /** The tick whose input of the other player is given to the run next. */
  #remoteTick = 1;

  static async open(options: PlayerOptions): Promise<Player> {
    const { seed, keepTicks, flawTick } = options;
    return new Player(
      options,
      await openRollback(paddles, { seed, keepTicks, params: { flawTick } }),
    );
  }

  private constructor(options: PlayerOptions, run: Rollback<Paddles>) {
    this.side = options.side;
    this.run = run;
    this.#end = options.end;
    this.#bot = new Bot(options.side, options.seed);
    const both = { windowTicks: WINDOW_TICKS, firstTick: 1 };
    this.inputs = new InputChannel({ ...both, wordsPerTick: 1, match: INPUTS });
    this.hashes = new InputChannel({ ...both, wordsPerTick: 2, match: HASHES });
    this.#packet = new Uint8Array(this.hashes.maxPacketBytes);
    // With a delay, the first inputs were never decided: nobody moves.
    for (let tick = 1; tick <= options.inputDelayTicks; tick++) this.inputs.addLocal(this.#input);
  }

  /** Ticks that were made with a guess at the other player's input. */
  get guessedTicks(): number {
    return Math.max(0, this.run.tick - this.inputs.remoteTick + 1);
  }

  /** One turn, each sixtieth of a second. Makes the next tick, up to `lastTick`, if it may. */
  turn(lastTick: number): void {
    this.#receive();
    this.#giveRemote();
    this.#settle();
    this.#confirm();
    this.#compare();
    if (this.run.tick < lastTick) this.#play();
    this.#send(this.inputs);
    this.#send(this.hashes);
  }

  /** Ends the run. */
  close(): void {
    this.run.close();
  }

  #receive(): void {
    this.#end.receive((bytes) => {
      // A packet that is not in order, or of the other channel, changes nothing.
      this.inputs.decode(bytes);
      this.hashes.decode(bytes);
    });
  }

  /**
   * Gives the run what came. Nothing is to be guessed by hand: a `state` input holds until another
   * comes, so the guess is that the other player goes on as before. Where that was right, giving
   * the input makes no tick again.
   */
  #giveRemote(): void {
    const { inputs, run } = this;
    for (; this.#remoteTick < inputs.remoteTick; this.#remoteTick++) {
      inputs.readRemote(this.#remoteTick, this.#input);
      const values = { move: (this.#input[0] as number) | 0 };
      const given = this.side === 'left' ? { right: values } : { left: values };
      // Too far ahead of this side: it stays in the channel for now.
      if (!run.give(this.#remoteTick, given)) return;
    }
  }

  #settle(): void {
    const again = this.run.settle();
    if (again === 0) return;
    this.rollbacks++;
    this.ticksAgain += again;
    this.deepest = Math.max(this.deepest, again);
  }

  /** Sends the hash of each state that has both players' inputs. */
  #confirm(): void {
    const known = Math.min(this.run.tick, this.#remoteTick - 1);
    while (this.confirmedTick < known) {
      if (!this.run.readHash(this.confirmedTick + 1, this.#hash)) return;
      if (!this.hashes.addLocal(this.#hash)) return;
      this.confirmedTick++;
    }
  }

  #compare(): void {
    const known = Math.min(this.confirmedTick, this.hashes.remoteTick - 1);
    while (this.comparedTick < known && this.desyncTick === undefined) {
      const tick = this.comparedTick + 1;
      this.hashes.readLocal(tick, this.#hash);
      this.hashes.readRemote(tick, this.#otherHash);
      const isSame = this.#hash.every((word, at) => word === this.#otherHash[at]);
      if (isSame) this.comparedTick = tick;
      else this.desyncTick = tick;
    }
  }

  /** Decides, tells the run and the channel, and makes a tick; or waits for the other player. */
  #play(): void {
    const { run, inputs } = this;
    const isTooFar = run.tick - this.confirmedTick >= run.keepTicks;
    const move = isTooFar ? 0 : this.#bot.decide(run.world);
    const tick = inputs.localTick;
    this.#input[0] = move;
    if (isTooFar || !inputs.addLocal(this.#input)) {
      this.stalls++;
      return;
    }
    run.give(tick, this.side === 'left' ? { left: { move } } : { right: { move } });
    run.advance();
  }

  #send(channel: InputChannel): void {
    this.#end.send(this.#packet.subarray(0, channel.encode(this.#packet)));
  }
}
