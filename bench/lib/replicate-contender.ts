import { Technique } from 'escapement/net';
import type { HerdMotion, HerdState } from './herd-motion.ts';

/**
 * One side of the wire. The first tick sends the whole herd, each later one those that moved, as
 * `herd.moved` names them or as the contender finds out itself.
 */
export interface ReplicationEncoder {
  /** Holds the last packet at its beginning; may be replaced by `encode`. */
  readonly output: Uint8Array;
  /**
   * Brings the herd to where the library wants its users to keep their state: objects, setters. It
   * is timed by itself, since a game that uses the library writes there and nowhere else.
   */
  take?(herd: HerdMotion): void;
  /** Writes the packet of this tick into `output` and returns its bytes. */
  encode(herd: HerdMotion): number;
}

/** The other side. Every packet comes once, in order, as the whole of a buffer of its own. */
export interface ReplicationDecoder {
  /** Applies a packet to the client's state, unless the library keeps one of its own. */
  decode(packet: Uint8Array, state: HerdState): void;
  /** Copies what the library keeps into the client's state; not timed. */
  show?(state: HerdState): void;
}

/** What takes part. The two sides never run in one process. */
export interface ReplicationContender {
  createEncoder(entities: number): ReplicationEncoder;
  createDecoder(entities: number): ReplicationDecoder;
}

/** As seen from build/bench/lib. */
const COMPARATORS = new URL('../../../bench/comparators/replicate/', import.meta.url);

type Load = () => Promise<ReplicationContender>;

/** The fastest that one can write: f32 of those that moved. What all the others are set against. */
export const HAND_PACKED = 'hand-packed';

/** The libraries, each in the form that its documentation shows for moving things. */
const LIBRARIES: Readonly<Record<string, Load>> = {
  '@colyseus/schema': () => library('colyseus'),
  msgpackr: () => library('msgpackr'),
  bitecs: () => library('bitecs'),
  '@geckos.io/typed-array-buffer-schema': () => library('geckos'),
  flatbuffers: () => library('flatbuffers'),
  JSON: () => import('./replicate-json.ts'),
};

/**
 * Ours: `escapement-raw`, `escapement-packed` and `escapement-full` by name. The baseline of every
 * encode is the tick before. What moved they find out themselves, and that is timed with it.
 */
const OURS: Readonly<Record<string, Load>> = {
  'escapement-raw': () => ours(Technique.Delta),
  'escapement-packed': () =>
    ours(Technique.Quantization | Technique.OctHeading | Technique.BitPacking | Technique.Delta),
  'escapement-full': async () => (await import('./replicate-full.ts')).escapementFull,
};

export const libraryNames: readonly string[] = Object.keys(LIBRARIES);
export const ourNames: readonly string[] = Object.keys(OURS);

/** Loads a contender by its name. */
export async function loadContender(name: string): Promise<ReplicationContender> {
  if (name === HAND_PACKED) return await import('./replicate-hand-packed.ts');
  const load = OURS[name] ?? LIBRARIES[name];
  if (load === undefined) throw new Error(`There is no contender '${name}'.`);
  return await load();
}

async function library(file: string): Promise<ReplicationContender> {
  return (await import(new URL(`${file}.mjs`, COMPARATORS).href)) as ReplicationContender;
}

async function ours(techniques: number): Promise<ReplicationContender> {
  const { contenderOf, HERD_BOUNDS } = await import('./replicate-escapement.ts');
  return contenderOf({ techniques, positionBounds: HERD_BOUNDS });
}
