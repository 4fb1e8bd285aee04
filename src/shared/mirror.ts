import type { RingReader } from './ring-reader.ts';
import type { RingWriter } from './ring-writer.ts';

/*
 * Threads    none of its own: the words are of two regions, each of one thread.
 * Memory     moves ring records between the rings of two unshared regions.
 * Ordering   that of the messages that carry them.
 * Progress   never waits; what does not fit is kept by the caller and poured again.
 * Invariant  records keep their order, and each is poured exactly once.
 *
 * Without shared memory both sides have a region of the same layout. The simulation's publications
 * are copied into the host's, its rings are emptied into the host's rings and the other way round,
 * so that every reader, writer and wait works on its own side as if the memory were shared.
 */

/** From the simulation to its host: what was published and said since the last one. */
export interface MirrorUpdate {
  readonly kind: 'escapement/mirror-update';
  readonly run: number;
  readonly state: number;
  readonly doneTicket: number;
  readonly results: Int32Array;
  readonly events: Uint32Array | undefined;
  readonly logs: Uint32Array | undefined;
  readonly trace: Uint32Array | undefined;
  /** Absent when nothing was published since, or no buffer was at home. */
  readonly publication?: MirrorPublication | undefined;
}

/** One publication: the record, and those slots and rosters the host does not hold yet. */
export interface MirrorPublication {
  /** Record, then the parts; travels to and fro, never copied. */
  readonly buffer: ArrayBuffer;
  /** Serials of the slots of T-2, T-1, T, then of their rosters. */
  readonly serials: readonly number[];
  /** Parts in the buffer: serial and byte offset. */
  readonly parts: readonly { readonly serial: number; readonly offset: number }[];
}

/** From a host to its simulation: commands, inputs, and a buffer that comes home. */
export interface MirrorReply {
  readonly kind: 'escapement/mirror';
  readonly run: number;
  readonly commands: Uint32Array | undefined;
  readonly inputs: Uint32Array | undefined;
  readonly buffer: ArrayBuffer | undefined;
}

/** Takes every record out of a ring, as one array: header word, payload, header word, ... */
export function emptyRing(ring: RingReader): Uint32Array | undefined {
  if (ring.pending() === 0) return undefined;
  const words: number[] = [];
  while (ring.next()) {
    words.push(((ring.kind << 16) | ring.lengthWords) >>> 0);
    for (let i = 0; i < ring.lengthWords; i++) words.push(ring.words[i] as number);
  }
  return Uint32Array.from(words);
}

/** Puts records into a ring until it is full; returns those that did not fit. */
export function pourRing(words: Uint32Array, ring: RingWriter): Uint32Array {
  let at = 0;
  while (at < words.length) {
    const header = words[at] as number;
    const length = header & 0xffff;
    // Room is asked for first: a refused write would count as dropped, and nothing is lost here.
    if (ring.freeWords() < length + 1) break;
    ring.tryWrite(header >>> 16, words.subarray(at + 1, at + 1 + length), length);
    at += 1 + length;
  }
  return words.subarray(at);
}

/** Joins records that are still waiting with newer ones. */
export function joinWords(older: Uint32Array, newer: Uint32Array | undefined): Uint32Array {
  if (newer === undefined || newer.length === 0) return older;
  if (older.length === 0) return newer;
  const joined = new Uint32Array(older.length + newer.length);
  joined.set(older);
  joined.set(newer, older.length);
  return joined;
}
