import { describe, expect, test } from 'vitest';
import { placeRing, ringBlockBytes } from '../../src/shared/ring-block.ts';
import { RingReader } from '../../src/shared/ring-reader.ts';
import { RingWriter } from '../../src/shared/ring-writer.ts';

const block = placeRing(0, 16);

function setUp(): { words: Int32Array; writer: RingWriter; reader: RingReader } {
  const words = new Int32Array(new SharedArrayBuffer(ringBlockBytes(16)));
  return { words, writer: new RingWriter(words, block), reader: new RingReader(words, block) };
}

describe('a ring reader', () => {
  test('shows one payload as words, floats and doubles', () => {
    const { writer, reader } = setUp();
    const payload = new Uint32Array(4);
    new Float64Array(payload.buffer)[0] = Math.PI;
    new Float32Array(payload.buffer)[2] = 1.5;
    payload[3] = 0xfffffffe;
    writer.tryWrite(9, payload, 4);
    expect(reader.next()).toBe(true);
    expect(reader.doubles[0]).toBe(Math.PI);
    expect(reader.floats[2]).toBe(1.5);
    expect(reader.words[3]).toBe(0xfffffffe);
  });

  test('keeps the last record when there is no next one', () => {
    const { writer, reader } = setUp();
    writer.tryWrite(3, Uint32Array.of(42), 1);
    expect([reader.next(), reader.next()]).toEqual([true, false]);
    expect([reader.kind, reader.lengthWords, reader.words[0]]).toEqual([3, 1, 42]);
  });

  test('owns the record it took: a later write does not change it', () => {
    const { writer, reader } = setUp();
    writer.tryWrite(1, Uint32Array.of(1, 2, 3), 3);
    reader.next();
    for (let i = 0; i < 4; i++) writer.tryWrite(2, Uint32Array.of(7, 8, 9), 3);
    expect([...reader.words.subarray(0, 3)]).toEqual([1, 2, 3]);
  });

  test('asserts that a record is whole, and takes nothing then', () => {
    const { words, writer, reader } = setUp();
    writer.tryWrite(1, Uint32Array.of(5, 6), 2);
    words[block.dataIndex] = (1 << 16) | 3;
    expect(() => reader.next()).toThrow('a record in a ring is whole');
    expect(words[block.tailIndex]).toBe(0);
  });

  test('asserts that no more waits than the ring can hold', () => {
    const { words, reader } = setUp();
    words[block.headIndex] = 17;
    expect(() => reader.next()).toThrow('no more than its capacity');
  });
});
