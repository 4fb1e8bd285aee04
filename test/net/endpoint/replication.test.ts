import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadZstd, type TransferOptions } from '../../../src/net/index.ts';
import { scaled } from '../../scaled.ts';
import { badNetwork } from '../bad-network.ts';
import { rowsOf } from '../wire/populations.ts';
import { anyPipeline } from './any-pipeline.ts';
import { ReplicationRun, type RunEvent, type RunOptions } from './replication-run.ts';

const runs = { numRuns: scaled({ tiny: 15, normal: 80, full: 4000 }) };
const zstd = await loadZstd();

/** Ticks without change or loss after which a client sees all. */
const QUIET = 260;

const anyTransfer: fc.Arbitrary<TransferOptions> = fc
  .record({
    maxPayloadBytes: fc.constantFrom(64, 200, 1200),
    compressUpdates: fc.boolean(),
    compressPackets: fc.boolean(),
    zstd: fc.constantFrom(zstd, undefined),
  })
  .map(({ maxPayloadBytes, ...rest }) => ({
    ...rest,
    packets: {
      maxPayloadBytes,
      maxGroupBytes: 100_000,
      maxGroupsInFlight: 64,
      timeoutMs: 300,
    },
  }));

const anyOptions: fc.Arbitrary<RunOptions> = fc.record({
  seed: fc.nat(),
  pipeline: anyPipeline,
  conditions: fc
    .record(
      {
        burstLoss: fc.record({ enter: fc.constant(0.05), leave: fc.constantFrom(0.05, 0.5) }),
        delayMs: fc.constantFrom(0, 100, 300),
        jitterMs: fc.constantFrom(0, 5, 100),
      },
      { requiredKeys: [] },
    )
    .map((part) => ({ ...badNetwork, ...part })),
  transfer: anyTransfer,
  delivery: fc.constantFrom('unreliable' as const, 'unreliable' as const, 'reliable' as const),
  control: fc.constantFrom('unreliable' as const, 'reliable' as const),
  self: fc.constantFrom(0, 1),
  bounds: fc.record(
    {
      maxResults: fc.constantFrom(40, 64),
      maxAgeMs: fc.constantFrom(1500, 5000),
      stallThreshold: fc.constantFrom(10, 32),
      maxRecoveryRows: fc.constantFrom(8, 1000),
    },
    { requiredKeys: [] },
  ),
});

const anyEvent: fc.Arbitrary<RunEvent> = fc.record({
  verb: fc.constantFrom(
    ...(['change', 'change', 'change', 'toggle', 'toggle', 'look', 'idle'] as const),
    ...(['refuse', 'crowd', 'change', 'change', 'toggle'] as const),
  ),
  id: fc.nat(11),
});

/** Lets the network heal and the world rest, until the client must have come to see all. */
function settle(run: ReplicationRun): void {
  run.setConditions({ delayMs: 20 });
  for (let n = 0; n < QUIET; n++) run.step();
  // While n updates are under way there are n chains of them, and none may have an old state.
  for (let n = 0; n < 12; n++) {
    run.step();
    const { newest } = run.receiver;
    const rows = newest === undefined ? undefined : rowsOf(newest);
    expect([run.label, rows]).toEqual([run.label, run.seen()]);
  }
  expect([run.label, run.sender.delivery.recoveryReason]).toEqual([run.label, 'none']);
}

describe('any pipeline, any population, any network', () => {
  test('each replica is the server view of its update, and all comes in the end', () => {
    let applied = 0;
    const program = fc.property(
      anyOptions,
      fc.array(anyEvent, { minLength: 20, maxLength: 120, size: 'max' }),
      (options, events) => {
        const run = new ReplicationRun(options);
        for (const event of events) run.step(event);
        settle(run);
        applied += run.applied;
      },
    );
    fc.assert(program, runs);
    expect(applied).toBeGreaterThan(50 * runs.numRuns);
  });

  test('all comes again to a client that lost all, or whose connection broke', () => {
    const program = fc.property(
      anyOptions,
      fc.array(anyEvent, { minLength: 10, maxLength: 60, size: 'max' }),
      fc.constantFrom('lost', 'break'),
      (options, events, end) => {
        const run = new ReplicationRun(options);
        for (const event of events) run.step(event);
        if (end === 'lost') run.connectClient();
        else run.step({ verb: 'break', id: 0 });
        for (const event of events) run.step(event);
        settle(run);
      },
    );
    fc.assert(program, runs);
  });
});
