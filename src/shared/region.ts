import { EscapementError } from './error.ts';
import type { Layout } from './layout.ts';
import { HEADER, MAGIC } from './words.ts';

/*
 * Threads    any; creating is the host's, opening anyone's.
 * Memory     the whole region, viewed as bytes, 32-bit words and doubles.
 * Ordering   identity words are written before the region leaves its creator; the message that
 *            carries it orders them.
 * Progress   allocates once, never on a hot path.
 * Invariant  one region is one memory for the whole life of one run of a simulation.
 */

/** What backs a region. A `WebAssembly.Memory` lets kernels work on the same bytes. */
export type RegionMemory = KernelMemory | SharedArrayBuffer | ArrayBuffer;

/** A `WebAssembly.Memory`, as far as it is used here: its bytes. */
export interface KernelMemory {
  readonly buffer: ArrayBufferLike;
}

/** The one memory of one run of a simulation, with the views that all code shares. */
export class Region {
  readonly memory: RegionMemory;
  readonly buffer: ArrayBufferLike;
  readonly layout: Layout;
  /** Whether other threads see the same bytes. */
  readonly shared: boolean;
  readonly u8: Uint8Array;
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly f64: Float64Array;

  constructor(memory: RegionMemory, layout: Layout) {
    this.memory = memory;
    this.buffer = isKernelMemory(memory) ? memory.buffer : memory;
    this.layout = layout;
    this.shared =
      typeof SharedArrayBuffer !== 'undefined' && this.buffer instanceof SharedArrayBuffer;
    this.u8 = new Uint8Array(this.buffer);
    this.i32 = new Int32Array(this.buffer);
    this.u32 = new Uint32Array(this.buffer);
    this.f64 = new Float64Array(this.buffer);
  }

  /** Whether WebAssembly kernels can work on this region's bytes. */
  get hasKernels(): boolean {
    return isKernelMemory(this.memory);
  }
}

const PAGE_BYTES = 65536;
/** The most pages a 32-bit WebAssembly memory can have: 4 GiB. */
const PAGES_MAX = 65536;

/** Makes the memory of a region and writes its identity. Refuses layouts of 4 GiB and more. */
export function createRegion(layout: Layout, shared: boolean): Region {
  const pages = Math.ceil(layout.totalBytes / PAGE_BYTES);
  if (pages > PAGES_MAX) throw tooLarge(layout, undefined);
  const region = new Region(allocate(shared, layout), layout);
  region.i32[HEADER.magic] = MAGIC;
  region.u32[HEADER.layoutHashHigh] = layout.hashHigh;
  region.u32[HEADER.layoutHashLow] = layout.hashLow;
  region.i32[HEADER.current] = -1;
  return region;
}

/** Opens a region made elsewhere. Refuses one whose identity or layout differs from `layout`. */
export function openRegion(memory: RegionMemory, layout: Layout): Region {
  const region = new Region(memory, layout);
  const found = hashText(region.u32[HEADER.layoutHashHigh], region.u32[HEADER.layoutHashLow]);
  const wanted = hashText(layout.hashHigh, layout.hashLow);
  if (region.i32[HEADER.magic] !== MAGIC || found !== wanted) {
    throw new EscapementError(
      'LAYOUT_MISMATCH',
      'The two sides disagree about the memory layout.',
      {
        given: `layout ${found}`,
        allowed: `layout ${wanted}`,
        fix: 'Load the same version of escapement and of the simulation module on both threads.',
      },
    );
  }
  return region;
}

function hashText(high: number | undefined, low: number | undefined): string {
  const part = (value: number | undefined): string =>
    ((value ?? 0) >>> 0).toString(16).padStart(8, '0');
  return part(high) + part(low);
}

/** Whether WebAssembly kernels can work on a memory. */
export function isKernelMemory(memory: RegionMemory): memory is KernelMemory {
  return 'buffer' in memory;
}

/** Makes memory of whole pages, for kernels where there is WebAssembly. Throws RangeError. */
export function createMemory(bytes: number, shared: boolean): RegionMemory {
  const pages = Math.ceil(bytes / PAGE_BYTES);
  if (typeof WebAssembly !== 'undefined') {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared });
  }
  return shared ? new SharedArrayBuffer(pages * PAGE_BYTES) : new ArrayBuffer(pages * PAGE_BYTES);
}

function allocate(shared: boolean, layout: Layout): RegionMemory {
  try {
    return createMemory(layout.totalBytes, shared);
  } catch (cause) {
    throw tooLarge(layout, cause);
  }
}

function tooLarge(layout: Layout, cause: unknown): EscapementError {
  const mib = (layout.totalBytes / 2 ** 20).toFixed(0);
  return new EscapementError('CAPACITY_EXHAUSTED', 'The region does not fit into memory.', {
    given: `${mib} MiB for capacity ${layout.capacity} and ${layout.readers} readers`,
    allowed: 'less than 4 GiB, and what the engine grants',
    fix: 'Lower `capacity`, publish fewer components, or lower `readers`.',
    cause,
  });
}
