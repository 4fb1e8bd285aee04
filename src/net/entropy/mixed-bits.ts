import type { ModelState } from './model-state.ts';
import type { RangePort } from './range-port.ts';

/** Models that are mixed for one bit. */
const MIXED = 6;
/** Models, as a power of two; contexts are hashed onto them, and may meet. */
const TABLE_BITS = 14;
export const MIXED_WORDS: number = 1 << TABLE_BITS;
/** Sets of weights; which one is used is the caller's. */
const MIXED_SETS = 256;
export const MIXED_REALS: number = MIXED * MIXED_SETS;
/** A model that has learned nothing: a chance of one half in the high 16 bits, seen 0 times. */
export const UNSEEN = 0x8000_0000;
const FIRST_WEIGHT = 0.22;
const SEEN_MOST = 120;
const LEARNING = 2.4e-10;

/** Chance in 1/65536 of each logit in 1/256, -2048 to 2047; and the logit of chances in 1/4096. */
const chances = new Uint16Array(4096);
const logits = new Int16Array(4096);
/** By how much a model moves towards a bit, in 1/16384, by how often it was used. */
const steps = new Int32Array(SEEN_MOST + 1);

{
  const ratio = 1.003_913_889_338_347_5;
  let odds = 1;
  for (let i = 0; i < 2048; i++) {
    chances[2048 + i] = Math.min(65_472, Math.round((65_536 * odds) / (1 + odds)));
    chances[2048 - i] = 65_536 - (chances[2048 + i] as number);
    odds *= ratio;
  }
  chances[0] = chances[1] as number;
  let logit = 0;
  for (let i = 0; i < 4096; i++) {
    while (logit < 4095 && (chances[logit] as number) < i * 16 + 8) logit++;
    logits[i] = logit - 2048;
  }
  for (let i = 0; i <= SEEN_MOST; i++) steps[i] = Math.round(16_384 / (i + 1.6));
}

/** Returns the weights that a mixing begins with. */
export function fillWeights(reals: Float64Array, first: number): void {
  reals.fill(FIRST_WEIGHT, first, first + MIXED_REALS);
}

/**
 * Bits by several adaptive models at once. Each model gives a chance by its own context; their
 * logits are weighted and summed, and the weights learn which models to believe.
 */
export class MixedBits {
  /** The contexts of the next bits, any 32-bit numbers; a bit is told apart by its node. */
  readonly contexts: Int32Array = new Int32Array(MIXED);
  #words: Uint32Array = new Uint32Array(0);
  #reals: Float64Array = new Float64Array(0);
  #firstWord = 0;
  #firstReal = 0;
  readonly #port: RangePort;
  readonly #places = new Int32Array(MIXED);
  readonly #inputs = new Int32Array(MIXED);

  constructor(port: RangePort) {
    this.#port = port;
  }

  /** Works on the models from `firstWord` and the weights from `firstReal` on. */
  attach(state: ModelState, firstWord: number, firstReal: number): void {
    this.#words = state.words;
    this.#reals = state.reals;
    this.#firstWord = firstWord;
    this.#firstReal = firstReal;
  }

  /** Passes a bit in the contexts at a node, 0 to 255, mixed by a set of weights. */
  bit(bit: number, node: number, set: number): number {
    const words = this.#words;
    const reals = this.#reals;
    const places = this.#places;
    const inputs = this.#inputs;
    const firstReal = this.#firstReal + set * MIXED;
    let sum = 0;
    for (let i = 0; i < MIXED; i++) {
      let hash = Math.imul((this.contexts[i] as number) + node, 0x9e37_79b1);
      hash = Math.imul(hash ^ (hash >>> 15), 0x85eb_ca6b);
      const place = this.#firstWord + (hash >>> (32 - TABLE_BITS));
      const input = logits[(words[place] as number) >>> 20] as number;
      places[i] = place;
      inputs[i] = input;
      sum += (reals[firstReal + i] as number) * input;
    }
    const logit = sum > 2047 ? 2047 : sum < -2047 ? -2047 : sum | 0;
    const chance = chances[logit + 2048] as number;
    const passed = this.#port.bit(bit, chance);
    const target = passed === 1 ? 0xffff : 0;
    const lesson = (target - chance) * LEARNING;
    for (let i = 0; i < MIXED; i++) {
      reals[firstReal + i] = (reals[firstReal + i] as number) + lesson * (inputs[i] as number);
      const place = places[i] as number;
      const word = words[place] as number;
      const seen = word & 0xff;
      const old = word >>> 16;
      const now = old + (((target - old) * (steps[seen] as number)) >> 14);
      words[place] = ((now << 16) | (seen < SEEN_MOST ? seen + 1 : seen)) >>> 0;
    }
    return passed;
  }
}
