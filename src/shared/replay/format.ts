import { EscapementError, type ErrorDetail } from '../error.ts';

/*
 * The file's fixed parts; docs/replay-format.md says all of it. Everything is little-endian.
 *
 *     prelude   magic, 8 bytes; version, u32; zero, u32
 *     records   type, u8; flags, u8; zero, u16; payload bytes, u32; payload; checksum, u64
 */

/** Begins every file. Its first byte is no ASCII and it holds a line break: text it is not. */
export const MAGIC: readonly number[] = [0x89, 0x45, 0x53, 0x43, 0x52, 0x50, 0x0d, 0x0a];

/** The one version that is written and read. */
export const FORMAT_VERSION = 1;

export const PRELUDE_BYTES = 16;

/** Bytes of a record before its payload, and of its checksum behind it. */
export const RECORD_HEAD_BYTES = 8;
export const CHECKSUM_BYTES = 8;

/** Bytes that a record takes beside its payload. */
export const RECORD_FRAME_BYTES: number = RECORD_HEAD_BYTES + CHECKSUM_BYTES;

/** Types of records. */
export const RECORD_TYPE = {
  /** The run's header, as JSON; the first record and no other. */
  header: 1,
  /** Inputs and hashes of consecutive ticks. */
  chunk: 2,
  /** The whole state after a tick. */
  keyframe: 3,
  /** The last record. */
  end: 4,
} as const;

/** Types from here on may be skipped by a reader that does not know them. */
export const RECORD_TYPE_OPTIONAL = 128;

/** Bits of a keyframe's flags. */
export const KEYFRAME_FLAG = {
  /** The state is a raw DEFLATE stream. */
  deflated: 1,
  /** There is foreign state, though it may have no bytes. */
  foreign: 2,
} as const;

/** Bytes of a chunk's payload before its entries. */
export const CHUNK_HEAD_BYTES = 24;
/** Bytes of a keyframe's payload before its state. */
export const KEYFRAME_HEAD_BYTES = 24;
/** Bytes of an end's payload. */
export const END_BYTES = 40;

/** The least that an input takes in a chunk beside its words: its tick and its index. */
export const INPUT_BYTES_MIN = 2;
/** The least that a hash takes in a chunk: its tick and 64 bits. */
export const HASH_BYTES_MIN = 9;

/** The longest JSON of a header. */
export const HEADER_BYTES_MAX: number = 2 ** 20;
/** The deepest nesting in a header's JSON. */
export const HEADER_DEPTH_MAX = 8;
/** The most brackets, commas and colons in a header's JSON, outside its strings. */
export const HEADER_TOKENS_MAX = 32_768;

/** No DEFLATE stream is longer than this many times itself: 258 bytes for two bits. */
export const DEFLATE_RATIO_MAX = 1032;

/** The largest file that a writer makes if nobody says otherwise: 128 MiB. */
export const MAX_BYTES_DEFAULT: number = 128 * 2 ** 20;

/** Makes the error for a file, or a part of one, that cannot be read. */
export function replayInvalid(headline: string, detail: ErrorDetail): EscapementError {
  return new EscapementError('REPLAY_INVALID', headline, detail);
}
