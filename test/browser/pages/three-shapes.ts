/** Simulations in virtual time that the page draws with three. */
import { type RunningSimulation, startSimulation } from 'escapement';
import {
  colour,
  defineSimulation,
  type Entity,
  inline,
  type Instant,
  type MonotonicClock,
  position3d,
  quaternion,
  scalar,
  type TypesOf,
} from 'escapement/sim';

const TICK_MS = 1000 / 60;
const CAPACITY = 64;
/** Of many: who is thrown across the picture at tick 5, hidden at 7, and replaced at tick 9. */
const THROWN = 3;
const HIDDEN = 4;
const REPLACED = 5;

/** `many`: forty boxes that move and turn. `leap`: one that goes from left to right at tick 5. */
export type ShapesKind = 'many' | 'leap';

type Quadruple = [number, number, number, number];

class Clock implements MonotonicClock {
  ms = 0;

  read(out: Instant): Instant {
    const ns = Math.round(this.ms * 1e6);
    out.seconds = 1000 + Math.floor(ns / 1e9);
    out.nanos = ns % 1e9;
    return out;
  }
}

function turnOf(i: number, tick: number): Quadruple {
  const half = (0.2 + 0.15 * (i % 7)) * tick + i;
  return [Math.sin(i) * Math.sin(half), Math.cos(i) * Math.sin(half), 0, Math.cos(half)];
}

function placeOf(kind: ShapesKind, i: number, tick: number): [number, number, number] {
  if (kind === 'leap') return [tick < 5 ? -3 : 3, 0, 0];
  const thrown = i === THROWN && tick >= 5 ? 4 : 0;
  return [
    (i % 8) - 3.5 + 0.3 * Math.sin(i + tick) + thrown,
    Math.floor(i / 8) - 2 + 0.3 * Math.cos(i * 2 + tick),
    0.5 * Math.sin(i * 3 + tick),
  ];
}

function define(kind: ShapesKind) {
  const population = kind === 'leap' ? 1 : 40;
  const ids: Entity[] = [];
  return defineSimulation({
    name: 'shapes',
    tickRateHz: 60,
    capacity: CAPACITY,
    components: { place: position3d(), turn: quaternion(), size: scalar(), paint: colour() },
    publish: ['place', 'turn', 'size', 'paint'],
    setup({ world }) {
      for (let i = 0; i < population; i++) {
        const paint: Quadruple = [i / 40, 1 - i / 40, (i % 5) / 5, 1];
        const place = placeOf(kind, i, 0);
        ids.push(world.spawn({ place, turn: turnOf(i, 0), size: 0.5, paint }));
      }
    },
    systems: [
      {
        name: 'move',
        writes: ['place', 'turn', 'size', 'paint'],
        run({ world, tick, columns: { place, turn, size, paint } }) {
          if (tick === 5) world.teleport(ids[kind === 'leap' ? 0 : THROWN] as Entity, {});
          if (tick === 7 && kind === 'many') world.setVisible(ids[HIDDEN] as Entity, false);
          if (tick === 9 && kind === 'many') {
            world.despawn(ids[REPLACED] as Entity);
            world.spawn({ place: 0, turn: [0, 0, 0, 1], size: 0.5, paint: 1 });
          }
          for (let i = 0; i < population; i++) {
            place.set(placeOf(kind, i, tick), i * 3);
            turn.set(turnOf(i, tick), i * 4);
            size[i] = 0.4 + 0.1 * ((i + tick) % 3);
            paint[i * 4] = ((i + tick) % 4) / 4;
          }
        },
      },
    ],
  });
}

export type Shapes = TypesOf<ReturnType<typeof define>>;

/** A simulation of shapes on this thread, and a hand on its clock. */
export interface RunningShapes {
  readonly sim: RunningSimulation<Shapes>;
  /** Goes to a time in ticks, by one tick after the other. */
  readonly passTo: (time: number) => void;
}

/** Starts shapes in virtual time, at tick 0. */
export async function startShapes(kind: ShapesKind): Promise<RunningShapes> {
  const clock = new Clock();
  const source = inline(define(kind), { pacing: 'manual', clock });
  const sim = await startSimulation(source, { logLevel: 'off' });
  let tick = 0;
  return {
    sim,
    passTo(time) {
      // A microsecond late: a clock of whole nanoseconds may fall short of a third of one.
      for (; tick <= Math.floor(time); tick++) {
        clock.ms = tick * TICK_MS + 0.001;
        source.runDue();
      }
      clock.ms = Math.max(clock.ms, time * TICK_MS);
    },
  };
}
