import { Region, createMemory, type KernelMemory } from '#dist/shared/region.js';
import { createCopy } from '#dist/shared/copier.js';
import { hashRoomBytes } from '#dist/shared/kernels/hash-blocks.js';
import type { Layout } from '#dist/shared/layout.js';
import { strideBytes, type Schema } from '#dist/shared/schema.js';
import { bitsetBytes, placeWorld } from '#dist/shared/world-map.js';
import { deriveComponents } from '#dist/sim-worker/component-schemas.js';
import { World } from '#dist/sim-worker/world.js';
import { quaternion, scalar, step, vec3 } from 'escapement/sim';
import { allocatedBytes, pairNs } from './lib/measure.ts';
import { report, round, sized } from './lib/report.ts';

/**
 * What hashing the whole state costs, set against a memcpy of the same bytes: the faster of
 * `TypedArray.set` and `memory.copy`, in the same shared memory. Five components of every entity,
 * the handles, and who has what. `script` is the way without WebAssembly. Of `holes` every seventh
 * entity is gone, and every third has no velocity.
 */
const BOUND = 4;

const components = {
  position: vec3(),
  velocity: vec3(),
  orientation: quaternion(),
  energy: scalar('f64'),
  kind: step('u16'),
};

type Rows = 'full' | 'holes';

function openWorld(entities: number, rows: Rows, usesKernel: boolean) {
  const schema: Schema = {
    name: 'hash',
    capacity: entities,
    quantum: { numerator: 1, denominator: 60 },
    components: deriveComponents(components, []),
    globals: [{ name: 'score', type: 'f64' }],
    inputs: [],
    events: [],
    params: {},
    systems: ['one', 'two'],
    changes: false,
  };
  const map = placeWorld(schema, 0);
  const end = map.bytes + hashRoomBytes(entities);
  const memory = createMemory(end + map.bytes, true);
  const { buffer } = memory as KernelMemory;
  const hashing = usesKernel ? { memory, room: map.bytes } : undefined;
  const world = new World<typeof components>(schema, buffer, map, { hashing });
  const { random } = world;
  const some = (count: number): number[] =>
    Array.from({ length: count }, () => random.nextFloat01() - 0.5);
  for (let i = 0; i < entities; i++) {
    const [kind, energy] = [i % 5000, i / 7];
    world.spawn({ position: some(3), velocity: some(3), orientation: some(4), energy, kind });
  }
  if (rows === 'holes') {
    for (let slot = 0; slot < entities; slot++) {
      if (slot % 7 === 0) world.despawn(world.entityAt(slot));
      else if (slot % 3 === 0) world.remove(world.entityAt(slot), 'velocity');
    }
  }
  const stride = schema.components.reduce((sum, component) => sum + strideBytes(component), 4);
  const bytes = entities * stride + 6 * bitsetBytes(entities);
  const region = new Region(memory, {} as Layout);
  const copy = createCopy(region);
  const [from, to] = [region.u8.subarray(0, bytes), region.u8.subarray(end, end + bytes)];
  return {
    world,
    bytes,
    set: (): void => to.set(from),
    copy: (): void => copy(end, 0, bytes),
  };
}

for (const entities of sized([1000], [10_000, 100_000], [10_000, 100_000, 1_000_000])) {
  for (const rows of ['full', 'holes'] as const) {
    for (const path of ['simd', 'script'] as const) {
      const { world, bytes, set, copy } = openWorld(entities, rows, path === 'simd');
      const out = new Uint32Array(2);
      let tick = 0;
      const hash = (): void => world.stateHash.compute(++tick, out);
      const blocks = sized(3, 31, 101);
      const calls = Math.max(3, Math.round(sized(2e4, 2e6, 4e6) / entities));
      const sets = pairNs(blocks, calls, set, copy);
      const fastest = sets.ns < sets.otherNs ? set : copy;
      for (let i = 0; i < sized(10, 200, 200); i++) hash();
      const { ns, otherNs, ratio } = pairNs(blocks, calls, hash, fastest);
      const isBound = path === 'simd' && rows === 'full';
      const allocated = allocatedBytes(hash, sized(100, 1e7 / entities, 1e8 / entities), 100);
      report('hash', {
        entities,
        rows,
        path,
        bytes,
        ns: round(ns),
        memcpyNs: round(otherNs),
        ratio: round(ratio),
        allocatedBytes: allocated,
        ...(isBound ? { bound: BOUND, ok: ratio <= BOUND && allocated === 0 } : {}),
      });
    }
  }
}
