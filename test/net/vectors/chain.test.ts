import { expect, test } from 'vitest';
import { Compressor } from '../../../src/net/compression/compressor.ts';
import { Decompressor } from '../../../src/net/compression/decompressor.ts';
import { loadZstd } from '../../../src/net/compression/wasm-zstd.ts';
import type { PacketOptions } from '../../../src/net/packets/packet-options.ts';
import { Packetizer } from '../../../src/net/packets/packetizer.ts';
import { Reassembler } from '../../../src/net/packets/reassembler.ts';
import { ClientReplicationState } from '../../../src/net/pipeline/client-state.ts';
import { compilePipeline, type Pipeline } from '../../../src/net/pipeline/pipeline.ts';
import { TickSource } from '../../../src/net/pipeline/tick-source.ts';
import { UpdateEncoder } from '../../../src/net/pipeline/update-encoder.ts';
import { fingerprint } from '../../../src/net/snapshot/fingerprint.ts';
import { reconstruct } from '../../../src/net/snapshot/reconstruct.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { DecodeResult } from '../../../src/net/wire/decode-result.ts';
import { decodeUpdate } from '../../../src/net/wire/decode-update.ts';
import { definitionOf, type VectorDefinition } from './definition.ts';
import { fromHex, toHex } from './hex.ts';
import { optionsOf, type SettingsRow } from './packet-vectors.ts';
import { kebab, readVectors, report } from './read-vectors.ts';
import { plainOf, type PlainSnapshot, snapshotOf } from './rows.ts';

/** One population on its whole way, and what became of it. */
interface ChainLine {
  readonly def: VectorDefinition;
  readonly settings: SettingsRow;
  readonly sequence: number;
  readonly input: PlainSnapshot;
  readonly update: string;
  readonly encoding: 'Raw' | 'Zstd';
  readonly envelope: string;
  readonly packets: readonly string[];
  readonly result: PlainSnapshot;
  readonly fingerprint: string;
}

const zstd = await loadZstd();

function encode(pipeline: Pipeline, { input, sequence }: ChainLine): Uint8Array {
  const tick = new TickSource(pipeline.shape);
  tick.load(snapshotOf(pipeline.shape, input));
  const state = new ClientReplicationState();
  state.nextSequence = sequence;
  const { bytes, byteCount } = new UpdateEncoder(pipeline).encode(tick, state);
  return bytes.slice(0, byteCount);
}

function packetsOf(options: PacketOptions, sequence: number, group: Uint8Array): Uint8Array[] {
  const packetizer = new Packetizer(options);
  expect(packetizer.prepare(sequence, group)).toBe('prepared');
  return Array.from({ length: packetizer.packetCount }, (_, at) => packetizer.packetAt(at).slice());
}

/** Takes packets, the last one first, all the way back to a population. */
function receive(pipeline: Pipeline, options: PacketOptions, packets: Uint8Array[]): Snapshot {
  const reassembler = new Reassembler(options);
  const statuses = packets.toReversed().map((packet) => reassembler.accept(packet, 0));
  expect(statuses.at(-1)).toBe('complete');
  const decompressor = new Decompressor({ zstd });
  expect(decompressor.decompress(reassembler.completed())).toMatch(/^(?:raw|zstd)$/);
  const result = new DecodeResult(pipeline);
  const state = { latestRemoteSequence: 0 };
  expect(decodeUpdate(pipeline, state, decompressor.output, undefined, result)).toBe('ok');
  const out = new Snapshot(pipeline.shape);
  expect(reconstruct(null, result.update, out)).toBe('ok');
  return out;
}

test('the whole way is that of the vectors: update, envelope, packets, and back', () => {
  let checked = 0;
  for (const { at, record } of readVectors()) {
    if (record.t !== 'chain') continue;
    const line = record as unknown as ChainLine;
    const pipeline = compilePipeline(definitionOf(line.def));
    const options = optionsOf(line.settings);
    const update = encode(pipeline, line);
    expect([at, toHex(update)]).toEqual([at, line.update]);
    const compressor = new Compressor({ policy: 'always', zstd });
    expect([at, compressor.compress(update)]).toEqual([at, kebab(line.encoding)]);
    // Of a compressed envelope only what comes out is the same: versions of zstd differ.
    if (line.encoding === 'Raw') {
      expect([at, toHex(compressor.output)]).toEqual([at, line.envelope]);
    }
    const given = packetsOf(options, line.sequence, fromHex(line.envelope));
    expect([at, given.map(toHex)]).toEqual([at, line.packets]);
    const own = packetsOf(options, line.sequence, compressor.output);
    for (const packets of [line.packets.map(fromHex), own]) {
      const result = receive(pipeline, options, packets);
      expect([at, plainOf(result)]).toEqual([at, line.result]);
      expect([at, fingerprint(result)]).toEqual([at, line.fingerprint]);
    }
    checked++;
  }
  report('chain', checked);
});
