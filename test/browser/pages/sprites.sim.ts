/** Sprites that move, turn, grow and change colour, and some that come and go. */
import {
  angle,
  colour,
  cos,
  defineSimulation,
  type Entity,
  position2d,
  runSimulation,
  sin,
  vec2,
} from 'escapement/sim';

const POPULATION = 24;
/** Who is thrown across the picture at tick 5, hidden at 7, shown at 10, and replaced at 9. */
const THROWN = 3;
const HIDDEN = 4;
const REPLACED = 5;
/** Who is never drawn: it has no size. */
const SIZELESS = 6;

const those: Entity[] = [];

function placeOf(i: number, tick: number): [number, number] {
  const thrown = i === THROWN && tick >= 5 ? 1.5 : 0;
  return [
    ((i % 6) - 2.5) * 0.5 + 0.05 * sin(i + tick) + thrown,
    (Math.floor(i / 6) - 1.5) * 0.5 + 0.05 * cos(2 * i + tick),
  ];
}

export const sprites = defineSimulation({
  name: 'sprites',
  tickRateHz: 60,
  capacity: 64,
  components: { position: position2d(), heading: angle(360), size: vec2(), paint: colour() },
  publish: ['position', 'heading', 'size', 'paint'],
  setup({ world }) {
    for (let i = 0; i < POPULATION; i++) {
      const look = { heading: 40 * i, paint: [1, 1, 1, 1], size: [1, 1] };
      those.push(world.spawn({ position: placeOf(i, 0), ...look }));
    }
    world.remove(those[SIZELESS] as Entity, 'size');
  },
  systems: [
    {
      name: 'move',
      writes: ['position', 'heading', 'size', 'paint'],
      run({ world, tick, columns: { position, heading, size, paint } }) {
        if (tick === 5) world.teleport(those[THROWN] as Entity, {});
        if (tick === 7) world.setVisible(those[HIDDEN] as Entity, false);
        if (tick === 10) world.setVisible(those[HIDDEN] as Entity, true);
        if (tick === 9) {
          world.despawn(those[REPLACED] as Entity);
          those[REPLACED] = world.spawn({ position: 0, heading: 0, size: 1, paint: 1 });
        }
        for (let i = 0; i < POPULATION; i++) {
          const at = world.indexOf(those[i] as Entity);
          position.set(placeOf(i, tick), at * 2);
          heading[at] = (40 * i + 100 * tick) % 360;
          size.set([1 + 0.3 * ((i + tick) % 3), 1 + 0.2 * (tick % 2)], at * 2);
          paint.set(
            [((i + tick) % 4) / 3, 0.2 + i / 40, (i % 5) / 4, 0.6 + 0.1 * (tick % 4)],
            at * 4,
          );
        }
      },
    },
  ],
});

export type Sprites = typeof sprites;

runSimulation(sprites);
