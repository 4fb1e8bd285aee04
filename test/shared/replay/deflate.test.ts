import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deflate, inflateInto, lengthOf } from '../../../src/shared/replay/deflate.ts';

const noise = (length: number): Uint8Array =>
  new Uint8Array(length).map((_, index) => Math.imul(index + 1, 0x9e3779b1) >>> 24);

/** Runs `work` on a platform whose `CompressionStream` is another one. */
async function withStream<T>(stream: unknown, work: () => Promise<T>): Promise<T> {
  const kept = globalThis.CompressionStream;
  Object.assign(globalThis, { CompressionStream: stream });
  try {
    return await work();
  } finally {
    Object.assign(globalThis, { CompressionStream: kept });
  }
}

describe('deflate', () => {
  it('gives a stream that inflates to all its parts, one behind the other', async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(4)).fill(7);
    const parts = [new Uint8Array(5000), new Uint8Array(0), shared, new Uint8Array(3).fill(1)];
    const chunks = await deflate(parts);
    const stream = new Uint8Array(Buffer.concat(chunks ?? []));
    const out = new Uint8Array(lengthOf(parts));
    expect(inflateInto(out, stream)).toBe(true);
    expect(Buffer.compare(out, Buffer.concat(parts))).toBe(0);
    expect(stream.length).toBeLessThan(100);
  });

  it('gives nothing where the stream would not be shorter', async () => {
    expect(await deflate([noise(40)])).toBe(undefined);
    expect(await deflate([new Uint8Array(0)])).toBe(undefined);
  });

  it('gives nothing where the platform has no such stream, or not of this format', async () => {
    const parts = [new Uint8Array(1000)];
    expect(await withStream(undefined, () => deflate(parts))).toBe(undefined);
    class Strange {
      constructor(format: string) {
        throw new TypeError(`Unsupported: ${format}`);
      }
    }
    expect(await withStream(Strange, () => deflate(parts))).toBe(undefined);
  });
});

describe('inflateInto', () => {
  const raw = Buffer.concat([new Uint8Array(70_000), noise(70_000)]);
  const stream = new Uint8Array(deflateRawSync(raw));

  it('fills what is exactly as long, over many pieces', () => {
    const out = new Uint8Array(raw.length);
    expect(inflateInto(out, stream)).toBe(true);
    expect(Buffer.compare(out, raw)).toBe(0);
  });

  it('refuses a stream that becomes more or fewer bytes, and writes none beyond', () => {
    const around = new Uint8Array(raw.length + 16).fill(0xa5);
    expect(inflateInto(around.subarray(8, raw.length + 7), stream)).toBe(false);
    expect([...around.subarray(raw.length + 7)]).toEqual(Array(9).fill(0xa5));
    expect(inflateInto(new Uint8Array(raw.length + 1), stream)).toBe(false);
    expect(inflateInto(new Uint8Array(1), new Uint8Array(0))).toBe(false);
  });

  it('refuses a stream that is cut off anywhere', () => {
    const short = new Uint8Array(deflateRawSync(noise(300)));
    for (let length = 0; length < short.length; length++) {
      expect(inflateInto(new Uint8Array(300), short.subarray(0, length))).toBe(false);
    }
  });

  it('stops soon at a stream that becomes 64 MiB and says it is 2 MB', () => {
    const bomb = new Uint8Array(deflateRawSync(new Uint8Array(2 ** 26)));
    let pieceCount = 0;
    const subarray = (begin: number, end: number): Uint8Array => {
      pieceCount++;
      return Uint8Array.prototype.subarray.call(bomb, begin, end);
    };
    const out = new Uint8Array(2_000_000);
    const before = process.memoryUsage().arrayBuffers;
    expect(inflateInto(out, Object.assign(bomb, { subarray }))).toBe(false);
    expect(pieceCount).toBe(1);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 2 ** 20);
  });

  it('takes garbage without a throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (garbage) => {
        const out = new Uint8Array(50);
        expect(typeof inflateInto(out, garbage)).toBe('boolean');
      }),
      { numRuns: 3000 },
    );
  });
});
