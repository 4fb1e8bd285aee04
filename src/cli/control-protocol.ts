import type { ErrorCode, ErrorRecord } from '../shared/error.ts';
import { describeCause, EscapementError } from '../shared/error.ts';
import { printValue } from './printed-value.ts';

/** The WebSocket subprotocol, and the version of everything in docs/control-protocol.md. */
export const CONTROL_PROTOCOL = 'escapement.control.1';

/** What the server keeps to, unless a test says otherwise. */
export interface ControlLimits {
  /** Bytes of one message. */
  readonly messageBytes: number;
  /** Connections at once. */
  readonly clients: number;
  /** Requests a second on one connection; twice that at once. */
  readonly requestsPerSecond: number;
  /** Refused requests in a row that end a connection. */
  readonly refusals: number;
  /** Requests of one connection that await their reply. */
  readonly pending: number;
  /** Subscriptions of one connection. */
  readonly subscriptions: number;
  /** Unsent bytes above which telemetry is left out. */
  readonly telemetryBacklogBytes: number;
  /** Unsent bytes that end a connection. */
  readonly backlogBytes: number;
  /** Milliseconds to say the token. */
  readonly tokenMs: number;
  /** Milliseconds between two pings; a connection that does not answer one is ended. */
  readonly pingMs: number;
}

/** The limits that docs/control-protocol.md states. */
export const CONTROL_LIMITS: ControlLimits = Object.freeze({
  messageBytes: 65_536,
  clients: 16,
  requestsPerSecond: 500,
  refusals: 1000,
  pending: 64,
  subscriptions: 16,
  telemetryBacklogBytes: 65_536,
  backlogBytes: 1_048_576,
  tokenMs: 5000,
  pingMs: 15_000,
});

/** Why the server closed a connection. Codes from 4000 on are the protocol's own. */
export const CLOSE_CODE = {
  /** The simulation ended, or the server was closed. */
  ended: 1001,
  /** The token was wrong, or was not said in time. */
  unauthorized: 4401,
  /** Too many requests went on after they were refused. */
  flood: 4429,
} as const;

/** What a client calls a request; its reply carries it. */
export type RequestId = number | string;

/** An error as a reply carries it. */
export interface WireError {
  readonly code: ErrorCode | 'INTERNAL';
  readonly message: string;
  readonly given: string | null;
  readonly allowed: string | null;
  readonly fix: string | null;
  readonly cause: string | null;
}

/** A request, read and checked as far as every verb has it. */
export interface ControlRequest {
  readonly id: RequestId;
  readonly verb: string;
  /** What stands beside id and verb, unchecked. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const ID_LENGTH_MAX = 64;

/** Reads a frame's text as an object. Throws VALUE_INVALID for anything else. */
export function parseFrame(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new EscapementError('VALUE_INVALID', 'The message is no JSON.', {
      given: cause instanceof Error ? cause.message : String(cause),
      allowed: 'one JSON object a message',
      fix: 'Send text such as {"id":1,"verb":"status"}.',
    });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new EscapementError('VALUE_INVALID', 'The message is no JSON object.', {
    given: printValue(value),
    allowed: 'one JSON object a message',
    fix: 'Send text such as {"id":1,"verb":"status"}.',
  });
}

/** Returns the id of a frame. Throws VALUE_INVALID when it has none that a reply could carry. */
export function readId({ id }: Readonly<Record<string, unknown>>): RequestId {
  if (typeof id === 'string' && id.length > 0 && id.length <= ID_LENGTH_MAX) return id;
  if (typeof id === 'number' && Number.isSafeInteger(id) && id >= 0) return id;
  throw new EscapementError('VALUE_INVALID', 'The request has no usable `id`.', {
    given: printValue(id),
    allowed: `an integer from 0 to 2^53 - 1, or 1 to ${ID_LENGTH_MAX} characters`,
    fix: 'Number the requests; each reply carries the number of its request.',
  });
}

/** Returns a frame as a request. Throws VALUE_INVALID when `id` or `verb` is missing. */
export function readRequest(frame: Readonly<Record<string, unknown>>): ControlRequest {
  const { id: _, verb, ...fields } = frame;
  if (typeof verb === 'string') return { id: readId(frame), verb, fields };
  throw new EscapementError('VALUE_INVALID', 'The request has no `verb`.', {
    given: printValue(verb),
    allowed: 'the name of a verb',
    fix: 'Send text such as {"id":1,"verb":"status"}.',
  });
}

/** Returns any thrown value as what a reply carries; nothing of a stack crosses. */
export function toWireError(thrown: unknown): WireError {
  const known = thrown instanceof EscapementError;
  const { given, allowed, fix, cause }: Partial<ErrorRecord> = known ? thrown.toRecord() : {};
  return {
    code: known ? thrown.code : 'INTERNAL',
    message: known ? thrown.headline : firstLine(describeCause(thrown)),
    given: given ?? null,
    allowed: allowed ?? null,
    fix: fix ?? null,
    cause: cause === undefined ? null : firstLine(cause),
  };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
