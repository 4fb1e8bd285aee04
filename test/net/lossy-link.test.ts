import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createLossyLink,
  type LinkStats,
  type LossyLink,
  type LossyLinkOptions,
} from '../../src/net/index.ts';
import { scaled } from '../scaled.ts';
import {
  anyConditions,
  anySteps,
  type LinkStep,
  numberOf,
  numbered,
  type Received,
  takeAll,
} from './link-model.ts';

const runs = { numRuns: scaled({ tiny: 60, normal: 400, full: 10_000 }) };

/** Small ones, so that refusals are met. */
const anyOptions: fc.Arbitrary<LossyLinkOptions> = fc.record({
  seed: fc.nat(),
  conditions: anyConditions,
  bToA: anyConditions,
  maxDatagramBytes: fc.constant(60),
  maxMessageBytes: fc.constant(65),
  maxInFlight: fc.constantFrom(1, 3, 4096),
  maxInFlightBytes: fc.constantFrom(65, 300, 100_000),
});

interface Seen {
  readonly statuses: string[];
  readonly atA: Received[];
  readonly atB: Received[];
}

/** Every payload is its own number, so that each packet is known when it comes out. */
function play(link: LossyLink, steps: readonly LinkStep[], check?: () => void): Seen {
  const seen: Seen = { statuses: [], atA: [], atB: [] };
  const buffer = new Uint8Array(70);
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'send') {
      const bytes = buffer.subarray(0, step.length).fill(index + 1);
      seen.statuses.push(link[step.from].send(bytes, step.delivery));
      buffer.fill(0xff);
    } else if (step.kind === 'advance') link.advanceTo(link.nowMs + step.byMs);
    else if (step.at === 'a') seen.atA.push(...takeAll(link.a));
    else seen.atB.push(...takeAll(link.b));
    check?.();
  }
  return seen;
}

function expectConserved(stats: LinkStats): void {
  const { sent, duplicated, delivered, lost, overflowed, inFlight } = stats;
  expect(sent + duplicated).toBe(delivered + lost + overflowed + inFlight);
}

/** Lets go of everything: no more loss, and time enough. */
function settle(link: LossyLink): void {
  link.setConditions({});
  while (link.nextDueMs < Infinity) {
    link.advanceTo(Math.max(link.nowMs, link.nextDueMs));
    takeAll(link.a);
    takeAll(link.b);
  }
}

describe('a lossy link under any conditions', () => {
  test('accounts for every packet at any time, within its bounds', () => {
    fc.assert(
      fc.property(anyOptions, anySteps, (options, steps) => {
        const link = createLossyLink(options);
        play(link, steps, () => {
          for (const stats of Object.values(link.stats())) {
            expectConserved(stats);
            expect(stats.inFlight).toBeLessThanOrEqual(options.maxInFlight ?? 0);
            expect(stats.inFlightBytes).toBeLessThanOrEqual(options.maxInFlightBytes ?? 0);
          }
        });
        settle(link);
        for (const stats of Object.values(link.stats())) {
          expectConserved(stats);
          expect(stats.inFlight).toBe(0);
          expect(stats.inFlightBytes).toBe(0);
        }
      }),
      runs,
    );
  });

  test('counts statuses as it returned them, and deliveries as it showed them', () => {
    fc.assert(
      fc.property(anyOptions, anySteps, (options, steps) => {
        const link = createLossyLink(options);
        const { statuses, atA, atB } = play(link, steps);
        const { aToB, bToA } = link.stats();
        const counted = (status: string): number => statuses.filter((it) => it === status).length;
        expect(aToB.sent + bToA.sent).toBe(counted('sent'));
        expect(aToB.tooLarge + bToA.tooLarge).toBe(counted('too-large'));
        expect(aToB.full + bToA.full).toBe(counted('full'));
        expect([aToB.delivered, bToA.delivered]).toEqual([atB.length, atA.length]);
        const bytesOf = (all: Received[]): number => all.reduce((n, it) => n + it.bytes.length, 0);
        expect([aToB.deliveredBytes, bToA.deliveredBytes]).toEqual([bytesOf(atB), bytesOf(atA)]);
      }),
      runs,
    );
  });

  test('delivers the same for the same seed and calls', () => {
    fc.assert(
      fc.property(anyOptions, anySteps, (options, steps) => {
        const first = play(createLossyLink(options), steps);
        expect(play(createLossyLink(options), steps)).toEqual(first);
      }),
      runs,
    );
  });

  test('shows bytes as they were sent, unless one bit is inverted and counted', () => {
    fc.assert(
      fc.property(anyOptions, anySteps, (options, steps) => {
        const link = createLossyLink(options);
        const { atA, atB } = play(link, steps);
        const altered = [...atA, ...atB].filter(({ bytes }) => new Set(bytes).size > 1);
        const { aToB, bToA } = link.stats();
        expect(altered.length).toBeLessThanOrEqual(aToB.corrupted + bToA.corrupted);
        for (const { bytes, delivery } of altered) {
          expect(delivery).toBe('unreliable');
          expect(bytes.filter((byte) => byte !== commonest(bytes)).length).toBe(1);
        }
      }),
      runs,
    );
  });

  test('delivers each reliable message once, in order, whatever is lost', () => {
    fc.assert(
      fc.property(anyOptions, fc.array(fc.nat(300), { maxLength: 60 }), (options, gaps) => {
        const link = createLossyLink({ ...options, maxInFlight: 4096, maxInFlightBytes: 100_000 });
        const received: number[] = [];
        const receive = (): void =>
          void link.b.receive((bytes, delivery) => {
            if (delivery === 'reliable') received.push(numberOf(bytes));
          });
        for (const [index, gap] of gaps.entries()) {
          expect(link.a.send(numbered(index), 'reliable')).toBe('sent');
          link.a.send(numbered(index));
          link.advanceTo(link.nowMs + gap);
          receive();
        }
        link.setConditions({});
        while (link.nextDueMs < Infinity) {
          link.advanceTo(Math.max(link.nowMs, link.nextDueMs));
          receive();
        }
        expect(received).toEqual(gaps.map((_, index) => index));
      }),
      runs,
    );
  });

  test('has one direction untouched by the traffic of the other', () => {
    fc.assert(
      fc.property(anyOptions, anySteps, (options, steps) => {
        const isFromB = (step: LinkStep): boolean =>
          (step.kind === 'send' && step.from === 'b') ||
          (step.kind === 'receive' && step.at === 'a');
        const silent = steps.map((step) =>
          isFromB(step) ? ({ kind: 'advance', byMs: 0 } as const) : step,
        );
        const both = play(createLossyLink(options), steps);
        expect(play(createLossyLink(options), silent).atB).toEqual(both.atB);
      }),
      runs,
    );
  });

  test('loses the same datagrams whether or not messages go beside them', () => {
    fc.assert(
      fc.property(anyConditions, fc.nat(), (given, seed) => {
        const conditions = { ...given, bandwidthBytesPerS: undefined, corrupt: 0 };
        const numbers = [false, true].map((isBeside) => {
          const link = createLossyLink({ seed, conditions });
          for (let n = 0; n < 50; n++) {
            link.a.send(numbered(n));
            if (isBeside) link.a.send(numbered(n), 'reliable');
          }
          const received: number[] = [];
          link.advanceTo(10_000);
          link.b.receive((bytes, delivery) => {
            if (delivery === 'unreliable') received.push(numberOf(bytes));
          });
          return received;
        });
        expect(numbers[1]).toEqual(numbers[0]);
      }),
      runs,
    );
  });
});

function commonest(bytes: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const byte of bytes) counts.set(byte, (counts.get(byte) ?? 0) + 1);
  return [...counts].reduce((best, it) => (it[1] > best[1] ? it : best))[0];
}

describe('a visitor of arrivals', () => {
  test('may answer at once: the answer to an answer waits for the next call', () => {
    const link = createLossyLink();
    link.a.send(numbered(1));
    const answered = link.b.receive(() => {
      link.b.send(numbered(2));
      link.a.send(numbered(3));
      expect(link.a.receive(() => undefined)).toBe(1);
    });
    expect(answered).toBe(1);
    expect(takeAll(link.b)).toEqual([{ bytes: [0, 0, 0, 3], delivery: 'unreliable' }]);
  });

  test('that throws takes its own packet with it and no other', () => {
    const link = createLossyLink();
    for (const n of [1, 2, 3]) link.a.send(numbered(n));
    const refuse = (bytes: Uint8Array): void => {
      if (numberOf(bytes) === 2) throw new Error('no');
    };
    expect(() => link.b.receive(refuse)).toThrow('no');
    expect(takeAll(link.b).map(({ bytes }) => bytes[3])).toEqual([3]);
    expect(link.stats().aToB).toMatchObject({ sent: 3, delivered: 3, inFlight: 0 });
  });

  test('may receive within receiving: each packet is shown once', () => {
    const link = createLossyLink();
    for (const n of [1, 2, 3]) link.a.send(numbered(n));
    const seen: number[] = [];
    link.b.receive((outer) => {
      link.b.receive((inner) => void seen.push(numberOf(inner)));
      seen.push(numberOf(outer));
    });
    expect(seen).toEqual([2, 3, 1]);
  });
});

describe('what is given to a link is checked', () => {
  test.each<[string, LossyLinkOptions]>([
    ['seed', { seed: -1 }],
    ['loss', { conditions: { loss: 1.01 } }],
    ['loss', { conditions: { loss: Number.NaN } }],
    ['loss', { aToB: { loss: '0.5' as unknown as number } }],
    ['burstLoss.enter', { bToA: { burstLoss: { enter: 2, leave: 1 } } }],
    ['burstLoss.leave', { bToA: { burstLoss: { enter: 1 } as never } }],
    ['burstLoss', { bToA: { burstLoss: { enter: 0, leave: 1, los: 1 } as never } }],
    ['delayMs', { conditions: { delayMs: -1 } }],
    ['jitterMs', { conditions: { jitterMs: Infinity } }],
    ['jitterShape', { conditions: { jitterShape: 'flat' as never } }],
    ['duplicate', { conditions: { duplicate: -0.1 } }],
    ['reorder', { conditions: { reorder: 5 } }],
    ['reorderMs', { conditions: { reorderMs: 3_600_001 } }],
    ['corrupt', { conditions: { corrupt: 1.5 } }],
    ['bandwidthBytesPerS', { conditions: { bandwidthBytesPerS: 0 } }],
    ['maxQueuedBytes', { conditions: { maxQueuedBytes: 1.5 } }],
    ['retransmitMs', { conditions: { retransmitMs: 0 } }],
    ['maxDatagramBytes', { maxDatagramBytes: 0 }],
    ['maxMessageBytes', { maxMessageBytes: 2 ** 25 }],
    ['maxInFlight', { maxInFlight: 2 ** 21 }],
    ['maxInFlightBytes', { maxInFlightBytes: 1000 }],
    ['conditions', { conditions: null as never }],
    ['conditions', { conditions: { lose: 1 } as never }],
    ['options', { conditons: {} } as never],
  ])('%s out of range is refused by name', (name, options) => {
    expect(() => createLossyLink(options)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringContaining(name) }),
    );
  });

  test('conditions that are refused change nothing', () => {
    const link = createLossyLink();
    const wrong = expect.objectContaining({ code: 'OPTION_INVALID' });
    expect(() => link.setConditions({ loss: 1, delayMs: -1 })).toThrow(wrong);
    expect(() => link.setConditions({ loss: 1 }, 'ab' as never)).toThrow(wrong);
    link.a.send(numbered(1));
    expect(takeAll(link.b)).toEqual([{ bytes: [0, 0, 0, 1], delivery: 'unreliable' }]);
  });

  test('time that goes back, and what is no packet, are refused', () => {
    const link = createLossyLink();
    const wrong = expect.objectContaining({ code: 'VALUE_INVALID' });
    link.advanceTo(5);
    for (const ms of [4.9, Number.NaN, 1e13]) expect(() => link.advanceTo(ms)).toThrow(wrong);
    expect(() => link.a.send('hello' as never)).toThrow(wrong);
    expect(() => link.a.send(new Uint16Array(2) as never)).toThrow(wrong);
    expect(() => link.a.send(numbered(1), 'ordered' as never)).toThrow(wrong);
    expect(link.nowMs).toBe(5);
    expect(link.stats().aToB.sent).toBe(0);
  });
});
