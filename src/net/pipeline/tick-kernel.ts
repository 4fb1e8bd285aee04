import {
  type FieldKernel,
  openQuantiseKernel,
  QUANTISE_BEGIN,
  type QuantiseKernel,
} from '../../shared/kernels/quantise-kernel.ts';
import type { FieldColumn } from '../record/field-codec.ts';
import type { FieldShape, RecordShape } from '../record/record-shape.ts';
import type { RecordPacker, TokenTable } from '../record/token-table.ts';
import { copyWords } from '../snapshot/copy-words.ts';
import type { Lineage } from '../snapshot/lineage.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { ByteBuffer } from '../wire/byte-buffer.ts';
import type { FieldStage } from './field-stage.ts';

/** A field in the kernel's memory; addresses are bytes. */
interface FieldPlace {
  readonly kernel: FieldKernel | null;
  /** What the kernel is told of the codec. */
  readonly first: number;
  readonly second: number;
  readonly width: number;
  readonly rows: number;
  readonly canonical: number;
  readonly tokens: number;
}

/** The tables of a tick's source, which a kernel takes to its memory. */
export interface TickTables {
  readonly source: Snapshot;
  readonly canonical: Snapshot;
  readonly tokens: TokenTable;
  readonly lineage: Lineage;
  readonly stages: readonly FieldStage[];
}

/** Words behind each array that a kernel may touch. */
const SLACK = 4;
const AXIS_WORDS = 16;

/**
 * The loops of a load in WebAssembly, over tables that lie in its memory. Made for a count of rows;
 * a larger population needs another one. What it writes is what the loops in JavaScript write, bit
 * for bit.
 */
export class TickKernel implements RecordPacker {
  /** Entities that there is room for. */
  readonly room: number;
  /** Takes the columns of a tick before they are compared. */
  incoming: readonly FieldColumn[];
  /** The fields of each row whose canonical values the load changes. */
  readonly masks: Uint32Array;
  readonly #exports: QuantiseKernel['exports'];
  readonly #fields: readonly FieldPlace[];
  readonly #ids: Uint32Array;
  readonly #incomingIds: Uint32Array;
  readonly #tables: TickTables;
  readonly #packedRows: Uint32Array;
  /** Views of the same bytes, each half as long as the one before: so none is made a call. */
  readonly #packed: readonly Uint8Array[];

  /** Takes the tables to its memory, with what is in them. */
  constructor(shape: RecordShape, room: number, tables: TickTables, kernel: QuantiseKernel) {
    const placer = new Placer(kernel.buffer);
    const { source, canonical, tokens, lineage, stages } = tables;
    this.room = room;
    this.#tables = tables;
    this.#exports = kernel.exports;
    this.#ids = placer.keep(source.ids, room);
    this.#incomingIds = placer.words(room);
    source.ids = this.#ids;
    canonical.ids = placer.keep(canonical.ids, room);
    source.columns = shape.fields.map((field) => placer.column(field, source, room));
    canonical.columns = shape.fields.map((field) => placer.column(field, canonical, room));
    this.incoming = shape.fields.map((field) => placer.column(field, null, room));
    tokens.ids = placer.keep(tokens.ids, room);
    tokens.tokens = placer.keep(tokens.tokens, room * tokens.laneCount);
    tokens.packer = this;
    this.masks = placer.words(room);
    this.#packedRows = placer.words(room);
    const packed = placer.words(room * 4);
    const lengths = Array.from({ length: 8 }, (_, half) => packed.byteLength >> half);
    this.#packed = lengths.map((it) => new Uint8Array(packed.buffer, packed.byteOffset, it));
    lineage.stamps = placer.keep(lineage.stamps, room);
    lineage.rows = placer.keep(lineage.rows, room);
    lineage.masks = placer.keep(lineage.masks, room);
    for (const stage of stages) stage.rows = placer.words(room);
    this.#fields = stages.map((stage) => this.#place(stage, placer));
  }

  /** Says whether the ids are those of the source, as many as it has. */
  hasSameIds(snapshot: Snapshot): boolean {
    if (snapshot.ids !== this.#incomingIds) this.#incomingIds.set(snapshot.ids);
    const { same } = this.#exports;
    return same(this.#incomingIds.byteOffset, this.#ids.byteOffset, snapshot.count) === 1;
  }

  /** Gives a snapshot the memory that ticks are taken to, so that it need not be copied. */
  lend(snapshot: Snapshot): void {
    snapshot.ids = this.#incomingIds;
    snapshot.columns = this.incoming;
  }

  /** Takes the columns of a tick. */
  take(snapshot: Snapshot): void {
    const { incoming } = this;
    if (snapshot.columns === incoming) return;
    for (let index = 0; index < incoming.length; index++)
      (incoming[index] as FieldColumn).bits.set((snapshot.columns[index] as FieldColumn).bits);
  }

  /** Lists the changed rows of a stage; false: there is no kernel for as many numbers. */
  list(stage: FieldStage, count: number): boolean {
    const { index } = stage.field;
    const { width, rows } = this.#fields[index] as FieldPlace;
    if (width > 4) return false;
    const now = (this.incoming[index] as FieldColumn).bits.byteOffset;
    const before = (this.#tables.source.columns[index] as FieldColumn).bits.byteOffset;
    stage.count = this.#exports.list(now, before, width, count, rows);
    return true;
  }

  /** Quantises the listed rows; returns how many values were clamped, or -1: it could not. */
  requantise(stage: FieldStage): number {
    const { index } = stage.field;
    const { kernel, first, second, rows, canonical, tokens } = this.#fields[index] as FieldPlace;
    if (kernel === null) return -1;
    return kernel(
      (this.incoming[index] as FieldColumn).bits.byteOffset,
      rows,
      stage.count,
      first,
      second,
      tokens,
      this.#tables.tokens.laneCount << 2,
      canonical,
      this.masks.byteOffset,
      1 << index,
    );
  }

  /** Makes what was taken the source; that one is written over by the next tick. */
  turn(): void {
    const { source } = this.#tables;
    const before = source.columns;
    source.columns = this.incoming;
    this.incoming = before;
  }

  /** Lists and stamps what the load changed. */
  collect(count: number): void {
    const { lineage } = this.#tables;
    lineage.count = this.#exports.collect(
      this.masks.byteOffset,
      count,
      lineage.load,
      lineage.stamps.byteOffset,
      lineage.rows.byteOffset,
      lineage.masks.byteOffset,
    );
  }

  pack(rows: Uint32Array, count: number, out: ByteBuffer, at: number): number {
    const { tokens } = this.#tables;
    const bytes = count * 16;
    let half = 0;
    while (half + 1 < this.#packed.length && bytesAt(this.#packed, half + 1) >= bytes) half++;
    const packed = this.#packed[half] as Uint8Array;
    copyWords(rows, this.#packedRows, count);
    this.#exports.pack(
      this.#packedRows.byteOffset,
      count,
      tokens.ids.byteOffset,
      tokens.tokens.byteOffset,
      packed.byteOffset,
    );
    out.length = at;
    out.reserve(at + packed.length);
    out.bytes.set(packed, at);
    return at + bytes;
  }

  #place(stage: FieldStage, placer: Placer): FieldPlace {
    const { canonical, tokens } = this.#tables;
    const { codec, index, lane } = stage.field;
    const { words, quantise, octahedral } = this.#exports;
    const { width, form } = codec;
    let kernel: FieldKernel | null = null;
    let first: number = width;
    let second = 0;
    if (form?.kind === 'words') {
      kernel = words;
      second = form.max | 0;
    } else if (form?.kind === 'linear') {
      kernel = quantise;
      const axes = placer.words(AXIS_WORDS);
      new Float32Array(axes.buffer, axes.byteOffset, AXIS_WORDS).set(linearTable(form.axes));
      second = axes.byteOffset;
    } else if (form?.kind === 'octahedral') {
      kernel = octahedral;
      first = form.bits;
      second = form.keepsRim ? 0 : 1;
    }
    return {
      kernel,
      first,
      second,
      width,
      rows: stage.rows.byteOffset,
      canonical: (canonical.columns[index] as FieldColumn).bits.byteOffset,
      tokens: tokens.tokens.byteOffset + lane * 4,
    };
  }
}

function bytesAt(views: readonly Uint8Array[], index: number): number {
  return (views[index] as Uint8Array).length;
}

/** Four vectors: min, max, extent and steps of up to four numbers. */
function linearTable(axes: Float64Array): Float32Array {
  const table = new Float32Array(AXIS_WORDS).fill(1);
  for (let at = 0; at < axes.length; at++) table[(at % 4) * 4 + (at >> 2)] = axes[at] as number;
  return table;
}

/** Gives out the memory of a kernel, from its beginning; 0 is no address. */
class Placer {
  readonly #buffer: ArrayBufferLike;
  #at = QUANTISE_BEGIN;

  constructor(buffer: ArrayBufferLike) {
    this.#buffer = buffer;
  }

  words(count: number): Uint32Array {
    const words = new Uint32Array(this.#buffer, this.#at, count);
    this.#at += bytesOf(count);
    return words;
  }

  keep(before: Uint32Array, count: number): Uint32Array {
    const words = this.words(count);
    words.set(before.subarray(0, count));
    return words;
  }

  column({ codec, index }: FieldShape, before: Snapshot | null, room: number): FieldColumn {
    const count = room * codec.width;
    const old = before?.columns[index];
    const bits = old === undefined ? this.words(count) : this.keep(old.bits, count);
    const { buffer, byteOffset } = bits;
    if (codec.scalar === 'f32')
      return { values: new Float32Array(buffer, byteOffset, count), bits };
    if (codec.scalar === 'i32') return { values: new Int32Array(buffer, byteOffset, count), bits };
    return { values: bits, bits };
  }
}

/** Bytes of an array with what a kernel may touch behind it, so that each begins at a vector. */
function bytesOf(count: number): number {
  return (Math.ceil(count / 4) * 4 + SLACK) * 4;
}

/** Makes a kernel for `room` entities. Returns undefined where there is none. */
export function openTickKernel(
  shape: RecordShape,
  room: number,
  tables: TickTables,
): TickKernel | undefined {
  const kernel = openQuantiseKernel(bytesFor(shape, room));
  return kernel === undefined ? undefined : new TickKernel(shape, room, tables, kernel);
}

/** Bytes of all that is placed. */
function bytesFor({ fields, lanes }: RecordShape, room: number): number {
  // Four of ids, masks, stamps, the rows and masks that changed, and the rows to be packed.
  let bytes = QUANTISE_BEGIN + 9 * bytesOf(room) + bytesOf(room * 4) + bytesOf(room * lanes.length);
  for (const { codec } of fields)
    bytes += 3 * bytesOf(room * codec.width) + bytesOf(room) + bytesOf(AXIS_WORDS);
  return bytes;
}
