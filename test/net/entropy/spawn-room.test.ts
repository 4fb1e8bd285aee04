import { expect, test } from 'vitest';
import { SpawnRoom } from '../../../src/net/entropy/spawn-room.ts';
import { UpdateCoder } from '../../../src/net/entropy/update-coder.ts';
import { cubeLanes, EFFORTS } from './population.ts';

const TAIL = 65_536;

/** What a count may begin with: runs of equal bits, and any first byte for a range coder. */
function* heads(): Generator<readonly number[]> {
  for (let run = 0; run < 64; run++) {
    const bytes = { length: run >> 3 };
    const zeros = Array.from(bytes, () => 0);
    const ones = Array.from(bytes, () => 255);
    yield [...zeros, 1 << (run & 7)];
    yield [...ones, (1 << (run & 7)) - 1];
  }
  for (let first = 0; first < 256; first++) yield [first, 255, 255];
}

test.each(EFFORTS)('%s: no bytes ask for more rows than they can hold', (effort) => {
  const room = new SpawnRoom(cubeLanes, effort);
  const coder = new UpdateCoder(cubeLanes, effort);
  let most = 0;
  for (const head of heads()) {
    const bytes = new Uint8Array(TAIL);
    bytes.set(head);
    const replica = coder.createReplica();
    coder.decode(null, 1, bytes, 0, bytes.length, replica);
    const { length } = replica.table.ids;
    expect(length).toBeLessThanOrEqual(Math.max(16, room.rowsIn(bytes.length)));
    most = Math.max(most, length);
  }
  // Some of them did ask for many.
  expect(most).toBeGreaterThan(100);
});

test.each(EFFORTS)('%s: an update has room for its new rows', (effort) => {
  const room = new SpawnRoom(cubeLanes, effort);
  for (let rows = 0; rows < 500; rows++) {
    expect(room.rowsIn(room.bytesOf(rows))).toBeGreaterThanOrEqual(rows);
  }
});
