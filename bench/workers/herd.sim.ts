import {
  angle,
  defineSimulation,
  position2d,
  runSimulation,
  scalar,
  step,
  vec2,
} from 'escapement/sim';

/** A herd that wanders: five components an entity, four simple systems, one input. */
export const herd = defineSimulation({
  name: 'herd',
  tickRateHz: 60,
  capacity: 10_000,
  params: { population: 10_000 },
  components: {
    position: position2d(),
    velocity: vec2(),
    heading: angle(),
    energy: scalar(),
    kind: step('u8'),
  },
  globals: { eaten: 'u32' },
  publish: ['position', 'heading'],
  inputs: { wind: { as: 'state', x: 'f32', y: 'f32' } },
  setup({ world, params, random }) {
    for (let i = 0; i < params.population; i++) {
      world.spawn({
        position: [random.nextFloat01() * 1000, random.nextFloat01() * 1000],
        velocity: [random.nextFloat01() - 0.5, random.nextFloat01() - 0.5],
        heading: random.nextFloat01(),
        energy: random.nextFloat01(),
        kind: i & 7,
      });
    }
  },
  systems: [
    {
      name: 'blow',
      writes: ['velocity'],
      run({ world, columns: { velocity }, inputs }) {
        const live = world.live();
        const { x, y } = inputs.wind;
        for (let k = 0; k < live.length; k++) {
          const i = 2 * (live[k] as number);
          velocity[i] = (velocity[i] as number) * 0.99 + x;
          velocity[i + 1] = (velocity[i + 1] as number) * 0.99 + y;
        }
      },
    },
    {
      name: 'move',
      reads: ['velocity'],
      writes: ['position'],
      run({ world, columns: { position, velocity } }) {
        const live = world.live();
        for (let k = 0; k < live.length; k++) {
          const i = 2 * (live[k] as number);
          position[i] = (position[i] as number) + (velocity[i] as number);
          position[i + 1] = (position[i + 1] as number) + (velocity[i + 1] as number);
        }
      },
    },
    {
      name: 'turn',
      writes: ['heading'],
      run({ world, columns: { heading } }) {
        const live = world.live();
        for (let k = 0; k < live.length; k++) {
          const i = live[k] as number;
          heading[i] = ((heading[i] as number) + 0.01) % 6;
        }
      },
    },
    {
      name: 'tire',
      writes: ['energy'],
      run({ world, columns: { energy }, globals }) {
        const live = world.live();
        for (let k = 0; k < live.length; k++) {
          const i = live[k] as number;
          const left = (energy[i] as number) - 0.001;
          energy[i] = left < 0 ? 1 : left;
          if (left < 0) globals.eaten++;
        }
      },
    },
  ],
});

export type Herd = typeof herd;

runSimulation(herd);
