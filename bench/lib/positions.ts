import { computeLayout, type RegionOptions } from '#dist/shared/layout.js';
import { createRegion, type Region } from '#dist/shared/region.js';
import type { Schema } from '#dist/shared/schema.js';
import { Publisher } from '#dist/sim-worker/publisher.js';
import { World } from '#dist/sim-worker/world.js';
import { position2d } from 'escapement/sim';

/** A world of nothing but positions, on a shared region, and what publishes it. */
export interface Positions {
  readonly schema: Schema;
  readonly options: RegionOptions;
  readonly region: Region;
  readonly world: World;
  readonly publisher: Publisher;
}

/** Makes a world of `count` positions (two f32 each), all alive, read by `readers` readers. */
export function createPositions(count: number, readers: number, followers = 0): Positions {
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
  const options: RegionOptions = {
    readers,
    controllers: 1,
    followers,
    commandWords: words,
    inputWords: words,
    eventWords: words,
    logWords: words,
    traceWords: words,
  };
  const region = createRegion(computeLayout(schema, options), true);
  const { layout } = region;
  const world = new World(schema, region.buffer, layout.world);
  for (let i = 0; i < count; i++) world.spawn({ position: [i, -i] });
  return { schema, options, region, world, publisher: new Publisher(schema, region, world) };
}
