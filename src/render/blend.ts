import { hasBit } from '../shared/bitset.ts';
import { lerpFixed } from '../shared/math/fixed.ts';
import { atan2, sin } from '../shared/math/trig.ts';
import type { Column, ComponentSchema } from '../shared/schema.ts';

/*
 * Threads    the reader's own.
 * Memory     reads pinned slots and rosters, writes the reader's output or an array of the
 *            caller's.
 * Ordering   plain accesses under a pin.
 * Progress   wait-free, allocates nothing.
 * Invariant  every value lies between its two states; where the stamps differ it is the later one.
 */

/** One blend of one channel: where from, where to, for whom, how far. Reused between calls. */
export interface BlendJob {
  /** Columns of the earlier and the later tick, by slot index. */
  earlier: Column;
  later: Column;
  /** Position between them, in [0, 1]. */
  alpha: number;
  /** Slot indices, ascending, the first `count` of them. */
  live: Uint32Array;
  count: number;
  /** Whether `live` is 0, 1, 2, ... and no row needs a second look. */
  dense: boolean;
  /** Stamps of both ticks by slot index; only looked at when `checkStamps`. */
  earlierStamps: Uint32Array;
  laterStamps: Uint32Array;
  checkStamps: boolean;
  /** Bits of the entities that have the component; only looked at when `checkPresence`. */
  presence: Uint32Array;
  checkPresence: boolean;
  /** Bits of the entities that opted out of blending; only looked at when `checkUnblended`. */
  unblended: Uint32Array;
  checkUnblended: boolean;
  out: { [index: number]: number };
  /** Elements between two rows of `out`, and where the first row begins. */
  stride: number;
  offset: number;
}

const { fround } = Math;

/**
 * Blends a channel for every living entity into `job.out`, one row each in the order of `live`.
 * An entity without the component gets NaN (0 in an integer column).
 */
export function blendChannel(schema: ComponentSchema, job: BlendJob): void {
  if (job.dense && schema.blend === 'lerp' && schema.scalar === 'f32')
    blendDense(schema.width, job);
  else blendRows(schema, job);
}

/** The common case, as a loop the engine can unroll: consecutive rows of f32, nothing snaps. */
function blendDense(width: number, job: BlendJob): void {
  const { out, offset, stride, count } = job;
  const earlier = job.earlier as Float32Array;
  const later = job.later as Float32Array;
  const alpha = fround(job.alpha);
  if (stride === width && alpha < 1) {
    const length = count * width;
    for (let i = 0; i < length; i++) {
      const a = earlier[i] as number;
      out[offset + i] = fround(a + fround(fround((later[i] as number) - a) * alpha));
    }
    return;
  }
  for (let row = 0; row < count; row++) {
    for (let i = 0; i < width; i++) {
      const a = earlier[row * width + i] as number;
      const b = later[row * width + i] as number;
      out[offset + row * stride + i] = alpha < 1 ? fround(a + fround(fround(b - a) * alpha)) : b;
    }
  }
}

function blendRows(schema: ComponentSchema, job: BlendJob): void {
  const { live, count, out, offset, stride } = job;
  const { width } = schema;
  for (let row = 0; row < count; row++) {
    const index = live[row] as number;
    const at = offset + row * stride;
    if (job.checkPresence && !hasBit(job.presence, index)) {
      for (let i = 0; i < width; i++) out[at + i] = Number.NaN;
    } else if (
      (job.checkStamps && job.earlierStamps[index] !== job.laterStamps[index]) ||
      (job.checkUnblended && hasBit(job.unblended, index))
    ) {
      copyRow(job.later, index * width, width, out, at);
    } else {
      blendRow(schema, job.earlier, job.later, index * width, job.alpha, out, at);
    }
  }
}

/** Blends one row: `width` numbers from element `from` of both columns to element `to` of `out`. */
export function blendRow(
  schema: ComponentSchema,
  earlier: Column,
  later: Column,
  from: number,
  alpha: number,
  out: { [index: number]: number },
  to: number,
): void {
  const { width, blend, scalar, period } = schema;
  if (alpha >= 1) {
    copyRow(later, from, width, out, to);
  } else if (blend === 'step' || alpha <= 0) {
    copyRow(earlier, from, width, out, to);
  } else if (blend === 'slerp' || blend === 'nlerp') {
    const straight = blend === 'nlerp';
    for (let i = 0; i < width; i += 4) {
      slerpElement(earlier, later, from + i, straight, alpha, out, to + i);
    }
  } else if (blend === 'fixed') {
    // Half up, as the presentation contract rounds its alpha.
    const t = Math.floor(alpha * 65536 + 0.5);
    for (let i = 0; i < width; i++) {
      out[to + i] = lerpFixed(earlier[from + i] as number, later[from + i] as number, t);
    }
  } else if (blend === 'angle') {
    for (let i = 0; i < width; i++) {
      const a = earlier[from + i] as number;
      out[to + i] = blendAngle(a, later[from + i] as number, alpha, period);
    }
  } else if (scalar === 'f32') {
    const t = fround(alpha);
    for (let i = 0; i < width; i++) {
      const a = earlier[from + i] as number;
      const b = later[from + i] as number;
      out[to + i] = t < 1 ? fround(a + fround(fround(b - a) * t)) : b;
    }
  } else {
    for (let i = 0; i < width; i++) {
      const a = earlier[from + i] as number;
      out[to + i] = a + ((later[from + i] as number) - a) * alpha;
    }
  }
}

/** Copies one row. */
export function copyRow(
  from: Column,
  at: number,
  width: number,
  out: { [index: number]: number },
  to: number,
): void {
  for (let i = 0; i < width; i++) out[to + i] = from[at + i] as number;
}

/** Blends the shortest way around; exactly half a turn goes the negative way. In [0, period). */
export function blendAngle(a: number, b: number, alpha: number, period: number): number {
  let difference = b - a;
  difference -= period * Math.floor(difference / period + 0.5);
  const angle = a + difference * alpha;
  const wrapped = angle - period * Math.floor(angle / period);
  // A hair below 0 rounds up to a whole turn, or not at all.
  return wrapped < 0 || wrapped >= period ? 0 : wrapped;
}

/**
 * Above this cosine the arc is straight to f32 precision, and dividing by its sine is not sound.
 */
const NEARLY_STRAIGHT = 0.9995;

/** Blends unit quaternions along the shortest arc; the result has length 1. */
function slerpElement(
  earlier: Column,
  later: Column,
  from: number,
  straight: boolean,
  alpha: number,
  out: { [index: number]: number },
  to: number,
): void {
  let dot = 0;
  for (let i = 0; i < 4; i++) dot += (earlier[from + i] as number) * (later[from + i] as number);
  const sign = dot < 0 ? -1 : 1;
  const cosine = Math.min(1, dot * sign);
  let weightA = 1 - alpha;
  let weightB = alpha * sign;
  if (!straight && cosine < NEARLY_STRAIGHT) {
    const sine = Math.sqrt(1 - cosine * cosine);
    const arc = atan2(sine, cosine);
    weightA = sin(weightA * arc) / sine;
    weightB = (sin(alpha * arc) / sine) * sign;
  }
  let squares = 0;
  for (let i = 0; i < 4; i++) {
    const value = (earlier[from + i] as number) * weightA + (later[from + i] as number) * weightB;
    squares += value * value;
    out[to + i] = value;
  }
  const scale = 1 / Math.sqrt(squares);
  for (let i = 0; i < 4; i++) out[to + i] = (out[to + i] as number) * scale;
}
