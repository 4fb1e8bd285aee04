import { assert } from './assert.ts';
import { LOG_LEVELS, type LogFields, type LogRecord, type LogSeverity } from './log.ts';

/*
 * A log record as bytes: the UTF-8 of the JSON array
 * [timestampMs, severity, subsystem, event, message, fields]. The writer trusts and shortens, the
 * reader checks.
 */

/** No encoded record is longer; a multiple of four, for rings of words. */
export const LOG_RECORD_BYTES_MAX = 1024;

/** Names are cut to this many UTF-16 units when a record does not fit without its message. */
const NAME_UNITS_MAX = 32;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Writes `record` to the front of `out` and returns how many bytes it took, at most
 * {@link LOG_RECORD_BYTES_MAX}; `out` has that much room and is not shared memory. What is too long
 * loses the end of its message, then its fields and the ends of its names, and gains the field
 * `truncated`: the number of UTF-16 units that its message lost. Numbers that JSON does not know
 * (NaN, the infinities) become text.
 */
export function encodeLogRecord(record: LogRecord, out: Uint8Array): number {
  assert(out.length >= LOG_RECORD_BYTES_MAX, 'an encoded log record has room');
  const room = out.subarray(0, LOG_RECORD_BYTES_MAX);
  const { subsystem, event, fields } = record;
  let bytes = write(record, subsystem, event, record.message, fields, room);
  if (bytes === 0) bytes = writeCut(record, subsystem, event, fields, room);
  if (bytes === 0) bytes = writeCut(record, cutName(subsystem), cutName(event), {}, room);
  assert(bytes > 0, 'a log record without message and fields fits');
  return bytes;
}

/**
 * Returns the record that `bytes` hold, or undefined if they are not what {@link encodeLogRecord}
 * writes.
 */
export function decodeLogRecord(bytes: Uint8Array): LogRecord | undefined {
  if (bytes.length > LOG_RECORD_BYTES_MAX) return undefined;
  let parts: unknown;
  try {
    // A copy, because browsers do not decode shared memory.
    parts = JSON.parse(decoder.decode(bytes.slice()));
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 6) return undefined;
  const [timestampMs, severity, subsystem, event, message, fields] = parts as unknown[];
  if (typeof timestampMs !== 'number' || !isSeverity(severity)) return undefined;
  if (typeof subsystem !== 'string' || typeof event !== 'string') return undefined;
  if (typeof message !== 'string' || !isFields(fields)) return undefined;
  return { timestampMs, severity, subsystem, event, message, fields };
}

/** Writes the longest start of the message that fits; returns 0 if not even none of it does. */
function writeCut(
  record: LogRecord,
  subsystem: string,
  event: string,
  fields: LogFields,
  room: Uint8Array,
): number {
  const units = record.message.length;
  const attempt = (kept: number): number => {
    const cut = { ...fields, truncated: units - kept };
    return write(record, subsystem, event, start(record.message, kept), cut, room);
  };
  let fits = -1;
  // No message longer than the room fits; every unit takes a byte at least.
  for (let begin = 0, end = Math.min(units, room.length) + 1; begin < end; ) {
    const middle = (begin + end) >> 1;
    if (attempt(middle) > 0) {
      fits = middle;
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return fits < 0 ? 0 : attempt(fits);
}

/** Returns the bytes written, 0 if the record does not fit. */
function write(
  record: LogRecord,
  subsystem: string,
  event: string,
  message: string,
  fields: LogFields,
  room: Uint8Array,
): number {
  const timestampMs = Number.isFinite(record.timestampMs) ? record.timestampMs : 0;
  const parts = [timestampMs, record.severity, subsystem, event, message, fields];
  const text = JSON.stringify(parts, replaceUnknownNumber);
  const { read, written } = encoder.encodeInto(text, room);
  return read === text.length ? written : 0;
}

function replaceUnknownNumber(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

function cutName(name: string): string {
  return start(name, NAME_UNITS_MAX);
}

/** The first `units` of `text`, one less if the last would be half a character. */
function start(text: string, units: number): string {
  const last = text.charCodeAt(units - 1);
  const splits = units < text.length && last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splits ? units - 1 : units);
}

function isSeverity(value: unknown): value is LogSeverity {
  return value !== 'off' && (LOG_LEVELS as readonly unknown[]).includes(value);
}

function isFields(value: unknown): value is LogFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((field) => {
    return typeof field === 'string' || typeof field === 'number' || typeof field === 'boolean';
  });
}
