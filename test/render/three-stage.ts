import { afterEach } from 'vitest';
import { type RunningSimulation, startSimulation } from '../../src/main/index.ts';
import { openView, type View } from '../../src/render/index.ts';
import {
  angle,
  colour,
  defineSimulation,
  inline,
  list,
  position2d,
  position3d,
  quaternion,
  scalar,
  step,
  type TypesOf,
  vec3,
} from '../../src/sim-worker/index.ts';
import { VirtualClock } from './stage.ts';

const TICK_MS = 1000 / 60;

/** Some channels that make instances, and some that do not. */
function define(population: number) {
  return defineSimulation({
    name: 'instances',
    tickRateHz: 60,
    capacity: 32,
    components: {
      place: position3d(),
      flat: position2d(),
      turn: quaternion(),
      heading: angle(360),
      size: scalar(),
      stretch: vec3(),
      paint: colour(),
      kind: step('u8'),
      bones: list(quaternion(), 2),
    },
    publish: ['place', 'flat', 'turn', 'heading', 'size', 'stretch', 'paint', 'kind', 'bones'],
    setup({ world }) {
      for (let i = 0; i < population; i++) {
        world.spawn({
          place: [i, 0, 0],
          turn: [0, 0, 0, 1],
          size: 1 + i,
          paint: [0.25, 0.5, 0.75, 1],
        });
      }
    },
    systems: [
      {
        name: 'move',
        writes: ['place', 'turn'],
        run({ tick, columns: { place, turn } }) {
          for (let i = 0; i < population; i++) {
            place.set([i, tick, i * tick], i * 3);
            turn.set([0, 0, Math.sin(tick), Math.cos(tick)], i * 4);
          }
        },
      },
    ],
  });
}

export type InstanceTypes = TypesOf<ReturnType<typeof define>>;

/** A simulation of instances in virtual time, and a view of it. */
export interface InstanceStage {
  readonly view: View<InstanceTypes>;
  /** Goes to a time in ticks, through every tick on the way. */
  readonly passTo: (time: number) => void;
}

const open: { sim: RunningSimulation<InstanceTypes>; view: View<InstanceTypes> }[] = [];

/** Closes what a test opened. Call once in a test file. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const { sim, view } of open.splice(0)) {
      view.close();
      await sim.stop();
    }
  });
}

/** Opens a stage at tick 0. */
export async function openInstances(population: number): Promise<InstanceStage> {
  const clock = new VirtualClock();
  const source = inline(define(population), { pacing: 'manual', clock });
  const sim = await startSimulation(source, { logLevel: 'off' });
  const view = openView(sim.share());
  open.push({ sim, view });
  let tick = 0;
  const passTo = (time: number): void => {
    for (; tick <= Math.floor(time); tick++) {
      clock.toMs(tick * TICK_MS + 0.001);
      source.runDue();
    }
    clock.toMs(Math.max(clock.ns / 1e6, time * TICK_MS));
  };
  return { view, passTo };
}
