import { assert } from './assert.ts';
import { Fnv64 } from './hash.ts';
import { hashRoomBytes } from './kernels/hash-blocks.ts';
import { placeRing, type RingBlock, ringBlockBytes } from './ring-block.ts';
import { type Schema, strideBytes } from './schema.ts';
import { LineCursor } from './line-cursor.ts';
import { type ControllerBlock, controllerBytes, placeController } from './controller-block.ts';
import { FOLLOWER_WORDS, HEADER_WORDS, READER_WORDS } from './words.ts';
import { mapRoster, placeWorld, type RosterMap, type WorldMap } from './world-map.ts';

/** What the host decides about a region, beside the schema. */
export interface RegionOptions {
  /** Readers that can hold a frame at once, the host's own included. */
  readonly readers: number;
  /** Threads that can send commands at once, the host's own included. */
  readonly controllers: number;
  /** Followers that can be attached at once, on all threads together. */
  readonly followers: number;
  readonly commandWords: number;
  readonly inputWords: number;
  readonly eventWords: number;
  readonly logWords: number;
  /** Of the ring that a recording goes through. */
  readonly traceWords: number;
}

/** Bytes of a matrix: 16 f32. */
const MATRIX_BYTES = 64;
/** Bytes of a reader's room for the small arguments of a kernel, such as planes. */
export const OUTPUT_SCRATCH_BYTES = 256;

/** Bytes of one record; see `record.ts` for its fields. */
export const RECORD_BYTES = 320;

/**
 * Where everything lies in a region, in bytes unless the name says otherwise. Derived from the
 * schema and the options alone, so both sides compute it and compare its hash.
 */
export interface Layout {
  readonly capacity: number;
  readonly readers: number;
  readonly recordCount: number;
  readonly slotCount: number;
  readonly readerBlocks: number;
  readonly records: number;
  /** Number 0 is the host's. */
  readonly controllers: readonly ControllerBlock[];
  readonly followerCount: number;
  /** The first follower's block; the others lie behind it. */
  readonly followerBlocks: number;
  readonly inputs: RingBlock;
  readonly events: RingBlock;
  readonly logs: RingBlock;
  /** What is recorded of a run: inputs as they are consumed, and hashes. */
  readonly trace: RingBlock;
  /** The world's own block, written by systems. */
  readonly world: WorldMap;
  /** Room behind the world for the kernel that hashes it. */
  readonly hashRoom: number;
  /** What lies where inside each published roster. */
  readonly roster: RosterMap;
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
  /** Offset of a reader's matrices inside its output: 16 f32 a row. */
  readonly outputMatrices: number;
  /**
   * Offsets of a reader's parts of matrices inside its output: three f32 a row, four, and three.
   */
  readonly outputParts: readonly [number, number, number];
  /** Offsets of a reader's two lists of slots or rows inside its output: a u32 each. */
  readonly outputRows: readonly [number, number];
  /** Offset of {@link OUTPUT_SCRATCH_BYTES} bytes for small arguments inside a reader's output. */
  readonly outputScratch: number;
  readonly outputs: number;
  readonly totalBytes: number;
  readonly hashHigh: number;
  readonly hashLow: number;
}

/**
 * Computes the byte map of a region. Slots number 3 x readers + 6: each reader may pin a record
 * that names three slots, the record in force names three, and an advance of many ticks fills
 * three fresh ones before its record is published. Records number readers + 2.
 */
export function computeLayout(schema: Schema, options: RegionOptions): Layout {
  const { capacity } = schema;
  const { readers } = options;
  const cursor = new LineCursor();
  cursor.take(HEADER_WORDS * 4);
  const readerBlocks = cursor.take(readers * READER_WORDS * 4);
  const recordCount = readers + 2;
  const records = cursor.take(recordCount * RECORD_BYTES);
  const ring = (words: number): RingBlock => placeRing(cursor.take(ringBlockBytes(words)), words);
  const { commandWords } = options;
  const controllers = Array.from({ length: options.controllers }, () =>
    placeController(cursor.take(controllerBytes(commandWords)), commandWords),
  );
  const followerBlocks = cursor.take(options.followers * FOLLOWER_WORDS * 4);
  const inputs = ring(options.inputWords);
  const events = ring(options.eventWords);
  const logs = ring(options.logWords);
  const trace = ring(options.traceWords);
  const world = placeWorld(schema, cursor.offset);
  cursor.take(world.bytes);
  const hashRoom = cursor.take(hashRoomBytes(capacity));
  const roster = mapRoster(schema);
  const slotCount = 3 * readers + 6;
  const rosters = cursor.take(slotCount * roster.bytes);
  const slot = slotMap(schema, world.globalsBytes);
  const slots = cursor.take(slotCount * slot.bytes);
  const outputs = cursor.take(readers * slot.outputBytes);
  const map = {
    capacity,
    readers,
    recordCount,
    slotCount,
    readerBlocks,
    records,
    controllers,
    followerCount: options.followers,
    followerBlocks,
    inputs,
    events,
    logs,
    trace,
    world,
    hashRoom,
    roster,
    rosters,
    slotBytes: slot.bytes,
    slotGlobals: 0,
    slotColumns: slot.columns,
    slots,
    outputBytes: slot.outputBytes,
    outputColumns: slot.outputColumns,
    outputMatrices: slot.outputMatrices,
    outputParts: slot.outputParts,
    outputRows: slot.outputRows,
    outputScratch: slot.outputScratch,
    outputs,
    totalBytes: cursor.offset,
  };
  const hash = new Fnv64();
  hash.string(JSON.stringify([LAYOUT_VERSION, schema, options, map]));
  return Object.freeze({ ...map, hashHigh: hash.high, hashLow: hash.low });
}

/** Returns the controller that belongs to the host. */
export function hostController(layout: Layout): ControllerBlock {
  const [first] = layout.controllers;
  assert(first !== undefined, 'a region has a controller for its host');
  return first;
}

/** Raised by every change of the layout that the map itself does not show. */
const LAYOUT_VERSION = 5;

/** What lies where in a slot and in a reader's output. */
interface SlotMap
  extends Pick<
    Layout,
    | 'outputBytes'
    | 'outputColumns'
    | 'outputMatrices'
    | 'outputParts'
    | 'outputRows'
    | 'outputScratch'
  > {
  readonly bytes: number;
  readonly columns: readonly number[];
}

function slotMap(schema: Schema, globalsBytes: number): SlotMap {
  const { capacity } = schema;
  const slot = new LineCursor();
  const output = new LineCursor();
  slot.take(globalsBytes);
  const columns: number[] = [];
  const outputColumns: number[] = [];
  for (const component of publishedComponents(schema)) {
    const bytes = capacity * strideBytes(component);
    columns.push(slot.take(bytes));
    outputColumns.push(output.take(bytes));
  }
  // What nobody asks for is never touched, and takes addresses but no memory.
  const outputMatrices = output.take(capacity * MATRIX_BYTES);
  const part = (numbers: number): number => output.take(capacity * numbers * 4);
  const outputParts = [part(3), part(4), part(3)] as const;
  const outputRows = [output.take(capacity * 4), output.take(capacity * 4)] as const;
  const outputScratch = output.take(OUTPUT_SCRATCH_BYTES);
  const outputBytes = output.offset;
  return {
    bytes: slot.offset,
    columns,
    outputBytes,
    outputColumns,
    outputMatrices,
    outputParts,
    outputRows,
    outputScratch,
  };
}

/** Returns the published components in the order of their channel index. */
export function publishedComponents(schema: Schema): Schema['components'] {
  return schema.components
    .filter((component) => component.channelIndex >= 0)
    .sort((a, b) => a.channelIndex - b.channelIndex);
}
