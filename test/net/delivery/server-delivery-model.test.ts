import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServerDelivery } from '../../../src/net/index.ts';
import { SnapshotKind } from '../../../src/net/snapshot/snapshot-update.ts';
import { scaled } from '../../scaled.ts';
import { fillPeople, listPeople, people, type Person } from './people.ts';
import { ServerModel } from './server-model.ts';

const runs = { numRuns: scaled({ tiny: 30, normal: 150, full: 5000 }) };

const anyFloat = fc.constantFrom(0, 0x8000_0000, 0x3f80_0000, 0xbf80_0000);
const anyRows = fc
  .uniqueArray(
    fc.tuple(
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom(1, 2),
      fc.tuple(anyFloat, anyFloat, anyFloat),
      fc.constant([0, 0, 0x3f80_0000]),
      fc.integer({ min: 0, max: 1 }),
    ),
    { selector: ([id]) => id, maxLength: 12 },
  )
  .map((rows): Person[] => rows.toSorted((a, b) => a[0] - b[0]));

const anyStep = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      verb: fc.constant('submit' as const),
      gap: fc.integer({ min: 1, max: 3 }),
      isFull: fc.boolean(),
      rows: anyRows,
      sent: fc.uniqueArray(fc.nat(11)),
      isRefused: fc.constantFrom(false, false, false, true),
      ackBetween: fc.constantFrom(undefined, undefined, undefined, 0, 1, 2),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      verb: fc.constant('ack' as const),
      back: fc.integer({ min: -1, max: 12 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ verb: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 40) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      verb: fc.constant('request' as const),
      rejectedBack: fc.integer({ min: -1, max: 6 }),
      missingBack: fc.integer({ min: -1, max: 12 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('discard' as const) }) },
);

type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

const anyBounds = fc.record({
  maxResults: fc.constantFrom(2, 3, 8, 64),
  maxBytes: fc.constantFrom(300, 1200, 2500, 1e8),
  maxAgeMs: fc.constantFrom(50, 1000),
  maxRecoveryRows: fc.constantFrom(2, 8, 100),
  stallThreshold: fc.constant(1),
});

/** An implementation and its model, side by side. */
class Pair {
  readonly server: ServerDelivery;
  readonly model: ServerModel;
  readonly #isReliable: boolean;
  #ms = 0;

  constructor(bounds: ConstructorParameters<typeof ServerModel>[0], isReliable: boolean) {
    const stallThreshold = Math.max(1, bounds.maxResults >> 1);
    const resolved = { ...bounds, stallThreshold };
    const delivery = isReliable ? 'reliable' : 'unreliable';
    this.server = new ServerDelivery(people, { ...resolved, delivery });
    this.model = new ServerModel(resolved);
    this.#isReliable = isReliable;
  }

  step(step: Step): void {
    const { server, model } = this;
    const latest = model.latestSubmitted;
    switch (step.verb) {
      case 'submit':
        this.#submit(step);
        break;
      case 'ack': {
        const sequence = Math.max(0, latest - step.back);
        expect(server.acknowledge(sequence)).toBe(model.acknowledge(sequence));
        break;
      }
      case 'wait':
        this.#ms += step.ms;
        model.expire(this.#ms);
        model.checkStall();
        expect(server.prepare(this.#ms)).toBe(model.reason !== 'none');
        break;
      case 'request': {
        const rejected = latest - step.rejectedBack;
        const missing = latest - step.missingBack;
        expect(server.requestRecovery(rejected, missing)).toBe(model.request(rejected, missing));
        break;
      }
      case 'discard':
        server.discard();
        model.discard('retention-pressure');
        break;
    }
    this.compare();
  }

  #submit(step: Step & { readonly verb: 'submit' }): void {
    const { server, model } = this;
    const { rows, isFull } = step;
    const sequence = model.latestSubmitted + step.gap;
    const { draft } = server;
    draft.sequence = sequence;
    draft.kind = isFull ? SnapshotKind.FullReplace : SnapshotKind.Patch;
    fillPeople(draft.snapshot, rows, sequence);
    const sent = isFull ? [] : rows.filter((_, index) => step.sent.includes(index));
    const ids = Uint32Array.from([...sent.map(([id]) => id), 99]);
    const result = { sequence, isFull, rows, ms: this.#ms, bytes: draft.byteLength };
    const before = this.#tell();
    const verdict = server.plan(ids, sent.length);
    expect(verdict).toBe(model.plan(result, sent));
    expect(this.#tell()).toEqual(before);
    if (verdict !== 'accepted') {
      server.discard();
      model.discard('retention-pressure');
    } else if (step.isRefused) {
      server.abandon();
      expect(this.#tell()).toEqual(before);
    } else {
      if (step.ackBetween !== undefined) {
        const acked = model.latestSubmitted - step.ackBetween;
        expect(server.acknowledge(acked)).toBe(model.acknowledge(acked));
      }
      server.commit(this.#ms);
      model.commit(result, sent);
    }
  }

  /** Everything that the implementation tells but its plan. */
  #tell(): unknown {
    const { server } = this;
    const submitted = Array.from({ length: server.submittedCount }, (_, index) => {
      const result = server.submittedAt(index);
      return result && [result.sequence, result.kind, listPeople(result.snapshot), result.keptMs];
    });
    return {
      submitted,
      acknowledged: server.acknowledged && [
        server.acknowledged.sequence,
        listPeople(server.acknowledged.snapshot),
      ],
      latest: [server.latestSubmitted, server.latestAcknowledged],
      sinceProgress: server.submissionsSinceProgress,
      reason: server.recoveryReason,
      forced: server.forcedReplacements,
      evictions: server.evictions,
      recovery: listPeople(server.recoveryRows),
      baseline: server.baseline?.sequence,
    };
  }

  compare(): void {
    const { model } = this;
    expect(this.#tell()).toEqual({
      submitted: model.submitted.map(({ sequence, isFull, rows, ms }) => [
        sequence,
        isFull ? SnapshotKind.FullReplace : SnapshotKind.Patch,
        rows,
        ms,
      ]),
      acknowledged: model.acknowledged && [model.acknowledged.sequence, model.acknowledged.rows],
      latest: [model.latestSubmitted, model.latestAcknowledged],
      sinceProgress: model.sinceProgress,
      reason: model.reason,
      forced: model.forced,
      evictions: model.evictions,
      recovery: model.recovery,
      baseline: model.baseline(this.#isReliable)?.sequence,
    });
  }
}

test('the book on a client is that of a simple model after any messages and times', () => {
  const program = fc.property(
    anyBounds,
    fc.boolean(),
    fc.array(anyStep, { minLength: 1, maxLength: 80, size: 'max' }),
    (bounds, isReliable, steps) => {
      const pair = new Pair(bounds, isReliable);
      for (const step of steps) pair.step(step);
    },
  );
  fc.assert(program, runs);
});

test('the memory of what is kept never exceeds its bound', () => {
  const program = fc.property(
    fc.constantFrom(600, 1200, 2500),
    fc.array(anyStep, { minLength: 1, maxLength: 80, size: 'max' }),
    (maxBytes, steps) => {
      const bounds = {
        maxBytes,
        maxResults: 64,
        maxAgeMs: 1000,
        maxRecoveryRows: 100,
        stallThreshold: 32,
      };
      const pair = new Pair(bounds, false);
      for (const step of steps) {
        pair.step(step.verb === 'submit' ? { ...step, ackBetween: undefined } : step);
        expect(pair.server.retainedBytes).toBeLessThanOrEqual(maxBytes);
      }
    },
  );
  fc.assert(program, runs);
});
