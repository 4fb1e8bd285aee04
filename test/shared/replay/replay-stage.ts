import { expect } from 'vitest';
import { EscapementError } from '../../../src/shared/error.ts';
import { Fnv64 } from '../../../src/shared/hash.ts';
import { RECORD_TYPE } from '../../../src/shared/replay/format.ts';
import { shapeOf } from '../../../src/shared/replay/header.ts';
import { readReplay } from '../../../src/shared/replay/replay-reader.ts';
import { ReplayWriter } from '../../../src/shared/replay/replay-writer.ts';
import type {
  HashEntry,
  InputEntry,
  Keyframe,
  Replay,
  ReplayHeader,
  ReplaySink,
} from '../../../src/shared/replay/replay.ts';
import type { Schema } from '../../../src/shared/schema.ts';

/** Two inputs of three words and of one, and a world of a few kilobytes. */
export const SCHEMA: Schema = {
  name: 'stage',
  capacity: 8,
  quantum: { numerator: 1, denominator: 60 },
  components: [
    { scalar: 'f32', width: 2, blend: 'lerp', period: 0, name: 'position', channelIndex: 0 },
    { scalar: 'i32', width: 1, blend: 'step', period: 0, rows: 2, name: 'ammo', channelIndex: -1 },
    { scalar: 'u8', width: 0, blend: 'step', period: 0, name: 'alive', channelIndex: -1 },
  ],
  globals: [{ name: 'score', type: 'u32' }],
  inputs: [
    {
      name: 'pointer',
      as: 'state',
      fields: [
        { name: 'x', type: 'f64' },
        { name: 'down', type: 'bool' },
      ],
    },
    { name: 'fire', as: 'event', fields: [{ name: 'target', type: 'entity' }] },
    { name: 'ready', as: 'event', fields: [] },
  ],
  events: [{ name: 'hit', fields: [{ name: 'by', type: 'u32' }] }],
  params: { count: 3, label: 'a', fast: true },
  systems: ['move', 'hit things'],
  changes: true,
};

export const HEADER: ReplayHeader = {
  formatVersion: 1,
  library: '0.1.0',
  schema: SCHEMA,
  identity: 'one',
  seed: [1, 0xffff_ffff],
  params: { count: -0, label: 'ä', fast: false },
  firstTick: 0,
  hashEveryTicks: 60,
  keyframeEveryTicks: 600,
};

/** Collects a file in memory. */
export class MemorySink implements ReplaySink {
  readonly parts: Uint8Array[] = [];
  closeCount = 0;

  write(bytes: Uint8Array): void {
    this.parts.push(bytes);
  }

  close(): void {
    this.closeCount++;
  }

  get bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.parts));
  }
}

/** Makes a keyframe of a schema that tells by its bytes which one it is. */
export function keyframeOf(tick: number, schema: Schema = SCHEMA, foreign?: Uint8Array): Keyframe {
  const { worldBytes, stateWords } = shapeOf(schema);
  const world = new Uint8Array(worldBytes).map((_, index) => (index % 7 === 0 ? tick : 0));
  const inputs = new Uint32Array(stateWords).map((_, index) => tick * 31 + index);
  return { tick, world, inputs, foreign };
}

/** Writes a short recording: 40 ticks, a flush each 10, some of everything. */
export async function writeStage(header: ReplayHeader = HEADER): Promise<Uint8Array> {
  const sink = new MemorySink();
  const writer = new ReplayWriter(sink, header);
  for (let tick = 1; tick <= 40; tick++) {
    if (tick % 2 === 1) writer.addInput(tick, 0, Uint32Array.of(tick, 2, 1), 0, 3);
    if (tick % 5 === 0) writer.addInput(tick, 1, Uint32Array.of(9, tick * 1e6), 1, 1);
    if (tick % 9 === 0) writer.addInput(tick, 2, new Uint32Array(0), 0, 0);
    if (tick % 4 === 0) writer.addHash(tick, 0xffff_0000 + tick, tick * 77);
    const foreign = tick === 20 ? Uint8Array.of(1, 2, 3) : undefined;
    if (tick % 20 === 0) writer.addKeyframe(keyframeOf(tick, SCHEMA, foreign));
    if (tick % 10 === 0) await writer.flush(tick);
  }
  await writer.close(40, 'stopped');
  return sink.bytes;
}

/** Where a record lies in a file: its first byte and the one behind its last. */
export interface RecordPlace {
  readonly type: number;
  readonly begin: number;
  readonly end: number;
}

/** Lists the records of a file as its lengths say. */
export function recordsOf(bytes: Uint8Array): RecordPlace[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const places: RecordPlace[] = [];
  for (let begin = 16; begin + 16 <= bytes.length; ) {
    const end = begin + 16 + view.getUint32(begin + 4, true);
    if (end > bytes.length) break;
    places.push({ type: bytes[begin] as number, begin, end });
    begin = end;
  }
  return places;
}

/** Makes every record meet its checksum again. */
export function repairChecksums(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const { begin, end } of recordsOf(bytes)) {
    const sum = new Fnv64();
    sum.bytes(bytes, begin, end - 8);
    view.setUint32(end - 8, sum.low, true);
    view.setUint32(end - 4, sum.high, true);
  }
  return bytes;
}

/** What a record is made of beside its frame. */
export type RecordParts = readonly [type: number, flags: number, payload: Uint8Array];

/** Makes a header's record from text, or from what is written as JSON. */
export function headerRecord(header: unknown): RecordParts {
  const text = typeof header === 'string' ? header : JSON.stringify(header);
  return [RECORD_TYPE.header, 0, new TextEncoder().encode(text)];
}

/** Makes a file of records with right frames: a type, flags and a payload each. */
export function fileOf(...records: RecordParts[]): Uint8Array {
  const frames = records.map(([type, flags, payload]) => {
    const frame = Buffer.alloc(payload.length + 16);
    frame[0] = type;
    frame[1] = flags;
    frame.writeUInt32LE(payload.length, 4);
    frame.set(payload, 8);
    return frame;
  });
  const prelude = Buffer.from('894553435250 0d0a 01000000 00000000'.replaceAll(' ', ''), 'hex');
  return repairChecksums(new Uint8Array(Buffer.concat([prelude, ...frames])));
}

/** All that a replay holds, taken out through what it offers, in ascending order of ticks. */
export function contentsOf(replay: Replay): { inputs: InputEntry[]; hashes: HashEntry[] } {
  const inputs: InputEntry[] = [];
  for (let tick = replay.header.firstTick + 1; tick <= replay.lastTick; tick++) {
    replay.inputsOf(tick, (input, words, begin, length) => {
      inputs.push({ tick, input, words: words.slice(begin, begin + length) });
    });
  }
  const hashes = Array.from({ length: replay.hashCount }, (_, k) => replay.hashAt(k));
  return { inputs, hashes };
}

/** Returns the code and the text of what a file is refused with, or undefined if it is read. */
export function refusalOf(bytes: Uint8Array): string | undefined {
  try {
    readReplay(bytes);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(EscapementError);
    const { code, headline, detail } = error as EscapementError;
    return `${code}: ${headline} ${detail.given} | ${detail.allowed}`;
  }
}
