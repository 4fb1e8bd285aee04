import { expect, test } from 'vitest';
import { UpdateCoder } from '../../../src/net/entropy/update-coder.ts';
import {
  createDice,
  cubeLanes,
  disturb,
  encode,
  type Population,
  sendAll,
  toTable,
} from './population.ts';

/** What 100 updates of a changing population come to: the wire is what it was, on every engine. */
const golden = {
  packed: '11104 bytes, d658785a',
  fast: '10042 bytes, f80a93fa',
  strong: '9846 bytes, a5f477ce',
};

test.each(Object.entries(golden))(
  'the bytes of updates coded %s are what they were',
  (name, hash) => {
    const coder = new UpdateCoder(cubeLanes, name as keyof typeof golden);
    const dice = createDice(2026);
    const world: Population = new Map();
    let [baseline, result] = [coder.createReplica(), coder.createReplica()];
    let sum = 0x811c_9dc5;
    let length = 0;
    for (let tick = 0; tick < 100; tick++) {
      const known = [...world.keys()];
      disturb(world, cubeLanes, dice);
      const gone = known.filter((id) => !world.has(id)).toSorted((a, b) => a - b);
      const content = sendAll(toTable(world, cubeLanes.length), gone);
      const bytes = encode(coder, tick === 0 ? null : baseline, tick, content, result);
      for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x0100_0193);
      length += bytes.length;
      [baseline, result] = [result, baseline];
    }
    expect(`${length} bytes, ${(sum >>> 0).toString(16)}`).toBe(hash);
  },
);
