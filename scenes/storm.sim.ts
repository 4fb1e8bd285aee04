import {
  defineSimulation,
  position2d,
  runSimulation,
  scalar,
  step,
  type World,
} from 'escapement/sim';

/*
 * Entities that come and go all the time, jump, gain and lose a component. Each one stays on a
 * column of its own identity: x is its serial number for life, y goes up by one a tick and starts
 * at a height of its own after every jump. A reader that ever blends two of them, or across a jump,
 * shows an x that is no whole number, or a y that no tick had.
 */

/** How far apart the heights of two jumps of one entity are. */
export const JUMP = 4096;
const CAPACITY = 20_000;

const components = { position: position2d(), age: scalar(), kind: step('u8') };

/** Values as `spawn` and `teleport` take them: filled anew, so that the churn leaves no garbage. */
const place: [x: number, y: number] = [0, 0];
const young = { position: place, kind: 0 };
const aging = { position: place, kind: 0, age: 0 };
const landing = { position: place };

/** Makes the next entity: every third has no age. */
function spawnNext(world: World<typeof components>, serial: number): void {
  const values = serial % 3 === 0 ? young : aging;
  place[0] = serial;
  place[1] = 0;
  values.kind = serial & 255;
  world.spawn(values);
}

export const storm = defineSimulation({
  name: 'storm',
  tickRateHz: 60,
  capacity: CAPACITY,
  params: { population: 2000, churn: 100, jumps: 50 },
  components,
  globals: { spawned: 'u32' },
  publish: ['position', 'age', 'kind'],
  setup({ world, params, globals }) {
    while (world.count < params.population) spawnNext(world, ++globals.spawned);
  },
  systems: [
    {
      name: 'rise',
      writes: ['position', 'age'],
      run({ world, columns: { position, age } }) {
        const live = world.live();
        for (let k = 0; k < live.length; k++) {
          const i = live[k] as number;
          position[2 * i + 1] = (position[2 * i + 1] as number) + 1;
          age[i] = (age[i] as number) + 1;
        }
      },
    },
    {
      name: 'churn',
      writes: ['position', 'age', 'kind'],
      after: ['rise'],
      run({ world, random, params, globals }) {
        const live = world.live();
        const count = Math.min(params.churn, live.length);
        for (let n = 0; n < count; n++) {
          world.despawn(world.entityAt(live[random.nextRange(0, live.length)] as number));
        }
        while (world.count < params.population) spawnNext(world, ++globals.spawned);
      },
    },
    {
      name: 'jump',
      writes: ['position'],
      after: ['churn'],
      run({ world, random, params, columns: { position } }) {
        const live = world.live();
        for (let n = 0; n < Math.min(params.jumps, live.length); n++) {
          const i = live[random.nextRange(0, live.length)] as number;
          place[0] = position[2 * i] as number;
          place[1] = (Math.floor((position[2 * i + 1] as number) / JUMP) + 1) * JUMP;
          world.teleport(world.entityAt(i), landing);
        }
      },
    },
    {
      name: 'dress',
      writes: ['age'],
      after: ['churn'],
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
