import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ReplicaHistory } from '../../../src/net/snapshot/replica-history.ts';
import { rawShape } from '../reference-shape.ts';

const shape = rawShape([{ name: 'number', scalar: 'u32', width: 3 }]);
/** Bytes of the id and the numbers of an entity. */
const ROW_BYTES = 16;

/** Keeps a snapshot of as many rows, marked with its sequence; returns how many went. */
function keep(history: ReplicaHistory, sequence: number, rows = 0): number {
  const spare = history.spare();
  spare.clear();
  spare.reserve(rows);
  spare.tick = sequence;
  return history.keep(sequence);
}

function sequencesIn(history: ReplicaHistory, upTo: number): number[] {
  const all = Array.from({ length: upTo }, (_, index) => index + 1);
  return all.filter((sequence) => history.find(sequence)?.tick === sequence);
}

type Step = { keep: number; rows: number } | { before: number } | 'clear';

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      keep: fc.integer({ min: 1, max: 3 }),
      rows: fc.integer({ min: 0, max: 60 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ before: fc.integer({ min: 0, max: 60 }) }) },
  { weight: 1, arbitrary: fc.constant<Step>('clear') },
);

describe('a history', () => {
  test('is the newest suffix of what was kept that both limits allow, as a map has it', () => {
    const maxBytes = 100 * ROW_BYTES;
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
        const history = new ReplicaHistory(shape, { maxSnapshots: 4, maxBytes });
        const model = new Map<number, number>();
        const drop = (past: (sequence: number) => boolean): number => {
          const gone = [...model.keys()].filter(past);
          for (const sequence of gone) model.delete(sequence);
          return gone.length;
        };
        let last = 0;
        for (const step of steps) {
          if (step === 'clear') {
            history.clear();
            model.clear();
          } else if ('before' in step) {
            const gone = drop((sequence) => sequence < step.before);
            expect(history.dropBefore(step.before)).toBe(gone);
          } else {
            last += step.keep;
            const gone = keep(history, last, step.rows);
            // A reused snapshot has the room of its past.
            model.set(last, history.find(last)?.capacityBytes ?? 0);
            let bytes = 0;
            const kept = [...model].reverse().filter(([, size], age) => {
              bytes += size;
              return age === 0 || (age < 4 && bytes <= maxBytes);
            });
            expect(gone).toBe(drop((sequence) => kept.every(([one]) => one !== sequence)));
          }
          expect(sequencesIn(history, last)).toEqual([...model.keys()]);
          expect(history.count).toBe(model.size);
          expect(history.bytes).toBe([...model.values()].reduce((a, b) => a + b, 0));
          expect(history.newestSequence).toBe([...model.keys()].at(-1) ?? 0);
          expect(history.newest?.tick ?? 0).toBe(history.newestSequence);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('keeps the newest however large it is', () => {
    const history = new ReplicaHistory(shape, { maxBytes: 10 });
    keep(history, 1, 50);
    expect([keep(history, 2, 50), history.count, history.newestSequence]).toEqual([1, 1, 2]);
  });

  test('hands out what went, and the same spare until it is kept', () => {
    const history = new ReplicaHistory(shape, { maxSnapshots: 2 });
    for (let sequence = 1; sequence <= 2; sequence++) keep(history, sequence);
    const oldest = history.find(1);
    keep(history, 3);
    expect(history.spare()).toBe(oldest);
    expect(history.spare()).toBe(oldest);
    expect(history.find(3)?.tick).toBe(3);
  });

  test('takes sequences in ascending order only, and only with a spare', () => {
    const history = new ReplicaHistory(shape);
    expect(() => history.keep(1)).toThrow(/no snapshot to keep/);
    history.spare();
    const wrong = [0, -1, 1.5, Number.NaN, 2 ** 32];
    for (const sequence of wrong) expect(() => history.keep(sequence)).toThrow(/too late/);
    keep(history, 2 ** 32 - 1);
    history.spare();
    expect(() => history.keep(7)).toThrow(/too late/);
    history.clear();
    expect([history.keep(7), history.count]).toEqual([0, 1]);
  });

  test.each([0, -1, 1.5, Number.NaN])('refuses a limit of %s', (limit) => {
    expect(() => new ReplicaHistory(shape, { maxSnapshots: limit })).toThrow(/maxSnapshots/);
    expect(() => new ReplicaHistory(shape, { maxBytes: limit })).toThrow(/maxBytes/);
  });
});
