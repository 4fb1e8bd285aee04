import { describe, expect, test } from 'vitest';
import { hashSnapshot } from '../../../src/net/snapshot/fingerprint.ts';
import { ClientDelivery } from '../../../src/net/delivery/client-delivery.ts';
import { interpolate } from '../../../src/net/snapshot/interpolate.ts';
import { PresenceHold } from '../../../src/net/snapshot/presence-hold.ts';
import { reconstruct } from '../../../src/net/snapshot/reconstruct.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { SnapshotPair } from '../../../src/net/snapshot/snapshot-pair.ts';
import { Fnv64 } from '../../../src/shared/hash.ts';
import { bytesLeft } from '../../heap-growth.ts';
import { scaled } from '../../scaled.ts';
import { type PlainEntity, shipShape, shipsOf, updateOf } from './any-snapshot.ts';

const calls = scaled({ tiny: 1000, normal: 2000, full: 10_000 });

const ship = (id: number): PlainEntity => ({
  id,
  values: [[1], [id, 2, 3], [1, 0], [0, 0, 0, 1], [id % 256], [90], [id, -id], [5]],
});
const ships = (count: number, from = 1): PlainEntity[] =>
  Array.from({ length: count }, (_, index) => ship(from + index));

describe('nothing is left on the heap', () => {
  test('by a client that reconstructs, keeps, holds, shows and looks up', () => {
    const history = new ClientDelivery(shipShape, { maxResults: 8 });
    const header = { kind: 0, tickHigh: 0, tickLow: 0, sequence: 0, baselineSequence: 0 };
    const hold = new PresenceHold(shipShape, 0.25);
    const pair = new SnapshotPair(shipShape, 64);
    const updates = [
      updateOf(1, 0, ships(20, 31), [5]),
      updateOf(1, 0, [ship(5), ...ships(20, 41)], [31, 32, 61, 999]),
      updateOf(0, 0, ships(50), []),
    ];
    let sequence = 0;
    let sum = 0;
    const work = (): void => {
      const update = updates[sequence % 3];
      if (update === undefined) return;
      sequence = (sequence + 1) | 0;
      update.upserts.tickLow = sequence;
      header.sequence = sequence;
      header.tickLow = sequence;
      // The first update must be the full one.
      header.kind = sequence === 1 ? 0 : update.kind;
      header.baselineSequence = header.kind === 0 ? 0 : sequence - 1;
      if (history.begin(header) !== 'ready') throw new Error('not ready');
      const { baseline, draft } = history;
      const spare = draft.snapshot;
      if (sequence === 1) spare.copyFrom(updates[2]?.upserts ?? spare);
      else if (reconstruct(baseline?.snapshot ?? null, update, spare) !== 'ok')
        throw new Error('refused');
      spare.tickLow = sequence;
      history.commit();
      pair.apply(hold.apply(spare, sequence));
      for (let frame = 0; frame < 3; frame++) {
        pair.advance(0.005);
        sum = (sum + (pair.sample()?.count ?? 0)) | 0;
      }
      sum = (sum + (history.historyAt(0)?.snapshot.count ?? 0)) | 0;
    };
    expect(bytesLeft(calls, work)).toBe(0);
    expect(sum).toBeGreaterThan(100 * calls);
    expect(history.latestApplied).toBe(sequence);
  });

  test('by checked interpolation and by hashing', () => {
    const previous = shipsOf(5, ships(50));
    const current = shipsOf(6, ships(50, 11));
    const out = new Snapshot(shipShape);
    const hash = new Fnv64();
    const work = (): void => {
      interpolate(previous, current, 0.25, out);
      hash.reset();
      hashSnapshot(out, hash);
    };
    expect(bytesLeft(calls, work)).toBe(0);
    expect(out.count).toBe(50);
  });
});
