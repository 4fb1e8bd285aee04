import {
  angle,
  defineSimulation,
  type Entity,
  position2d,
  runSimulation,
  scalar,
  step,
} from 'escapement/sim';

/** A small world that tests steer: everything in it can be predicted from the tick. */
export const probe = defineSimulation({
  name: 'probe',
  tickRateHz: 60,
  capacity: 256,
  params: { population: 10, failAt: 0, rejectAt: 0, exitAt: 0, failInSetup: false, slowSetupMs: 0 },
  components: {
    position: position2d(),
    velocity: position2d(),
    heading: angle(),
    kind: step('u8'),
    rare: scalar(),
  },
  globals: { ticks: 'u32', clicks: 'u32' },
  publish: ['position', 'heading', 'kind', 'rare'],
  inputs: {
    pointer: { as: 'state', x: 'f32', y: 'f64', down: 'bool' },
    click: { as: 'event', n: 'u32' },
  },
  events: { clicked: { n: 'u32', seen: 'u32' }, pointed: { x: 'f32', y: 'f64', down: 'bool' } },
  queries: ({ world, globals }) => ({
    sum: (a: number, b: number) => a + b,
    tick: () => globals.ticks,
    fail: () => {
      throw new Error('the query failed');
    },
    spawn: (x: number, y: number): Entity => world.spawn({ position: [x, y], heading: 0 }),
    despawn: (entity: Entity) => world.despawn(entity),
    teleport: (entity: Entity, x: number, y: number) =>
      world.teleport(entity, { position: [x, y] }),
    setRare: (entity: Entity, value: number) => world.add(entity, 'rare', value),
    never: () => new Promise<never>(() => undefined),
  }),
  async setup({ world, params }) {
    if (params.failInSetup) throw new Error('setup failed on purpose');
    if (params.slowSetupMs > 0) {
      await new Promise((resolve) => setTimeout(resolve, params.slowSetupMs));
    }
    for (let i = 0; i < params.population; i++) {
      world.spawn({ position: [i, 0], velocity: [1, 0], heading: 0, kind: i });
    }
  },
  systems: [
    {
      name: 'move',
      reads: ['velocity'],
      writes: ['position'],
      run({ world, columns, globals, inputs, emit }) {
        const { position, velocity } = columns;
        for (const i of world.live()) {
          position[2 * i] = (position[2 * i] as number) + (velocity[2 * i] as number);
        }
        globals.ticks++;
        for (const { n } of inputs.click) {
          globals.clicks++;
          emit.clicked({ n, seen: globals.clicks });
        }
        if (inputs.pointer.down) emit.pointed(inputs.pointer);
      },
    },
    {
      name: 'trouble',
      run({ tick, params }) {
        if (tick === params.failAt) throw new Error('failed on purpose');
        if (tick === params.rejectAt) void Promise.reject(new Error('rejected on purpose'));
        if (tick === params.exitAt) process.exit(3);
      },
    },
  ],
});

export type Probe = typeof probe;

runSimulation(probe);
