import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  placeRing,
  RECORD_WORDS_MAX,
  type RingBlock,
  ringBlockBytes,
} from '../../src/shared/ring-block.ts';
import { RingReader } from '../../src/shared/ring-reader.ts';
import { RingWriter } from '../../src/shared/ring-writer.ts';
import { bytesLeft } from '../heap-growth.ts';

const CANARY = 0x0ca9a21e;
const MARGIN_BYTES = 64;

interface Bench {
  readonly words: Int32Array;
  readonly block: RingBlock;
  readonly writer: RingWriter;
  readonly reader: RingReader;
}

/** A ring between two canaries, its counters preset. */
function setUp(capacityWords: number, startCount = 0, shared = true): Bench {
  const bytes = 2 * MARGIN_BYTES + ringBlockBytes(capacityWords);
  const words = new Int32Array(shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  words.fill(CANARY);
  const block = placeRing(MARGIN_BYTES, capacityWords);
  words[block.headIndex] = startCount;
  words[block.tailIndex] = startCount;
  words[block.droppedIndex] = 0;
  const writer = new RingWriter(words, block);
  const reader = new RingReader(words, block);
  return { words, block, writer, reader };
}

/** Everything that is neither a counter nor data of the ring must still be the canary. */
function expectCanaries({ words, block }: Bench): void {
  const { headIndex, tailIndex, droppedIndex, dataIndex, capacityWords } = block;
  const counters = [headIndex, tailIndex, droppedIndex];
  const touched = words.findIndex((word, index) => {
    const isData = index >= dataIndex && index < dataIndex + capacityWords;
    return !isData && !counters.includes(index) && word !== CANARY;
  });
  expect(touched).toBe(-1);
}

const step = fc.oneof(
  fc.record({
    kind: fc.integer({ min: 0, max: 0xffff }),
    payload: fc.uint32Array({ maxLength: 40 }),
  }),
  fc.constant('read' as const),
);
const startCounts = fc.oneof(
  fc.constantFrom(0, 0x7ffffffe, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff),
  fc.nat(0xffffffff),
);

describe('a ring', () => {
  test('does what an unbounded queue does, as long as a record has room', () => {
    const runs = fc.property(
      fc.integer({ min: 1, max: 7 }),
      startCounts,
      fc.boolean(),
      fc.array(step, { maxLength: 200 }),
      (log2, startCount, shared, steps) => {
        const capacityWords = 2 ** log2;
        const bench = setUp(capacityWords, startCount, shared);
        const { writer, reader } = bench;
        const queue: { kind: number; payload: Uint32Array }[] = [];
        let queuedWords = 0;
        let refused = 0;
        for (const action of steps) {
          if (action === 'read') {
            const record = queue.shift();
            expect(reader.next()).toBe(record !== undefined);
            if (record === undefined) continue;
            queuedWords -= 1 + record.payload.length;
            expect(reader.kind).toBe(record.kind);
            expect(reader.words.subarray(0, reader.lengthWords)).toEqual(record.payload);
          } else if (action.payload.length < capacityWords) {
            const lengthWords = action.payload.length;
            const fits = queuedWords + 1 + lengthWords <= capacityWords;
            expect(writer.tryWrite(action.kind, action.payload, lengthWords)).toBe(fits);
            if (fits) queue.push(action);
            if (fits) queuedWords += 1 + lengthWords;
            else refused++;
          }
          expect(reader.pending()).toBe(queuedWords);
          expect(writer.freeWords()).toBe(capacityWords - queuedWords);
          expect(writer.fill()).toBe(queuedWords / capacityWords);
          expect(reader.droppedCount()).toBe(refused);
        }
        expectCanaries(bench);
      },
    );
    fc.assert(runs, { numRuns: 300 });
  });

  test.each([0x7ffffffe, 0xfffffffe])('uses slots 1022, 1023, 0, 1 from count %s on', (count) => {
    const { words, block, writer, reader } = setUp(1024, count);
    const nothing = new Uint32Array(0);
    for (let kind = 1; kind <= 8; kind++) expect(writer.tryWrite(kind, nothing, 0)).toBe(true);
    const kindAt = (slot: number): number => (words[block.dataIndex + slot] as number) >>> 16;
    expect([1022, 1023, 0, 1, 2, 3, 4, 5].map(kindAt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(reader.pending()).toBe(8);
    for (let kind = 1; kind <= 8; kind++) {
      expect(reader.next()).toBe(true);
      expect(reader.kind).toBe(kind);
    }
    expect(reader.next()).toBe(false);
    expect((words[block.tailIndex] as number) >>> 0).toBe((count + 8) % 2 ** 32);
  });

  test('refuses a record when full, counts it and keeps its bytes', () => {
    const { words, block, writer, reader } = setUp(8);
    const payload = Uint32Array.of(11, 12, 13, 14, 15, 16, 17);
    expect(writer.tryWrite(1, payload, 4)).toBe(true);
    const before = words.slice(block.dataIndex, block.dataIndex + 8);
    expect(writer.tryWrite(2, payload, 3)).toBe(false);
    expect(writer.tryWrite(3, payload, 7)).toBe(false);
    expect(words.slice(block.dataIndex, block.dataIndex + 8)).toEqual(before);
    expect(reader.droppedCount()).toBe(2);
    expect(writer.tryWrite(4, payload, 2)).toBe(true);
    expect(writer.fill()).toBe(1);
    expect([reader.next(), reader.kind, reader.lengthWords]).toEqual([true, 1, 4]);
    expect([reader.next(), reader.kind, reader.lengthWords]).toEqual([true, 4, 2]);
  });

  test('counts refused records past 2^32', () => {
    const { words, block, writer, reader } = setUp(2);
    words[block.droppedIndex] = -1;
    expect(reader.droppedCount()).toBe(0xffffffff);
    expect(writer.tryWrite(0, Uint32Array.of(7), 1)).toBe(true);
    expect(writer.tryWrite(0, Uint32Array.of(8), 1)).toBe(false);
    expect(reader.droppedCount()).toBe(0);
  });

  test('carries the longest record its header can name', () => {
    const { writer, reader } = setUp(2 ** 17, 2 ** 32 - 5);
    const payload = new Uint32Array(RECORD_WORDS_MAX).map((_, i) => i * 0x9e3779b1);
    expect(writer.tryWrite(0xffff, payload, payload.length)).toBe(true);
    expect(reader.next()).toBe(true);
    expect(reader.kind).toBe(0xffff);
    expect(reader.words.subarray(0, reader.lengthWords)).toEqual(payload);
  });
});

describe('a ring writer', () => {
  test('refuses at set-up a record that could never fit, and says what to change', () => {
    const { writer } = setUp(16);
    const refusal = expect.objectContaining({ code: 'CAPACITY_EXHAUSTED' });
    writer.check(0);
    writer.check(15);
    expect(() => writer.check(16)).toThrow(refusal);
    expect(() => writer.check(16)).toThrow('Give the ring at least 17 words');
    for (const bad of [-1, 1.5, NaN]) expect(() => writer.check(bad)).toThrow(refusal);
    const large = setUp(2 ** 17).writer;
    large.check(RECORD_WORDS_MAX);
    expect(() => large.check(RECORD_WORDS_MAX + 1)).toThrow('fewer fields');
  });

  test('asserts the kind and the length of a record, and writes nothing then', () => {
    const bench = setUp(16);
    const before = bench.words.slice();
    const payload = new Uint32Array(20);
    for (const kind of [-1, 0x10000]) {
      expect(() => bench.writer.tryWrite(kind, payload, 1)).toThrow('kind');
    }
    for (const lengthWords of [-1, 16, 21]) {
      expect(() => bench.writer.tryWrite(1, payload, lengthWords)).toThrow('fits into its ring');
    }
    expect(bench.words).toEqual(before);
  });

  test('asserts that the counters of the ring make sense', () => {
    const { words, block, writer } = setUp(16);
    words[block.tailIndex] = 1;
    expect(() => writer.tryWrite(1, new Uint32Array(0), 0)).toThrow('no more than its capacity');
  });

  test('allocates nothing, nor does the reader', () => {
    const { writer, reader } = setUp(64, 0x7fffff00);
    const payload = Uint32Array.of(1, 0xffffffff, 3, 4);
    let kind = 0;
    const pass = (): void => {
      writer.tryWrite(kind++ & 0xffff, payload, 4);
      reader.next();
    };
    expect(bytesLeft(100_000, pass)).toBe(0);
  });
});
