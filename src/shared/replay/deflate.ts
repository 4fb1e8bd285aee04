import { Inflate } from 'fflate';

/**
 * Returns a raw DEFLATE stream of `parts`, one behind the other, or undefined where the platform
 * has no `CompressionStream` or the stream would not be shorter than the parts. Works beside the
 * thread that calls. The parts may not change before it is done.
 */
export async function deflate(parts: readonly Uint8Array[]): Promise<Uint8Array[] | undefined> {
  if (typeof CompressionStream === 'undefined') return undefined;
  try {
    const { readable, writable } = new CompressionStream('deflate-raw');
    const [chunks] = await Promise.all([collect(readable), feed(writable, parts)]);
    return lengthOf(chunks) < lengthOf(parts) ? chunks : undefined;
  } catch {
    // A platform that knows the stream but not this format: the parts are kept as they are.
    return undefined;
  }
}

/** Returns the bytes of all parts together. */
export function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

async function feed(writable: ByteWritable, parts: readonly Uint8Array[]): Promise<void> {
  const writer = writable.getWriter();
  for (const part of parts) {
    // Streams refuse shared memory.
    await writer.write(part.buffer instanceof ArrayBuffer ? part : part.slice());
  }
  await writer.close();
}

async function collect(readable: ByteReadable): Promise<Uint8Array[]> {
  const reader = readable.getReader();
  const chunks: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return chunks;
    if (value !== undefined) chunks.push(value);
  }
}

/**
 * Bytes of a stream that are inflated in one go. They become at most 16 MiB, so a stream that is
 * longer than it says is found out soon.
 */
const PIECE_BYTES = 16_384;

/**
 * Fills `out` with what a raw DEFLATE stream becomes. Returns false if the stream is broken, or
 * becomes more or fewer bytes; `out` then holds anything. What follows the stream's last block is
 * not looked at.
 *
 * `inflateSync` with `out` would go on counting behind its end: a megabyte of zeros took it 7.5 s
 * to refuse, and an honest stream takes it a tenth less time than these pieces.
 */
export function inflateInto(out: Uint8Array, stream: Uint8Array): boolean {
  let length = 0;
  const inflate = new Inflate((chunk) => {
    if (chunk.length > out.length - length) throw new RangeError('longer than promised');
    out.set(chunk, length);
    length += chunk.length;
  });
  try {
    for (let begin = 0; begin < stream.length; begin += PIECE_BYTES) {
      const end = Math.min(begin + PIECE_BYTES, stream.length);
      inflate.push(stream.subarray(begin, end), end === stream.length);
    }
  } catch {
    return false;
  }
  return length === out.length;
}
