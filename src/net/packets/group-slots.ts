/** Bytes of the smallest buffer of a group, so that small groups of many lengths share them. */
const BUFFER_BYTES_MIN = 1024;

const NOTHING: Uint8Array = new Uint8Array(0);

/**
 * The groups of which a part is here, and the memory for them. A slot keeps its buffer when its
 * group goes, so that traffic that goes on allocates nothing.
 *
 * Small groups must not sit in so many long buffers that a long group finds no room. A buffer made
 * for a group is less than twice as long as the group, or short. One that is reused may be longer,
 * and that excess, summed over the groups, is limited as well. So what groups hold stays below
 * `maxBufferBytes`, and where free buffers would exceed it, they go.
 */
export class GroupSlots {
  /** What all buffers together never exceed. */
  readonly maxBufferBytes: number;
  /** By slot: the group. */
  readonly ids: Uint32Array;
  /** By slot: bytes of the whole group. */
  readonly bytes: Uint32Array;
  /** By slot: chunks of the whole group. */
  readonly chunks: Uint32Array;
  /** By slot: chunks that are here. */
  readonly received: Uint32Array;
  /** By slot: when the first of them came. */
  readonly firstMs: Float64Array;
  /** By slot: a buffer of `headroom` bytes more than the group has, or longer. */
  readonly buffers: Uint8Array[];
  /** Slots of the groups in the order of their first packets; the first `count` count. */
  readonly order: Uint8Array;
  count = 0;
  /** Bytes of the groups in `order` when they are whole. */
  incompleteBytes = 0;
  readonly #headroom: number;
  readonly #isFree: Uint8Array;
  /** A bit for each chunk that is here, `#wordsPerSlot` words for each slot. */
  readonly #bits: Uint32Array;
  readonly #wordsPerSlot: number;
  /** By slot: bytes by which its buffer is longer than one made for its group. */
  readonly #excess: Uint32Array;
  readonly #maxExcess: number;
  #excessSum = 0;
  #bufferBytes = 0;

  constructor(slots: number, maxChunks: number, maxIncompleteBytes: number, headroom: number) {
    this.maxBufferBytes = slots * (BUFFER_BYTES_MIN + headroom) + 3 * maxIncompleteBytes;
    this.#maxExcess = maxIncompleteBytes;
    this.#excess = new Uint32Array(slots);
    this.ids = new Uint32Array(slots);
    this.bytes = new Uint32Array(slots);
    this.chunks = new Uint32Array(slots);
    this.received = new Uint32Array(slots);
    this.firstMs = new Float64Array(slots);
    this.buffers = Array.from({ length: slots }, () => NOTHING);
    this.order = new Uint8Array(slots);
    this.#headroom = headroom;
    this.#isFree = new Uint8Array(slots).fill(1);
    this.#wordsPerSlot = Math.ceil(maxChunks / 32);
    this.#bits = new Uint32Array(slots * this.#wordsPerSlot);
  }

  /** Bytes of all buffers. */
  get bufferBytes(): number {
    return this.#bufferBytes;
  }

  /** Returns where in `order` a group stands, or -1. */
  find(id: number): number {
    for (let at = 0; at < this.count; at++) {
      if (this.ids[this.order[at] as number] === id) return at;
    }
    return -1;
  }

  /** Takes a free slot, which there must be, for a group and puts it last. Returns the slot. */
  open(id: number, bytes: number, chunks: number, nowMs: number): number {
    const slot = this.take(bytes);
    this.ids[slot] = id;
    this.bytes[slot] = bytes;
    this.chunks[slot] = chunks;
    this.received[slot] = 0;
    this.firstMs[slot] = nowMs;
    const words = slot * this.#wordsPerSlot;
    this.#bits.fill(0, words, words + this.#wordsPerSlot);
    this.order[this.count++] = slot;
    this.incompleteBytes += bytes;
    return slot;
  }

  /** Takes a group out of `order`; its slot is not free yet. Returns the slot. */
  remove(at: number): number {
    const slot = this.order[at] as number;
    this.order.copyWithin(at, at + 1, this.count);
    this.count--;
    this.incompleteBytes -= this.bytes[slot] as number;
    return slot;
  }

  /** Frees a slot that is not in `order`. */
  free(slot: number): void {
    this.#excessSum -= this.#excess[slot] as number;
    this.#isFree[slot] = 1;
  }

  /** Says whether a chunk is here. */
  has(slot: number, chunk: number): boolean {
    const word = this.#bits[slot * this.#wordsPerSlot + (chunk >>> 5)] as number;
    return ((word >>> (chunk & 31)) & 1) === 1;
  }

  /** Notes that a chunk is here that was not. */
  mark(slot: number, chunk: number): void {
    const at = slot * this.#wordsPerSlot + (chunk >>> 5);
    this.#bits[at] = (this.#bits[at] as number) | (1 << (chunk & 31));
    this.received[slot] = (this.received[slot] as number) + 1;
  }

  /** Takes a free slot, which there must be, with a buffer for `bytes`, beside `order`. */
  take(bytes: number): number {
    let length = BUFFER_BYTES_MIN;
    while (length < bytes) length *= 2;
    length += this.#headroom;
    const longest = length + this.#maxExcess - this.#excessSum;
    const slot = this.#bestFree(bytes + this.#headroom, longest);
    const here = (this.buffers[slot] as Uint8Array).length;
    const isFit = here >= bytes + this.#headroom && here <= longest;
    if (!isFit) this.#replace(slot, length);
    const excess = isFit ? Math.max(0, here - length) : 0;
    this.#excess[slot] = excess;
    this.#excessSum += excess;
    this.#isFree[slot] = 0;
    return slot;
  }

  /** The free slot with the shortest buffer that is fit, else with the shortest of all. */
  #bestFree(shortest: number, longest: number): number {
    let best = -1;
    let bestLength = 0;
    for (let slot = 0; slot < this.buffers.length; slot++) {
      if (this.#isFree[slot] !== 1) continue;
      const { length } = this.buffers[slot] as Uint8Array;
      const isFit = length >= shortest && length <= longest;
      const isBestFit = bestLength >= shortest && bestLength <= longest;
      if (best < 0 || (isFit === isBestFit ? length < bestLength : isFit)) {
        best = slot;
        bestLength = length;
      }
    }
    return best;
  }

  #replace(slot: number, length: number): void {
    this.#drop(slot);
    if (this.#bufferBytes + length > this.maxBufferBytes) {
      for (let other = 0; other < this.buffers.length; other++) {
        if (this.#isFree[other] === 1) this.#drop(other);
      }
    }
    this.buffers[slot] = new Uint8Array(length);
    this.#bufferBytes += length;
  }

  #drop(slot: number): void {
    this.#bufferBytes -= (this.buffers[slot] as Uint8Array).length;
    this.buffers[slot] = NOTHING;
  }
}
