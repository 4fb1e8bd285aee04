import { assert } from './assert.ts';
import { LINE_BYTES } from './words.ts';

/** Results kept: a ticket's result is number `ticket & 63`. */
export const TICKET_RESULTS = 64;

/**
 * 32-bit words of one result: code and steps, then the doubles firstTick, dropped and alpha.
 */
export const RESULT_WORDS = 8;

/** 32-bit words of all results. */
export const RESULTS_WORDS: number = TICKET_RESULTS * RESULT_WORDS;

/** Bytes that a block of tickets takes: the done word alone on a line, then the results. */
export const TICKET_BLOCK_BYTES: number = LINE_BYTES + RESULTS_WORDS * 4;

/**
 * Where the answers to commands lie in a region: indices into the region's `Int32Array`.
 *
 *     line 0        done: number of the last command carried out, modulo 2^32
 *     lines 1 - 32  results: that of command n at n & 63, valid once done has reached n
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
