import { type Anchor, createAnchor } from './anchor.ts';
import { RECORD_BYTES } from './layout.ts';
import { RECORD_DOUBLE, RECORD_FLAG, RECORD_WORD } from './record.ts';
import type { Region } from './region.ts';
import { HEADER } from './words.ts';

/*
 * Threads    any.
 * Memory     sequence, current, and the fields of the record in force; stores to a word of its own
 *            thread.
 * Ordering   a record is filled before `current` names it, and again only after `sequence` went
 *            on: what is read between two equal loads of it belongs together. The store comes
 *            after the plain reads and before the second load, on weakly ordered machines too: an
 *            atomic load alone would not keep earlier reads back.
 * Progress   lock-free: reads again when a publication came between; allocates nothing.
 * Invariant  pins nothing and claims nothing.
 */

const fence = new Int32Array(1);

/** The clock of the record in force: the one way to read its plain fields without a pin. */
export class PublishedClock {
  readonly anchor: Anchor = createAnchor();
  modeCode = 0;
  /** The tick at which the epoch began. */
  epochStart = 0;
  /** Of the quantum in seconds. */
  quantumNumerator = 0;
  quantumDenominator = 1;
  ticksDropped = 0;
  lockstepSteps = 1;
  speed = 1;
  realizedSpeed: number = Number.NaN;

  /** Reads the record in force. Returns false, and changes nothing, before the first. */
  read(region: Region): boolean {
    const { i32 } = region;
    for (;;) {
      const sequence = Atomics.load(i32, HEADER.sequence);
      const current = Atomics.load(i32, HEADER.current);
      if (current < 0) return false;
      this.#take(region, (region.layout.records + current * RECORD_BYTES) / 4);
      Atomics.store(fence, 0, 0);
      if (Atomics.load(i32, HEADER.sequence) === sequence) return true;
    }
  }

  #take({ i32, u32, f64 }: Region, word: number): void {
    const { anchor } = this;
    const double = word / 2;
    const low = Atomics.load(i32, word + RECORD_WORD.tickLow) >>> 0;
    const high = Atomics.load(i32, word + RECORD_WORD.tickHigh) >>> 0;
    anchor.tick = high * 2 ** 32 + low;
    anchor.epoch = Atomics.load(i32, word + RECORD_WORD.epoch) >>> 0;
    anchor.running = ((u32[word + RECORD_WORD.flags] as number) & RECORD_FLAG.running) !== 0;
    anchor.due.seconds = f64[double + RECORD_DOUBLE.anchorSeconds] as number;
    anchor.due.nanos = u32[word + RECORD_WORD.anchorNanos] as number;
    anchor.dueFraction = f64[double + RECORD_DOUBLE.anchorFraction] as number;
    anchor.quantumWallNs = f64[double + RECORD_DOUBLE.quantumWallNs] as number;
    anchor.alpha = f64[double + RECORD_DOUBLE.alpha] as number;
    anchor.alphaNumerator = f64[double + RECORD_DOUBLE.alphaNumerator] as number;
    anchor.alphaDenominator = f64[double + RECORD_DOUBLE.alphaDenominator] as number;
    this.modeCode = u32[word + RECORD_WORD.mode] as number;
    this.epochStart = f64[double + RECORD_DOUBLE.epochStart] as number;
    this.quantumNumerator = f64[double + RECORD_DOUBLE.quantumNumerator] as number;
    this.quantumDenominator = f64[double + RECORD_DOUBLE.quantumDenominator] as number;
    this.ticksDropped = f64[double + RECORD_DOUBLE.ticksDropped] as number;
    this.lockstepSteps = f64[double + RECORD_DOUBLE.lockstepSteps] as number;
    this.speed = f64[double + RECORD_DOUBLE.speed] as number;
    this.realizedSpeed = f64[double + RECORD_DOUBLE.realizedSpeed] as number;
  }
}
