/** The bodies as a simulation of ours. */
import {
  defineSimulation,
  position3d,
  quaternion,
  runSimulation,
  type TypesOf,
} from 'escapement/sim';
import { placeBodies, TICK_RATE_HZ, tumble } from './tumble.ts';

export const tumbling = defineSimulation({
  name: 'tumbling',
  tickRateHz: TICK_RATE_HZ,
  capacity: 100_000,
  params: { bodies: 1000 },
  components: { position: position3d(), orientation: quaternion() },
  publish: ['position', 'orientation'],
  setup({ world, columns, params }) {
    for (let i = 0; i < params.bodies; i++) world.spawn({ position: 0, orientation: 0 });
    placeBodies(
      columns.position.subarray(0, params.bodies * 3),
      columns.orientation.subarray(0, params.bodies * 4),
    );
  },
  systems: [
    {
      name: 'tumble',
      writes: ['position', 'orientation'],
      run({ columns, params }) {
        tumble(columns.position, columns.orientation, params.bodies);
      },
    },
  ],
});

export type Tumbling = typeof tumbling;
export type TumblingTypes = TypesOf<Tumbling>;

runSimulation(tumbling);
