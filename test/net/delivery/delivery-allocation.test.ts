import { expect, test } from 'vitest';
import {
  ClientDelivery,
  DeliveryMessage,
  encodeAck,
  type ReceivedHeader,
  type RetainedResult,
  ServerDelivery,
} from '../../../src/net/index.ts';
import { SnapshotKind } from '../../../src/net/snapshot/snapshot-update.ts';
import { bytesLeft } from '../../heap-growth.ts';
import { scaled } from '../../scaled.ts';
import { people } from './people.ts';
import { toyExtra } from './toy-update.ts';

const calls = scaled({ tiny: 3000, normal: 10_000, full: 10_000 });
const ROWS = 200;

/** Fills a result without making anything. */
function fill(result: RetainedResult<Uint32Array>, sequence: number): void {
  const { snapshot } = result;
  snapshot.reserve(ROWS);
  snapshot.count = ROWS;
  snapshot.tickLow = sequence;
  const { ids } = snapshot;
  const hues = snapshot.columns[3]?.bits as Uint32Array;
  for (let row = 0; row < ROWS; row++) {
    ids[row] = row + 1;
    hues[row] = (sequence + row) & 15;
  }
  result.extra[0] = sequence;
}

test('both books of a connection that is warm leave nothing on the heap', () => {
  const server = new ServerDelivery(people, { extra: toyExtra });
  const client = new ClientDelivery(people, { extra: toyExtra });
  const message = new DeliveryMessage();
  const bytes = new Uint8Array(6);
  const header = { kind: 0, tickHigh: 0, tickLow: 0, sequence: 0, baselineSequence: 0 };
  const ids = new Uint32Array(20);
  let sequence = 0;
  const work = (): void => {
    sequence = (sequence + 1) | 0;
    // A time that is no double, since one that is handed over is a box of the test's own.
    const isForced = server.prepare(sequence << 4);
    const { draft, baseline } = server;
    draft.sequence = sequence;
    draft.kind = isForced ? SnapshotKind.FullReplace : SnapshotKind.Patch;
    fill(draft, sequence);
    const isPatch = baseline !== undefined;
    for (let at = 0; at < ids.length; at++) ids[at] = 1 + at * 9 + (sequence & 7);
    if (server.plan(ids, isPatch ? ids.length : 0) !== 'accepted') throw new Error('no room');
    server.commit(sequence << 4);
    // One in four updates is lost, and one in four acknowledgements.
    if ((sequence & 3) === 0) return;
    header.kind = isPatch ? SnapshotKind.Patch : SnapshotKind.FullReplace;
    header.tickLow = sequence;
    header.sequence = sequence;
    header.baselineSequence = isPatch ? baseline.sequence : 0;
    if (client.begin(header satisfies ReceivedHeader) !== 'ready') throw new Error('not ready');
    fill(client.draft, sequence);
    client.commit();
    if ((sequence & 3) === 1) return;
    encodeAck(bytes, client.latestApplied);
    if (message.read(bytes) === 'ack') server.acknowledge(message.sequence);
    server.requestRecovery(0, 0);
  };
  expect(bytesLeft(calls, work)).toBe(0);
  expect(server.ackCounts.promoted).toBeGreaterThan(calls);
  expect(server.forcedReplacements).toBeLessThan(8);
});

test('books that recover again and again leave nothing on the heap', () => {
  const server = new ServerDelivery(people, { extra: toyExtra, maxResults: 8, maxAgeMs: 400 });
  let sequence = 0;
  const work = (): void => {
    sequence = (sequence + 1) | 0;
    server.prepare(sequence << 4);
    server.draft.sequence = sequence;
    server.draft.kind = (sequence & 1) as 0 | 1;
    fill(server.draft, sequence);
    server.plan();
    server.commit(sequence << 4);
    server.acknowledge((sequence - (sequence & 31)) | 0);
    if ((sequence & 63) === 0) server.discard();
  };
  expect(bytesLeft(calls, work)).toBe(0);
  expect(server.evictions).toBeGreaterThan(calls);
});
