import { EscapementError } from '../error.ts';
import { getU32, getU64 } from '../little-endian.ts';
import { ByteCursor } from './byte-cursor.ts';
import { checkChunk, createHashTable, type HashTable, hashesAtMost } from './chunk-check.ts';
import { readEnd } from './end-record.ts';
import {
  FORMAT_VERSION,
  HEADER_BYTES_MAX,
  KEYFRAME_HEAD_BYTES,
  MAGIC,
  PRELUDE_BYTES,
  RECORD_TYPE,
  RECORD_TYPE_OPTIONAL,
  replayInvalid,
} from './format.ts';
import { decodeHeader, type ReplayShape, shapeOf } from './header.ts';
import { type ChunkTable, createChunkTable, firstNotBelow, InputWalk } from './input-walk.ts';
import {
  keyframeFault,
  type KeyframePlace,
  rawBytesOf,
  unpackKeyframe,
} from './keyframe-record.ts';
import { RecordCursor } from './record.ts';
import type {
  HashEntry,
  Keyframe,
  Replay,
  ReplayHeader,
  ReplayKeyframe,
  VisitInput,
} from './replay.ts';

/**
 * Opens a replay file, whole or cut off anywhere behind its header. Every record is checked up to
 * the first that is not what it should be; what lies before that one counts. No state is inflated,
 * and beside `bytes`, which must stay as they are, it takes at most as much memory again and 4 MiB.
 * Throws REPLAY_INVALID if the beginning or the header is not whole, or of another version.
 */
export function readReplay(bytes: Uint8Array): Replay {
  checkPrelude(bytes);
  const cursor = new RecordCursor(bytes, PRELUDE_BYTES);
  const header = readHeader(bytes, cursor);
  cursor.advance();
  const scan = new ReplayScan(bytes, header, cursor);
  scan.run();
  return new ReplayFile(bytes, header, scan);
}

function checkPrelude(bytes: Uint8Array): void {
  const begin = bytes.subarray(0, PRELUDE_BYTES);
  const fix = 'Give a file that `escapement record` or `sim.record` wrote.';
  if (!MAGIC.every((byte, index) => begin[index] === byte)) {
    const hex = Array.from(begin.subarray(0, MAGIC.length), hexOf).join(' ');
    throw replayInvalid('This is no replay file.', {
      given: hex === '' ? 'an empty file' : `a file that begins with ${hex}`,
      allowed: `one that begins with ${MAGIC.map(hexOf).join(' ')}`,
      fix,
    });
  }
  if (begin.length < PRELUDE_BYTES) {
    throw replayInvalid('This replay file ends before its header.', {
      given: `${begin.length} bytes`,
      allowed: `at least ${PRELUDE_BYTES} bytes and a header`,
      fix,
    });
  }
  const version = getU32(begin, MAGIC.length);
  if (version !== FORMAT_VERSION || getU32(begin, MAGIC.length + 4) !== 0) {
    throw replayInvalid('This replay file is of a version that is not known here.', {
      given: `version ${version}`,
      allowed: `version ${FORMAT_VERSION}`,
      fix: 'Read it with the version of escapement that wrote it, or a later one.',
    });
  }
}

function readHeader(bytes: Uint8Array, cursor: RecordCursor): ReplayHeader {
  const tooLong = cursor.open() && cursor.end - cursor.begin > HEADER_BYTES_MAX;
  const fault = tooLong ? 'a header that is too long' : cursor.check();
  const isHeader = cursor.type === RECORD_TYPE.header && cursor.flags === 0;
  if (fault !== undefined || !isHeader) {
    throw replayInvalid('This replay file has no whole header.', {
      given: fault ?? `a record of type ${cursor.type} and flags ${cursor.flags}`,
      allowed: `a record of type ${RECORD_TYPE.header} that meets its checksum`,
      fix: 'Without it nothing else can be read: take another copy of the file.',
    });
  }
  return decodeHeader(bytes.subarray(cursor.begin, cursor.end));
}

/** A {@link KeyframePlace} a row: its flags, begin and end. */
type KeyframePlaces = Float64Array;
const PLACE_LENGTH = 3;

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** Goes over a file once to count and once to check and note what is where. */
class ReplayScan {
  readonly shape: ReplayShape;
  readonly hashes: HashTable;
  readonly chunks: ChunkTable;
  readonly keyframes: ReplayKeyframe[] = [];
  readonly places: KeyframePlaces;
  inputCount = 0;
  lastTick: number;
  end: Replay['end'];
  truncated: Replay['truncated'];
  readonly #bytes: Uint8Array;
  readonly #cursor: RecordCursor;
  readonly #entries: ByteCursor;

  /** `cursor` stands behind the header. */
  constructor(bytes: Uint8Array, header: ReplayHeader, cursor: RecordCursor) {
    this.#bytes = bytes;
    this.#cursor = cursor;
    this.#entries = new ByteCursor(bytes);
    this.shape = shapeOf(header.schema);
    this.lastTick = header.firstTick;
    let chunkCount = 0;
    let hashCount = 0;
    let keyframeCount = 0;
    for (const ahead = new RecordCursor(bytes, cursor.offset); ahead.open(); ahead.advance()) {
      if (ahead.type === RECORD_TYPE.keyframe) keyframeCount++;
      if (ahead.type !== RECORD_TYPE.chunk) continue;
      chunkCount++;
      hashCount += hashesAtMost(bytes, ahead.begin, ahead.end);
    }
    this.hashes = createHashTable(hashCount);
    this.chunks = createChunkTable(chunkCount);
    this.places = new Float64Array(keyframeCount * PLACE_LENGTH);
  }

  run(): void {
    const cursor = this.#cursor;
    const firstTick = this.lastTick;
    while (this.end === undefined && this.truncated === undefined) {
      const why = cursor.isDone
        ? 'the file ends without its last record'
        : (cursor.check() ?? this.#take(firstTick));
      if (why === undefined) cursor.advance();
      else this.truncated = { offset: cursor.offset, why };
    }
    if (this.truncated === undefined && !cursor.isDone) {
      this.truncated = { offset: cursor.offset, why: 'bytes follow the last record' };
    }
    // One that was written before the inputs that lead to it, which are lost.
    while ((this.keyframes.at(-1)?.tick ?? 0) > this.lastTick) {
      this.keyframes.pop();
    }
  }

  #take(firstTick: number): string | undefined {
    const { type, flags } = this.#cursor;
    if (type >= RECORD_TYPE_OPTIONAL) return undefined;
    if (type === RECORD_TYPE.keyframe) return this.#takeKeyframe(firstTick);
    if (flags !== 0) return 'the record has flags that version 1 does not know';
    if (type === RECORD_TYPE.chunk) return this.#takeChunk();
    if (type === RECORD_TYPE.end) return this.#takeEnd();
    return `version 1 has no record of type ${type} here`;
  }

  #takeChunk(): string | undefined {
    const { begin, end } = this.#cursor;
    const { inputWords } = this.shape;
    const fault = checkChunk(
      this.#bytes,
      begin,
      end,
      this.lastTick,
      inputWords,
      this.hashes,
      this.#entries,
    );
    if (fault !== undefined) return fault;
    this.lastTick = getU64(this.#bytes, begin + 8);
    this.inputCount += getU32(this.#bytes, begin + 16);
    this.chunks.begins[this.chunks.count] = begin;
    this.chunks.throughs[this.chunks.count] = this.lastTick;
    this.chunks.count++;
    return undefined;
  }

  #takeKeyframe(firstTick: number): string | undefined {
    const { flags, begin, end } = this.#cursor;
    const fault = keyframeFault(this.#bytes, flags, begin, end, this.shape);
    if (fault !== undefined) return fault;
    const tick = getU64(this.#bytes, begin);
    const index = this.keyframes.length;
    const before = this.keyframes[index - 1];
    if (tick < firstTick || (before !== undefined && tick <= before.tick)) {
      return 'a keyframe does not come after the one before';
    }
    const storedBytes = end - begin - KEYFRAME_HEAD_BYTES;
    this.keyframes.push({ tick, storedBytes, rawBytes: rawBytesOf(this.#bytes, begin) });
    this.places[index * PLACE_LENGTH] = flags;
    this.places[index * PLACE_LENGTH + 1] = begin;
    this.places[index * PLACE_LENGTH + 2] = end;
    return undefined;
  }

  #takeEnd(): string | undefined {
    const { begin, end } = this.#cursor;
    const reason = readEnd(this.#bytes, begin, end, {
      tick: this.lastTick,
      inputCount: this.inputCount,
      hashCount: this.hashes.count,
      keyframeCount: this.keyframes.length,
      chunkCount: this.chunks.count,
    });
    if (reason === undefined) return 'the last record does not meet what lies before it';
    this.end = { tick: this.lastTick, reason };
    return undefined;
  }
}

class ReplayFile implements Replay {
  readonly header: ReplayHeader;
  readonly byteLength: number;
  readonly lastTick: number;
  readonly end: Replay['end'];
  readonly truncated: Replay['truncated'];
  readonly inputCount: number;
  readonly hashCount: number;
  readonly keyframes: readonly ReplayKeyframe[];
  readonly #bytes: Uint8Array;
  readonly #places: KeyframePlaces;
  readonly #hashes: HashTable;
  readonly #inputs: InputWalk;

  constructor(bytes: Uint8Array, header: ReplayHeader, scan: ReplayScan) {
    this.header = header;
    this.byteLength = bytes.length;
    this.lastTick = scan.lastTick;
    this.end = scan.end;
    this.truncated = scan.truncated;
    this.inputCount = scan.inputCount;
    this.hashCount = scan.hashes.count;
    this.keyframes = scan.keyframes;
    this.#bytes = bytes;
    this.#places = scan.places;
    this.#hashes = scan.hashes;
    this.#inputs = new InputWalk(bytes, scan.chunks, scan.shape.inputWords, header.firstTick);
  }

  inputsOf(tick: number, visit: VisitInput): number {
    return this.#inputs.visit(tick, visit);
  }

  nextInputTick(tick: number): number {
    return this.#inputs.nextTick(tick);
  }

  hashAt(k: number): HashEntry {
    const tick = k < this.hashCount ? this.#hashes.ticks[k] : undefined;
    if (tick === undefined) throw noSuch('hash', k, this.hashCount);
    return {
      tick,
      high: this.#hashes.highs[k] as number,
      low: this.#hashes.lows[k] as number,
    };
  }

  findHash(tick: number, out: Uint32Array): boolean {
    const { ticks, highs, lows, count } = this.#hashes;
    const k = firstNotBelow(ticks, count, tick);
    if (k >= count || ticks[k] !== tick) return false;
    out[0] = highs[k] as number;
    out[1] = lows[k] as number;
    return true;
  }

  loadKeyframe(k: number): Keyframe {
    if (this.keyframes[k] === undefined) throw noSuch('keyframe', k, this.keyframes.length);
    const at = k * PLACE_LENGTH;
    const [flags, begin, end] = this.#places.slice(at, at + PLACE_LENGTH);
    return unpackKeyframe(this.#bytes, { flags, begin, end } as KeyframePlace);
  }
}

function noSuch(what: string, k: number, count: number): EscapementError {
  return new EscapementError('VALUE_INVALID', `This replay has no such ${what}.`, {
    given: String(k),
    allowed: count === 0 ? `none: it has no ${what}s` : `an integer from 0 to ${count - 1}`,
  });
}
