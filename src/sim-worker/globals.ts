import { type Column, type Schema, viewColumn } from '../shared/schema.ts';
import type { WorldMap } from '../shared/world-map.ts';

/** Gives each declared global as a property that reads and writes the world's memory. */
export function viewGlobals(
  schema: Schema,
  buffer: ArrayBufferLike,
  map: WorldMap,
): Record<string, number> {
  const view: Record<string, number> = {};
  schema.globals.forEach(({ name, type }, index) => {
    const offset = map.globals + (map.globalOffsets[index] as number);
    const column: Column = viewColumn(buffer, type, offset, 1);
    Object.defineProperty(view, name, {
      enumerable: true,
      get: () => column[0],
      set: (value: number) => {
        column[0] = value;
      },
    });
  });
  return view;
}
