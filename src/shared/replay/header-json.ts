import { HEADER_BYTES_MAX, HEADER_DEPTH_MAX, HEADER_TOKENS_MAX, replayInvalid } from './format.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns a value as the UTF-8 of its JSON, in which -0 stays -0. */
export function encodeJson(value: unknown): Uint8Array {
  const text = jsonOf(value);
  const out = new Uint8Array(text.length * 3);
  return out.subarray(0, encoder.encodeInto(text, out).written);
}

/** `JSON.stringify` says 0 for -0, which is another parameter and may be another run. */
function jsonOf(value: unknown): string {
  if (Object.is(value, -0)) return '-0';
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${jsonOf(field)}`).join(',')}}`;
}

/**
 * Returns the value that UTF-8 JSON names. Throws REPLAY_INVALID for what is none, and, before
 * anything is taken in memory for it, for what is too long, too deep or too much.
 */
export function decodeJson(bytes: Uint8Array): unknown {
  const fault = boundsFault(bytes);
  if (fault !== undefined) throw badJson(fault);
  try {
    // A copy, because browsers do not decode shared memory.
    return JSON.parse(decoder.decode(bytes.slice()));
  } catch (cause) {
    throw badJson('what is no JSON in UTF-8', cause);
  }
}

function boundsFault(bytes: Uint8Array): string | undefined {
  if (bytes.length > HEADER_BYTES_MAX) return `${bytes.length} bytes`;
  let depth = 0;
  let tokens = 0;
  let inText = false;
  for (let at = 0; at < bytes.length; at++) {
    const char = bytes[at];
    if (inText) {
      if (char === 0x5c) at++;
      else if (char === 0x22) inText = false;
      continue;
    }
    if (char === 0x22) inText = true;
    else if (char === 0x5b || char === 0x7b) depth++;
    else if (char === 0x5d || char === 0x7d) depth--;
    else if (char !== 0x2c && char !== 0x3a) continue;
    if (depth > HEADER_DEPTH_MAX) return `more than ${HEADER_DEPTH_MAX} brackets deep`;
    if (++tokens > HEADER_TOKENS_MAX) return `more than ${HEADER_TOKENS_MAX} brackets and commas`;
  }
  return undefined;
}

function badJson(given: string, cause?: unknown): Error {
  return replayInvalid('The header of this replay cannot be read.', {
    given,
    allowed:
      `JSON of at most ${HEADER_BYTES_MAX} bytes, ${HEADER_DEPTH_MAX} brackets deep, with ` +
      `${HEADER_TOKENS_MAX} brackets, commas and colons`,
    fix: 'Record again, or take a copy of the file that is whole.',
    cause,
  });
}
