import { Fnv64 } from './hash.ts';
import { placeRing, type RingBlock, ringBlockBytes } from './ring-block.ts';
import { type Schema, strideBytes } from './schema.ts';
import { placeTickets, type TicketBlock, TICKET_BLOCK_BYTES } from './ticket-block.ts';
import { HEADER_WORDS, LINE_BYTES, READER_WORDS } from './words.ts';

/** What the host decides about a region, beside the schema. */
export interface RegionOptions {
  /** Readers that can hold a frame at once, the host's own included. */
  readonly readers: number;
  readonly commandWords: number;
  readonly inputWords: number;
  readonly eventWords: number;
  readonly logWords: number;
}

/** Bytes of one record; see `record.ts` for its fields. */
export const RECORD_BYTES = 320;

/** Bytes before the lists of a roster; see `ROSTER_WORD`. */
export const ROSTER_HEADER_BYTES = 64;

/** Words of a roster's header. */
export const ROSTER_WORD = {
  liveCount: 0,
  /** One more than the highest living slot index: rows of the columns. */
  highWater: 1,
  /** One more than the highest slot index ever issued: rows of `handles`. */
  issued: 2,
  /** Raised by every change; equal versions are equal rosters. */
  version: 3,
} as const;

/**
 * Where everything lies in a region, in bytes unless the name says otherwise. Derived from the
 * schema and the options alone, so both sides compute it and compare its hash.
 *
 * A roster is the list that goes with a tick's columns: its header, then `live` (ascending slot
 * indices), `handles` (the last one issued at each slot) and `stamps` (raised by whatever must not
 * be blended across), the bitset of living slots, then one presence bitset per component.
 */
export interface Layout {
  readonly capacity: number;
  readonly readers: number;
  readonly recordCount: number;
  readonly slotCount: number;
  readonly readerBlocks: number;
  readonly records: number;
  readonly commands: RingBlock;
  readonly tickets: TicketBlock;
  readonly inputs: RingBlock;
  readonly events: RingBlock;
  readonly logs: RingBlock;
  /** The world's own roster and columns, written by systems. */
  readonly worldRoster: number;
  readonly worldRandom: number;
  readonly worldGlobals: number;
  readonly worldColumns: readonly number[];
  readonly rosterBytes: number;
  readonly rosterHandles: number;
  readonly rosterStamps: number;
  readonly rosterAlive: number;
  /** Offset of each component's presence bitset inside a roster. */
  readonly rosterPresence: readonly number[];
  readonly rosters: number;
  readonly slotBytes: number;
  /** Offset of the globals inside a slot. */
  readonly slotGlobals: number;
  /** Offset of each published channel's column inside a slot, by channel index. */
  readonly slotColumns: readonly number[];
  readonly slots: number;
  readonly outputBytes: number;
  /** Offset of each channel's blended column inside a reader's output, by channel index. */
  readonly outputColumns: readonly number[];
  readonly outputs: number;
  /** Byte offset of each global inside the globals block. */
  readonly globalOffsets: readonly number[];
  readonly globalsBytes: number;
  readonly totalBytes: number;
  readonly hashHigh: number;
  readonly hashLow: number;
}

/** Words of a generator's state kept in the world. */
const RANDOM_WORDS = 16;

class Cursor {
  offset = 0;

  take(bytes: number): number {
    const at = this.offset;
    this.offset = at + Math.ceil(bytes / LINE_BYTES) * LINE_BYTES;
    return at;
  }
}

/**
 * Computes the byte map of a region. Slots number 3 x readers + 6: each reader may pin a record
 * that names three slots, the record in force names three, and an advance of many ticks fills
 * three fresh ones before its record is published. Records number readers + 2.
 */
export function computeLayout(schema: Schema, options: RegionOptions): Layout {
  const { capacity } = schema;
  const { readers } = options;
  const cursor = new Cursor();
  cursor.take(HEADER_WORDS * 4);
  const readerBlocks = cursor.take(readers * READER_WORDS * 4);
  const recordCount = readers + 2;
  const records = cursor.take(recordCount * RECORD_BYTES);
  const ring = (words: number): RingBlock => placeRing(cursor.take(ringBlockBytes(words)), words);
  const commands = ring(options.commandWords);
  const tickets = placeTickets(cursor.take(TICKET_BLOCK_BYTES));
  const inputs = ring(options.inputWords);
  const events = ring(options.eventWords);
  const logs = ring(options.logWords);
  const roster = rosterMap(schema);
  const globals = globalsMap(schema);
  const worldRoster = cursor.take(roster.bytes);
  const worldRandom = cursor.take(RANDOM_WORDS * 4);
  const worldGlobals = cursor.take(globals.bytes);
  const worldColumns = schema.components.map((c) => cursor.take(capacity * strideBytes(c)));
  const slotCount = 3 * readers + 6;
  const rosters = cursor.take(slotCount * roster.bytes);
  const slot = slotMap(schema, globals.bytes);
  const slots = cursor.take(slotCount * slot.bytes);
  const outputs = cursor.take(readers * slot.outputBytes);
  const map = {
    capacity,
    readers,
    recordCount,
    slotCount,
    readerBlocks,
    records,
    commands,
    tickets,
    inputs,
    events,
    logs,
    worldRoster,
    worldRandom,
    worldGlobals,
    worldColumns,
    rosterBytes: roster.bytes,
    rosterHandles: roster.handles,
    rosterStamps: roster.stamps,
    rosterAlive: roster.alive,
    rosterPresence: roster.presence,
    rosters,
    slotBytes: slot.bytes,
    slotGlobals: 0,
    slotColumns: slot.columns,
    slots,
    outputBytes: slot.outputBytes,
    outputColumns: slot.outputColumns,
    outputs,
    globalOffsets: globals.offsets,
    globalsBytes: globals.bytes,
    totalBytes: cursor.offset,
  };
  const hash = new Fnv64();
  hash.string(JSON.stringify([LAYOUT_VERSION, schema, options, map]));
  return Object.freeze({ ...map, hashHigh: hash.high, hashLow: hash.low });
}

/** Raised by every change of the layout that the map itself does not show. */
const LAYOUT_VERSION = 1;

function rosterMap(schema: Schema): {
  bytes: number;
  handles: number;
  stamps: number;
  alive: number;
  presence: number[];
} {
  const cursor = new Cursor();
  cursor.take(ROSTER_HEADER_BYTES);
  cursor.take(schema.capacity * 4);
  const handles = cursor.take(schema.capacity * 4);
  const stamps = cursor.take(schema.capacity * 4);
  const bitsetBytes = Math.ceil(schema.capacity / 32) * 4;
  const alive = cursor.take(bitsetBytes);
  const presence = schema.components.map(() => cursor.take(bitsetBytes));
  return { bytes: cursor.offset, handles, stamps, alive, presence };
}

function globalsMap(schema: Schema): { bytes: number; offsets: number[] } {
  // Eight bytes a global whatever its type: no padding rule to remember, and there are few.
  const offsets = schema.globals.map((_, index) => index * 8);
  return {
    bytes: Math.ceil((offsets.length * 8) / LINE_BYTES) * LINE_BYTES,
    offsets,
  };
}

function slotMap(
  schema: Schema,
  globalsBytes: number,
): { bytes: number; columns: number[]; outputBytes: number; outputColumns: number[] } {
  const slot = new Cursor();
  const output = new Cursor();
  slot.take(globalsBytes);
  const columns: number[] = [];
  const outputColumns: number[] = [];
  for (const component of publishedComponents(schema)) {
    const bytes = schema.capacity * strideBytes(component);
    columns.push(slot.take(bytes));
    outputColumns.push(output.take(bytes));
  }
  return {
    bytes: slot.offset,
    columns,
    outputBytes: Math.max(LINE_BYTES, output.offset),
    outputColumns,
  };
}

/** Returns the published components in the order of their channel index. */
export function publishedComponents(schema: Schema): Schema['components'] {
  return schema.components
    .filter((component) => component.channelIndex >= 0)
    .sort((a, b) => a.channelIndex - b.channelIndex);
}
