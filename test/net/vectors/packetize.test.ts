import { expect, test } from 'vitest';
import { NetError, Packetizer, Reassembler } from '../../../src/net/index.ts';
import { fromHex, toHex } from './hex.ts';
import { optionsOf, packetsOf, type SettingsRow } from './packet-vectors.ts';
import { kebab, readVectors, report } from './read-vectors.ts';

interface PacketizeRow {
  readonly settings: SettingsRow;
  readonly group_id: number;
  readonly bytes_length: number;
  readonly bytes?: string;
  readonly group_bytes: number;
  readonly chunk_count: number;
  readonly header_bytes: number;
  readonly packet_bytes: number;
  readonly result: 'prepared' | 'rejected' | 'throws';
  readonly error?: string;
  readonly packets?: readonly string[];
}

interface SettingsCheck {
  readonly settings: SettingsRow;
  readonly result: 'ok' | 'throws';
  readonly error?: string;
}

interface ChainRow {
  readonly settings: SettingsRow;
  readonly sequence: number;
  readonly envelope: string;
  readonly packets: readonly string[];
}

/** Returns the fault that options are refused with, or `ok`. */
function faultOf(make: () => unknown): string {
  try {
    make();
    return 'ok';
  } catch (error) {
    return error instanceof NetError ? error.fault : `no NetError: ${String(error)}`;
  }
}

function checkPacketize(row: PacketizeRow, at: string): void {
  const options = optionsOf(row.settings);
  if (row.result === 'throws') {
    expect([at, faultOf(() => new Packetizer(options))]).toEqual([at, kebab(row.error ?? '')]);
    return;
  }
  const packetizer = new Packetizer(options);
  const any = Uint8Array.from({ length: row.bytes_length }, (_, index) => index * 7 + 1);
  const bytes = row.bytes === undefined ? any : fromHex(row.bytes);
  const status = packetizer.prepare(row.group_id, bytes);
  const { groupBytes, packetCount, headerBytes, packetBytes } = packetizer;
  const expected = row.result === 'prepared' ? 'prepared' : kebab(row.error ?? '');
  expect([at, status, groupBytes, packetCount, headerBytes, packetBytes]).toEqual([
    at,
    expected,
    row.group_bytes,
    row.chunk_count,
    row.header_bytes,
    row.packet_bytes,
  ]);
  const packets = packetsOf(packetizer);
  if (row.packets !== undefined) expect([at, packets.map(toHex)]).toEqual([at, row.packets]);
  if (status !== 'prepared') return;
  expect([at, Buffer.compare(joined(options, packets), bytes)]).toEqual([at, 0]);
}

/** Returns what a receiver makes of packets, which come last first. */
function joined(options: ReturnType<typeof optionsOf>, packets: Uint8Array[]): Uint8Array {
  const reassembler = new Reassembler(options);
  for (const packet of packets.toReversed()) reassembler.accept(packet, 0);
  return reassembler.completed();
}

function checkSettings(row: SettingsCheck, at: string): void {
  const options = optionsOf(row.settings);
  const expected = row.result === 'ok' ? 'ok' : kebab(row.error ?? '');
  expect([at, faultOf(() => new Packetizer(options))]).toEqual([at, expected]);
  expect([at, faultOf(() => new Reassembler(options))]).toEqual([at, expected]);
}

/** The packets of a chain, from the envelope and back to it; the rest is the encoder's. */
function checkChain(row: ChainRow, at: string): void {
  const options = optionsOf(row.settings);
  const packetizer = new Packetizer(options);
  packetizer.prepare(row.sequence, fromHex(row.envelope));
  expect([at, packetsOf(packetizer).map(toHex)]).toEqual([at, row.packets]);
  expect([at, toHex(joined(options, row.packets.map(fromHex)))]).toEqual([at, row.envelope]);
}

test('packets are cut, and options are refused, as in the vectors', () => {
  let lines = 0;
  for (const { at, record } of readVectors()) {
    if (record.t === 'packetize') checkPacketize(record as unknown as PacketizeRow, at);
    else if (record.t === 'settings') checkSettings(record as unknown as SettingsCheck, at);
    else if (record.t === 'chain') checkChain(record as unknown as ChainRow, at);
    else continue;
    lines++;
  }
  report('packetize, settings, packets of chain', lines);
});
