import { COMMAND_RESULT } from '../shared/command.ts';
import { EscapementError } from '../shared/error.ts';
import type { Layout } from '../shared/layout.ts';
import { PublicationReader } from '../shared/publication-reader.ts';
import type { Region } from '../shared/region.ts';
import { openSignal } from '../shared/region-signal.ts';
import { RingReader } from '../shared/ring-reader.ts';
import { RingWriter } from '../shared/ring-writer.ts';
import type { Schema } from '../shared/schema.ts';
import type { Signal } from '../shared/signal.ts';
import { TicketReader } from '../shared/ticket.ts';
import { HEADER, READER, READER_OWNER, REGION_STATE } from '../shared/words.ts';

/*
 * Threads    the host's thread alone.
 * Memory     produces commands and inputs, consumes events, logs and ticket results of one region.
 * Ordering   rings and tickets order themselves; `wake` is raised after a command was written.
 * Progress   writing never waits; a command's promise waits on `sequence`.
 * Invariant  a command is answered, or its promise rejects with what ended the run.
 */

/** The reader index the host keeps for itself. */
const HOST_READER = 0;

/** The host's ends of one run's region. */
export class HostRun {
  readonly run: number;
  readonly schema: Schema;
  readonly region: Region;
  readonly layout: Layout;
  readonly sequence: Signal;
  readonly wake: Signal;
  readonly reader: PublicationReader;
  readonly inputs: RingWriter;
  readonly events: RingReader;
  readonly logs: RingReader;
  /** Called after anything was written that the driver should see soon. */
  onWritten: (() => void) | undefined;
  /** Called when a ring was emptied here; returns whether more came. */
  onEmptied: (() => boolean) | undefined;

  readonly #commands: RingWriter;
  readonly #tickets: TicketReader;
  readonly #waiting: Map<number, Waiting> = new Map();
  readonly #payload: Uint32Array = new Uint32Array(8);
  #over: EscapementError | undefined;
  #watching = false;

  constructor(run: number, schema: Schema, region: Region) {
    const { layout, i32 } = region;
    this.run = run;
    this.schema = schema;
    this.region = region;
    this.layout = layout;
    this.sequence = openSignal(region, HEADER.sequence);
    this.wake = openSignal(region, HEADER.wake);
    Atomics.store(i32, layout.readerBlocks / 4 + READER.owner, READER_OWNER.claimed);
    this.reader = new PublicationReader(region, HOST_READER);
    this.inputs = new RingWriter(i32, layout.inputs);
    this.events = new RingReader(i32, layout.events);
    this.logs = new RingReader(i32, layout.logs);
    this.#commands = new RingWriter(i32, layout.commands);
    this.#tickets = new TicketReader(i32, layout.tickets);
  }

  /** Sends a command. Resolves with its result once it was carried out and published. */
  command(kind: number, ...words: number[]): Promise<number> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    const ticket = this.#tickets.tryIssue();
    if (ticket === undefined) return Promise.reject(tooMany());
    this.#payload[0] = ticket;
    words.forEach((word, i) => {
      this.#payload[1 + i] = word;
    });
    if (!this.#commands.tryWrite(kind, this.#payload, 1 + words.length)) {
      this.#tickets.withdraw(ticket);
      return Promise.reject(tooMany());
    }
    this.onWritten?.();
    this.wake.raise();
    return new Promise((resolve, reject) => {
      this.#waiting.set(ticket, { resolve, reject });
      void this.#watch();
    });
  }

  /** Ends the run for this host: every waiting command rejects with `cause`. */
  end(cause: EscapementError): void {
    if (this.#over !== undefined) return;
    this.#settle();
    this.#over = cause;
    for (const { reject } of this.#waiting.values()) reject(cause);
    this.#waiting.clear();
    this.sequence.close();
  }

  /** Marks the region itself as over, so that waiters on every thread learn it. */
  markState(state: number): void {
    const words = this.region.i32;
    for (;;) {
      const present = Atomics.load(words, HEADER.state);
      const final = present === REGION_STATE.stopped || present === REGION_STATE.failed;
      if (final && state !== REGION_STATE.replaced) break;
      // The simulation may have stored its own end since; that one holds.
      if (Atomics.compareExchange(words, HEADER.state, present, state) === present) break;
    }
    this.sequence.raise();
  }

  /** Answers whichever commands are done; waits for more while some are not. */
  async #watch(): Promise<void> {
    if (this.#watching) return;
    this.#watching = true;
    while (this.#waiting.size > 0 && this.#over === undefined) {
      const seen = this.sequence.load();
      this.#settle();
      if (this.#waiting.size === 0) break;
      const reason = await this.sequence.waitAsync(seen, 1000);
      if (reason === 'closed') break;
    }
    this.#watching = false;
  }

  #settle(): void {
    for (const [ticket, { resolve }] of this.#waiting) {
      if (!this.#tickets.isDone(ticket)) continue;
      this.#waiting.delete(ticket);
      resolve(this.#tickets.takeResult(ticket));
    }
  }
}

interface Waiting {
  readonly resolve: (result: number) => void;
  readonly reject: (cause: EscapementError) => void;
}

function tooMany(): EscapementError {
  return new EscapementError('COMMAND_REFUSED', 'Too many commands are waiting.', {
    allowed: '63 at a time',
    fix: 'Await the promise of one before sending more.',
  });
}

/** Turns a command's result into an error, or nothing when it was done. */
export function checkResult(result: number, what: string, given: string, allowed: string): void {
  if (result === COMMAND_RESULT.done) return;
  throw new EscapementError('COMMAND_REFUSED', `The simulation refused to ${what}.`, {
    given: result === COMMAND_RESULT.ended ? 'a simulation that has ended' : given,
    allowed,
  });
}
