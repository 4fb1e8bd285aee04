import { Random, STATE_WORDS } from '../shared/math/random.ts';
import type { ResolvedConditions } from './link-options.ts';

/** Pairs of words that a jitter takes: twelve halves of a word. */
const JITTER_PAIRS = 3;

/** Where the draws of one packet lie in `#drawn`. */
const STATE = 0;
const LOSS = 1;
const DUPLICATE = 2;
const REORDER = 3;
const CORRUPT = 4;
const BIT = 5;
const JITTER = 6;
const COPY_JITTER = JITTER + 2 * JITTER_PAIRS;
const DRAWN = COPY_JITTER + 2 * JITTER_PAIRS;

const TWO_32 = 2 ** 32;

/**
 * Draws what happens to one packet after the other. Each takes the same number of draws, whatever
 * the conditions are, so that the fate of the n-th packet depends on the seed and n: with twice the
 * loss, what was lost before still is, and delays stay what they were.
 */
export class PacketFate {
  readonly #random: Random;
  readonly #drawn: Uint32Array = new Uint32Array(DRAWN);
  readonly #pair: Uint32Array = new Uint32Array(2);
  #isBad = false;

  /** Begins substream `substreamId` of a seed given as two u32. */
  constructor(seed: readonly [high: number, low: number], substreamId: number) {
    this.#random = Random.seed(new Uint32Array(STATE_WORDS), 0, seed[0], seed[1], substreamId);
  }

  /** Goes on to the next packet, and says whether it is lost. */
  nextIsLost(conditions: ResolvedConditions): boolean {
    const drawn = this.#drawn;
    const pair = this.#pair;
    for (let at = 0; at < DRAWN; at += 2) {
      this.#random.nextU64Into(pair);
      drawn[at] = pair[0] as number;
      drawn[at + 1] = pair[1] as number;
    }
    const change = this.#isBad ? conditions.leaveOf32 : conditions.enterOf32;
    if ((drawn[STATE] as number) < change) this.#isBad = !this.#isBad;
    return (drawn[LOSS] as number) < (this.#isBad ? conditions.badLossOf32 : conditions.lossOf32);
  }

  /** Says whether this packet comes twice. */
  isDuplicated(conditions: ResolvedConditions): boolean {
    return (this.#drawn[DUPLICATE] as number) < conditions.duplicateOf32;
  }

  /** Says whether this packet is held back. */
  isReordered(conditions: ResolvedConditions): boolean {
    return (this.#drawn[REORDER] as number) < conditions.reorderOf32;
  }

  /** Says whether a bit of this packet is inverted. */
  isCorrupted(conditions: ResolvedConditions): boolean {
    return (this.#drawn[CORRUPT] as number) < conditions.corruptOf32;
  }

  /** Inverts one bit of a payload that has one. */
  corrupt(payload: Uint8Array): void {
    const bit = Math.floor(((this.#drawn[BIT] as number) / TWO_32) * payload.length * 8);
    const at = bit >>> 3;
    payload[at] = (payload[at] as number) ^ (1 << (bit & 7));
  }

  /** Adds this packet's way to the time in `timesMs[at]`; its copy has a jitter of its own. */
  addDelay(
    conditions: ResolvedConditions,
    isCopy: boolean,
    timesMs: Float64Array,
    at: number,
  ): void {
    const { delayMs, jitterMs, isNormal } = conditions;
    const from = isCopy ? COPY_JITTER : JITTER;
    const offset = isNormal
      ? (this.#sumOfHalves(from) + 6) / 65_536 - 6
      : (this.#drawn[from] as number) / (TWO_32 / 2) - 1;
    timesMs[at] = (timesMs[at] as number) + Math.max(0, delayMs + jitterMs * offset);
  }

  /**
   * Twelve uniform deviates have a sum of variance 1 that is as good as normal and lies in (-6, 6).
   * It is summed in whole numbers, so that every engine has the same and none boxes a double.
   */
  #sumOfHalves(from: number): number {
    let halves = 0;
    for (let at = from; at < from + 2 * JITTER_PAIRS; at++) {
      const word = this.#drawn[at] as number;
      halves += (word >>> 16) + (word & 0xffff);
    }
    return halves;
  }
}
