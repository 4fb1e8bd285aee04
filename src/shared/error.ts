/**
 * Every code an {@link EscapementError} can carry. Codes are stable: they are never renamed or
 * reused.
 */
export type ErrorCode =
  | 'OPTION_INVALID'
  | 'SCHEMA_INVALID'
  | 'NAME_UNKNOWN'
  | 'VALUE_INVALID'
  | 'CAPACITY_EXHAUSTED'
  | 'SCHEDULE_INVALID'
  | 'SCHEDULE_STALE'
  | 'ACCESS_UNDECLARED'
  | 'AMBIENT_FORBIDDEN'
  | 'ENTITY_STALE'
  | 'COMPONENT_MISSING'
  | 'STATE_INVALID'
  | 'FRAME_OPEN'
  | 'FRAME_RELEASED'
  | 'READERS_EXHAUSTED'
  | 'CONTROLS_EXHAUSTED'
  | 'FOLLOWERS_EXHAUSTED'
  | 'CANNOT_BLOCK'
  | 'LAYOUT_MISMATCH'
  | 'NOT_SHARED'
  | 'NOT_ISOLATED'
  | 'CLOCK_UNCALIBRATED'
  | 'WORKER_UNSUITABLE'
  | 'WORKER_LOAD_FAILED'
  | 'WORKER_EXITED'
  | 'START_TIMEOUT'
  | 'STOP_TIMEOUT'
  | 'SIMULATION_FAILED'
  | 'RENDER_SYSTEM_FAILED'
  | 'STOPPED'
  | 'COMMAND_REFUSED'
  | 'TRAJECTORY_DIFFERS'
  | 'REPLAY_INVALID'
  | 'REPLAY_MISMATCH'
  | 'RECORDING_FAILED'
  | 'TIMED_OUT'
  | 'TIER_UNAVAILABLE'
  | 'PACKAGE_MISSING'
  | 'ENCODER_FAILED'
  | 'PIPELINE_INVALID'
  | 'SNAPSHOT_INVALID'
  | 'SEQUENCE_EXHAUSTED';

/** What an {@link EscapementError} says beside its headline. Every field is plain text. */
export interface ErrorDetail {
  /** What the caller gave, printed. */
  readonly given?: string | undefined;
  /** What would have been accepted. */
  readonly allowed?: string | undefined;
  /** What to change. */
  readonly fix?: string | undefined;
  /** The error behind this one, kept as `error.cause`. */
  readonly cause?: unknown;
}

/**
 * An {@link EscapementError} as plain data, so that it can cross a thread boundary and keep its
 * code.
 */
export interface ErrorRecord {
  readonly code: ErrorCode;
  readonly headline: string;
  readonly given?: string | undefined;
  readonly allowed?: string | undefined;
  readonly fix?: string | undefined;
  readonly cause?: string | undefined;
}

/**
 * Reports a fault that the caller can mend: a bad option, an unknown name, a worker that did not
 * load. `code` is stable; the message says what was given, what is allowed and how to fix it.
 */
export class EscapementError extends Error {
  override readonly name: string = 'EscapementError';
  readonly code: ErrorCode;
  readonly headline: string;
  readonly detail: ErrorDetail;

  constructor(code: ErrorCode, headline: string, detail: ErrorDetail = {}) {
    super(
      composeMessage(code, headline, detail),
      detail.cause === undefined ? undefined : { cause: detail.cause },
    );
    this.code = code;
    this.headline = headline;
    this.detail = detail;
  }

  /** Returns this error as plain data for a message; the cause is kept as text. */
  toRecord(): ErrorRecord {
    const { given, allowed, fix, cause } = this.detail;
    return {
      code: this.code,
      headline: this.headline,
      given,
      allowed,
      fix,
      cause: cause === undefined ? undefined : describeCause(cause),
    };
  }

  /** Rebuilds the error that {@link toRecord} described on another thread. */
  static fromRecord(record: ErrorRecord): EscapementError {
    const { given, allowed, fix } = record;
    const cause = record.cause === undefined ? undefined : rebuildCause(record.cause);
    return new EscapementError(record.code, record.headline, { given, allowed, fix, cause });
  }
}

/**
 * Returns an unknown thrown value as readable text: the stack of an error, else its string form.
 */
export function describeCause(cause: unknown): string {
  if (cause instanceof Error) return cause.stack ?? `${cause.name}: ${cause.message}`;
  return String(cause);
}

/** Makes an error that prints as the one described on another thread did. */
function rebuildCause(description: string): Error {
  const headline = description.split('\n', 1)[0] ?? '';
  const cause = new Error(headline.replace(/^(?:[A-Za-z]*Error): /, ''));
  cause.stack = description;
  return cause;
}

function composeMessage(code: ErrorCode, headline: string, detail: ErrorDetail): string {
  let message = `${code}: ${headline}`;
  if (detail.given !== undefined) message += ` Given: ${detail.given}.`;
  if (detail.allowed !== undefined) message += ` Allowed: ${detail.allowed}.`;
  if (detail.fix !== undefined) message += ` ${detail.fix}`;
  if (detail.cause !== undefined) message += ` (Cause: ${firstLine(detail.cause)})`;
  return message;
}

function firstLine(cause: unknown): string {
  const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return text.split('\n', 1)[0] ?? '';
}
