import { Fnv64 } from '../hash.ts';
import { getU32, putU32 } from '../little-endian.ts';
import { CHECKSUM_BYTES, RECORD_FRAME_BYTES, RECORD_HEAD_BYTES } from './format.ts';

/** Makes a record whose payload is still zero; it begins at {@link RECORD_HEAD_BYTES}. */
export function createRecord(type: number, flags: number, payloadBytes: number): Uint8Array {
  const record = new Uint8Array(RECORD_FRAME_BYTES + payloadBytes);
  record[0] = type;
  record[1] = flags;
  putU32(record, 4, payloadBytes);
  return record;
}

/** Writes the checksum of a record whose payload is complete, and returns the record. */
export function sealRecord(record: Uint8Array): Uint8Array {
  const at = record.length - CHECKSUM_BYTES;
  const sum = new Fnv64();
  sum.bytes(record, 0, at);
  putU32(record, at, sum.low);
  putU32(record, at + 4, sum.high);
  return record;
}

/** Walks over the records of a file. Allocates nothing, except for the words of a fault. */
export class RecordCursor {
  readonly #bytes: Uint8Array;
  readonly #sum: Fnv64 = new Fnv64();
  /** Offset of the record. */
  offset: number;
  type = 0;
  flags = 0;
  /** Offsets of the payload's first byte and of the one behind its last. */
  begin = 0;
  end = 0;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.offset = offset;
  }

  /** Whether there is no byte left. */
  get isDone(): boolean {
    return this.offset >= this.#bytes.length;
  }

  /** Takes the record at `offset` without its checksum; returns false if it is cut off. */
  open(): boolean {
    const left = this.#bytes.length - this.offset;
    if (left < RECORD_FRAME_BYTES) return false;
    const payloadBytes = getU32(this.#bytes, this.offset + 4);
    if (payloadBytes > left - RECORD_FRAME_BYTES) return false;
    this.type = this.#bytes[this.offset] as number;
    this.flags = this.#bytes[this.offset + 1] as number;
    this.begin = this.offset + RECORD_HEAD_BYTES;
    this.end = this.begin + payloadBytes;
    return true;
  }

  /** Takes the record at `offset` and checks it; returns what is wrong with it, if anything. */
  check(): string | undefined {
    if (!this.open()) return this.#cutOff();
    this.#sum.reset();
    this.#sum.bytes(this.#bytes, this.offset, this.end);
    const low = getU32(this.#bytes, this.end);
    const high = getU32(this.#bytes, this.end + 4);
    if (this.#sum.low !== low || this.#sum.high !== high) {
      return 'the record does not meet its checksum';
    }
    const reserved =
      (this.#bytes[this.offset + 2] as number) | (this.#bytes[this.offset + 3] as number);
    return reserved === 0 ? undefined : 'the record has bits that version 1 does not know';
  }

  /** Goes to the next record; this one was opened. */
  advance(): void {
    this.offset = this.end + CHECKSUM_BYTES;
  }

  #cutOff(): string {
    const left = this.#bytes.length - this.offset;
    const wanted =
      left < RECORD_HEAD_BYTES
        ? `at least ${RECORD_FRAME_BYTES}`
        : String(getU32(this.#bytes, this.offset + 4) + RECORD_FRAME_BYTES);
    return `the record is cut off: ${left} of ${wanted} bytes are there`;
  }
}
