import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLossyLink, type LinkConditions } from '../../src/net/index.ts';
import { Fnv64 } from '../../src/shared/hash.ts';
import { scaled } from '../scaled.ts';
import { numberOf, numbered } from './link-model.ts';

const runs = { numRuns: scaled({ tiny: 20, normal: 100, full: 2000 }) };
const PACKETS = 100_000;

interface Arrival {
  readonly number: number;
  readonly ms: number;
}

/** Sends one datagram after the other, `gapMs` apart, and notes when each arrives. */
function arrivals(
  conditions: LinkConditions,
  options: { count: number; gapMs: number; seed?: number; length?: (n: number) => number },
): Arrival[] {
  const { count, gapMs, seed = 1, length = () => 4 } = options;
  const link = createLossyLink({ seed, conditions });
  const arrived: Arrival[] = [];
  const note = (bytes: Uint8Array): void =>
    void arrived.push({ number: numberOf(bytes), ms: link.nowMs });
  const runTo = (endMs: number): void => {
    while (link.nextDueMs <= endMs) {
      link.advanceTo(link.nextDueMs);
      link.b.receive(note);
    }
  };
  for (let n = 0; n < count; n++) {
    runTo(n * gapMs);
    link.advanceTo(n * gapMs);
    if (link.a.send(numbered(n, length(n))) !== 'sent') throw new Error(`${n} was refused`);
    link.b.receive(note);
  }
  runTo(1e11);
  return arrived;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
}

/** Says how many standard errors a count of hits lies from what its probability promises. */
function errorsOff(hits: number, tries: number, probability: number): number {
  return (hits - tries * probability) / Math.sqrt(tries * probability * (1 - probability));
}

describe('over a hundred thousand packets', () => {
  test.each([0.001, 0.05, 0.3, 0.9])('a loss of %d is that share of them', (loss) => {
    const lost = PACKETS - arrivals({ loss }, { count: PACKETS, gapMs: 1 }).length;
    expect(Math.abs(errorsOff(lost, PACKETS, loss))).toBeLessThan(4);
  });

  test('twice the loss loses what was lost before, and more', () => {
    const lostAt = (loss: number): Set<number> => {
      const lost = new Set(Array.from({ length: 10_000 }, (_, n) => n));
      for (const { number } of arrivals({ loss }, { count: 10_000, gapMs: 1 })) lost.delete(number);
      return lost;
    };
    const once = lostAt(0.1);
    const twice = lostAt(0.2);
    expect([...once].filter((number) => !twice.has(number))).toEqual([]);
    expect(twice.size).toBeGreaterThan(1.7 * once.size);
  });

  test('bursts are as long, and as frequent, as their probabilities say', () => {
    const burstLoss = { enter: 0.01, leave: 0.2 };
    const kept = arrivals({ burstLoss }, { count: PACKETS, gapMs: 1 });
    const gaps = kept
      .map(({ number }, index) => number - (kept[index - 1]?.number ?? -1) - 1)
      .filter((gap) => gap > 0);
    // Mean 1 / leave with deviation sqrt(1 - leave) / leave, over some 950 bursts.
    expect(Math.abs(meanOf(gaps) - 5)).toBeLessThan((4 * 4.48) / Math.sqrt(gaps.length));
    expect((PACKETS - kept.length) / PACKETS).toBeCloseTo(0.01 / 0.21, 2);
  });

  test('duplicates and packets held back come as often as was asked', () => {
    const conditions = { duplicate: 0.2, reorder: 0.1, reorderMs: 5, delayMs: 10 };
    const all = arrivals(conditions, { count: PACKETS, gapMs: 1 });
    expect(Math.abs(errorsOff(all.length - PACKETS, PACKETS, 0.2))).toBeLessThan(4);
    const held = all.filter(({ number, ms }) => ms - number > 14);
    expect(Math.abs(errorsOff(held.length, PACKETS, 0.1))).toBeLessThan(4);
    const overtaken = all.filter(({ number }, index) => number < (all[index - 1]?.number ?? 0));
    expect(overtaken.length).toBeGreaterThan(5000);
  });

  test('uniform jitter fills its bounds and keeps within them', () => {
    const all = arrivals({ delayMs: 50, jitterMs: 20 }, { count: PACKETS, gapMs: 1 });
    const delays = all.map(({ number, ms }) => ms - number);
    expect(Math.min(...delays.slice(0, 50_000))).toBeGreaterThanOrEqual(30);
    expect(Math.max(...delays.slice(0, 50_000))).toBeLessThanOrEqual(70);
    expect(Math.abs(meanOf(delays) - 50)).toBeLessThan(0.15);
    expect(deviationOf(delays)).toBeCloseTo(20 / Math.sqrt(3), 1);
  });

  test('normal jitter has the deviation that was asked for', () => {
    const conditions = { delayMs: 100, jitterMs: 10, jitterShape: 'normal' } as const;
    const all = arrivals(conditions, { count: PACKETS, gapMs: 1 });
    const off = all.map(({ number, ms }) => (ms - number - 100) / 10);
    expect(Math.abs(meanOf(off))).toBeLessThan(0.013);
    expect(deviationOf(off)).toBeCloseTo(1, 2);
    const within = (deviations: number): number =>
      off.filter((it) => Math.abs(it) < deviations).length / PACKETS;
    expect(within(1)).toBeCloseTo(0.683, 2);
    expect(within(2)).toBeCloseTo(0.954, 2);
    expect(within(6)).toBe(1);
  });
});

describe('whatever the delays', () => {
  const delays = fc.double({ min: 0, max: 500, noNaN: true });
  const shapes = fc.constantFrom('uniform' as const, 'normal' as const);

  test('each packet arrives within the bounds of its delay', () => {
    fc.assert(
      fc.property(fc.nat(), delays, delays, delays, shapes, (seed, delayMs, jitterMs, gapMs, s) => {
        const conditions = { delayMs, jitterMs, jitterShape: s, duplicate: 0.5 };
        const reach = s === 'normal' ? 6 * jitterMs : jitterMs;
        for (const { number, ms } of arrivals(conditions, { count: 50, gapMs, seed })) {
          expect(ms - number * gapMs).toBeGreaterThanOrEqual(Math.max(0, delayMs - reach) - 1e-6);
          expect(ms - number * gapMs).toBeLessThanOrEqual(delayMs + reach + 1e-6);
        }
      }),
      runs,
    );
  });

  test('order is kept without jitter and reordering, duplicates too', () => {
    fc.assert(
      fc.property(fc.nat(), delays, delays, (seed, delayMs, gapMs) => {
        const conditions = { delayMs, duplicate: 0.3, loss: 0.2, bandwidthBytesPerS: 1000 };
        const numbers = arrivals(conditions, { count: 60, gapMs, seed }).map(
          ({ number }) => number,
        );
        expect(numbers).toEqual(numbers.toSorted((x, y) => x - y));
      }),
      runs,
    );
  });

  test('no window holds more bytes than the bandwidth, and a full queue drops the newest', () => {
    const rates = fc.constantFrom(100, 1000, 12_345.6);
    const lengths = fc.array(fc.integer({ min: 4, max: 300 }), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(rates, lengths, fc.constantFrom(0, 3, 40), (rate, bytes, gapMs) => {
        const conditions = { delayMs: 10, bandwidthBytesPerS: rate, maxQueuedBytes: 2000 };
        const length = (n: number): number => bytes[n] ?? 0;
        const all = arrivals(conditions, { count: bytes.length, gapMs, length });
        for (let begin = 0; begin < all.length; begin++) {
          let total = 0;
          for (let end = begin + 1; end < all.length; end++) {
            total += length(all[end]?.number ?? 0);
            const windowMs = (all[end]?.ms ?? 0) - (all[begin]?.ms ?? 0);
            expect(total).toBeLessThanOrEqual((windowMs * rate) / 1000 + 1e-3);
          }
          const waitedMs = (all[begin]?.ms ?? 0) - (all[begin]?.number ?? 0) * gapMs - 10;
          expect((waitedMs * rate) / 1000).toBeLessThanOrEqual(2000.5);
        }
      }),
      runs,
    );
  });
});

test('messages that are lost come late by the waits in between, and heal with the link', () => {
  const conditions = { delayMs: 10, retransmitMs: 100 };
  const link = createLossyLink({ conditions: { ...conditions, loss: 1 } });
  link.a.send(numbered(0), 'reliable');
  link.advanceTo(350);
  expect(link.stats().aToB).toMatchObject({ retransmitted: 2, inFlight: 1, lost: 0 });
  link.setConditions(conditions, 'aToB');
  // Sent at 0, 100 and 300 in vain; the next time is 700.
  expect(link.nextDueMs).toBe(700);
  link.advanceTo(700);
  expect(link.nextDueMs).toBe(710);
  link.advanceTo(710);
  expect(link.b.receive(() => undefined)).toBe(1);
  expect(link.nextDueMs).toBe(Infinity);
});

test('a link that stays dead can go on for years: what waits is sent again once a minute', () => {
  const link = createLossyLink({ conditions: { loss: 1, retransmitMs: 1 } });
  link.a.send(numbered(0), 'reliable');
  link.advanceTo(365 * 24 * 3_600_000);
  expect(link.stats().aToB.inFlight).toBe(1);
  expect(link.stats().aToB.retransmitted).toBeLessThan(365 * 24 * 60 + 20);
});

test('a seed gives these deliveries at these times, on every engine', () => {
  const hash = new Fnv64();
  const time = new Uint8Array(8);
  for (const jitterShape of ['uniform', 'normal'] as const) {
    const conditions = {
      loss: 0.1,
      burstLoss: { enter: 0.02, leave: 0.25 },
      delayMs: 40,
      jitterMs: 15,
      jitterShape,
      duplicate: 0.05,
      reorder: 0.05,
      bandwidthBytesPerS: 5000,
    };
    const length = (n: number): number => 4 + ((n * 7) % 60);
    for (const { number, ms } of arrivals(conditions, {
      count: 2000,
      gapMs: 7,
      seed: 42,
      length,
    })) {
      new DataView(time.buffer).setFloat64(0, ms);
      hash.u32(number);
      hash.bytes(time);
    }
  }
  expect(hash.hex()).toBe('89f10b1fd534df7f');
});
