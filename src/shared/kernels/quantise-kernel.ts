import { createMemory, isKernelMemory } from '../region.ts';
import { loadModule } from './kernel-module.ts';
import { QUANTISE_TABLE } from './parameters.ts';
import { QUANTISE_KERNEL } from './quantise-kernel-bytes.ts';

/**
 * Quantises the listed rows of a field; see the sources of the kernel. Returns how many values were
 * clamped, or -1 for what it does not know.
 */
export type FieldKernel = (
  now: number,
  rows: number,
  count: number,
  first: number,
  second: number,
  tokens: number,
  stride: number,
  canonical: number,
  masks: number,
  bit: number,
) => number;

const TABLE_BYTES = 256;
/** The first byte that is free for tables. */
export const QUANTISE_BEGIN: number = QUANTISE_TABLE + TABLE_BYTES;

/** What the module exports. Places are bytes of its memory. */
interface QuantiseExports {
  readonly same: (left: number, right: number, count: number) => number;
  readonly list: (now: number, before: number, width: number, count: number, out: number) => number;
  readonly collect: (
    masks: number,
    count: number,
    stamp: number,
    stamps: number,
    rows: number,
    out: number,
  ) => number;
  readonly pack: (rows: number, count: number, ids: number, tokens: number, out: number) => void;
  readonly words: FieldKernel;
  readonly quantise: FieldKernel;
  readonly octahedral: FieldKernel;
}

/** The kernels of a tick of replication, with the memory that they work in. */
export interface QuantiseKernel {
  readonly buffer: ArrayBufferLike;
  readonly exports: QuantiseExports;
}

/** For each mask of four words: where the bytes of those with a bit are, from the first on. */
function fillTable(table: Uint8Array): void {
  for (let mask = 0; mask < 16; mask++) {
    let at = 16 * mask;
    for (let word = 0; word < 4; word++) {
      if (((mask >> word) & 1) === 0) continue;
      for (let byte = 0; byte < 4; byte++) table[at++] = 4 * word + byte;
    }
  }
}

/**
 * Opens the kernels over `bytes` of new memory, all zeros. Returns undefined where there is no
 * WebAssembly with SIMD, where a content security policy forbids to compile it, and where there is
 * not as much memory.
 */
export function openQuantiseKernel(bytes: number): QuantiseKernel | undefined {
  const module = loadModule(QUANTISE_KERNEL, false);
  if (module === undefined) return undefined;
  try {
    const memory = createMemory(bytes, false);
    if (!isKernelMemory(memory)) return undefined;
    fillTable(new Uint8Array(memory.buffer, QUANTISE_TABLE, TABLE_BYTES));
    const instance = new WebAssembly.Instance(module, { env: { memory } });
    return { buffer: memory.buffer, exports: instance.exports as unknown as QuantiseExports };
  } catch {
    // Some engines instantiate nothing of this size on a page's own thread.
    return undefined;
  }
}
