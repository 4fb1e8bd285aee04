import { hasBit } from '../shared/bitset.ts';
import type { Kernels } from '../shared/kernels/kernels.ts';
import { type Column, viewColumn } from '../shared/schema.ts';
import { type BlendJob, blendChannel, copyRow } from './blend.ts';
import type { Channel } from './channel.ts';
import type { Motions } from './motion-blend.ts';
import type { PinnedPair } from './pinned-pair.ts';
import type { ReaderOutputs } from './reader-outputs.ts';
import { emptyRows, type RowList } from './row-list.ts';

/*
 * Threads    the reader's own.
 * Memory     reads the pinned pair, writes this reader's output in the region or an array of the
 *            caller's.
 * Ordering   plain accesses under the view's pin.
 * Progress   wait-free; allocates nothing after it was made.
 * Invariant  row k is the entity of slot `rows.live[k]`, in every call.
 */

/** An array that rows are written into. */
export interface Room {
  [index: number]: number;
  readonly length: number;
}

/** Blends the rows of channels between the two ticks of a frame. */
export class BulkBlend {
  /** Everybody who is seen. */
  readonly all: RowList = { ...emptyRows(), isAll: true };
  readonly #pair: PinnedPair;
  readonly #channels: ReadonlyMap<string, Channel>;
  readonly #kernels: Kernels | undefined;
  readonly #motions: Motions;
  readonly #buffer: ArrayBufferLike;
  /** Room for four f32 a row that nobody needs between two calls. */
  readonly #room: Float32Array;
  /** Room for other channels, made when one is asked for in another type than its own. */
  readonly #spares: Map<Channel, Column> = new Map();
  readonly #job: BlendJob;

  constructor(
    pair: PinnedPair,
    channels: ReadonlyMap<string, Channel>,
    outputs: ReaderOutputs,
    motions: Motions,
  ) {
    this.#motions = motions;
    this.#pair = pair;
    this.#channels = channels;
    this.#buffer = outputs.buffer;
    this.#kernels = outputs.kernels;
    this.#room = outputs.orientations;
    const none = new Uint32Array(0);
    this.#job = {
      earlier: new Float32Array(0),
      later: new Float32Array(0),
      alpha: 0,
      live: none,
      count: 0,
      dense: false,
      earlierStamps: none,
      laterStamps: none,
      checkStamps: false,
      presence: none,
      checkPresence: false,
      unblended: none,
      checkUnblended: false,
      out: none,
      stride: 0,
      offset: 0,
    };
  }

  /**
   * Turns to the pair as it was opened, at the position between its ticks that `moment` holds: as
   * an argument of its own alpha would be boxed.
   */
  open(moment: { readonly alpha: number }): void {
    const { all } = this;
    const { live, count, highWater } = this.#pair.laterRoster;
    this.#job.alpha = moment.alpha;
    all.live = live;
    all.count = count;
    all.dense = count === highWater;
    for (const channel of this.#channels.values()) channel.blended = false;
  }

  /** Blends everybody's rows into the channel's output, once a frame, and returns that. */
  blendAll(channel: Channel): Column {
    const { output, schema } = channel;
    if (!channel.blended) {
      this.blend(channel, this.all, output, schema.width, 0);
      channel.blended = true;
    }
    return output;
  }

  /** Returns a channel's output at its exact length; made anew only when the count changed. */
  exactOutput(channel: Channel): Column {
    const length = this.all.count * channel.schema.width;
    if (channel.exact.length !== length) channel.exact = channel.output.subarray(0, length);
    return channel.exact;
  }

  /** Returns a channel's output without a row. */
  noOutput(channel: Channel): Column {
    if (channel.exact.length !== 0) channel.exact = channel.output.subarray(0, 0);
    return channel.exact;
  }

  /**
   * Blends rows into `out`, `stride` elements from row to row, from `offset` on. Rows of those who
   * lack the component, and of those who are not seen, are NaN (0 in an integer column).
   */
  blend(channel: Channel, rows: RowList, out: Room, stride: number, offset: number): void {
    const { schema } = channel;
    const job = this.#prepare(channel, rows);
    const motion = this.#motions.get(channel.componentIndex);
    const isPlain = motion === undefined || motion.isPlain(job);
    const packed = isPlain && stride === schema.width && offset === 0 && rows.ascending;
    const done = packed && this.#blendByKernel(channel, out as Column);
    if (!done) {
      job.out = out;
      job.stride = stride;
      job.offset = offset;
      if (motion === undefined) blendChannel(schema, job);
      else motion.blendRows(job);
    }
    if (!rows.isSeen) this.#voidUnseen(rows, schema.width, out, stride, offset);
  }

  /**
   * Blends rows into an array of the caller's. They are those of {@link blend} as the channel's own
   * type holds them, whatever the type of `out`.
   */
  blendInto(channel: Channel, rows: RowList, out: Room, stride: number, offset: number): void {
    const { width } = channel.schema;
    if (rows.isAll) {
      // Blended in the region and then moved: everybody's rows may be asked for again.
      this.blendAll(channel);
      const all = this.exactOutput(channel);
      if (stride === width && ArrayBuffer.isView(out)) (out as Column).set(all, offset);
      else copyRows(all, rows.count, width, out, stride, offset);
      return;
    }
    const room = this.#roomFor(channel, rows, out);
    if (room === undefined) {
      this.blend(channel, rows, out, stride, offset);
    } else {
      this.blend(channel, rows, room, width, 0);
      copyRows(room, rows.count, width, out, stride, offset);
    }
  }

  /** Returns where rows are blended before they are moved to `out`, if not in place. */
  #roomFor(channel: Channel, { ascending }: RowList, out: Room): Column | undefined {
    const { output, schema } = channel;
    const isSameType = out.constructor === output.constructor;
    if (schema.scalar === 'f32' && schema.width <= 4) {
      return isSameType && (this.#kernels === undefined || !ascending) ? undefined : this.#room;
    }
    if (isSameType) return undefined;
    let spare = this.#spares.get(channel);
    if (spare === undefined) {
      spare = viewColumn(new ArrayBuffer(output.byteLength), schema.scalar, 0, output.length);
      this.#spares.set(channel, spare);
    }
    return spare;
  }

  /** Whether all of these rows have a channel's component. */
  isComplete({ componentIndex }: Channel, rows: RowList): boolean {
    if (!rows.isSeen) return false;
    const { presence, alive, highWater } = this.#pair.laterRoster;
    const bits = presence[componentIndex] as Uint32Array;
    return isSubset(alive, bits, highWater) || hasAll(bits, rows);
  }

  /** Whether the entity of a row is seen and has a channel's component. */
  hasRow({ componentIndex }: Channel, rows: RowList, row: number): boolean {
    const { laterRoster } = this.#pair;
    const bits = laterRoster.presence[componentIndex] as Uint32Array;
    if (!hasBit(bits, rows.live[row] as number)) return false;
    return rows.isSeen || laterRoster.shows(rows.given[row] as number);
  }

  /** Kernels know the region's memory alone. */
  #blendByKernel({ schema }: Channel, out: Column): boolean {
    const kernels = this.#kernels;
    if (kernels === undefined || out.buffer !== this.#buffer) return false;
    return kernels.blend(schema, this.#job, out);
  }

  #prepare({ columns, componentIndex }: Channel, rows: RowList): BlendJob {
    const job = this.#job;
    const { earlierRoster: earlier, laterRoster: later, earlierSlot, laterSlot } = this.#pair;
    const presence = later.presence[componentIndex] as Uint32Array;
    job.earlier = columns[earlierSlot] as Column;
    job.later = columns[laterSlot] as Column;
    job.live = rows.live;
    job.count = rows.count;
    job.checkStamps = earlier.version !== later.version;
    job.earlierStamps = earlier.stamps;
    job.laterStamps = later.stamps;
    job.presence = presence;
    job.checkPresence = !isSubset(later.alive, presence, later.highWater);
    job.unblended = later.unblended;
    job.checkUnblended = later.unblendedCount > 0;
    job.dense = rows.dense && !job.checkStamps && !job.checkPresence && !job.checkUnblended;
    return job;
  }

  #voidUnseen(rows: RowList, width: number, out: Room, stride: number, offset: number): void {
    const { laterRoster } = this.#pair;
    for (let row = 0; row < rows.count; row++) {
      if (laterRoster.shows(rows.given[row] as number)) continue;
      for (let i = 0; i < width; i++) out[offset + row * stride + i] = Number.NaN;
    }
  }
}

/** Copies `count` rows that lie one behind the other to where each `stride` the next begins. */
export function copyRows(
  from: Column,
  count: number,
  width: number,
  out: Room,
  stride: number,
  offset: number,
): void {
  // Of one type, for the engine to know.
  if (from instanceof Float32Array && out instanceof Float32Array) {
    copyFloats(from, count, width, out, stride, offset);
    return;
  }
  for (let row = 0; row < count; row++) {
    copyRow(from, row * width, width, out, offset + row * stride);
  }
}

function copyFloats(
  from: Float32Array,
  count: number,
  width: number,
  out: Float32Array,
  stride: number,
  offset: number,
): void {
  if (stride === width) {
    const length = count * width;
    for (let i = 0; i < length; i++) out[offset + i] = from[i] as number;
    return;
  }
  for (let row = 0; row < count; row++) {
    const to = offset + row * stride;
    for (let i = 0; i < width; i++) out[to + i] = from[row * width + i] as number;
  }
}

/** Whether all of the first `count` bits that are set in `some` are set in `all`. */
function isSubset(some: Uint32Array, all: Uint32Array, count: number): boolean {
  for (let word = 0; word * 32 < count; word++) {
    if (((some[word] as number) & ~(all[word] as number)) !== 0) return false;
  }
  return true;
}

function hasAll(bits: Uint32Array, { live, count }: RowList): boolean {
  for (let row = 0; row < count; row++) if (!hasBit(bits, live[row] as number)) return false;
  return true;
}
