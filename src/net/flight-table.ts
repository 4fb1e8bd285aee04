import { assert } from '../shared/assert.ts';
import { BufferPool } from './buffer-pool.ts';

/** Nothing is in this slot. */
const EMPTY: Uint8Array = new Uint8Array(0);

/**
 * What is on its way in one direction: one row a packet, by slot. Bounded in rows and bytes.
 */
export class FlightTable {
  /** When something happens to a packet: it arrives, or is sent again. By slot. */
  readonly dueMs: Float64Array;
  /** Which of the packets it is that the direction has seen, from 0 on. By slot. */
  readonly order: Float64Array;
  /** Of a reliable message: how often it was sent. By slot. */
  readonly attempts: Uint32Array;
  /** Of a reliable message: 1 once `dueMs` is when it arrives. By slot. */
  readonly landed: Uint8Array;
  readonly #payloads: Uint8Array[];
  readonly #free: Int32Array;
  readonly #pool: BufferPool;
  readonly #maxBytes: number;
  #freeCount: number;
  #bytes = 0;
  #orders = 0;

  constructor(capacity: number, maxBytes: number) {
    this.dueMs = new Float64Array(capacity);
    this.order = new Float64Array(capacity);
    this.attempts = new Uint32Array(capacity);
    this.landed = new Uint8Array(capacity);
    this.#payloads = Array.from({ length: capacity }, () => EMPTY);
    this.#free = Int32Array.from({ length: capacity }, (_, index) => capacity - 1 - index);
    this.#freeCount = capacity;
    this.#pool = new BufferPool(maxBytes);
    this.#maxBytes = maxBytes;
  }

  /** Packets on their way. */
  get count(): number {
    return this.#payloads.length - this.#freeCount;
  }

  /** Their bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The order that the next packet gets. */
  get nextOrder(): number {
    return this.#orders;
  }

  /** Says whether one more packet of `length` bytes finds a place. */
  hasRoom(length: number): boolean {
    return this.#freeCount > 0 && this.#bytes + length <= this.#maxBytes;
  }

  /** Copies a packet into a free slot and returns it; there is room. */
  add(bytes: Uint8Array): number {
    assert(this.hasRoom(bytes.length), 'a packet is added where there is room');
    const slot = this.#free[--this.#freeCount] as number;
    const payload = this.#pool.take(bytes.length);
    payload.set(bytes);
    this.#payloads[slot] = payload;
    this.#bytes += bytes.length;
    this.order[slot] = this.#orders++;
    this.attempts[slot] = 0;
    this.landed[slot] = 0;
    return slot;
  }

  /** Returns the bytes in a slot; the table owns them. */
  payload(slot: number): Uint8Array {
    return this.#payloads[slot] as Uint8Array;
  }

  /** Gives a slot up; its bytes may be another packet's from here on. */
  remove(slot: number): void {
    const payload = this.#payloads[slot] as Uint8Array;
    this.#payloads[slot] = EMPTY;
    this.#bytes -= payload.length;
    this.#pool.give(payload);
    this.#free[this.#freeCount++] = slot;
  }

  /** Says whether the packet in slot `a` comes before that in `b`: by time, then by order. */
  isBefore(a: number, b: number): boolean {
    const aMs = this.dueMs[a] as number;
    const bMs = this.dueMs[b] as number;
    return aMs < bMs || (aMs === bMs && (this.order[a] as number) < (this.order[b] as number));
  }
}
