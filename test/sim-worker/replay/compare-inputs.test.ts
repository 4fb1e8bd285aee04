import { describe, expect, test } from 'vitest';
import { MemorySink } from '../../../src/shared/replay/memory-sink.ts';
import { ReplayWriter } from '../../../src/shared/replay/replay-writer.ts';
import { firstInputDifference, inputsAt } from '../../../src/sim-worker/compare-inputs.ts';
import { compareReplays } from '../../../src/sim-worker/compare-replays.ts';
import { openReplay, readReplay, type Replay } from '../../../src/sim-worker/index.ts';
import { narrowDivergence } from '../../../src/sim-worker/narrow-divergence.ts';
import { defineDrift, recordDrift } from './drift.ts';

const drift = defineDrift();

/** Place of an input in the schema of the scene. */
const POINTER = 0;
const HIT = 1;

/** A tick, the input that it consumes, and its words. */
type Given = readonly [tick: number, input: number, ...words: number[]];

/** Writes a recording of given inputs, with the hashes and keyframes that are handed over. */
async function write(
  inputs: readonly Given[],
  ticks: number,
  more: (writer: ReplayWriter) => void = () => undefined,
  firstTick = 0,
): Promise<Replay> {
  const { header } = await recordDrift({ ticks: 1 });
  const sink = new MemorySink();
  const writer = new ReplayWriter(sink, { ...header, firstTick });
  for (const [tick, input, ...words] of inputs) {
    writer.addInput(tick, input, new Uint32Array(words), 0, words.length);
  }
  more(writer);
  await writer.close(ticks, 'stopped');
  return readReplay(sink.bytes());
}

/** Records what given inputs make of the scene: a hash each 60 ticks, a keyframe at the end. */
async function record(inputs: readonly Given[], ticks: number): Promise<Replay> {
  const run = await openReplay(drift, await write(inputs, ticks));
  const hashes: [number, number, number][] = [];
  const words = new Uint32Array(2);
  const take = (tick: number): void => {
    run.world.stateHash.compute(tick, words);
    if (tick % 60 === 0) hashes.push([tick, words[0] as number, words[1] as number]);
  };
  const begin = run.save();
  take(0);
  while (run.step()) take(run.tick);
  const end = run.save();
  return write(inputs, ticks, (writer) => {
    writer.addKeyframe(begin);
    for (const hash of hashes) writer.addHash(...hash);
    writer.addKeyframe(end);
  });
}

describe('the inputs of two recordings', () => {
  const both: readonly Given[] = [
    [3, HIT, 4],
    [3, HIT, 5],
    [7, POINTER, 0, 1],
  ];

  test('are listed by tick, with their values', async () => {
    const replay = await write(both, 10);
    expect(inputsAt(replay, 3)).toEqual([
      { name: 'hit', values: { slot: 4 } },
      { name: 'hit', values: { slot: 5 } },
    ]);
    expect(inputsAt(replay, 7)).toEqual([{ name: 'pointer', values: { x: 0, down: true } }]);
    expect(inputsAt(replay, 4)).toEqual([]);
  });

  test.each<[string, readonly Given[], object | undefined]>([
    ['are equal', both, undefined],
    [
      'differ in a value',
      [[3, HIT, 4], [3, HIT, 6], ...both.slice(2)],
      { tick: 3, place: 1, a: { values: { slot: 5 } }, b: { values: { slot: 6 } } },
    ],
    [
      'differ in their order',
      [[3, HIT, 5], [3, HIT, 4], ...both.slice(2)],
      { tick: 3, place: 0, a: { values: { slot: 4 } }, b: { values: { slot: 5 } } },
    ],
    ['differ in how many', both.slice(1), { tick: 3, place: 0 }],
    ['lack one', both.slice(0, 2), { tick: 7, place: 0, a: { name: 'pointer' }, b: undefined }],
    ['have one more', [...both, [9, HIT, 1]], { tick: 9, a: undefined, b: { name: 'hit' } }],
    ['have the same a tick later', [...both.slice(0, 2), [8, POINTER, 0, 1]], { tick: 7 }],
  ])('%s', async (_, inputs, expected) => {
    const found = firstInputDifference(await write(both, 10), await write(inputs, 10));
    if (expected === undefined) expect(found).toBe(undefined);
    else expect(found).toMatchObject(expected);
  });

  test('are compared over the ticks that both have', async () => {
    const later = await write(both.slice(2), 20, undefined, 5);
    expect(firstInputDifference(await write(both, 10), later)).toBe(undefined);
    const longer = await write([...both, [15, HIT, 1]], 20);
    expect(firstInputDifference(await write(both, 10), longer)).toBe(undefined);
  });
});

test('an input more is named, and the tick and field it changed are found', async () => {
  const [a, b] = [await record([], 300), await record([[130, HIT, 2]], 300)];
  const found = compareReplays(a, b);
  expect(found.input).toEqual({
    tick: 130,
    place: 0,
    a: undefined,
    b: { name: 'hit', values: { slot: 2 } },
  });
  expect(found).toMatchObject({ headers: [], lastGood: 120, firstBad: 180, state: { tick: 300 } });
  const narrowed = await narrowDivergence(drift, [a, b], { lastGood: 120, firstBad: 180 });
  expect(narrowed).toMatchObject({ lastGood: 129, firstBad: 130, reproduces: [true, true] });
  expect(narrowed.state).toMatchObject({
    tick: 130,
    diff: { total: 1, differences: [{ name: 'hits', slot: 2, a: 2, b: 3 }] },
  });
});
