import { expect, test } from 'vitest';
import { UpdateCoder } from '../../../src/net/entropy/update-coder.ts';
import { bytesLeft } from '../../heap-growth.ts';
import { scaled } from '../../scaled.ts';
import {
  createDice,
  cubeLanes,
  disturb,
  EFFORTS,
  encode,
  type Population,
  sendAll,
  toTable,
} from './population.ts';

const calls = scaled({ tiny: 1000, normal: 4000, full: 10_000 });

test.each(EFFORTS)('a coder that is warm leaves nothing on the heap: %s', (effort) => {
  const server = new UpdateCoder(cubeLanes, effort);
  const client = new UpdateCoder(cubeLanes, effort);
  const dice = createDice(5);
  const world: Population = new Map();
  for (let i = 0; i < 40; i++) disturb(world, cubeLanes, dice);
  const first = sendAll(toTable(world, cubeLanes.length));
  const known = [...world.keys()];
  disturb(world, cubeLanes, dice);
  const gone = known.filter((id) => !world.has(id)).toSorted((a, b) => a - b);
  const next = sendAll(toTable(world, cubeLanes.length), gone);
  const [base, clientBase] = [server.createReplica(), client.createReplica()];
  const [result, clientResult] = [server.createReplica(), client.createReplica()];
  const bytes = encode(server, null, 1, first, base);
  client.decode(null, 1, bytes, 0, bytes.length, clientBase);
  const packet = new Uint8Array(8000);
  let decoded = 0;
  const work = (): void => {
    const size = server.encode(base, 2, next, result);
    server.copyTo(packet, 0);
    if (client.decode(clientBase, 2, packet, 0, size, clientResult) === 'decoded') decoded++;
  };
  expect(bytesLeft(calls, work)).toBe(0);
  expect(decoded).toBeGreaterThan(calls);
});
