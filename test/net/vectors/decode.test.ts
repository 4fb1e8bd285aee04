import { expect, test } from 'vitest';
import { compilePipeline, type Pipeline } from '../../../src/net/pipeline/pipeline.ts';
import type { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { type DecodeBaseline, DecodeResult } from '../../../src/net/wire/decode-result.ts';
import { decodeUpdate } from '../../../src/net/wire/decode-update.ts';
import { HEADER_BYTES, inspectHeader, UpdateHeader } from '../../../src/net/wire/update-header.ts';
import { definitionOf, type VectorDefinition } from './definition.ts';
import { fromHex, hexOfWordList } from './hex.ts';
import { kebab, readVectors, report } from './read-vectors.ts';
import { type PlainSnapshot, plainOf, type Row, snapshotOf } from './rows.ts';

type Header = readonly [string, number, number, number];
type Edit = readonly [number, string];

interface Update {
  readonly upserts: readonly Row[];
  readonly deletes: readonly number[];
}

interface Line {
  readonly t: string;
  readonly i: number;
  readonly name: string;
  readonly def: VectorDefinition;
  readonly signature: string;
  readonly bytes?: string;
  readonly sequence: number;
  readonly snapshot: PlainSnapshot;
  readonly packet: string;
  readonly length?: number;
  readonly edits?: readonly Edit[];
  readonly latest?: number;
  readonly baseline?: { readonly name?: string; readonly sequence: number };
  readonly codes: readonly string[];
  readonly runs: readonly (readonly [number, number])[];
  readonly xor: number;
  readonly out: {
    readonly error?: string;
    readonly detail?: string;
    readonly header: Header;
    readonly update?: Update;
    readonly update_same_as?: number;
  };
}

/** A receiver, and what the lines of its group name. */
class Group {
  readonly pipeline: Pipeline;
  readonly packets: Map<string, string> = new Map();
  readonly snapshots: Map<string, Snapshot> = new Map();
  readonly updates: Map<number, Update> = new Map();
  readonly result: DecodeResult;
  readonly #header = new UpdateHeader();

  constructor(pipeline: Pipeline) {
    this.pipeline = pipeline;
    this.result = new DecodeResult(pipeline);
  }

  bytesOf({ bytes, packet, length, edits = [] }: Line): Uint8Array {
    const source = fromHex(bytes ?? this.packets.get(packet) ?? '');
    const target = new Uint8Array(length ?? source.length);
    target.set(source.subarray(0, target.length));
    for (const [at, hex] of edits) target.set(fromHex(hex), at);
    return target;
  }

  /** Decodes, and checks that the state changes on success only. Returns the status with detail. */
  decode(line: Line, bytes: Uint8Array): string {
    const latest = line.latest ?? 0;
    const state = { latestRemoteSequence: latest };
    const { pipeline, result } = this;
    const status = decodeUpdate(pipeline, state, bytes, this.#baselineOf(line), result);
    expect(state.latestRemoteSequence).toBe(status === 'ok' ? result.header.sequence : latest);
    const inspected = inspectHeader(pipeline, bytes, latest, this.#header);
    if (inspected !== 'ok') expect(inspected).toBe(status);
    return result.detail === '' ? status : `${status}/${result.detail}`;
  }

  get header(): Header {
    const { tickHigh, tickLow, sequence, baselineSequence, kind } = this.result.header;
    const tick = (BigInt(tickHigh) << 32n) | BigInt(tickLow);
    return [String(tick), sequence, baselineSequence, kind];
  }

  get update(): Update {
    const { upserts, deletes, deleteCount } = this.result.update;
    return { upserts: plainOf(upserts).e, deletes: [...deletes.subarray(0, deleteCount)] };
  }

  #baselineOf({ baseline }: Line): DecodeBaseline | undefined {
    if (baseline === undefined) return undefined;
    const { name, sequence } = baseline;
    return { sequence, snapshot: name === undefined ? undefined : this.snapshots.get(name) };
  }
}

function checkDecode(group: Group, line: Line, at: string): void {
  const { out } = line;
  const status = group.decode(line, group.bytesOf(line));
  const label = [out.error ?? 'ok', ...(out.detail === undefined ? [] : [out.detail])].join('/');
  expect([at, status, group.header]).toEqual([at, kebab(label), out.header]);
  const wanted = out.update ?? group.updates.get(out.update_same_as ?? -1);
  if (wanted === undefined) return;
  group.updates.set(line.i, wanted);
  expect({ at, ...group.update }).toEqual({ at, ...wanted });
}

/** Returns the packets of a table of one packet, in order. */
function variantsOf({ t, xor }: Line, whole: Uint8Array): Uint8Array[] {
  if (t === 'flip') {
    return Array.from(whole, (byte, index) => {
      const bytes = whole.slice();
      bytes[index] = byte ^ xor;
      return bytes;
    });
  }
  if (t === 'truncate') return Array.from(whole, (_, length) => whole.slice(0, length));
  return Array.from(whole.subarray(HEADER_BYTES), (_, length) => {
    const bytes = whole.slice(0, HEADER_BYTES + length);
    new DataView(bytes.buffer).setUint32(41, length);
    return bytes;
  });
}

function checkTable(group: Group, line: Line, at: string): void {
  const found = variantsOf(line, group.bytesOf(line)).map((bytes) => group.decode(line, bytes));
  const wanted = line.runs.flatMap(([count, code]) => {
    const label = line.codes[code] ?? '';
    return Array.from({ length: count }, () => (label === 'None' ? 'ok' : kebab(label)));
  });
  expect([at, ...found]).toEqual([at, ...wanted]);
}

function openGroup(line: Line): Group {
  const group = new Group(compilePipeline(definitionOf(line.def)));
  const { signatureHigh, signatureLow } = group.pipeline;
  expect(hexOfWordList([signatureHigh, signatureLow])).toBe(line.signature);
  return group;
}

test('packets are decoded and refused as the vectors say', () => {
  let group: Group | undefined;
  let checked = 0;
  for (const { at, record } of readVectors()) {
    const line = record as unknown as Line;
    if (line.t === 'group') group = openGroup(line);
    else if (at.endsWith(':1')) group = undefined;
    if (group === undefined) continue;
    checked++;
    if (line.t === 'packet') group.packets.set(line.name, line.bytes ?? '');
    else if (line.t === 'snapshot')
      group.snapshots.set(line.name, snapshotOf(group.pipeline.shape, line.snapshot));
    else if (line.t === 'decode') checkDecode(group, line, at);
    else if (line.t !== 'group') checkTable(group, line, at);
  }
  report('decode', checked);
});
