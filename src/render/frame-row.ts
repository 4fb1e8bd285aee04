import { type Entity, HandleCodec } from '../shared/entity.ts';
import type { Frame } from './frame.ts';

/** Whether a frame has data of its own: if not, it shows the last one's again, or nothing yet. */
export function hasData({ status }: Frame): boolean {
  return status !== 'busy' && status !== 'not-ready';
}

/** Returns the row of a slot in an ascending list of slot indices, -1 if it is not in it. */
export function rowOfSlot(indices: Uint32Array, slot: number): number {
  // Without gaps the row is the slot.
  if (indices[slot] === slot) return slot;
  let begin = 0;
  let end = Math.min(indices.length, slot + 1);
  while (begin < end) {
    const middle = (begin + end) >>> 1;
    if ((indices[middle] as number) < slot) begin = middle + 1;
    else end = middle;
  }
  return indices[begin] === slot ? begin : -1;
}

/** Returns how handles are made up in the simulation that a frame shows. */
export function codecOf({ pair }: Frame): HandleCodec {
  // There is a stamp for each slot.
  return new HandleCodec(pair.laterStamps.length);
}

/** Returns the row of an entity in a frame, -1 if the frame does not show it. */
export function rowOfEntity(frame: Frame, codec: HandleCodec, entity: Entity): number {
  const row = rowOfSlot(frame.indices, codec.indexOf(entity));
  return row >= 0 && frame.entities[row] === entity ? row : -1;
}
