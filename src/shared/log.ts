import { describeCause, EscapementError } from './error.ts';
import { type LogLimit, LogLimiter } from './log-limit.ts';

/** Every severity from the least to the gravest, then `off`, which lets nothing through. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'off'] as const;

/** The least severity that passes; `off` passes nothing. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** How grave one event is. */
export type LogSeverity = Exclude<LogLevel, 'off'>;

/** The structured part of an event. */
export type LogFields = Readonly<Record<string, string | number | boolean>>;

/** Fields, or a function that makes them; it is called only if the event is recorded. */
export type LazyLogFields = LogFields | (() => LogFields);

/** One recorded event. */
export interface LogRecord {
  /** Reading of the log's monotonic clock, in milliseconds; its zero is the clock's own. */
  readonly timestampMs: number;
  readonly severity: LogSeverity;
  /** The part of the program, such as `driver`. */
  readonly subsystem: string;
  /** A stable name for machines, such as `tick_dropped`. */
  readonly event: string;
  /** A sentence for people. */
  readonly message: string;
  readonly fields: LogFields;
}

/** Takes records, on the thread and inside the call that logged. */
export type LogSink = (record: LogRecord) => void;

/** What {@link createLog} takes. */
export interface LogOptions {
  /**
   * Returns monotonic milliseconds of any zero. It must not be the wall clock: one that is set back
   * would keep events suppressed until it has caught up.
   */
  readonly nowMs: () => number;
  readonly sink: LogSink;
  /** Least level of every subsystem. Default `debug`. */
  readonly level?: LogLevel | undefined;
  /** Levels of single subsystems; the stricter of the two counts. */
  readonly levels?: Readonly<Record<string, LogLevel>> | undefined;
  /** How long repeats of a warning or worse are held back. Default 1000 ms. */
  readonly windowMs?: number | undefined;
  /** How many (subsystem, event, severity) are told apart in that. Default 256. */
  readonly keysMax?: number | undefined;
}

/** What became of the events that a log's levels let through. */
export interface LogStats {
  /** Handed to the sink, summaries included. */
  readonly recorded: number;
  /** Held back by the rate limit. */
  readonly suppressed: number;
  /** Lost because the sink threw. */
  readonly sinkFailures: number;
  /** Discarded because they were logged from inside the sink. */
  readonly reentrant: number;
}

/** The least rank that passes. One object a subsystem, so that a disabled event costs a compare. */
interface Gate {
  rank: number;
  own: LogLevel;
}

type Emit = (
  rank: number,
  subsystem: string,
  event: string,
  message: string,
  fields?: LazyLogFields,
) => void;

const TRACE = 0;
const DEBUG = 1;
const INFO = 2;
const WARN = 3;
const ERROR = 4;
const FATAL = 5;
const OFF = 6;

/** Subsystems are parts of a program; more than this many are names made from data. */
const SUBSYSTEMS_MAX = 256;
const NO_FIELDS: LogFields = Object.freeze({});

/** The log of one subsystem, made by {@link Log.for}. Calls never throw. */
export class SubsystemLog {
  readonly subsystem: string;
  readonly #gate: Gate;
  readonly #emit: Emit;

  /** Called by {@link Log.for} only. */
  constructor(subsystem: string, gate: Gate, emit: Emit) {
    this.subsystem = subsystem;
    this.#gate = gate;
    this.#emit = emit;
  }

  /** Returns whether an event of this severity would be looked at, for callers that prepare one. */
  isEnabled(severity: LogSeverity): boolean {
    return LOG_LEVELS.indexOf(severity) >= this.#gate.rank;
  }

  /** Records a step of interest only while hunting a fault. */
  trace(event: string, message: string, fields?: LazyLogFields): void {
    if (TRACE >= this.#gate.rank) this.#emit(TRACE, this.subsystem, event, message, fields);
  }

  /** Records what helps a developer. */
  debug(event: string, message: string, fields?: LazyLogFields): void {
    if (DEBUG >= this.#gate.rank) this.#emit(DEBUG, this.subsystem, event, message, fields);
  }

  /** Records what is worth knowing and in order. */
  info(event: string, message: string, fields?: LazyLogFields): void {
    if (INFO >= this.#gate.rank) this.#emit(INFO, this.subsystem, event, message, fields);
  }

  /** Records what was dealt with but should not go on. Rate-limited. */
  warn(event: string, message: string, fields?: LazyLogFields): void {
    if (WARN >= this.#gate.rank) this.#emit(WARN, this.subsystem, event, message, fields);
  }

  /** Records that something asked for was not done. Rate-limited. */
  error(event: string, message: string, fields?: LazyLogFields): void {
    if (ERROR >= this.#gate.rank) this.#emit(ERROR, this.subsystem, event, message, fields);
  }

  /** Records what ends the run. Rate-limited. */
  fatal(event: string, message: string, fields?: LazyLogFields): void {
    if (FATAL >= this.#gate.rank) this.#emit(FATAL, this.subsystem, event, message, fields);
  }
}

/** Makes a log. Refuses unknown levels, a negative window and a limit below one key. */
export function createLog(options: LogOptions): Log {
  return new Log(options);
}

/**
 * The log of one thread: two gates (one level for all, one a subsystem), then the rate limit for
 * warnings and worse, then the sink. The first event of a (subsystem, event, severity) is recorded
 * and its repeats within the window are counted; the first one after the window is preceded by a
 * `rate_limited` summary with the fields `event` and `suppressed`. At most `keysMax` keys are kept;
 * see {@link LogLimiter} for what happens beyond.
 */
export class Log {
  readonly #nowMs: () => number;
  readonly #limiter: LogLimiter;
  readonly #gates: Map<string, Gate> = new Map();
  readonly #subsystems: Map<string, SubsystemLog> = new Map();
  readonly #emit: Emit;
  #sink: LogSink;
  #level: LogLevel;
  #closed = false;
  #delivering = false;
  #recorded = 0;
  #suppressed = 0;
  #sinkFailures = 0;
  #reentrant = 0;
  #lastMs = 0;

  /** See {@link createLog}. */
  constructor(options: LogOptions) {
    const { nowMs, sink, level = 'debug', levels = {}, windowMs = 1000, keysMax = 256 } = options;
    checkLevel('level', level);
    checkBound('windowMs', windowMs, windowMs >= 0, 'milliseconds from 0');
    checkBound(
      'keysMax',
      keysMax,
      Number.isInteger(keysMax) && keysMax >= 1,
      'whole numbers from 1',
    );
    this.#nowMs = nowMs;
    this.#sink = sink;
    this.#level = level;
    this.#limiter = new LogLimiter(windowMs, keysMax, (limit, now) => this.#summarize(limit, now));
    this.#emit = (rank, subsystem, event, message, fields) => {
      this.#record(rank, subsystem, event, message, fields);
    };
    for (const [subsystem, own] of Object.entries(levels)) this.setSubsystemLevel(subsystem, own);
  }

  /**
   * Returns the log of a subsystem, the same one for the same name. Refuses an empty name, one with
   * white space or `/`, and more than 256 names.
   */
  for(subsystem: string): SubsystemLog {
    const known = this.#subsystems.get(subsystem);
    if (known !== undefined) return known;
    const made = new SubsystemLog(subsystem, this.#gate(subsystem), this.#emit);
    this.#subsystems.set(subsystem, made);
    return made;
  }

  /** Returns whether an event of `severity` in `subsystem` would be looked at. */
  isEnabled(subsystem: string, severity: LogSeverity): boolean {
    const rank = LOG_LEVELS.indexOf(severity);
    return rank >= (this.#gates.get(subsystem)?.rank ?? this.#rankOf('trace'));
  }

  /** Sets the least level of every subsystem. */
  setLevel(level: LogLevel): void {
    checkLevel('level', level);
    this.#level = level;
    this.#regate();
  }

  /** Sets the least level of one subsystem; the stricter of this and the common one counts. */
  setSubsystemLevel(subsystem: string, level: LogLevel): void {
    checkLevel(`levels.${subsystem}`, level);
    this.#gate(subsystem).own = level;
    this.#regate();
  }

  /** Sends the records from now on to `sink`. */
  setSink(sink: LogSink): void {
    this.#sink = sink;
  }

  /** Returns the counts so far. */
  stats(): LogStats {
    return {
      recorded: this.#recorded,
      suppressed: this.#suppressed,
      sinkFailures: this.#sinkFailures,
      reentrant: this.#reentrant,
    };
  }

  /** Records the summaries of all pending counts, then discards every later event. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#limiter.drain(this.#readNow());
    this.#closed = true;
    this.#regate();
  }

  #gate(subsystem: string): Gate {
    const known = this.#gates.get(subsystem);
    if (known !== undefined) return known;
    checkSubsystem(subsystem, this.#gates.size);
    const gate: Gate = { rank: this.#rankOf('trace'), own: 'trace' };
    this.#gates.set(subsystem, gate);
    return gate;
  }

  #rankOf(own: LogLevel): number {
    if (this.#closed) return OFF;
    return Math.max(LOG_LEVELS.indexOf(this.#level), LOG_LEVELS.indexOf(own));
  }

  #regate(): void {
    for (const gate of this.#gates.values()) gate.rank = this.#rankOf(gate.own);
  }

  #record(
    rank: number,
    subsystem: string,
    event: string,
    message: string,
    fields: LazyLogFields | undefined,
  ): void {
    if (this.#delivering) {
      this.#reentrant += 1;
      return;
    }
    const timestampMs = this.#readNow();
    const severity = LOG_LEVELS[rank] as LogSeverity;
    if (rank >= WARN && !this.#limiter.admit(rank, subsystem, event, timestampMs)) {
      this.#suppressed += 1;
      return;
    }
    this.#delivering = true;
    const made = resolveFields(fields);
    this.#deliver({ timestampMs, severity, subsystem, event, message, fields: made });
  }

  /** Calls of a log never throw: where its clock does, the last reading stands in. */
  #readNow(): number {
    try {
      this.#lastMs = this.#nowMs();
    } catch {
      // Such as one that is trapped while simulation code runs.
    }
    return this.#lastMs;
  }

  #summarize(limit: LogLimit, timestampMs: number): void {
    const { subsystem, event, suppressed } = limit;
    const severity = LOG_LEVELS[limit.severity] as LogSeverity;
    const message = 'Repeats of an event were not recorded.';
    const fields = { event, suppressed };
    this.#deliver({ timestampMs, severity, subsystem, event: 'rate_limited', message, fields });
  }

  #deliver(record: LogRecord): void {
    this.#delivering = true;
    try {
      this.#sink(record);
      this.#recorded += 1;
    } catch {
      this.#sinkFailures += 1;
    } finally {
      this.#delivering = false;
    }
  }
}

function resolveFields(fields: LazyLogFields | undefined): LogFields {
  if (typeof fields !== 'function') return fields ?? NO_FIELDS;
  try {
    return fields();
  } catch (cause) {
    return { fields_error: describeCause(cause) };
  }
}

function checkSubsystem(subsystem: string, taken: number): void {
  if (!/^[^\s/]+$/.test(subsystem)) {
    throw new EscapementError('VALUE_INVALID', 'A subsystem of the log has no usable name.', {
      given: JSON.stringify(subsystem),
      allowed: 'a name without white space and without "/"',
    });
  }
  if (taken < SUBSYSTEMS_MAX) return;
  throw new EscapementError('CAPACITY_EXHAUSTED', 'The log has too many subsystems.', {
    given: subsystem,
    allowed: `${SUBSYSTEMS_MAX} names`,
    fix: 'Name parts of the program; put what varies into the fields.',
  });
}

function checkLevel(name: string, level: LogLevel): void {
  if (LOG_LEVELS.includes(level)) return;
  throw new EscapementError('OPTION_INVALID', `The log option ${name} is no level.`, {
    given: String(level),
    allowed: LOG_LEVELS.join(', '),
  });
}

function checkBound(name: string, value: number, holds: boolean, allowed: string): void {
  if (holds) return;
  throw new EscapementError('OPTION_INVALID', `The log option ${name} is out of bounds.`, {
    given: String(value),
    allowed,
  });
}
