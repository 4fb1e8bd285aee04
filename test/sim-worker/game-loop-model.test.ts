import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EscapementError } from '../../src/shared/error.ts';
import { scaled } from '../scaled.ts';
import { NANOS } from '../shared/exact.ts';
import { openLoop } from './loop-stage.ts';

/**
 * The loop's contract in big integers: due(now) = floor(elapsed x rate / 10^9), of which ticks and
 * drops are taken away; a frame runs at most `cap` and forgets the rest, unless it fails.
 */
class LoopModel {
  frames = 0n;
  ticks = 0n;
  droppedTicks = 0n;
  droppedFrames = 0n;
  last = 0n;
  readonly #rate: bigint;
  readonly #cap: bigint;
  #reference = 0n;

  constructor(rateHz: number, cap: number) {
    this.#rate = BigInt(rateHz);
    this.#cap = BigInt(cap);
  }

  /** One frame; `failsAfter` ticks, if it gets that far, the schedule is found at fault. */
  frame(now: bigint, failsAfter = 1n << 62n): void {
    if (this.frames++ === 0n) this.#reference = this.last = now;
    if (now > this.last) this.last = now;
    const due = ((this.last - this.#reference) * this.#rate) / NANOS;
    const want = due - this.ticks - this.droppedTicks;
    const run = want < this.#cap ? want : this.#cap;
    if (failsAfter < run) {
      this.ticks += failsAfter;
      return;
    }
    this.ticks += run;
    if (want === run) return;
    this.droppedTicks += want - run;
    this.droppedFrames++;
  }

  /** Alpha at the last reading, times 10^9. */
  alphaBillionths(): bigint {
    if (this.ticks === 0n) return 0n;
    const spent = (this.ticks + this.droppedTicks) * NANOS;
    const phase = (this.last - this.#reference) * this.#rate - spent;
    return phase > NANOS ? NANOS : phase;
  }
}

const stale = (): EscapementError => new EscapementError('SCHEDULE_STALE', 'A system came later.');

const jump = fc.record({
  ns: fc.oneof(
    fc.bigInt({ min: 0n, max: 40_000_000n }),
    fc.constantFrom(16_666_666n, 16_666_667n, 10_000_000n, 0n),
    fc.bigInt({ min: -1_000_000_000n, max: 0n }),
    fc.bigInt({ min: 0n, max: 10n ** 13n }),
  ),
  failsAfter: fc.option(fc.integer({ min: 0, max: 4 }), { freq: 6 }),
});

test('any jumps of the clock give the ticks and drops of the contract in big integers', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 20, max: 120 }),
      fc.integer({ min: 1, max: 12 }),
      fc.array(jump, { maxLength: 200, size: 'max' }),
      (tickRateHz, maxCatchUpTicks, jumps) => {
        const stage = openLoop({ tickRateHz, maxCatchUpTicks }, 0);
        const { loop, target, told } = stage;
        const model = new LoopModel(tickRateHz, maxCatchUpTicks);
        let now = 5_000_000_000_000n;
        for (const { ns, failsAfter } of jumps) {
          now += ns;
          let left = failsAfter ?? Number.POSITIVE_INFINITY;
          target.scheduleFault = () => (left-- === 0 ? stale() : undefined);
          const [before, dropped] = [loop.currentTick, loop.stats.droppedTicks];
          const status = stage.statusAt(Number(now));
          model.frame(now, failsAfter === null ? undefined : BigInt(failsAfter));
          if (status !== 'ok') {
            expect([status, loop.stats.droppedTicks]).toEqual(['schedule-stale', dropped]);
            expect(loop.currentTick - before).toBe(failsAfter);
          }
          expect(loop.stats).toEqual({
            frames: Number(model.frames),
            ticks: Number(model.ticks),
            droppedTicks: Number(model.droppedTicks),
            droppedFrames: Number(model.droppedFrames),
          });
          expect(loop.alphaAt(loop.lastReading)).toBe(Number(model.alphaBillionths()) / 1e9);
        }
        expect(told).toEqual(Array.from({ length: loop.currentTick }, (_, i) => i + 1));
      },
    ),
    { numRuns: scaled({ tiny: 50, normal: 300, full: 5000 }) },
  );
});
