import { assert } from './assert.ts';
import { EscapementError } from './error.ts';
import { LINE_BYTES } from './words.ts';

/** The smallest ring: one header word and one word of payload. */
const RING_WORDS_MIN = 2;
/** The largest ring, 1 GiB: counters that differ by its size are still told apart modulo 2^32. */
export const RING_WORDS_MAX: number = 2 ** 28;
/** The longest payload the 16 bits of a record's header can name. */
export const RECORD_WORDS_MAX = 0xffff;

/**
 * Where one ring lies in a region: indices into the region's `Int32Array`.
 *
 *     line 0   head, written by the producer: words ever written, modulo 2^32
 *     line 1   tail, written by the consumer: words ever consumed, modulo 2^32
 *     line 2   dropped, written by the producer: records refused, modulo 2^32
 *     line 3   data: records one behind the other, wrapping at any word
 *
 * A record is a header word (kind in the high 16 bits, payload words in the low 16) and its
 * payload.
 */
export interface RingBlock {
  readonly headIndex: number;
  readonly tailIndex: number;
  readonly droppedIndex: number;
  readonly dataIndex: number;
  /** Words of data: a power of two. */
  readonly capacityWords: number;
}

/**
 * Returns the bytes that a ring of `capacityWords` takes, in whole 64-byte lines. Refuses a
 * capacity that is no power of two or out of bounds: free-running counters wrap at 2^32, and only
 * a power of two divides that.
 */
export function ringBlockBytes(capacityWords: number): number {
  checkCapacity(capacityWords);
  return 3 * LINE_BYTES + Math.ceil((capacityWords * 4) / LINE_BYTES) * LINE_BYTES;
}

/**
 * Places a ring at a byte offset, which lies on a 64-byte line. Zeroed memory is an empty ring.
 * Refuses the capacities that {@link ringBlockBytes} refuses.
 */
export function placeRing(byteOffset: number, capacityWords: number): RingBlock {
  checkCapacity(capacityWords);
  assert(
    Number.isSafeInteger(byteOffset) && byteOffset >= 0 && byteOffset % LINE_BYTES === 0,
    'a ring starts on a cache line',
  );
  const line = LINE_BYTES / 4;
  const headIndex = byteOffset / 4;
  return {
    headIndex,
    tailIndex: headIndex + line,
    droppedIndex: headIndex + 2 * line,
    dataIndex: headIndex + 3 * line,
    capacityWords,
  };
}

/** Returns the words of the longest payload that a ring can ever hold. */
export function payloadWordsMax(capacityWords: number): number {
  return Math.min(capacityWords - 1, RECORD_WORDS_MAX);
}

function checkCapacity(capacityWords: number): void {
  const allowed =
    Number.isSafeInteger(capacityWords) &&
    capacityWords >= RING_WORDS_MIN &&
    capacityWords <= RING_WORDS_MAX &&
    (capacityWords & (capacityWords - 1)) === 0;
  if (allowed) return;
  throw new EscapementError('OPTION_INVALID', 'A ring cannot have this capacity.', {
    given: `${capacityWords} words`,
    allowed: `a power of two from ${RING_WORDS_MIN} to ${RING_WORDS_MAX} words`,
    fix: 'Round the capacity up to the next power of two.',
  });
}
