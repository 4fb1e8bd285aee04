import { assert } from './assert.ts';
import { LINE_BYTES } from './words.ts';

/** Results kept: a ticket's result lies at `ticket & 63`. */
export const TICKET_RESULTS = 64;

/** Bytes that a block of tickets takes: the done word alone on a line, then the results. */
export const TICKET_BLOCK_BYTES: number = LINE_BYTES + TICKET_RESULTS * 4;

/**
 * Where the answers to commands lie in a region: indices into the region's `Int32Array`.
 *
 *     line 0       done: number of the last command carried out, modulo 2^32
 *     lines 1 - 4  results: result code of command n at n & 63, valid once done has reached n
 */
export interface TicketBlock {
  readonly doneIndex: number;
  readonly resultsIndex: number;
}

/** Places a block of tickets at a byte offset, which lies on a 64-byte line. */
export function placeTickets(byteOffset: number): TicketBlock {
  assert(
    Number.isSafeInteger(byteOffset) && byteOffset >= 0 && byteOffset % LINE_BYTES === 0,
    'tickets start on a cache line',
  );
  return { doneIndex: byteOffset / 4, resultsIndex: (byteOffset + LINE_BYTES) / 4 };
}
