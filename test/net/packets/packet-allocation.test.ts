import { expect, test } from 'vitest';
import { Packetizer, Reassembler } from '../../../src/net/index.ts';
import { bytesLeft } from '../../heap-growth.ts';
import { scaled } from '../../scaled.ts';

const calls = scaled({ tiny: 2000, normal: 10_000, full: 10_000 });

test.each([
  ['with headers', { maxPayloadBytes: 300, maxGroupBytes: 8192 }],
  ['without headers', { enabled: false, maxPayloadBytes: 4000 }],
])('packets there and back leave nothing on the heap, %s', (_, options) => {
  const packetizer = new Packetizer(options);
  const reassembler = new Reassembler(options);
  const lengths = [10, 275, 276, 900, 3333, 1500, 40];
  const groups = lengths.map((length) => new Uint8Array(length).fill(length));
  const scratch = new Uint8Array(5000);
  const garbage = new Uint8Array(60).fill(0x53);
  let id = 0;
  let sum = 0;
  const work = (): void => {
    id = (id + 1) | 0;
    const isScratch = (id & 3) === 0;
    const bytes = isScratch ? scratch : (groups[id % 7] as Uint8Array);
    packetizer.prepare(id, bytes, isScratch ? 700 : bytes.length);
    for (let i = packetizer.packetCount - 1; i >= 0; i--) {
      // Every fifth group loses its first packet; another one is told twice.
      if (i === 0 && id % 5 === 0) continue;
      reassembler.accept(packetizer.packetAt(i), id);
      if (i === 1) reassembler.accept(packetizer.packetAt(i), id);
    }
    if (reassembler.completedBytes > 0) {
      sum = (sum + (reassembler.completedBuffer[reassembler.completedBytes - 1] as number)) | 0;
      if (id % 3 === 0) reassembler.commit(reassembler.completedGroupId);
    }
    reassembler.accept(garbage, id);
  };
  expect(bytesLeft(calls, work)).toBe(0);
  expect(reassembler.stats().completed).toBeGreaterThan(calls);
});
