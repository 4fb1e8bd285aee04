import { workerData } from 'node:worker_threads';
import { createAnchor } from '#dist/shared/anchor.js';
import { computeLayout } from '#dist/shared/layout.js';
import { openRegion } from '#dist/shared/region.js';
import { DriverStats } from '#dist/sim-worker/driver-stats.js';
import { Publisher } from '#dist/sim-worker/publisher.js';
import { World } from '#dist/sim-worker/world.js';
import type { TornTask } from '../lib/torn.ts';

/** Publishes as fast as it can: every number of a tick is that tick's number. */
const { schema, options, memory, control } = workerData as TornTask;
const region = openRegion(memory, computeLayout(schema, options));
const world = new World(schema, region.buffer, region.layout.world);
for (let i = 0; i < schema.capacity; i++) world.spawn({ value: 0 });
const publisher = new Publisher(schema, region, world);
const anchor = createAnchor();
const stats = new DriverStats();
const column = world.columns['value'] as Float32Array;
// A float counts exactly to 2^24; the numbers start again long before.
const TICKS = 1 << 22;
while (Atomics.load(control, 0) === 0) {
  anchor.tick = (anchor.tick + 1) % TICKS;
  column.fill(anchor.tick);
  publisher.scan();
  publisher.capture(anchor.tick);
  publisher.publish(anchor, stats);
  Atomics.add(control, 1, 1);
}
