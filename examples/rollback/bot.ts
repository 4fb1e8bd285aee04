import { fromFixed, Random, type World } from 'escapement/sim';
import { BALL, HEIGHT, type Paddles, PADDLES, type Side, WIDTH } from './paddles.sim.ts';

/**
 * A player who sees the game as it is on this side, guesses included, and makes up its mind a few
 * times a second, not too well. It is no part of the simulation: what it decides is an input.
 */
export class Bot {
  readonly #random: Random;
  readonly #side: Side;
  #wait = 0;
  #error = 0;
  #move = 0;

  constructor(side: Side, seed: number) {
    this.#side = side;
    this.#random = Random.seed(new Uint32Array(6), 0, 0, seed >>> 0, side === 'left' ? 101 : 102);
  }

  /** Returns where the paddle shall go in the next tick: -1 up, 1 down, 0 nowhere. */
  decide({ columns: { position, velocity } }: World<Paddles['components']>): number {
    if (this.#wait-- > 0) return this.#move;
    const random = this.#random;
    this.#wait = random.nextRange(3, 10);
    if (random.nextRange(0, 4) === 0) this.#error = random.nextRange(-40, 41) / 10;
    const isComing = (velocity[0] as number) < 0 === (this.#side === 'left');
    const ballX = fromFixed(position[2 * BALL] as number);
    const isNear = this.#side === 'left' ? ballX < WIDTH * 0.75 : ballX > WIDTH * 0.25;
    const ballY = fromFixed(position[2 * BALL + 1] as number);
    const goal = isComing && isNear ? ballY + this.#error : HEIGHT / 2;
    const paddle = PADDLES[this.#side === 'left' ? 0 : 1];
    const off = goal - fromFixed(position[2 * paddle + 1] as number);
    this.#move = Math.abs(off) < 1.2 ? 0 : Math.sign(off);
    return this.#move;
  }
}
