import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Frame, ViewQuery } from '../../src/render/index.ts';
import { scaled } from '../scaled.ts';
import { BulkModel, slotOf } from './bulk-model.ts';
import { type BulkTypes, openBulkStage, widthOf } from './bulk-stage.ts';

const CAPACITY = 77;
const runs = scaled({ tiny: 10, normal: 40, full: 400 });

type Channel = 'place' | 'spot';
type Path = (frame: Frame<BulkTypes>, channel: Channel) => [Uint32Array, number[]];

const EVERYWHERE = { left: -1e6, bottom: -1e6, right: 1e6, top: 1e6 };

/** Every way to all rows of a channel: the slots and the first number of each row. */
function pathsOf(query: ViewQuery<BulkTypes>): Record<string, Path> {
  const room = new Float32Array(CAPACITY * 16);
  const firsts = (rows: ArrayLike<number>, stride: number, from: number, count: number): number[] =>
    Array.from({ length: count }, (_, row) => rows[row * stride + from] as number);
  const sampled =
    (draw: (frame: Frame<BulkTypes>, channel: Channel) => number): Path =>
    (frame, channel) => {
      const count = draw(frame, channel);
      return [frame.rowIndices, firsts(room, widthOf(channel), 0, count)];
    };
  const composed =
    (draw: (frame: Frame<BulkTypes>, channel: Channel) => ArrayLike<number>): Path =>
    (frame, channel) => {
      const matrices = draw(frame, channel);
      return [frame.rowIndices, firsts(matrices, 16, 12, frame.rowCount)];
    };
  const parts = { orientation: 'turn', scale: 'extent' } as const;
  return {
    blend: (frame, channel) => [
      frame.indices,
      firsts(frame.blend(channel), widthOf(channel), 0, frame.count),
    ],
    sampleAll: sampled((frame, channel) => frame.sampleInto(channel, room)),
    sampleQuery: sampled((frame, channel) => frame.sampleInto(channel, room, { of: query })),
    sampleList: sampled((frame, channel) =>
      frame.sampleInto(channel, room, { of: Uint32Array.from(frame.indices).reverse() }),
    ),
    sampleWithin: sampled((frame, channel) =>
      frame.sampleInto(channel, room, { within: EVERYWHERE }),
    ),
    composeAll: composed((frame, position) => frame.composeMatrices({ position, ...parts })),
    composeQuery: composed((frame, position) =>
      frame.composeMatrices({ position, ...parts }, { of: query }),
    ),
    composeList: composed((frame, position) =>
      frame.composeMatrices({ position }, { of: frame.indices }),
    ),
    composeWithin: composed((frame, position) =>
      frame.composeMatrices({ position, ...parts }, { of: query, within: EVERYWHERE }),
    ),
    composeInto: composed((frame, position) => {
      frame.composeMatricesInto(room, { position, ...parts });
      return room;
    }),
  };
}

const programs = fc.record({
  seed: fc.integer(),
  kernels: fc.constantFrom('auto' as const, 'off' as const),
  complete: fc.boolean(),
  spawns: fc.integer({ min: 0, max: 4 }),
  verbs: fc.integer({ min: 1, max: 20 }),
  frames: fc.array(
    fc.record({
      ticks: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 4, max: 40 })),
      alpha: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

/** Where everybody who is seen stands, slot by slot, and which channels say so. */
function homesAt(model: BulkModel, tick: number): Map<number, Map<Channel, number>> {
  const homes = new Map<number, Map<Channel, number>>();
  for (const { entity, parts, isVisible, home } of model.history[tick]?.values() ?? []) {
    if (!isVisible) continue;
    const channels = (['place', 'spot'] as const).filter((name) => parts.has(name));
    homes.set(slotOf(entity, CAPACITY), new Map(channels.map((name) => [name, home])));
  }
  return homes;
}

/** Lists the slots that a path draws where nobody stands. */
function wrongSlots(
  [slots, xs]: ReturnType<Path>,
  homes: ReadonlyMap<number, ReadonlyMap<Channel, number>>,
  channel: Channel,
): number[] {
  return [...slots].filter((slot, row) => {
    const x = xs[row] as number;
    const home = homes.get(slot)?.get(channel);
    if (home !== undefined) return !(x >= home && x <= home + 1);
    return !homes.has(slot) || !(Number.isNaN(x) || x === 0);
  });
}

// Everybody stays within 1 of a home of their own, which changes by teleport, and when a component
// is taken and given back. A row anywhere else has been blended from where it was not.
it('draws nobody between two homes, by no path, however many ticks a frame skips', async () => {
  await fc.assert(
    fc.asyncProperty(programs, async ({ frames, kernels, seed, ...act }) => {
      const model = new BulkModel(seed, CAPACITY, act);
      const stage = await openBulkStage(model.script, CAPACITY);
      try {
        const view = stage.openView({ kernels });
        const paths = Object.entries(pathsOf(view.query({})));
        for (const { ticks, alpha } of frames) {
          stage.advance(ticks, alpha);
          using frame = view.frame();
          const homes = homesAt(model, frame.pairTick);
          for (const channel of ['place', 'spot'] as const) {
            for (const [name, path] of paths) {
              const rows = path(frame, channel);
              const wrong = wrongSlots(rows, homes, channel);
              expect({ name, channel, wrong }).toEqual({ name, channel, wrong: [] });
              // Those who lack the position are nowhere, and so not within anything.
              const those = [...homes.values()].filter((home) => home.has(channel));
              const { length } = name.endsWith('Within') ? those : [...homes.keys()];
              expect({ name, length: rows[0].length }).toEqual({ name, length });
            }
          }
        }
      } finally {
        await stage.close();
      }
    }),
    { numRuns: runs },
  );
}, 600_000);
