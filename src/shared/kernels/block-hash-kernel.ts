import { assert } from '../assert.ts';
import { isKernelMemory, type KernelMemory, type RegionMemory } from '../region.ts';
import { type BlockHasher, hashBlocks, type HashJob } from './hash-blocks.ts';
import { HASH_KERNEL } from './hash-kernel-bytes.ts';
import { loadModule } from './kernel-module.ts';
import {
  HASH_ALIVE,
  HASH_KIND,
  HASH_OUT,
  HASH_PACKED,
  HASH_PRESENCE,
  HASH_ROOM_WORDS,
  HASH_ROW_BYTES,
  HASH_ROWS,
  HASH_WORDS,
} from './parameters.ts';

/*
 * Threads    the simulation thread.
 * Memory     reads the world's block; writes its own room behind it.
 * Ordering   plain accesses.
 * Progress   wait-free, allocates nothing after it was made.
 * Invariant  what the kernel writes is what the loops in `hash-blocks.ts` write, bit for bit.
 */

/** Hashes blocks of slots in WebAssembly, in the memory in which they lie. */
export class KernelBlockHasher implements BlockHasher {
  readonly hashes: Int32Array;
  readonly #buffer: ArrayBufferLike;
  readonly #block: number;
  readonly #words: Uint32Array;
  readonly #hash: (block: number) => number;

  constructor({ buffer }: KernelMemory, room: number, capacity: number, instance: HashExports) {
    this.#buffer = buffer;
    this.#block = room;
    this.#words = new Uint32Array(buffer, room, HASH_OUT + 1);
    this.hashes = new Int32Array(buffer, room + HASH_ROOM_WORDS * 4, 2 * hashBlocks(capacity));
    this.#hash = instance.hash;
  }

  hash(job: HashJob): number {
    const words = this.#words;
    const { rows } = job;
    words[HASH_ALIVE] = this.#address(job.alive);
    words[HASH_PRESENCE] = this.#address(job.presence);
    words[HASH_WORDS] = job.words;
    words[HASH_ROWS] = this.#address(rows);
    words[HASH_ROW_BYTES] = job.width * rows.BYTES_PER_ELEMENT;
    words[HASH_KIND] = job.kind;
    words[HASH_PACKED] = job.isPacked ? 1 : 0;
    words[HASH_OUT] = this.hashes.byteOffset;
    return this.#hash(this.#block);
  }

  /** A kernel reads up to fifteen bytes behind what it is given: the room lies behind it all. */
  #address(array: HashJob['rows'] | Uint32Array): number {
    const end = array.byteOffset + array.byteLength;
    const isInside = array.buffer === this.#buffer && end <= this.#block;
    assert(isInside, 'a hash works on what lies before its room in the same memory');
    return array.byteOffset;
  }
}

interface HashExports {
  readonly hash: (block: number) => number;
}

/**
 * Opens the kernel over a memory, with its room, of {@link hashRoomBytes}, at byte `room`. Returns
 * undefined where the engine has no WebAssembly with SIMD or refuses to compile it, and for what is
 * no WebAssembly memory.
 */
export function openBlockHashKernel(
  memory: RegionMemory,
  room: number,
  capacity: number,
): KernelBlockHasher | undefined {
  if (!isKernelMemory(memory)) return undefined;
  const isShared =
    typeof SharedArrayBuffer !== 'undefined' && memory.buffer instanceof SharedArrayBuffer;
  const module = loadModule(HASH_KERNEL, isShared);
  if (module === undefined) return undefined;
  try {
    const instance = new WebAssembly.Instance(module, { env: { memory } });
    const exports = instance.exports as unknown as HashExports;
    return new KernelBlockHasher(memory, room, capacity, exports);
  } catch {
    // Some engines instantiate nothing of this size on a page's own thread.
    return undefined;
  }
}
