import { expect, test } from 'vitest';
import { placeRing, ringBlockBytes } from '../../src/shared/ring-block.ts';
import { scaled } from '../scaled.ts';
import { startWorker } from './built-worker.ts';
import type { RingReport, RingTask } from './workers/ring-traffic.ts';

const CANARY = 0x0ca9a21e;
const MARGIN_WORDS = 16;

type Traffic = Omit<RingTask, 'words' | 'block'> & { readonly capacityWords: number };

/** Runs a known sequence through a ring between two threads and returns the verdict. */
async function run(traffic: Traffic): Promise<RingReport> {
  const { capacityWords, ...rest } = traffic;
  const bytes = ringBlockBytes(capacityWords);
  const words = new Int32Array(new SharedArrayBuffer(bytes + 2 * MARGIN_WORDS * 4)).fill(CANARY);
  const block = placeRing(MARGIN_WORDS * 4, capacityWords);
  // So that the counters pass 2^32 on the way.
  const start = -64;
  words[block.headIndex] = start;
  words[block.tailIndex] = start;
  words[block.droppedIndex] = 0;
  const task: RingTask = { ...rest, words, block };
  const consumer = startWorker<RingTask, RingReport>('ring-consumer', task);
  const producer = startWorker<RingTask>('ring-producer', task);
  try {
    const report = await Promise.race([consumer.report, failure(producer.worker)]);
    const margins = [...words.subarray(0, MARGIN_WORDS), ...words.subarray(-MARGIN_WORDS)];
    expect(margins.filter((word) => word !== CANARY)).toEqual([]);
    return report;
  } finally {
    await Promise.all([consumer.worker.terminate(), producer.worker.terminate()]);
  }
}

function failure(worker: ReturnType<typeof startWorker>['worker']): Promise<never> {
  return new Promise((_, reject) => {
    worker.once('error', reject);
  });
}

const count = scaled({ tiny: 20_000, normal: 100_000, full: 2_000_000 });

test.each([2, 4, 16, 64, 1024])(
  'a ring of %i words carries every record whole and in order between two threads',
  async (capacityWords) => {
    const report = await run({ capacityWords, count, lossless: true, hasty: 'none' });
    expect(report).toEqual({ records: count, dropped: 0, fault: undefined });
  },
);

test.each([2, 16, 256])(
  'a ring of %i words that overflows between two threads loses whole records and counts each',
  async (capacityWords) => {
    const report = await run({ capacityWords, count, lossless: false, hasty: 'none' });
    expect(report.fault).toBe(undefined);
    expect(report.records + report.dropped).toBe(count);
  },
);

test.each(['producer', 'consumer'] as const)(
  'a ring whose %s gives words away too early is found out',
  async (hasty) => {
    const report = await run({ capacityWords: 64, count: 5_000_000, lossless: true, hasty });
    expect(report.fault).toMatch(/came after|has kind|words|is torn|is whole/);
  },
);
