import { defineSimulation, position2d, runSimulation, scalar, step } from 'escapement/sim';

/*
 * Entities that come and go all the time, jump, gain and lose a component. Each one stays on a
 * column of its own identity: x is its serial number for life, y goes up by one a tick and starts
 * at a height of its own after every jump. A reader that ever blends two of them, or across a jump,
 * shows an x that is no whole number, or a y that no tick had.
 */

/** How far apart the heights of two jumps of one entity are. */
export const JUMP = 4096;
const CAPACITY = 20_000;

export const storm = defineSimulation({
  name: 'storm',
  tickRateHz: 60,
  capacity: CAPACITY,
  params: { population: 2000, churn: 100, jumps: 50 },
  components: { position: position2d(), age: scalar(), kind: step('u8') },
  globals: { spawned: 'u32' },
  publish: ['position', 'age', 'kind'],
  setup({ world, params, globals }) {
    for (let i = 0; i < params.population; i++) {
      const serial = ++globals.spawned;
      if (serial % 3 === 0) world.spawn({ position: [serial, 0], kind: serial & 255 });
      else world.spawn({ position: [serial, 0], age: 0, kind: serial & 255 });
    }
  },
  systems: [
    {
      name: 'rise',
      writes: ['position', 'age'],
      run({ world, columns: { position, age } }) {
        for (const i of world.live()) {
          position[2 * i + 1] = (position[2 * i + 1] as number) + 1;
          age[i] = (age[i] as number) + 1;
        }
      },
    },
    {
      name: 'churn',
      run({ world, random, params, globals }) {
        const live = world.live();
        const count = Math.min(params.churn, live.length);
        for (let n = 0; n < count; n++) {
          world.despawn(world.entityAt(live[random.nextRange(0, live.length)] as number));
        }
        while (world.count < params.population) {
          const serial = ++globals.spawned;
          if (serial % 3 === 0) world.spawn({ position: [serial, 0], kind: serial & 255 });
          else world.spawn({ position: [serial, 0], age: 0, kind: serial & 255 });
        }
      },
    },
    {
      name: 'jump',
      writes: ['position'],
      run({ world, random, params, columns: { position } }) {
        const live = world.live();
        for (let n = 0; n < Math.min(params.jumps, live.length); n++) {
          const i = live[random.nextRange(0, live.length)] as number;
          const height = Math.floor((position[2 * i + 1] as number) / JUMP) + 1;
          world.teleport(world.entityAt(i), {
            position: [position[2 * i] as number, height * JUMP],
          });
        }
      },
    },
    {
      name: 'dress',
      run({ world, random, params, columns: { age } }) {
        const live = world.live();
        for (let n = 0; n < Math.min(params.jumps, live.length); n++) {
          const i = live[random.nextRange(0, live.length)] as number;
          const entity = world.entityAt(i);
          if (world.has(entity, 'age')) world.remove(entity, 'age');
          else world.add(entity, 'age', age[i] as number);
        }
      },
    },
  ],
});
export type Storm = typeof storm;

runSimulation(storm);
