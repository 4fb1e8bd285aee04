import { LineCursor } from './line-cursor.ts';
import { STATE_WORDS } from './math/random.ts';
import { type Schema, strideBytes } from './schema.ts';
import { LINE_BYTES } from './words.ts';

/** Bytes before the lists of a roster; see {@link ROSTER_WORD}. */
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
  /** Living entities that opted out of blending. */
  unblendedCount: 4,
  /** Living entities that readers do not see. */
  hiddenCount: 5,
  /** Raised by every birth, death and change of components. */
  structureVersion: 6,
} as const;

/**
 * What lies where in a roster, in bytes from its first: the header, then `live` (ascending slot
 * indices of those that readers see), `handles` (the last one issued at each slot), `stamps`
 * (raised by whatever must not be blended across), the bitsets of slots that live, that opted out
 * of blending and that are hidden, then one presence bitset for each component.
 */
export interface RosterMap {
  readonly bytes: number;
  readonly live: number;
  readonly handles: number;
  readonly stamps: number;
  readonly alive: number;
  readonly unblended: number;
  readonly hidden: number;
  readonly presence: readonly number[];
}

/** Who was there at a moment: handles, then the bitsets of a roster. In bytes from its first. */
export interface CensusMap {
  readonly bytes: number;
  readonly handles: number;
  readonly alive: number;
  readonly presence: readonly number[];
}

/**
 * What lies where in a world's block: byte offsets from the start of its memory. Counts, hints and
 * the slots that are taken follow from it and are kept beside it.
 */
export interface WorldMap {
  readonly begin: number;
  readonly bytes: number;
  readonly roster: number;
  /** Words of the census in force and its version; see `world-census.ts`. */
  readonly censusHeader: number;
  /** Two censuses, at the start of this tick and of the one before; none if the schema says so. */
  readonly census: readonly number[];
  /** Generators: the master's, then one a system, {@link STATE_WORDS} words each. */
  readonly random: number;
  readonly globals: number;
  readonly globalsBytes: number;
  /** Offset of each global from `globals`. */
  readonly globalOffsets: readonly number[];
  /** Offset of each component's numbers: a row a slot, or for a sparse one a row an entity. */
  readonly columns: readonly number[];
  /** For sparse components: offset of a count (a line of its own), then the slots of the rows. */
  readonly rowSlots: readonly number[];
}

/** Maps a roster of a schema. */
export function mapRoster(schema: Schema): RosterMap {
  const cursor = new LineCursor();
  cursor.take(ROSTER_HEADER_BYTES);
  const live = cursor.take(schema.capacity * 4);
  const handles = cursor.take(schema.capacity * 4);
  const stamps = cursor.take(schema.capacity * 4);
  const bits = bitsetBytes(schema.capacity);
  const alive = cursor.take(bits);
  const unblended = cursor.take(bits);
  const hidden = cursor.take(bits);
  const presence = schema.components.map(() => cursor.take(bits));
  return { bytes: cursor.offset, live, handles, stamps, alive, unblended, hidden, presence };
}

/** Maps a census of a schema. */
export function mapCensus(schema: Schema): CensusMap {
  const cursor = new LineCursor();
  const handles = cursor.take(schema.capacity * 4);
  const bits = bitsetBytes(schema.capacity);
  const alive = cursor.take(bits);
  const presence = schema.components.map(() => cursor.take(bits));
  return { bytes: cursor.offset, handles, alive, presence };
}

/** Places a world's block at `begin`, a multiple of a cache line. */
export function placeWorld(schema: Schema, begin: number): WorldMap {
  const cursor = new LineCursor(begin);
  const roster = cursor.take(mapRoster(schema).bytes);
  const censusHeader = cursor.take(schema.changes ? LINE_BYTES : 0);
  const censusBytes = mapCensus(schema).bytes;
  const census = schema.changes ? [cursor.take(censusBytes), cursor.take(censusBytes)] : [];
  const random = cursor.take((1 + schema.systems.length) * STATE_WORDS * 4);
  // Eight bytes a global whatever its type: no padding rule to remember, and there are few.
  const globalOffsets = schema.globals.map((_, index) => index * 8);
  const globalsBytes = Math.ceil((globalOffsets.length * 8) / LINE_BYTES) * LINE_BYTES;
  const globals = cursor.take(globalsBytes);
  const columns: number[] = [];
  const rowSlots: number[] = [];
  for (const component of schema.components) {
    const rows = component.rows ?? schema.capacity;
    rowSlots.push(component.rows === undefined ? 0 : cursor.take(LINE_BYTES + rows * 4));
    columns.push(cursor.take(rows * strideBytes(component)));
  }
  const bytes = cursor.offset - begin;
  return {
    begin,
    bytes,
    roster,
    censusHeader,
    census,
    random,
    globals,
    globalsBytes,
    globalOffsets,
    columns,
    rowSlots,
  };
}

/** Returns the bytes of a bitset with a bit for each slot. */
export function bitsetBytes(capacity: number): number {
  return Math.ceil(capacity / 32) * 4;
}
