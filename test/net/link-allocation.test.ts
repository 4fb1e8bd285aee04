import { describe, expect, test } from 'vitest';
import { createLossyLink, type LossyLinkOptions } from '../../src/net/index.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';

const calls = scaled({ tiny: 3000, normal: 10_000, full: 10_000 });

const bad: LossyLinkOptions = {
  seed: 7,
  conditions: {
    loss: 0.1,
    burstLoss: { enter: 0.05, leave: 0.3 },
    delayMs: 50,
    jitterMs: 30,
    duplicate: 0.1,
    reorder: 0.1,
    corrupt: 0.1,
    bandwidthBytesPerS: 100_000,
    maxQueuedBytes: 4000,
    retransmitMs: 40,
  },
};

describe('a link that is warm leaves nothing on the heap', () => {
  test.each([
    ['over a bad network', bad],
    [
      'with normal jitter',
      { conditions: { ...bad.conditions, jitterShape: 'normal', bandwidthBytesPerS: 1e6 } },
    ],
  ] as [string, LossyLinkOptions][])('%s', (_, options) => {
    const link = createLossyLink(options);
    const packets = [20, 100, 333, 1200].map((length) => new Uint8Array(length).fill(length));
    let sum = 0;
    const visit = (bytes: Uint8Array): void => {
      sum = (sum + (bytes[0] as number)) | 0;
    };
    // Times made once: a double that is handed over anew is a box of the test's own.
    let ms = 0;
    let turn = 0;
    const work = (): void => {
      const packet = packets[turn & 3] as Uint8Array;
      turn = (turn + 1) | 0;
      link.a.send(packet);
      if ((turn & 7) === 0) link.a.send(packet, 'reliable');
      link.b.send(packet);
      ms = (ms + 16) | 0;
      link.advanceTo(ms);
      link.a.receive(visit);
      link.b.receive(visit);
    };
    expect(bytesLeft(calls, work)).toBe(0);
    expect(link.stats().aToB.delivered).toBeGreaterThan(calls / 2);
  });
});
