import { hasBit } from '../shared/bitset.ts';
import type { BlendRows } from '../shared/kernels/blend-rows.ts';
import { lerpFixed } from '../shared/math/fixed.ts';
import type { Column, ComponentSchema } from '../shared/schema.ts';
import { blendQuaternionF32, blendQuaternionF64, setShares, way } from './blend-quaternion.ts';

/*
 * Threads    the reader's own.
 * Memory     reads pinned slots and rosters, writes the reader's output or an array of the
 *            caller's.
 * Ordering   plain accesses under a pin.
 * Progress   wait-free, allocates nothing.
 * Invariant  every value lies between its two states; where the stamps differ it is the later one.
 */

/** One blend of one channel and where its rows go. Reused between calls. */
export interface BlendJob extends BlendRows {
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
  const { alpha } = job;
  const plain = job.dense && job.stride === schema.width && alpha > 0 && fround(alpha) < 1;
  if (plain && schema.blend === 'lerp' && schema.scalar === 'f32') blendDense(schema.width, job);
  else blendRows(schema, job);
}

/** The common case, as a loop the engine can unroll: consecutive rows of f32, nothing snaps. */
function blendDense(width: number, job: BlendJob): void {
  const { out, offset } = job;
  const earlier = job.earlier as Float32Array;
  const later = job.later as Float32Array;
  const t = fround(job.alpha);
  const length = job.count * width;
  for (let i = 0; i < length; i++) {
    const a = earlier[i] as number;
    out[offset + i] = fround(a + fround(fround((later[i] as number) - a) * t));
  }
}

function blendRows(schema: ComponentSchema, job: BlendJob): void {
  const { live, count, out, offset, stride } = job;
  const { width } = schema;
  way[0] = job.alpha;
  const whole = wholeState(schema, job.earlier, job.later);
  const missing = schema.scalar === 'f32' || schema.scalar === 'f64' ? Number.NaN : 0;
  setShares();
  for (let row = 0; row < count; row++) {
    const index = live[row] as number;
    const at = offset + row * stride;
    const from = index * width;
    if (job.checkPresence && !hasBit(job.presence, index)) {
      for (let i = 0; i < width; i++) out[at + i] = missing;
    } else if (
      (job.checkStamps && job.earlierStamps[index] !== job.laterStamps[index]) ||
      (job.checkUnblended && hasBit(job.unblended, index))
    ) {
      copyRow(job.later, from, width, out, at);
    } else if (whole === undefined) {
      blendNumbers(schema, job.earlier, job.later, from, out, at);
    } else {
      copyRow(whole, from, width, out, at);
    }
  }
}

/**
 * Blends one row: `width` numbers from element `from` of both columns to element `to` of `out`.
 * `moment` holds the position between them: as an argument of its own alpha would be boxed.
 */
export function blendRow(
  schema: ComponentSchema,
  earlier: Column,
  later: Column,
  from: number,
  moment: { readonly alpha: number },
  out: { [index: number]: number },
  to: number,
): void {
  way[0] = moment.alpha;
  const whole = wholeState(schema, earlier, later);
  if (whole === undefined) {
    setShares();
    blendNumbers(schema, earlier, later, from, out, to);
  } else {
    copyRow(whole, from, schema.width, out, to);
  }
}

/** The state that is shown as it is, if one is. */
function wholeState(
  { blend, scalar }: ComponentSchema,
  earlier: Column,
  later: Column,
): Column | undefined {
  const alpha = way[0] as number;
  if (alpha >= 1) return later;
  if (blend === 'step' || alpha <= 0) return earlier;
  const isRounded = scalar === 'f32' && blend === 'lerp';
  return isRounded && fround(alpha) >= 1 ? later : undefined;
}

/** Blends one row at the way that was set, which is between the states. */
function blendNumbers(
  { width, blend, scalar, period }: ComponentSchema,
  earlier: Column,
  later: Column,
  from: number,
  out: { [index: number]: number },
  to: number,
): void {
  const alpha = way[0] as number;
  if (blend === 'slerp' || blend === 'nlerp') {
    const straight = blend === 'nlerp';
    for (let i = 0; i < width; i += 4) {
      if (scalar === 'f32') blendQuaternionF32(earlier, later, from + i, straight, out, to + i);
      else blendQuaternionF64(earlier, later, from + i, straight, out, to + i);
    }
  } else if (blend === 'fixed') {
    // Half up, as the presentation contract rounds its alpha.
    const t = Math.floor(alpha * 65536 + 0.5);
    for (let i = 0; i < width; i++) {
      out[to + i] = lerpFixed(earlier[from + i] as number, later[from + i] as number, t);
    }
  } else if (blend === 'angle') {
    // The shortest way around; exactly half a turn goes the negative way. In [0, period).
    for (let i = 0; i < width; i++) {
      const a = earlier[from + i] as number;
      let difference = (later[from + i] as number) - a;
      difference -= period * Math.floor(difference / period + 0.5);
      const angle = a + difference * alpha;
      const wrapped = angle - period * Math.floor(angle / period);
      // A hair below 0 rounds up to a whole turn, or not at all.
      const inside = wrapped < 0 || wrapped >= period ? 0 : wrapped;
      out[to + i] = scalar === 'f32' ? fround(inside) : inside;
    }
  } else if (scalar === 'f32') {
    const t = fround(alpha);
    for (let i = 0; i < width; i++) {
      const a = earlier[from + i] as number;
      out[to + i] = fround(a + fround(fround((later[from + i] as number) - a) * t));
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
