import { EscapementError } from './error.ts';
import type { Region } from './region.ts';
import { READER, CLAIM, READER_WORDS } from './words.ts';

/*
 * Threads    any; a claimed index belongs to the thread that claimed it.
 * Memory     the owner and hazard words of a reader's block.
 * Ordering   compare-exchange on `owner`.
 * Progress   lock-free.
 * Invariant  an index has one owner; index 0 is the host's.
 */

/** Claims a free reader index. Throws READERS_EXHAUSTED when all are taken. */
export function claimReader(region: Region): number {
  const { layout, i32 } = region;
  for (let reader = 1; reader < layout.readers; reader++) {
    const word = layout.readerBlocks / 4 + reader * READER_WORDS + READER.owner;
    const found = Atomics.compareExchange(i32, word, CLAIM.free, CLAIM.claimed);
    if (found === CLAIM.free) return reader;
  }
  throw new EscapementError('READERS_EXHAUSTED', 'All views of this simulation are taken.', {
    given: `one more than ${layout.readers - 1}`,
    allowed: `${layout.readers - 1} views at once, on all threads together`,
    fix: 'Close views that are done with, or raise `maxViews` in startSimulation.',
  });
}

/** Gives a reader index back, its hazard cleared. */
export function freeReader(region: Region, reader: number): void {
  const block = region.layout.readerBlocks / 4 + reader * READER_WORDS;
  Atomics.store(region.i32, block + READER.hazard, 0);
  Atomics.store(region.i32, block + READER.owner, CLAIM.free);
}
