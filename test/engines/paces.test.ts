import { startSimulation } from 'escapement';
import { inline } from 'escapement/sim';
import { expect, test } from 'vitest';
import { bounce } from '../../scenes/bounce.sim.ts';
import { createPace } from './harness/paces.ts';
import { type PaceName, WAYS } from './harness/plan.ts';

const PACES = new Set(WAYS.map(({ pace }) => pace));
PACES.delete('own clock');
PACES.delete('led');

test.each([...PACES] as PaceName[])('%s goes to a tick and not beyond', async (name) => {
  const sim = await startSimulation(inline(bounce), { drivenBy: 'host', logLevel: 'off' });
  const pace = createPace(name);
  for (const tick of [1, 2, 17, 18, 100, 333]) {
    await pace(sim.clock, tick);
    expect(sim.tick).toBe(tick);
  }
  await sim.stop();
});
