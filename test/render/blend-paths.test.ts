import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type Entity, openView } from '../../src/render/index.ts';
import { openStage, type Script, type Stage, type StageView } from './stage.ts';
import { scaled } from '../scaled.ts';

let stage: Stage | undefined;
afterEach(() => stage?.close());

const CHANNELS = ['position', 'heading', 'yaw', 'orientation', 'facing', 'scale', 'exact'] as const;

/** What happens to one of the population in a tick. */
const DEEDS = ['spawn', 'spawn', 'despawn', 'teleport', 'strip', 'unblend', 'hide'] as const;
type Deed = readonly [(typeof DEEDS)[number], number];
const deeds = fc.array(fc.tuple(fc.constantFrom(...DEEDS), fc.nat(255)), { maxLength: 40 });

/** Carries out the deeds of each tick; the numbers follow from tick and slot. */
function scriptOf(crowd: number, ticks: readonly (readonly Deed[])[]): Script {
  return ({ world, columns, tick }) => {
    if (tick === 0) for (let i = 0; i < crowd; i++) world.spawn(EVERYTHING);
    for (const [deed, pick] of ticks[tick] ?? []) {
      if (deed === 'spawn') {
        if (world.count < 250) world.spawn(pick % 3 === 0 ? { position: pick } : EVERYTHING);
        continue;
      }
      if (world.count === 0) continue;
      const live = world.live();
      const entity = world.entityAt(live[pick % live.length] as number);
      if (deed === 'despawn') world.despawn(entity);
      else if (deed === 'teleport') world.teleport(entity, { position: -pick });
      else if (deed === 'strip') world.remove(entity, 'scale');
      else if (deed === 'unblend') world.setBlended(entity, pick % 2 === 0);
      else world.setVisible(entity, pick % 2 === 0);
    }
    for (let i = 0; i < 256; i++) {
      columns.position[2 * i] = (i * 7 + tick * 3) / 5;
      columns.heading[i] = (i * 31 + tick * 170) % 360;
      columns.exact[i] = i * 65_537 * tick;
      const half = i * 0.3 + tick;
      columns.orientation[4 * i + 2] = Math.sin(half);
      columns.orientation[4 * i + 3] = Math.cos(half);
    }
  };
}

const EVERYTHING = {
  position: [1, 2],
  heading: 3,
  yaw: 4,
  orientation: [0, 0, 0, 1],
  facing: [1, -1],
  scale: [2, 3],
  exact: 5,
};

/** Everything a view shows of a channel in one frame, in all the forms it can be had in. */
function shown(view: StageView, channel: (typeof CHANNELS)[number]) {
  const frame = view.frame();
  const room = 256 * 8;
  const first = new Float64Array(room).fill(-7);
  const spread = new Float64Array(room).fill(-7);
  const list: number[] = Array.from({ length: room }, () => -7);
  frame.sampleInto(channel, first);
  frame.sampleInto(channel, spread, { stride: 7, offset: 3 });
  frame.sampleInto(channel, list);
  const blended = [...frame.blend(channel)];
  const one = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
  const singles = [...frame.entities].map((entity) => [
    frame.sample(entity as Entity, channel, one),
    ...one,
  ]);
  const all = { blended, first: [...first], spread: [...spread], list, singles };
  frame.release();
  return all;
}

describe('a view with kernels and one without', () => {
  it('show the same numbers, whatever becomes of the population', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(200),
        fc.array(deeds, { minLength: 6, maxLength: 6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (crowd, ticks, alpha) => {
          const opened = await openStage(scriptOf(crowd, ticks), { tickRateHz: 100 });
          try {
            const simd = opened.openView();
            const javascript = opened.openView({ kernels: 'off' });
            expect([simd, javascript].map((view) => view.stats().path)).toEqual([
              'simd',
              'javascript',
            ]);
            for (let tick = 1; tick < ticks.length; tick++) {
              opened.advanceTo(10 * tick);
              opened.clock.toMs(10 * (tick + alpha));
              for (const channel of CHANNELS) {
                expect(shown(simd, channel)).toEqual(shown(javascript, channel));
              }
            }
          } finally {
            await opened.close();
          }
        },
      ),
      { numRuns: scaled({ tiny: 3, normal: 15, full: 200 }) },
    );
  });

  it('sample into typed arrays of any kind and offset what they blend', async () => {
    stage = await openStage(scriptOf(5, []), { tickRateHz: 100 });
    const view = stage.openView();
    stage.advanceTo(10);
    stage.clock.toMs(15);
    const frame = view.frame();
    const out = new Float32Array(12).fill(-7);
    expect(frame.sampleInto('position', out, { offset: 1 })).toBe(5);
    expect([...out]).toEqual([-7, ...frame.blend('position'), -7]);
    frame.release();
  });

  it('refuse a way of blending that there is not', async () => {
    stage = await openStage(() => undefined);
    const { sim } = stage;
    const kernels = 'on' as unknown as 'auto';
    expect(() => openView(sim.share(), { kernels })).toThrow('`kernels` is not possible.');
  });
});
