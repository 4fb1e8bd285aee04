import { computeLayout } from '#dist/shared/layout.js';
import { createRegion, type Region } from '#dist/shared/region.js';
import type { Schema } from '#dist/shared/schema.js';
import { Publisher } from '#dist/sim-worker/publisher.js';
import { World } from '#dist/sim-worker/world.js';
import { position2d } from 'escapement/sim';

/** A world of nothing but positions, on a shared region, and what publishes it. */
export interface Positions {
  readonly schema: Schema;
  readonly region: Region;
  readonly world: World;
  readonly publisher: Publisher;
}

/** Makes a world of `count` positions (two f32 each), all alive, read by `readers` readers. */
export function createPositions(count: number, readers: number): Positions {
  const schema: Schema = {
    name: 'positions',
    capacity: count,
    quantum: { numerator: 1, denominator: 60 },
    components: [{ ...position2d(), name: 'position', channelIndex: 0 }],
    globals: [],
    inputs: [],
    events: [],
    params: {},
    systems: [],
    changes: false,
  };
  const words = 64;
  const layout = computeLayout(schema, {
    readers,
    controllers: 1,
    followers: 0,
    commandWords: words,
    inputWords: words,
    eventWords: words,
    logWords: words,
  });
  const region = createRegion(layout, true);
  const world = new World(schema, region.buffer, layout.world);
  for (let i = 0; i < count; i++) world.spawn({ position: [i, -i] });
  return { schema, region, world, publisher: new Publisher(schema, region, world) };
}
