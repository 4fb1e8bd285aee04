import { expect, test } from 'vitest';
import { definePipeline } from '../../../src/net/pipeline/pipeline.ts';
import { direction } from '../../../src/net/record/direction-field.ts';
import { quantised } from '../../../src/net/record/float-field.ts';
import { bool, uint } from '../../../src/net/record/integer-field.ts';
import { orientation } from '../../../src/net/record/orientation-field.ts';
import { defineRecord } from '../../../src/net/record/record-definition.ts';
import { toHex } from '../vectors/hex.ts';
import { CodedServer, CODINGS } from './coded-ends.ts';
import { chanceOf, change, populate } from './populations.ts';

const record = defineRecord({
  fields: {
    place: quantised({ min: [-250, -250], max: [250, 250], precision: 0.1 }),
    facing: direction(8),
    turn: orientation(9),
    level: uint(5),
    isOpen: bool(),
  },
});

/** Who is there at each update. */
const POPULATIONS = [
  [1, 2, 3, 7],
  [1, 2, 3, 7],
  [1, 3, 7, 90, 91],
  [90, 4_000_000_000],
];

/**
 * Whole packets in hexadecimal digits, one a line. What they are made of is meant to stay; when it
 * is changed on purpose, `vitest run -u` on this file writes them anew.
 */
test.each(CODINGS)('the packets of a few updates are what they were: %s', async (name, options) => {
  const pipeline = definePipeline({ ...options, record });
  const server = new CodedServer(pipeline);
  const chance = chanceOf(2026);
  let world = populate(pipeline, [], chance).canonical;
  const lines = POPULATIONS.map((ids, index) => {
    world = change(world, ids, chance).canonical;
    world.tick = 3 * index;
    return toHex(server.send(world, index).bytes);
  });
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`./golden/coded-${name}.txt`);
});
