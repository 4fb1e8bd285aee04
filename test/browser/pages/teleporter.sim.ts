/**
 * Bodies that come to another place in every way there is, and one that walks. Out of sight a crowd
 * comes and goes, so that buffers have to grow and hold more than they should show.
 */
import { defineSimulation, type Entity, position2d, runSimulation } from 'escapement/sim';
import { CASES, heightOf, placeAt, WALKER, walkerAt } from './teleporter-places.ts';

const bodies: Entity[] = [];
const crowd: Entity[] = [];
const CROWD = 100;

export const teleporter = defineSimulation({
  name: 'teleporter',
  tickRateHz: 60,
  capacity: 256,
  components: { position: position2d() },
  publish: ['position'],
  setup({ world }) {
    crowd.length = 0;
    for (let kind = 0; kind < CASES.length; kind++) {
      bodies[kind] = world.spawn({ position: [placeAt(kind, 0).x, heightOf(kind)] });
    }
    world.setBlended(bodies[5] as Entity, false);
    bodies[WALKER] = world.spawn({ position: [walkerAt(0), heightOf(WALKER)] });
  },
  systems: [
    {
      name: 'change-sides',
      writes: ['position'],
      run({ world, tick, columns: { position } }) {
        const put = (entity: Entity, x: number, y: number): void => {
          position[2 * world.indexOf(entity)] = x;
          position[2 * world.indexOf(entity) + 1] = y;
        };
        for (let kind = 0; kind < CASES.length; kind++) {
          const { x, comes, goes } = placeAt(kind, tick);
          const body = bodies[kind] as Entity;
          const at = [x, heightOf(kind)];
          if (kind === 0 && comes) world.teleport(body, { position: at });
          if (kind === 1 && comes) {
            world.despawn(body);
            bodies[kind] = world.spawn({ position: at });
          }
          if (kind === 2 && goes) world.remove(body, 'position');
          if (kind === 2 && comes) world.add(body, 'position', at);
          if (kind === 3 && goes) world.setVisible(body, false);
          if (kind === 3 && comes) {
            put(body, x, heightOf(kind));
            world.setVisible(body, true);
          }
          if (kind === 4 && goes) world.despawn(body);
          if (kind === 4 && comes) bodies[kind] = world.spawn({ position: at });
          if (kind === 5) put(body, x, heightOf(kind));
          if (kind === 6 && comes) {
            world.remove(body, 'position');
            world.add(body, 'position', at);
          }
        }
        if (tick % 50 === 25) {
          for (let k = 0; k < CROWD; k++) crowd.push(world.spawn({ position: [9 + k, 0] }));
        }
        if (tick % 50 === 40) {
          for (const one of crowd) world.despawn(one);
          crowd.length = 0;
        }
        put(bodies[WALKER] as Entity, walkerAt(tick), heightOf(WALKER));
      },
    },
  ],
});

export type Teleporter = typeof teleporter;

runSimulation(teleporter);
