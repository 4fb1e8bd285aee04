import { expect, test } from 'vitest';
import { Reassembler } from '../../../src/net/index.ts';
import { fromHex, toHex } from './hex.ts';
import { afterOf, optionsOf, type SettingsRow } from './packet-vectors.ts';
import { kebab, readVectors, report } from './read-vectors.ts';
import { Times } from './times.ts';

interface AcceptRow {
  readonly now: string;
  readonly packet: string;
  readonly result: string;
  readonly group_id: number;
  readonly error?: string;
  readonly completed?: {
    readonly group_id: number;
    readonly chunk_count: number;
    readonly packet_bytes: number;
    readonly bytes: string;
  };
}

/** A receiver of the vectors. */
class Receiver {
  readonly #reassembler: Reassembler;
  readonly #times: Times = new Times();

  constructor(settings: SettingsRow) {
    this.#reassembler = new Reassembler(optionsOf(settings));
  }

  /** Does what a line says, and returns what it came to and what came of it by the line. */
  play(t: string, row: AcceptRow): [seen: unknown, expected: unknown] {
    const reassembler = this.#reassembler;
    if (t === 'accept') return this.#accept(row);
    if (t === 'commit') reassembler.commit(row.group_id);
    else if (t === 'expire') reassembler.expire(this.#times.numberOf(row.now));
    else reassembler.clear();
    return [undefined, undefined];
  }

  after(): unknown[] {
    return afterOf(this.#reassembler, (ms) => this.#times.digitsOf(ms));
  }

  #accept(row: AcceptRow): [seen: unknown, expected: unknown] {
    const reassembler = this.#reassembler;
    const status = reassembler.accept(fromHex(row.packet), this.#times.numberOf(row.now));
    const completed = {
      group_id: reassembler.completedGroupId,
      chunk_count: reassembler.completedChunks,
      packet_bytes: reassembler.completedPacketBytes,
      bytes: toHex(reassembler.completed()),
    };
    const nothing = { group_id: 0, chunk_count: 0, packet_bytes: 0, bytes: '' };
    const fault = row.error === undefined ? 'none' : kebab(row.error);
    return [
      [status, reassembler.groupId, reassembler.fault, completed],
      [kebab(row.result), row.group_id, fault, row.completed ?? nothing],
    ];
  }
}

const TYPES = new Set(['accept', 'commit', 'expire', 'clear']);

test('packets are put together as in the vectors', () => {
  let receiver: Receiver | undefined;
  let lines = 0;
  for (const { at, record } of readVectors()) {
    // Acknowledgements have sequences as well, without settings.
    if (record.t === 'sequence' && record.settings === undefined) receiver = undefined;
    else if (record.t === 'sequence') receiver = new Receiver(record.settings as SettingsRow);
    if (receiver === undefined || !(record.t === 'sequence' || TYPES.has(record.t))) continue;
    if (record.t !== 'sequence') {
      const [seen, expected] = receiver.play(record.t, record as unknown as AcceptRow);
      expect([at, seen, receiver.after()]).toEqual([at, expected, record.after]);
    }
    lines++;
  }
  report('reassembly', lines);
});
