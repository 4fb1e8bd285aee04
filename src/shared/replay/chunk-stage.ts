import { assert } from '../assert.ts';
import { putU32, putU64 } from '../little-endian.ts';
import { putVarint, varintBytes } from './byte-cursor.ts';
import {
  CHUNK_HEAD_BYTES,
  HASH_BYTES_MIN,
  INPUT_BYTES_MIN,
  RECORD_HEAD_BYTES,
  RECORD_TYPE,
} from './format.ts';
import { createRecord, sealRecord } from './record.ts';

const HIGH = 4_294_967_296;
/** Words of a staged input before its own. */
const INPUT_HEAD_WORDS = 3;
const HASH_WORDS = 4;

/** Numbers that change with every entry. */
const MARK = {
  /** The earliest tick of the next input. */
  inputTick: 0,
  /** The tick of the last hash. */
  hashTick: 1,
  leastBytes: 2,
} as const;

/**
 * Collects inputs and hashes until they are written as a chunk. Adding allocates nothing but room
 * that is kept.
 */
export class ChunkStage {
  readonly #lengths: Uint32Array;
  /** An input a row: high and low half of its tick, its index, its words. */
  #inputs: Uint32Array = new Uint32Array(1024);
  #inputsEnd = 0;
  /** A hash a row: high and low half of its tick, high and low half of the hash. */
  #hashes: Uint32Array = new Uint32Array(64);
  #hashesEnd = 0;
  /** {@link MARK} doubles, in an array so that a change of one never makes a number on the heap. */
  readonly #marks: Float64Array = new Float64Array(3);

  /**
   * `lengths` are the words of each input. Inputs come after `firstTick`, hashes not before it: the
   * state that the recording begins with has one.
   */
  constructor(lengths: Uint32Array, firstTick: number) {
    this.#lengths = lengths;
    this.#marks[MARK.inputTick] = firstTick + 1;
    this.#marks[MARK.hashTick] = firstTick - 1;
  }

  /** The fewest bytes that what is here can take in a chunk. */
  get leastBytes(): number {
    return this.#marks[MARK.leastBytes] as number;
  }

  /** Adds an input; ticks never go back. */
  addInput(tick: number, input: number, words: Uint32Array, begin: number, length: number): void {
    assert(
      tick >= (this.#marks[MARK.inputTick] as number) && Number.isSafeInteger(tick),
      'recorded inputs come in order',
    );
    assert(this.#lengths[input] === length, 'a recorded input has the words of its schema');
    assert(begin >= 0 && begin + length <= words.length, 'a recorded input lies in its words');
    this.#marks[MARK.inputTick] = tick;
    let at = this.#inputsEnd;
    const end = at + INPUT_HEAD_WORDS + length;
    if (end > this.#inputs.length) this.#inputs = grown(this.#inputs, end);
    const rows = this.#inputs;
    rows[at++] = tick < HIGH ? 0 : tick / HIGH;
    rows[at++] = tick;
    rows[at++] = input;
    for (let index = 0; index < length; index++) rows[at++] = words[begin + index] as number;
    this.#inputsEnd = end;
    this.#marks[MARK.leastBytes] =
      (this.#marks[MARK.leastBytes] as number) + INPUT_BYTES_MIN + 4 * length;
  }

  /** Adds a hash; each one's tick is later than the one before. */
  addHash(tick: number, high: number, low: number): void {
    assert(
      tick > (this.#marks[MARK.hashTick] as number) && Number.isSafeInteger(tick),
      'recorded hashes come in order',
    );
    this.#marks[MARK.hashTick] = tick;
    let at = this.#hashesEnd;
    const end = at + HASH_WORDS;
    if (end > this.#hashes.length) this.#hashes = grown(this.#hashes, end);
    const rows = this.#hashes;
    rows[at++] = tick < HIGH ? 0 : tick / HIGH;
    rows[at++] = tick;
    rows[at++] = high;
    rows[at] = low;
    this.#hashesEnd = end;
    this.#marks[MARK.leastBytes] = (this.#marks[MARK.leastBytes] as number) + HASH_BYTES_MIN;
  }

  /** From here on nothing may come that is not later than `through`. */
  settle(through: number): void {
    this.#marks[MARK.inputTick] = Math.max(this.#marks[MARK.inputTick] as number, through + 1);
    this.#marks[MARK.hashTick] = Math.max(this.#marks[MARK.hashTick] as number, through);
  }

  /** Takes what lies after `after` and not after `through`, as a whole record. */
  takeRecord(after: number, through: number): Uint8Array {
    let bytes = CHUNK_HEAD_BYTES;
    let inputCount = 0;
    let inputsEnd = 0;
    let from = after;
    while (inputsEnd < this.#inputsEnd) {
      const tick = tickAt(this.#inputs, inputsEnd);
      if (tick > through) break;
      const input = this.#inputs[inputsEnd + 2] as number;
      const length = this.#lengths[input] as number;
      bytes += varintBytes(tick - from) + varintBytes(input) + 4 * length;
      inputsEnd += INPUT_HEAD_WORDS + length;
      inputCount++;
      from = tick;
    }
    let hashesEnd = 0;
    from = after;
    while (hashesEnd < this.#hashesEnd) {
      const tick = tickAt(this.#hashes, hashesEnd);
      if (tick > through) break;
      bytes += varintBytes(tick - from) + 8;
      hashesEnd += HASH_WORDS;
      from = tick;
    }
    const record = createRecord(RECORD_TYPE.chunk, 0, bytes);
    putU64(record, RECORD_HEAD_BYTES, after);
    putU64(record, RECORD_HEAD_BYTES + 8, through);
    putU32(record, RECORD_HEAD_BYTES + 16, inputCount);
    putU32(record, RECORD_HEAD_BYTES + 20, hashesEnd / HASH_WORDS);
    this.#putHashes(record, this.#putInputs(record, after, inputsEnd), after, hashesEnd);
    this.#drop(inputsEnd, hashesEnd);
    return sealRecord(record);
  }

  #putInputs(record: Uint8Array, after: number, end: number): number {
    let at = RECORD_HEAD_BYTES + CHUNK_HEAD_BYTES;
    let from = after;
    for (let row = 0; row < end; ) {
      const tick = tickAt(this.#inputs, row);
      const input = this.#inputs[row + 2] as number;
      at = putVarint(record, at, tick - from);
      at = putVarint(record, at, input);
      row += INPUT_HEAD_WORDS;
      for (const rowEnd = row + (this.#lengths[input] as number); row < rowEnd; row++) {
        putU32(record, at, this.#inputs[row] as number);
        at += 4;
      }
      from = tick;
    }
    return at;
  }

  #putHashes(record: Uint8Array, begin: number, after: number, end: number): void {
    let at = begin;
    let from = after;
    for (let row = 0; row < end; row += HASH_WORDS) {
      const tick = tickAt(this.#hashes, row);
      at = putVarint(record, at, tick - from);
      putU32(record, at, this.#hashes[row + 3] as number);
      putU32(record, at + 4, this.#hashes[row + 2] as number);
      at += 8;
      from = tick;
    }
  }

  #drop(inputsEnd: number, hashesEnd: number): void {
    this.#inputs.copyWithin(0, inputsEnd, this.#inputsEnd);
    this.#inputsEnd -= inputsEnd;
    this.#hashes.copyWithin(0, hashesEnd, this.#hashesEnd);
    this.#hashesEnd -= hashesEnd;
    const hashCount = this.#hashesEnd / HASH_WORDS;
    this.#marks[MARK.leastBytes] = HASH_BYTES_MIN * hashCount;
    for (let row = 0; row < this.#inputsEnd; ) {
      const length = this.#lengths[this.#inputs[row + 2] as number] as number;
      this.#marks[MARK.leastBytes] =
        (this.#marks[MARK.leastBytes] as number) + INPUT_BYTES_MIN + 4 * length;
      row += INPUT_HEAD_WORDS + length;
    }
  }
}

function tickAt(rows: Uint32Array, row: number): number {
  return (rows[row] as number) * HIGH + (rows[row + 1] as number);
}

function grown(rows: Uint32Array, length: number): Uint32Array {
  const larger = new Uint32Array(Math.max(rows.length * 2, length));
  larger.set(rows);
  return larger;
}
