import { defineSimulation, position2d, runSimulation } from 'escapement/sim';

/*
 * Bodies between two walls, at constant speed: where each one is follows from the tick alone, so a
 * picture, a recording or a blend can be compared with the closed form.
 */

/** Half the width and height of the world. */
export const HALF_WIDTH = 1.6;
export const HALF_HEIGHT = 1;

/** World units a second that body `i` moves along an axis. */
function speedOf(i: number, axis: 0 | 1): number {
  return 0.25 + 0.05 * ((i * (axis + 3)) % 11);
}

/** Where a triangle wave between -half and half is after moving `distance` from the middle. */
function triangle(distance: number, half: number): number {
  const period = 4 * half;
  const along = distance + half - period * Math.floor((distance + half) / period);
  return along <= 2 * half ? along - half : 3 * half - along;
}

/** The closed form: where body `i` is at `seconds` of world time, as f32. */
export function bounceAt(seconds: number, i: number): readonly [x: number, y: number] {
  return [
    Math.fround(triangle(seconds * speedOf(i, 0) + i * 0.37, HALF_WIDTH)),
    Math.fround(triangle(seconds * speedOf(i, 1) + i * 0.23, HALF_HEIGHT)),
  ];
}

export const bounce = defineSimulation({
  name: 'bounce',
  tickRateHz: 60,
  capacity: 10_000,
  params: { population: 200 },
  components: { position: position2d() },
  publish: ['position'],
  setup({ world, params }) {
    for (let i = 0; i < params.population; i++) world.spawn({ position: bounceAt(0, i) });
  },
  systems: [
    {
      name: 'move',
      writes: ['position'],
      run({ world, time, columns: { position } }) {
        const live = world.live();
        for (let k = 0; k < live.length; k++) {
          const i = live[k] as number;
          position[2 * i] = triangle(time * speedOf(i, 0) + i * 0.37, HALF_WIDTH);
          position[2 * i + 1] = triangle(time * speedOf(i, 1) + i * 0.23, HALF_HEIGHT);
        }
      },
    },
  ],
});
export type Bounce = typeof bounce;

runSimulation(bounce);
