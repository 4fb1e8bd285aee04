import { assert } from '../assert.ts';
import type { Region } from '../region.ts';
import type { Column, ComponentSchema } from '../schema.ts';
import type { BlendRows } from './blend-rows.ts';
import type { ComposeJob } from './compose.ts';
import { type CullJob, FRUSTUM_NUMBERS, moveBounds } from './cull.ts';
import {
  ARC_0,
  ARC_1,
  ARC_2,
  ARC_3,
  ARC_4,
  ARC_5,
  ARC_6,
  SINC_1,
  SINC_2,
  SINC_3,
  SINC_4,
} from './coefficients.ts';
import { VIEW_KERNELS } from './kernel-bytes.ts';
import { loadModule } from './kernel-module.ts';
import {
  BLEND_ALPHA,
  BLEND_COUNT,
  BLEND_EARLIER_STAMPS,
  BLEND_FROM,
  BLEND_KIND,
  BLEND_LATER,
  BLEND_LATER_STAMPS,
  BLEND_LIVE,
  BLEND_MISSING,
  BLEND_OUT,
  BLEND_PERIOD,
  BLEND_PRESENCE,
  BLEND_ROW_BYTES,
  BLEND_TABLE,
  BLEND_UNBLENDED,
  BLEND_WIDTH,
  COMPOSE_COUNT,
  COMPOSE_ORIENTATION,
  COMPOSE_OUT,
  COMPOSE_POSITION,
  COMPOSE_POSITION_WIDTH,
  COMPOSE_QUARTERS,
  COMPOSE_ROWS,
  COMPOSE_SCALE,
  COMPOSE_SCALE_WIDTH,
  COMPOSE_TURN,
  CULL_BOUNDS,
  CULL_COUNT,
  CULL_FRUSTUM,
  CULL_OUT,
  CULL_POSITION,
  CULL_ROWS,
  CULL_WIDTH,
  KIND_ANGLE,
  KIND_COPY,
  KIND_FIXED,
  KIND_LERP,
  KIND_NLERP,
  KIND_SLERP,
  TURN_ANGLE,
  TURN_NONE,
  TURN_QUATERNION,
} from './parameters.ts';

/*
 * Threads    the reader's own.
 * Memory     reads pinned slots and rosters, writes this reader's scratch and output.
 * Ordering   plain accesses under the view's pin.
 * Progress   wait-free, allocates nothing after it was made.
 * Invariant  what a kernel writes is what the plain loops beside it write, bit for bit.
 */

/** What the module exports: each takes the address of its parameters. */
interface KernelExports {
  readonly blend: (block: number) => void;
  readonly compose: (block: number) => void;
  readonly cull: (block: number) => number;
}

/** The second part of the table of a blend of quaternions. */
const QUATERNION_COEFFICIENTS: Float32Array = Float32Array.from([
  ARC_0,
  ARC_1,
  ARC_2,
  ARC_3,
  ARC_4,
  ARC_5,
  ARC_6,
  SINC_1,
  SINC_2,
  SINC_3,
  SINC_4,
]);
/** No way to blend by a kernel. */
const KIND_NONE = -1;
/** The upper and the lower half of NaN as f64, and NaN as f32. */
const NAN_HIGH = 0x7ff80000;
const NAN_F32 = 0x7fc00000;

/** Kernels over one region, for one reader: loops in WebAssembly, four numbers at a time. */
export class Kernels {
  readonly #buffer: ArrayBufferLike;
  readonly #u32: Uint32Array;
  readonly #f64: Float64Array;
  readonly #table: Float32Array;
  readonly #bounds: Float32Array;
  readonly #block: number;
  readonly #exports: KernelExports;

  constructor(region: Region, scratch: number, exports: KernelExports) {
    const { buffer } = region;
    this.#buffer = buffer;
    this.#u32 = new Uint32Array(buffer, scratch, CULL_BOUNDS);
    this.#f64 = new Float64Array(buffer, scratch, CULL_BOUNDS / 2);
    this.#table = new Float32Array(buffer, scratch + BLEND_TABLE * 4, 15);
    this.#bounds = new Float32Array(buffer, scratch + CULL_BOUNDS * 4, FRUSTUM_NUMBERS);
    this.#block = scratch;
    this.#exports = exports;
  }

  /**
   * Blends rows into `out`, one behind the other. Returns false, and does nothing, where no kernel
   * exists for the channel. Every array must lie in the region.
   */
  blend(schema: ComponentSchema, rows: BlendRows, out: Column): boolean {
    let kind = kindOf(schema);
    if (kind === KIND_NONE) return false;
    const { alpha } = rows;
    const words = this.#u32;
    const isWhole = alpha >= 1 || (kind === KIND_LERP && Math.fround(alpha) >= 1);
    if (isWhole || alpha <= 0) kind = KIND_COPY;
    const snaps = !isWhole;
    words[BLEND_KIND] = kind;
    words[BLEND_FROM] = this.#address(isWhole ? rows.later : rows.earlier);
    words[BLEND_LATER] = this.#address(rows.later);
    words[BLEND_OUT] = this.#address(out);
    words[BLEND_LIVE] = rows.dense ? 0 : this.#address(rows.live);
    words[BLEND_COUNT] = rows.count;
    words[BLEND_WIDTH] = schema.width;
    words[BLEND_ROW_BYTES] = schema.width * out.BYTES_PER_ELEMENT;
    const stamps = snaps && rows.checkStamps;
    words[BLEND_EARLIER_STAMPS] = stamps ? this.#address(rows.earlierStamps) : 0;
    words[BLEND_LATER_STAMPS] = stamps ? this.#address(rows.laterStamps) : 0;
    words[BLEND_PRESENCE] = rows.checkPresence ? this.#address(rows.presence) : 0;
    words[BLEND_UNBLENDED] = snaps && rows.checkUnblended ? this.#address(rows.unblended) : 0;
    const { scalar } = schema;
    words[BLEND_MISSING] = scalar === 'f32' ? NAN_F32 : 0;
    words[BLEND_MISSING + 1] = scalar === 'f32' ? NAN_F32 : scalar === 'f64' ? NAN_HIGH : 0;
    if (kind === KIND_SLERP || kind === KIND_NLERP) this.#setTable(rows);
    this.#f64[BLEND_ALPHA / 2] = alpha;
    this.#f64[BLEND_PERIOD / 2] = schema.period;
    this.#exports.blend(this.#block);
    return true;
  }

  #setTable({ alpha }: BlendRows): void {
    const table = this.#table;
    const t = Math.fround(alpha);
    const s = Math.fround(1 - t);
    table[0] = t;
    table[1] = s;
    table[2] = t * t;
    table[3] = s * s;
    table.set(QUATERNION_COEFFICIENTS, 4);
  }

  /** Composes matrices as `composeMatrices` does. Every array used must lie in the region. */
  compose(job: ComposeJob): void {
    const words = this.#u32;
    const { turn, scaleWidth } = job;
    words[COMPOSE_POSITION] = this.#address(job.position);
    words[COMPOSE_POSITION_WIDTH] = job.positionWidth;
    words[COMPOSE_ORIENTATION] = turn === 'none' ? 0 : this.#address(job.orientation);
    words[COMPOSE_TURN] =
      turn === 'quaternion' ? TURN_QUATERNION : turn === 'angle' ? TURN_ANGLE : TURN_NONE;
    words[COMPOSE_SCALE] = scaleWidth === 0 ? 0 : this.#address(job.scale);
    words[COMPOSE_SCALE_WIDTH] = scaleWidth;
    words[COMPOSE_ROWS] = job.listed ? this.#address(job.rows) : 0;
    words[COMPOSE_COUNT] = job.count;
    words[COMPOSE_OUT] = this.#address(job.out);
    this.#f64[COMPOSE_QUARTERS / 2] = 4 / job.period;
    this.#exports.compose(this.#block);
  }

  /** Culls positions as `cullRows` does. Positions and both lists must lie in the region. */
  cull(job: CullJob): number {
    const words = this.#u32;
    words[CULL_POSITION] = this.#address(job.position);
    words[CULL_WIDTH] = job.positionWidth;
    words[CULL_ROWS] = job.listed ? this.#address(job.rows) : 0;
    words[CULL_COUNT] = job.count;
    words[CULL_OUT] = this.#address(job.out);
    words[CULL_FRUSTUM] = job.shape === 'frustum' ? 1 : 0;
    moveBounds(job, this.#bounds, 0);
    return this.#exports.cull(this.#block);
  }

  /** A kernel knows no bounds but the memory's: what lies elsewhere would be written over. */
  #address(array: Column): number {
    assert(array.buffer === this.#buffer, 'a kernel works on its own region alone');
    return array.byteOffset;
  }
}

/**
 * Opens the kernels of a region for the reader whose scratch begins at byte `scratch`. Returns
 * undefined where there is no WebAssembly with SIMD, where a content security policy forbids to
 * compile it, and for a region that no kernel can work on.
 */
export function openKernels(region: Region, scratch: number): Kernels | undefined {
  if (!region.hasKernels) return undefined;
  const module = loadModule(VIEW_KERNELS, region.shared);
  if (module === undefined) return undefined;
  try {
    const instance = new WebAssembly.Instance(module, { env: { memory: region.memory } });
    return new Kernels(region, scratch, instance.exports as unknown as KernelExports);
  } catch {
    // Some engines instantiate nothing of this size on a page's own thread.
    return undefined;
  }
}

function kindOf({ blend, scalar, width }: ComponentSchema): number {
  switch (blend) {
    case 'step':
      return KIND_COPY;
    case 'fixed':
      return scalar === 'fixed' ? KIND_FIXED : KIND_NONE;
    default:
  }
  if (scalar !== 'f32') return KIND_NONE;
  if (blend === 'lerp') return KIND_LERP;
  if (blend === 'angle') return KIND_ANGLE;
  if (width % 4 !== 0) return KIND_NONE;
  return blend === 'slerp' ? KIND_SLERP : KIND_NLERP;
}
