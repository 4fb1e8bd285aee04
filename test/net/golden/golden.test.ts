import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { fingerprint, UpdateReceiver } from '../../../src/net/index.ts';
import { fromHex, toHex } from '../vectors/hex.ts';
import {
  goldenCases,
  type GoldenHead,
  type GoldenTick,
  headOf,
  runGolden,
} from './golden-cases.ts';

function read(name: string): { head: GoldenHead; ticks: GoldenTick[] } {
  const path = fileURLToPath(new URL(`${name}.jsonl`, import.meta.url));
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  const [head, ...ticks] = lines.map((line) => JSON.parse(line) as unknown);
  return { head: head as GoldenHead, ticks: ticks as GoldenTick[] };
}

describe.each(goldenCases.map((one) => [one.name, one] as const))('%s', (name, one) => {
  const { head, ticks } = read(name);

  test('has the signature and the bytes that are written down', () => {
    expect(headOf(one)).toEqual(head);
    expect(runGolden(one, ticks)).toEqual(ticks);
    expect(ticks.length).toBeGreaterThan(4);
  });

  test('is read from the bytes that are written down', () => {
    const receiver = new UpdateReceiver(one.pipeline, one.transfer);
    const out = new Uint8Array(16);
    for (const line of ticks.filter(({ isLost }) => !isLost)) {
      const outcomes = line.packets.map((packet) => receiver.acceptPacket(fromHex(packet), 0));
      expect([line.tick, outcomes.at(-1)]).toEqual([line.tick, 'applied']);
      expect([line.tick, fingerprint(receiver.newest as never)]).toEqual([
        line.tick,
        line.fingerprint,
      ]);
      expect([toHex(out.subarray(0, receiver.takeMessage(out)))]).toEqual(line.messages);
    }
  });
});
