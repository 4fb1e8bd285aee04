import { startSimulation } from 'escapement';
import { frustumPlanes, openView } from 'escapement/render';
import {
  angle,
  defineSimulation,
  type Entity,
  inline,
  position2d,
  quaternion,
  sparse,
  step,
  tag,
  vec2,
} from 'escapement/sim';

/*
 * The boundary between the threads, checked by the compiler: what is marked must not compile, and
 * the rest must. Nothing here runs.
 */

const flock = defineSimulation({
  tickRateHz: 60,
  capacity: 100,
  params: { population: 10, title: 'a', fast: false },
  components: {
    position: position2d(),
    velocity: vec2('f64'),
    heading: angle(),
    spin: quaternion(),
    kind: step('u8'),
    asleep: tag(),
    burning: sparse(vec2('f64'), 10),
  },
  globals: { score: 'u32' },
  publish: ['position', 'heading', 'kind'],
  inputs: {
    pointer: { x: 'f32', y: 'f32', down: 'bool', as: 'state' },
    pick: { who: 'entity', as: 'event' },
  },
  events: { caught: { by: 'entity', count: 'u32' } },
  queries: ({ world, columns }) => ({
    near: (x: number, y: number) => ({ count: world.count, x, y, byte: columns.kind[0] }),
    name: async () => 'flock',
  }),
  setup({ world, params, globals }) {
    const population: number = params.population;
    globals.score = population;
    world.spawn({ position: [0, 0], heading: 1 });
    // @ts-expect-error -- no such component
    world.spawn({ positoin: [0, 0] });
    // @ts-expect-error -- no such parameter
    void params.populaton;
    // @ts-expect-error -- a parameter keeps its type
    const wrong: string = params.population;
    void wrong;
  },
  systems: [
    {
      name: 'steer',
      reads: ['position'],
      writes: ['velocity'],
      run(context) {
        const doubles: Float64Array = context.columns.velocity;
        const bytes: Uint8Array = context.columns.kind;
        const down: boolean = context.inputs.pointer.down;
        const picked: readonly { readonly who: Entity }[] = context.inputs.pick;
        context.emit.caught({ by: 0 as Entity, count: 1 });
        // @ts-expect-error -- an entity is no plain number
        context.emit.caught({ by: 7, count: 1 });
        // @ts-expect-error -- no such event
        context.emit.cought({ by: 0 as Entity, count: 1 });
        // @ts-expect-error -- no such column
        void context.columns.speed;
        const burning: Float64Array = context.columns.burning;
        const awake = { all: ['position'], none: ['asleep'] } as const;
        const count: number = context.world.query(awake).refresh();
        const entity: Entity = context.commands.spawn({ position: [1, 2], asleep: 1 });
        context.commands.add(entity, 'burning', [1, 2]);
        context.world.query({ all: ['position'], any: ['asleep', 'burning'] });
        // @ts-expect-error -- no such component
        context.world.query({ none: ['awake'] });
        // @ts-expect-error -- no such component
        context.commands.remove(entity, 'awake');
        // @ts-expect-error -- a plain number is no entity
        context.commands.despawn(3);
        void [doubles, bytes, down, picked, burning, count];
      },
    },
  ],
});
type Flock = typeof flock;

defineSimulation({
  tickRateHz: 60,
  capacity: 1,
  components: { position: position2d() },
  // @ts-expect-error -- only components are published
  publish: ['velocity'],
  systems: [],
});

defineSimulation({
  tickRateHz: 60,
  capacity: 1,
  components: { position: position2d() },
  publish: ['position'],
  // @ts-expect-error -- a system names its components
  systems: [{ name: 'steer', writes: ['velocity'], run: () => undefined }],
});

const pond = defineSimulation({
  tickRateHz: 60,
  capacity: 1,
  components: { place: position2d() },
  publish: ['place'],
  systems: [],
});

/** The page's side. */
export async function page(worker: Worker): Promise<void> {
  const sim = await startSimulation<Flock>(() => worker, { params: { population: 3 } });
  // @ts-expect-error -- no such parameter
  await sim.restart({ params: { populaton: 3 } });
  // @ts-expect-error -- a parameter keeps its type
  await sim.restart({ params: { population: 'many' } });

  sim.inputs.pointer({ x: 1, y: 2, down: true });
  // @ts-expect-error -- a field is missing
  sim.inputs.pointer({ x: 1, y: 2 });
  // @ts-expect-error -- a field has another type
  sim.inputs.pointer({ x: 1, y: 2, down: 'yes' });
  // @ts-expect-error -- no such input
  sim.inputs.piontr({ x: 1 });

  sim.events.drain((event) => {
    const type: 'caught' = event.type;
    const count: number = event.count;
    const by: Entity = event.by;
    // @ts-expect-error -- no such field
    void event.counts;
    void [type, count, by];
  });

  const near: { count: number; x: number; y: number } = await sim.queries.near(1, 2);
  const name: string = await sim.queries.name();
  // @ts-expect-error -- an argument is missing
  await sim.queries.near(1);
  // @ts-expect-error -- no such query
  await sim.queries.far(1, 2);
  void [near, name];

  const view = openView(sim.share());
  const frame = view.frame();
  const xy: Float32Array = frame.blend('position');
  const kinds: Uint8Array = frame.blend('kind');
  // @ts-expect-error -- declared, but not published
  frame.blend('velocity');
  // @ts-expect-error -- no such channel
  frame.sampleInto('positions', new Float32Array(2));
  // @ts-expect-error -- a plain number is no entity
  frame.sample(3, 'position', [0, 0]);
  const score: number = frame.global('score');
  // @ts-expect-error -- no such global
  frame.global('scores');
  const awake = view.query({ all: ['position', 'burning'], none: ['asleep'] });
  // @ts-expect-error -- no such component
  view.query({ any: ['awake'] });
  const slots: Uint32Array = awake.indices(frame);
  const xyz = new Float32Array(300);
  const within = { left: 0, bottom: 0, right: 1, top: 1 };
  frame.sampleInto('heading', xyz, { of: awake, within, position: 'position', stride: 2 });
  // @ts-expect-error -- declared, but not published
  frame.sampleInto('heading', xyz, { within, position: 'velocity' });
  // @ts-expect-error -- a plain list is no list of slots
  frame.sampleInto('heading', xyz, { of: [1, 2] });
  // @ts-expect-error -- a place has a top
  frame.sampleInto('position', xyz, { within: { left: 0, bottom: 0, right: 1 } });
  frame.composeMatrices({ position: 'position', orientation: 'heading' }, { of: slots, within });
  // @ts-expect-error -- declared, but not published
  frame.composeMatrices({ position: 'position', scale: 'velocity' });
  // @ts-expect-error -- a matrix stands somewhere
  frame.composeMatrices({ orientation: 'heading' });
  // @ts-expect-error -- matrices of one's own are laid out by composeMatricesInto
  frame.composeMatrices({ position: 'position' }, { stride: 20 });
  const planes = frustumPlanes(new Float32Array(16), new Float32Array(24));
  frame.composeMatricesInto(xyz, { position: 'position' }, { within: { planes, radius: 'kind' } });
  // @ts-expect-error -- no such channel
  frame.composeMatricesInto(xyz, { position: 'position' }, { within: { planes, radius: 'reach' } });
  void [xy, kinds, score];

  const other = await startSimulation(inline(pond));
  // @ts-expect-error -- a query of another simulation
  frame.sampleInto('position', xyz, { of: openView(other.share()).query({ all: ['place'] }) });

  const here = await startSimulation(inline(flock));
  here.inputs.pointer({ x: 1, y: 2, down: true });
  // @ts-expect-error -- no such input
  here.inputs.pointr({ x: 1, y: 2, down: true });
}
