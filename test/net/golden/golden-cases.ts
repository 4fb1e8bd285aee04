import {
  bool,
  bytes,
  definePipeline,
  defineRecord,
  direction,
  enumeration,
  float32,
  fingerprint,
  int,
  interned,
  NameTable,
  orientation,
  type Pipeline,
  quantised,
  type SendRequest,
  Snapshot,
  Technique,
  type TransferOptions,
  turn,
  uint,
} from '../../../src/net/index.ts';
import { Pair } from '../endpoint/pair.ts';
import { World } from '../endpoint/world.ts';
import { chanceOf, rowsOf } from '../wire/populations.ts';
import { hexOfWordList, toHex, wordsOfHex } from '../vectors/hex.ts';

const { Delta, DeltaFieldMask, Incremental, SendInterval } = Technique;
const { Quantization, OctHeading, BitPacking } = Technique;

/** A pipeline by name, and how its updates travel. */
export interface GoldenCase {
  readonly name: string;
  readonly pipeline: Pipeline;
  readonly transfer: TransferOptions;
  readonly request: SendRequest;
}

/** The first line of a file. */
export interface GoldenHead {
  readonly t: 'pipeline';
  readonly signature: string;
  readonly schema: number;
  readonly layout: string;
  readonly recordBits: number;
}

/** A population: ids, and the words of all fields in hexadecimal digits. */
export type GoldenRows = readonly (readonly [number, string])[];

/** The line of a tick: what is encoded, what is sent of it, and what the client sends back. */
export interface GoldenTick {
  readonly t: 'tick';
  readonly tick: number;
  readonly input: GoldenRows;
  readonly packets: readonly string[];
  /** The packets do not come, so there is nothing of the client. */
  readonly isLost: boolean;
  readonly fingerprint: string;
  readonly messages: readonly string[];
}

const record = defineRecord({
  fields: {
    place: quantised({ min: [-70, -70], max: [70, 70], precision: 0.01 }),
    speed: float32(),
    facing: direction(9),
    attitude: orientation(10),
    yaw: turn({ bits: 11 }),
    health: uint(7),
    offset: int(12),
    isOpen: bool(),
    state: enumeration(['idle', 'walk', 'run']),
    kind: interned(new NameTable(['oak', 'ash', 'elm'])),
    note: bytes(5),
  },
  position: 'place',
});
const positionBounds = { min: [-70, -70, -70], max: [70, 70, 70] } as const;
const area = { mode: 'radius', radius: 60, fovDegrees: 0 } as const;
const bands = {
  mode: 'distance-bands',
  near: 20,
  medium: 40,
  mediumIntervalTicks: 2,
  farIntervalTicks: 3,
} as const;
const packets = { maxPayloadBytes: 160, maxGroupBytes: 20_000 };
const packed = Quantization | OctHeading | BitPacking;

function goldenCase(
  name: string,
  options: Parameters<typeof definePipeline>[0],
  transfer: TransferOptions = {},
): GoldenCase {
  const pipeline = definePipeline({ positionBounds, ...options });
  const request = { source: { position: [0, 0, 0], self: 2 } } as const;
  return { name, pipeline, transfer: { packets, ...transfer }, request };
}

/** All of them: each has a file of its name. */
export const goldenCases: readonly GoldenCase[] = [
  goldenCase('raw', { techniques: SendInterval, intervalTicks: 2 }),
  goldenCase('quantised-delta', { techniques: Quantization | Delta }),
  goldenCase('packed-turns', { techniques: packed | Incremental, maxEntitiesPerUpdate: 3 }),
  goldenCase('masked-bands', {
    techniques: Quantization | OctHeading | Delta | DeltaFieldMask,
    areaOfInterest: area,
    levelOfDetail: bands,
  }),
  goldenCase('raw-envelopes', { techniques: Delta }, { compressUpdates: true }),
  goldenCase('own-whole', { record }),
  goldenCase('own-packed-delta', { record, techniques: BitPacking | Delta }),
  goldenCase('own-masked', { record, techniques: Delta | DeltaFieldMask, areaOfInterest: area }),
];

/** Returns what the first line of a file says. */
export function headOf({ pipeline }: GoldenCase): GoldenHead {
  const { signatureHigh, signatureLow, schemaVersion, layout, recordBits } = pipeline;
  const signature = hexOfWordList([signatureHigh, signatureLow]);
  return { t: 'pipeline', signature, schema: schemaVersion, layout, recordBits };
}

/** Encodes populations tick by tick, and lets a client take what is not lost. */
export function runGolden(
  { pipeline, transfer, request }: GoldenCase,
  inputs: readonly { readonly tick: number; readonly input: GoldenRows }[],
): GoldenTick[] {
  const pair = new Pair(pipeline, transfer);
  const lines: GoldenTick[] = [];
  for (const { tick, input } of inputs) {
    if (!pair.output.encoder.shouldEmit(tick)) continue;
    const sent = pair.send(populationOf(pipeline, tick, input), request);
    const isLost = lines.length % 4 === 2;
    if (!isLost) pair.take(sent);
    const out = new Uint8Array(16);
    const length = pair.receiver.takeMessage(out);
    const message = out.subarray(0, length);
    if (length > 0) pair.sender.acceptMessage(message, 0);
    const { newest } = pair.receiver;
    lines.push({
      t: 'tick',
      tick,
      input,
      packets: sent.map(toHex),
      isLost,
      fingerprint: newest === undefined ? '' : fingerprint(newest),
      messages: length === 0 ? [] : [toHex(message)],
    });
  }
  return lines;
}

/** Makes populations that live for some ticks. */
export function makeInputs({ pipeline }: GoldenCase): { tick: number; input: GoldenRows }[] {
  const world = new World(pipeline, chanceOf(11), 7);
  return Array.from({ length: 10 }, (_, tick) => {
    const rows = rowsOf(world.write(tick));
    const input = rows.map(([id = 0, ...words]) => [id, hexOfWordList(words)] as const);
    world.change(1 + (tick % 7));
    if (tick % 3 === 1) world.toggle(3 + tick);
    return { tick, input };
  });
}

function populationOf({ shape }: Pipeline, tick: number, rows: GoldenRows): Snapshot {
  const population = new Snapshot(shape, rows.length);
  population.count = rows.length;
  population.tick = tick;
  rows.forEach(([id, digits], row) => {
    population.ids[row] = id;
    let words = wordsOfHex(digits);
    for (const { index, codec } of shape.fields) {
      population.columns[index]?.bits.set(words.slice(0, codec.width), row * codec.width);
      words = words.slice(codec.width);
    }
  });
  return population;
}
