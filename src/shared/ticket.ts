import { assert } from './assert.ts';
import { type CommandOutcome, createOutcome } from './command.ts';
import { RESULT_WORDS, TICKET_RESULTS, type TicketBlock } from './ticket-block.ts';

/*
 * Threads    one `TicketWriter` on the simulation's thread, one `TicketReader` on that of the
 *            controller whose commands they are.
 * Memory     the writer stores done and the results, the reader only loads them.
 * Ordering   the store to done publishes the result stored before it.
 * Progress   wait-free, allocates nothing.
 * Invariant  commands are carried out in the order of their tickets 1, 2, 3, ... modulo 2^32; a
 *            result is overwritten only by a ticket issued after it was taken or forgotten.
 */

/** The most tickets that may be issued and not done. */
export const TICKETS_OUTSTANDING_MAX: number = TICKET_RESULTS - 1;

/** The simulation's end: says which commands it has carried out. */
export class TicketWriter {
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  readonly #block: TicketBlock;

  /** Opens the end over a view of the whole region, shared or not. */
  constructor(words: Int32Array, block: TicketBlock) {
    this.#words = words;
    this.#doubles = doublesOf(words);
    this.#block = block;
  }

  /** Reports what the command of the next ticket in order came to. Wakes nobody. */
  complete(ticket: number, outcome: Readonly<CommandOutcome>): void {
    const { doneIndex } = this.#block;
    const done = Atomics.load(this.#words, doneIndex);
    assert(((ticket - done) | 0) === 1, 'commands are carried out in order');
    const word = resultIndex(this.#block, ticket);
    this.#words[word] = outcome.code;
    this.#words[word + 1] = outcome.steps;
    this.#doubles[word / 2 + 1] = outcome.firstTick;
    this.#doubles[word / 2 + 2] = outcome.dropped;
    this.#doubles[word / 2 + 3] = outcome.alpha;
    Atomics.store(this.#words, doneIndex, ticket | 0);
  }
}

/**
 * The host's end: numbers commands and learns what became of them. A ticket holds its place from
 * {@link tryIssue} until its result was taken, it was forgotten, or its command was never sent.
 */
export class TicketReader {
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  readonly #block: TicketBlock;
  /** By `ticket & 63`: 1 while a ticket's result may still be asked for. */
  readonly #held: Uint8Array = new Uint8Array(TICKET_RESULTS);
  #issued: number;

  /** Opens the end over a view of the whole region; numbering goes on behind the last done. */
  constructor(words: Int32Array, block: TicketBlock) {
    this.#words = words;
    this.#doubles = doublesOf(words);
    this.#block = block;
    this.#issued = Atomics.load(words, block.doneIndex) >>> 0;
  }

  /**
   * Returns the next ticket, or undefined while 63 are outstanding or a result 64 tickets back is
   * neither taken nor forgotten. May be stale: the simulation may have carried out more since.
   */
  tryIssue(): number | undefined {
    const done = Atomics.load(this.#words, this.#block.doneIndex);
    const outstanding = (this.#issued - done) >>> 0;
    assert(outstanding <= TICKETS_OUTSTANDING_MAX, 'no command is done before it was issued');
    const ticket = (this.#issued + 1) >>> 0;
    const place = ticket & (TICKET_RESULTS - 1);
    if (outstanding === TICKETS_OUTSTANDING_MAX || this.#held[place] === 1) return undefined;
    this.#held[place] = 1;
    this.#issued = ticket;
    return ticket;
  }

  /**
   * Takes back the ticket issued last, whose command could not be sent: its number is used again.
   */
  withdraw(ticket: number): void {
    assert(ticket === this.#issued && this.#holds(ticket), 'only the last ticket is withdrawn');
    this.#held[ticket & (TICKET_RESULTS - 1)] = 0;
    this.#issued = (ticket - 1) >>> 0;
  }

  /** Gives up a ticket whose result nobody waits for any more; its command may still be done. */
  forget(ticket: number): void {
    assert(this.#holds(ticket), 'a ticket is forgotten once, instead of taking its result');
    this.#held[ticket & (TICKET_RESULTS - 1)] = 0;
  }

  /** Returns whether a ticket's command was carried out. May be stale: it may be so by now. */
  isDone(ticket: number): boolean {
    return ((Atomics.load(this.#words, this.#block.doneIndex) - ticket) | 0) >= 0;
  }

  /** Whether every issued ticket's command was carried out. May be stale: it may be so by now. */
  isIdle(): boolean {
    return this.isDone(this.#issued);
  }

  /** Takes what a ticket's command came to, once it is done; once for each. */
  takeOutcome(ticket: number): CommandOutcome {
    assert(this.#holds(ticket), 'a result is taken once');
    assert(this.isDone(ticket), 'a result is taken when its command is done');
    this.#held[ticket & (TICKET_RESULTS - 1)] = 0;
    const word = resultIndex(this.#block, ticket);
    const outcome = createOutcome(this.#words[word]);
    outcome.steps = (this.#words[word + 1] as number) >>> 0;
    outcome.firstTick = this.#doubles[word / 2 + 1] as number;
    outcome.dropped = this.#doubles[word / 2 + 2] as number;
    outcome.alpha = this.#doubles[word / 2 + 3] as number;
    return outcome;
  }

  #holds(ticket: number): boolean {
    const recent = (this.#issued - ticket) >>> 0 < TICKET_RESULTS;
    return recent && this.#held[ticket & (TICKET_RESULTS - 1)] === 1;
  }
}

function doublesOf(words: Int32Array): Float64Array {
  return new Float64Array(words.buffer, words.byteOffset, words.length >> 1);
}

function resultIndex(block: TicketBlock, ticket: number): number {
  return block.resultsIndex + (ticket & (TICKET_RESULTS - 1)) * RESULT_WORDS;
}
