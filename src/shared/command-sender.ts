import { type CommandOutcome, COMMAND_RESULT } from './command.ts';
import type { ControllerBlock } from './controller-block.ts';
import { EscapementError } from './error.ts';
import type { Region } from './region.ts';
import { RingWriter } from './ring-writer.ts';
import type { MonotonicClock } from './instant.ts';
import { cannotBlock, type Signal } from './signal.ts';
import { TicketReader } from './ticket.ts';
import { waitUntil } from './wait.ts';

/*
 * Threads    that of the controller, alone.
 * Memory     produces its command ring, consumes its ticket results.
 * Ordering   ring and tickets order themselves; `wake` is raised after a command was written.
 * Progress   writing never waits; a command's promise waits on `sequence`, or its thread blocks.
 * Invariant  a command is answered, or its promise rejects with what ended the run.
 */

/** Sends the commands of one controller and learns what came of them. */
export class CommandSender {
  /** Called after a command was written. */
  onWritten: (() => void) | undefined;
  readonly #sequence: Signal;
  readonly #wake: Signal;
  readonly #causeOfEnd: (() => EscapementError | undefined) | undefined;
  readonly #commands: RingWriter;
  readonly #tickets: TicketReader;
  readonly #waiting: Map<number, Waiting> = new Map();
  readonly #payload: Uint32Array = new Uint32Array(16);
  readonly #doubles: Float64Array = new Float64Array(1);
  readonly #doubleWords: Uint32Array = new Uint32Array(this.#doubles.buffer);
  #length = 1;
  #over: EscapementError | undefined;
  #watching = false;

  /** `causeOfEnd` says why nobody answers any more; a host has its own way, and calls `end`. */
  constructor(
    region: Region,
    block: ControllerBlock,
    sequence: Signal,
    wake: Signal,
    causeOfEnd?: () => EscapementError | undefined,
  ) {
    this.#causeOfEnd = causeOfEnd;
    this.#sequence = sequence;
    this.#wake = wake;
    this.#commands = new RingWriter(region.i32, block.commands);
    this.#tickets = new TicketReader(region.i32, block.tickets);
  }

  /** Adds a word to the payload of the command that is sent next. */
  word(value: number): this {
    this.#payload[this.#length++] = value;
    return this;
  }

  /** Adds a double, two words, to the payload of the command that is sent next. */
  double(value: number): this {
    this.#doubles[0] = value;
    return this.word(this.#doubleWords[0] as number).word(this.#doubleWords[1] as number);
  }

  /** Sends a command. Resolves with what it came to, once that is published. */
  send(kind: number): Promise<CommandOutcome> {
    let ticket: number;
    try {
      ticket = this.#write(kind);
    } catch (cause) {
      return Promise.reject(cause);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.set(ticket, { resolve, reject });
      void this.#watch();
    });
  }

  /**
   * Sends a command and blocks until what it came to is published. Throws what ended the run, or
   * TIMED_OUT, after which it may still be carried out; CANNOT_BLOCK, and sends nothing, where the
   * thread may not block.
   */
  sendBlocking(kind: number, timeoutMs: number, clock: MonotonicClock): CommandOutcome {
    if (!this.#sequence.canBlock) {
      this.#length = 1;
      throw cannotBlock();
    }
    const ticket = this.#write(kind);
    const answered = (): CommandOutcome | EscapementError | undefined => {
      const cause = this.#over ?? this.#causeOfEnd?.();
      return this.#tickets.isDone(ticket) ? this.#tickets.takeOutcome(ticket) : cause;
    };
    const ended = waitUntil(this.#sequence, answered, timeoutMs, clock);
    if (typeof ended === 'object' && !(ended instanceof EscapementError)) return ended;
    this.#tickets.forget(ticket);
    if (typeof ended === 'object') throw ended;
    throw new EscapementError('TIMED_OUT', 'The simulation did not carry a command out in time.', {
      given: `no answer within ${timeoutMs} ms`,
      fix: 'Keep ticks short, or allow more time.',
    });
  }

  /** Whether every command was carried out. */
  get isIdle(): boolean {
    return this.#tickets.isIdle();
  }

  /** Sends nothing more: commands that were not answered reject with `cause`, and later ones. */
  end(cause: EscapementError): void {
    if (this.#over !== undefined) return;
    this.#settle();
    this.#over = cause;
    for (const { reject } of this.#waiting.values()) reject(cause);
    this.#waiting.clear();
  }

  /** Writes a command and returns its ticket. Throws what ended the run, or COMMAND_REFUSED. */
  #write(kind: number): number {
    const length = this.#length;
    this.#length = 1;
    if (this.#over !== undefined) throw this.#over;
    const ticket = this.#tickets.tryIssue();
    if (ticket === undefined) throw tooMany();
    this.#payload[0] = ticket;
    if (!this.#commands.tryWrite(kind, this.#payload, length)) {
      this.#tickets.withdraw(ticket);
      throw tooMany();
    }
    this.onWritten?.();
    this.#wake.raise();
    return ticket;
  }

  /** Answers whichever commands are done; waits for more while some are not. */
  async #watch(): Promise<void> {
    if (this.#watching) return;
    this.#watching = true;
    // Asked for after the caller's own code: several commands sent in a row share one wait, and a
    // caller that blocks for the effect is not slowed down by it.
    await Promise.resolve();
    while (this.#waiting.size > 0 && this.#over === undefined) {
      const seen = this.#sequence.load();
      this.#settle();
      if (this.#waiting.size === 0) break;
      const cause = this.#causeOfEnd?.();
      if (cause !== undefined) {
        this.end(cause);
        break;
      }
      const reason = await this.#sequence.waitAsync(seen, 1000);
      if (reason === 'closed') break;
    }
    this.#watching = false;
  }

  #settle(): void {
    for (const [ticket, { resolve }] of this.#waiting) {
      if (!this.#tickets.isDone(ticket)) continue;
      this.#waiting.delete(ticket);
      resolve(this.#tickets.takeOutcome(ticket));
    }
  }
}

interface Waiting {
  readonly resolve: (outcome: CommandOutcome) => void;
  readonly reject: (cause: EscapementError) => void;
}

function tooMany(): EscapementError {
  return new EscapementError('COMMAND_REFUSED', 'Too many commands are waiting.', {
    allowed: '63 at a time',
    fix: 'Await the promise of one before sending more.',
  });
}

/** Returns the outcome of a command that was done; throws what it was refused for. */
export function checkOutcome(
  outcome: CommandOutcome,
  what: string,
  given: string,
  allowed: string,
): CommandOutcome {
  if (outcome.code === COMMAND_RESULT.done) return outcome;
  if (outcome.code === COMMAND_RESULT.failed) {
    throw new EscapementError(
      'SIMULATION_FAILED',
      `The simulation failed: it was told to ${what}.`,
      {
        given,
        fix: 'Its host has the cause: `sim.ended` there.',
      },
    );
  }
  if (outcome.code === COMMAND_RESULT.follows) {
    throw new EscapementError('COMMAND_REFUSED', 'This simulation follows the clock of another.', {
      given: what,
      fix: 'Command the clock of the simulation that it follows.',
    });
  }
  if (outcome.code === COMMAND_RESULT.recorded) {
    throw new EscapementError('COMMAND_REFUSED', 'The simulation is being recorded.', {
      given: what,
      fix: 'Stop the recording first: its ticks follow one another.',
    });
  }
  if (outcome.code === COMMAND_RESULT.replayed) {
    throw new EscapementError('COMMAND_REFUSED', 'The simulation is replayed from a recording.', {
      given: what,
      fix: 'Set speed, mode and cap on their own, or leave the replay first.',
    });
  }
  const ended = outcome.code === COMMAND_RESULT.ended;
  throw new EscapementError('COMMAND_REFUSED', `The simulation refused to ${what}.`, {
    given: ended ? 'a simulation that has ended' : given,
    allowed,
  });
}
