import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UpdateCoder } from '../../../src/net/entropy/update-coder.ts';
import { scaled } from '../../scaled.ts';
import {
  createDice,
  cubeLanes,
  disturb,
  EFFORTS,
  encode,
  type Population,
  sendAll,
  toPlain,
  toPopulation,
  toTable,
} from './population.ts';

const packets = scaled({ tiny: 200, normal: 3000, full: 100_000 });
const STATUSES = ['decoded', 'bad-rows', 'truncated', 'trailing-bytes'];

describe.each(EFFORTS)('a packet coded %s that was tampered with', (effort) => {
  const server = new UpdateCoder(cubeLanes, effort);
  const client = new UpdateCoder(cubeLanes, effort);
  const dice = createDice(11);
  const world: Population = new Map();
  for (let i = 0; i < 80; i++) disturb(world, cubeLanes, dice);
  const baseline = server.createReplica();
  encode(server, null, 5, sendAll(toTable(world, cubeLanes.length)), baseline);
  const known = [...world.keys()];
  disturb(world, cubeLanes, dice);
  const gone = known.filter((id) => !world.has(id)).toSorted((a, b) => a - b);
  const next = sendAll(toTable(world, cubeLanes.length), gone);
  const sound = encode(server, baseline, 6, next, server.createReplica());
  const result = client.createReplica();

  /** Decodes and checks what must hold of any packet. */
  function swallow(bytes: Uint8Array, isPatch: boolean): string {
    const status = client.decode(isPatch ? baseline : null, 6, bytes, 0, bytes.length, result);
    const { table } = result;
    if (status === 'decoded') {
      const rows = (isPatch ? baseline.table.count : 0) + 8 * bytes.length;
      expect(table.count).toBeLessThanOrEqual(rows);
      for (const [id, tokens] of toPopulation(table)) {
        expect(id).toBeLessThan(2 ** 32);
        const fits = tokens.every((it, i) => it < 2 ** (cubeLanes[i] as { bits: number }).bits);
        expect(fits).toBe(true);
      }
      for (let i = 1; i < table.count; i++) {
        expect(table.ids[i]).toBeGreaterThan(table.ids[i - 1] as number);
      }
    }
    return status;
  }

  test('gives a status, and leaves the baseline as it was', () => {
    const before = toPlain(baseline);
    fc.assert(
      fc.property(fc.integer(), fc.boolean(), (seed, isPatch) => {
        const roll = createDice(seed);
        const length = roll(3) === 0 ? roll(40) : Math.max(0, sound.length + roll(9) - 6);
        const bytes = new Uint8Array(length);
        bytes.set(sound.subarray(0, length));
        for (let i = roll(5); i > 0 && length > 0; i--) bytes[roll(length)] = roll(256);
        expect(STATUSES).toContain(swallow(bytes, isPatch));
      }),
      { numRuns: packets },
    );
    expect(toPlain(baseline)).toEqual(before);
    expect(result.table.tokens.length).toBeLessThan(cubeLanes.length * 100_000);
  });

  test('is refused when something follows it, and when it asks for too many rows', () => {
    expect(swallow(sound, true)).toBe('decoded');
    expect(swallow(Uint8Array.from([...sound, 0, 0, 0, 0, 1]), true)).toBe('trailing-bytes');
    const many = new Uint8Array(6).fill(0xff);
    expect(swallow(many, false)).toBe('bad-rows');
  });

  test('is nothing: an empty packet is an update of nothing, or ends too early', () => {
    const status = swallow(new Uint8Array(0), false);
    expect(['decoded', 'truncated', 'bad-rows']).toContain(status);
  });
});
