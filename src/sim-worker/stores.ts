import { type Schema, viewColumn } from '../shared/schema.ts';
import { LINE_BYTES } from '../shared/words.ts';
import { bitsetBytes, mapRoster, type WorldMap } from '../shared/world-map.ts';
import { ComponentStore } from './component-store.ts';
import { SparseRows } from './sparse-rows.ts';

/** Opens the store of each component of a schema over a world's block. */
export function openStores(
  schema: Schema,
  buffer: ArrayBufferLike,
  map: WorldMap,
): readonly ComponentStore[] {
  const roster = mapRoster(schema);
  const words = bitsetBytes(schema.capacity) / 4;
  return schema.components.map((component, index) => {
    const { name, width, scalar } = component;
    const rows = component.rows ?? schema.capacity;
    const column = viewColumn(buffer, scalar, map.columns[index] as number, rows * width);
    const bits = map.roster + (roster.presence[index] as number);
    const presence = new Uint32Array(buffer, bits, words);
    if (component.rows === undefined) {
      return new ComponentStore(component, index, presence, column, undefined);
    }
    const at = map.rowSlots[index] as number;
    const count = new Uint32Array(buffer, at, 1);
    const slots = new Uint32Array(buffer, at + LINE_BYTES, rows);
    const packed = new SparseRows(name, width, count, slots, column);
    return new ComponentStore(component, index, presence, column, packed);
  });
}
