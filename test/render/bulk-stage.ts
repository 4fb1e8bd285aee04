import { startSimulation } from '../../src/main/index.ts';
import { openView, type View, type ViewOptions } from '../../src/render/index.ts';
import {
  angle,
  type Columns,
  defineSimulation,
  fixed,
  inline,
  list,
  position2d,
  position3d,
  quaternion,
  scalar,
  sparse,
  step,
  tag,
  type TypesOf,
  vec2,
  vec3,
  type World,
} from '../../src/sim-worker/index.ts';
import { VirtualClock } from './stage.ts';

const components = {
  place: position2d(),
  spot: position3d(),
  heading: angle(360),
  yaw: angle(),
  turn: quaternion(),
  twist: quaternion('nlerp'),
  size: scalar(),
  stretch: vec2(),
  extent: vec3(),
  flip: step('f32', 2),
  mirror: step('f32', 3),
  reach: scalar(),
  kind: step('u8'),
  exact: fixed(2),
  wide: vec2('f64'),
  bones: list(quaternion(), 2),
  mass: scalar('f64'),
  asleep: tag(),
  rare: sparse(scalar(), 40),
};

type BulkComponents = typeof components;
export type ComponentName = keyof BulkComponents;

/** Every component that readers get, and the others. */
export const PUBLISHED = [
  'place',
  'spot',
  'heading',
  'yaw',
  'turn',
  'twist',
  'size',
  'stretch',
  'extent',
  'flip',
  'mirror',
  'reach',
  'kind',
  'exact',
  'wide',
  'bones',
] as const;
export type BulkChannel = (typeof PUBLISHED)[number];
export const COMPONENTS: readonly ComponentName[] = [...PUBLISHED, 'mass', 'asleep', 'rare'];

/** Numbers of an entity in each channel. */
export function widthOf(channel: BulkChannel): number {
  return components[channel].width;
}

export interface BulkContext {
  readonly world: World<BulkComponents>;
  readonly columns: Columns<BulkComponents>;
  readonly tick: number;
}
export type BulkScript = (context: BulkContext) => void;

function define(script: BulkScript, capacity: number) {
  return defineSimulation({
    name: 'bulk',
    tickRateHz: 60,
    capacity,
    components,
    publish: [...PUBLISHED],
    setup: ({ world, columns }) => script({ world, columns, tick: 0 }),
    systems: [{ name: 'script', writes: [...COMPONENTS], run: script }],
  });
}

export type BulkTypes = TypesOf<ReturnType<typeof define>>;
export type BulkView = View<BulkTypes>;

export const TICK_MS: number = 1000 / 60;

/** A simulation in virtual time whose every tick is `script`; tick 0 is the setup. */
export async function openBulkStage(script: BulkScript, capacity: number) {
  const clock = new VirtualClock();
  const source = inline(define(script, capacity), { pacing: 'manual', clock });
  const sim = await startSimulation(source, { logLevel: 'off' });
  const views: BulkView[] = [];
  let tick = 0;
  return {
    sim,
    openView(options: ViewOptions = {}): BulkView {
      const view: BulkView = openView(sim.share(), options);
      views.push(view);
      return view;
    },
    /** Runs `ticks` ticks more and stands `alpha` of one behind the last. */
    advance(ticks: number, alpha: number): void {
      for (const end = tick + ticks; tick < end; ) {
        tick++;
        // A microsecond late: a clock of whole nanoseconds may fall short of a third of one.
        clock.toMs(tick * TICK_MS + 0.001);
        source.runDue();
      }
      clock.toMs((tick + alpha) * TICK_MS);
    },
    async close(): Promise<void> {
      for (const view of views) view.close();
      await sim.stop();
    },
  };
}

export type BulkStage = Awaited<ReturnType<typeof openBulkStage>>;
