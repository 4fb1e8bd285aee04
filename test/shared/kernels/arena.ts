import { type Kernels, openKernels } from '../../../src/shared/kernels/kernels.ts';
import { computeLayout, OUTPUT_SCRATCH_BYTES } from '../../../src/shared/layout.ts';
import { createRegion, type Region } from '../../../src/shared/region.ts';
import { type Column, type ScalarType, viewColumn } from '../../../src/shared/schema.ts';

/** Bytes that are never handed out. */
const SPARE_BYTES = 1024;

/** Bytes in a memory that kernels work on, handed out one array after the other. */
export class Arena {
  readonly region: Region;
  readonly kernels: Kernels;
  #next = OUTPUT_SCRATCH_BYTES;

  constructor(shared: boolean) {
    // Nobody else uses the region: arrays lie where the arena puts them, not as its layout says.
    this.region = createRegion(computeLayout(SCHEMA, OPTIONS), shared);
    const kernels = openKernels(this.region, 0);
    if (kernels === undefined) throw new Error('this engine has no kernels');
    this.kernels = kernels;
  }

  /** Begins again: what was handed out is handed out anew. */
  clear(): void {
    this.#next = OUTPUT_SCRATCH_BYTES;
    this.region.u8.fill(0xa5);
  }

  /** Room for some numbers, at no better alignment than theirs, with bytes behind that stay. */
  room(scalar: ScalarType, length: number): Column {
    const size = scalar === 'f64' ? 8 : 4;
    const at = Math.ceil((this.#next + 8) / size) * size;
    const column = viewColumn(this.region.buffer, scalar, at, length);
    this.#next = at + column.byteLength;
    if (this.#next > this.region.u8.length - SPARE_BYTES) throw new Error('the arena is full');
    return column;
  }

  /** Room that holds some numbers. */
  place(scalar: ScalarType, numbers: ArrayLike<number>): Column {
    const column = this.room(scalar, numbers.length);
    column.set(numbers);
    return column;
  }
}

const SCHEMA = {
  name: 'arena',
  capacity: 1024,
  quantum: { numerator: 1, denominator: 60 },
  components: [],
  globals: [],
  inputs: [],
  events: [],
  params: {},
  systems: [],
  changes: false,
};

const OPTIONS = {
  readers: 1,
  controllers: 1,
  followers: 1,
  commandWords: 64,
  inputWords: 64,
  eventWords: 64,
  logWords: 64,
  traceWords: 64,
};

/** The bits of numbers, with one pattern for every NaN: engines choose its sign and payload. */
export function bitsOf(column: Column): number[] {
  const { buffer, byteOffset, byteLength } = column;
  if (column instanceof Float64Array) {
    const words = new Uint32Array(buffer, byteOffset, byteLength / 4);
    return Array.from(words, (word, i) => (Number.isNaN(column[i >> 1]) ? 0x7ff80000 : word));
  }
  if (!(column instanceof Float32Array)) return [...column];
  const words = new Uint32Array(buffer, byteOffset, byteLength / 4);
  return Array.from(words, (word, i) => (Number.isNaN(column[i]) ? 0x7fc00000 : word));
}
