import { startSimulation } from 'escapement';
import {
  defineSimulation,
  expectSameTrajectory,
  inline,
  scalar,
  type SimulationDefinition,
  type SimulationTypes,
} from 'escapement/sim';
import { describe, expect, it } from 'vitest';
import { bounce } from '../../scenes/bounce.sim.ts';
import { crowd } from '../../scenes/crowd.sim.ts';
import { cubes } from '../../scenes/cubes.sim.ts';
import { fixedOrbits } from '../../scenes/fixed.sim.ts';
import { flock } from '../../scenes/flock.sim.ts';
import { skeletons } from '../../scenes/skeletons.sim.ts';
import { storm } from '../../scenes/storm.sim.ts';
import { scaled } from '../scaled.ts';

const ticks = scaled({ tiny: 60, normal: 180, full: 1200 });
const population = scaled({ tiny: 40, normal: 120, full: 1000 });

interface Scene {
  readonly name: string;
  readonly definition: SimulationDefinition<SimulationTypes>;
  readonly params: Record<string, number>;
}

const SCENES: readonly Scene[] = [
  { name: 'bounce', definition: bounce as never, params: {} },
  { name: 'crowd', definition: crowd as never, params: {} },
  { name: 'cubes', definition: cubes as never, params: { population: Math.ceil(population / 3) } },
  {
    name: 'fixed',
    definition: fixedOrbits as never,
    params: { population: Math.ceil(population / 4) },
  },
  { name: 'flock', definition: flock as never, params: { population } },
  { name: 'skeletons', definition: skeletons as never, params: { population } },
  { name: 'storm', definition: storm as never, params: {} },
];

describe.each(SCENES)('the trajectory of $name', ({ definition, params }) => {
  it.each([1, 6])('is the same under every pacing, at %s quanta a tick', async (everyQuanta) => {
    const report = await expectSameTrajectory(definition, {
      ticks,
      params,
      seed: 7,
      everyQuanta,
      startElsewhere: () =>
        startSimulation(inline(definition), {
          params,
          seed: 7,
          drivenBy: 'host',
          logLevel: 'off',
        }),
    });
    expect(report.pacings.length).toBe(12);
    expect(report.comparisons).toBeGreaterThan(10 * ticks);
  });
});

const counted = {
  capacity: 1,
  components: { total: scalar('f64') },
  publish: ['total' as const],
};

describe('a trajectory that depends on its pacing', () => {
  it('is refused, with the pacing and the first tick that differs', async () => {
    let frames = 0;
    const leaky = defineSimulation({
      ...counted,
      tickRateHz: 60,
      setup: ({ world }) => void world.spawn({ total: 0 }),
      systems: [
        {
          name: 'leak',
          writes: ['total'],
          run({ columns, tick }) {
            // State kept outside the world: it outlives a run.
            if (tick === 5) columns.total[0] = ++frames;
          },
        },
      ],
    });
    await expect(expectSameTrajectory(leaky, { ticks: 10 })).rejects.toMatchObject({
      code: 'TRAJECTORY_DIFFERS',
      detail: { given: expect.stringContaining('after tick 5, live at 0.5x') as string },
    });
  });

  it('is refused when only another thread differs', async () => {
    const define = (step: number) =>
      defineSimulation({
        ...counted,
        tickRateHz: 60,
        setup: ({ world }) => void world.spawn({ total: 0 }),
        systems: [
          {
            name: 'count',
            writes: ['total'],
            run: ({ columns, tick }) => {
              columns.total[0] = (columns.total[0] as number) + (tick === 3 ? step : 1);
            },
          },
        ],
      });
    const options = { drivenBy: 'host', logLevel: 'off' } as const;
    const elsewhere = (step: number) => () => startSimulation(inline(define(step)), options);
    const same = { ticks: 10, startElsewhere: elsewhere(1) };
    expect((await expectSameTrajectory(define(1), same)).comparisons).toBeGreaterThan(99);
    const other = { ticks: 10, startElsewhere: elsewhere(2) };
    await expect(expectSameTrajectory(define(1), other)).rejects.toMatchObject({
      detail: { given: expect.stringContaining('elsewhere') as string },
    });
  });

  it.each([0, 1.5, Number.NaN])('%s ticks cannot be compared', async (bad) => {
    const promise = expectSameTrajectory(bounce, { ticks: bad });
    await expect(promise).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});
