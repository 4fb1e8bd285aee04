import { CASES, heightOf, placeAt, WALKER, walkerAt } from '../pages/teleporter-places.ts';

/* Discs in a picture of 320 x 200 pixels, the origin in its middle: where their pixels may be. */

const WIDTH = 320;
const HEIGHT = 200;
const PIXELS_PER_UNIT = 100;
const RADIUS_PX = 6;

/** In world units. */
export type Place = readonly [x: number, y: number];

/** Lists the pixels whose middles are within a distance of a place. */
function pixelsAround(places: readonly Place[], reachPx: number): Set<number> {
  const pixels = new Set<number>();
  for (const [x, y] of places) {
    const middleX = x * PIXELS_PER_UNIT + WIDTH / 2;
    const middleY = y * PIXELS_PER_UNIT + HEIGHT / 2;
    for (let row = Math.floor(middleY - reachPx); row <= middleY + reachPx; row++) {
      for (let column = Math.floor(middleX - reachPx); column <= middleX + reachPx; column++) {
        const isInside = row >= 0 && row < HEIGHT && column >= 0 && column < WIDTH;
        const far = Math.hypot(column + 0.5 - middleX, row + 0.5 - middleY);
        if (isInside && far <= reachPx) pixels.add(row * WIDTH + column);
      }
    }
  }
  return pixels;
}

/** Counts lit pixels that are further than a pixel from every disc, and dark ones inside of one. */
export function countFaults(
  { lit }: { readonly lit: readonly number[] },
  places: readonly Place[],
): { stray: number; dark: number } {
  const near = pixelsAround(places, RADIUS_PX + 1);
  const inside = pixelsAround(places, RADIUS_PX - 1);
  for (const pixel of lit) inside.delete(pixel);
  return { stray: lit.filter((pixel) => !near.has(pixel)).length, dark: inside.size };
}

/** What {@link countFaults} finds in a picture that is right. */
export const NO_FAULTS = { stray: 0, dark: 0 };

/** Where the teleporter's discs are in a frame, by the closed form; `ticks` have gone by in it. */
export function teleporterPlaces(pairTick: number, ticks: number): Place[] {
  const places: Place[] = [];
  for (let kind = 0; kind < CASES.length; kind++) {
    const { x, isSeen } = placeAt(kind, pairTick);
    if (isSeen) places.push([x, heightOf(kind)]);
  }
  places.push([walkerAt(ticks), heightOf(WALKER)]);
  return places;
}
