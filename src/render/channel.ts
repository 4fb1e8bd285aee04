import { publishedComponents } from '../shared/layout.ts';
import type { Region } from '../shared/region.ts';
import { type Column, type ComponentSchema, type Schema, viewColumn } from '../shared/schema.ts';

/*
 * Threads    the reader's own.
 * Memory     views over the slots of a region and over this reader's output columns.
 * Ordering   none of its own: the slots are read under the view's pin.
 * Progress   allocates when made.
 * Invariant  a channel's columns lie in its region for as long as the view is attached to it.
 */

/** One published channel as one reader sees it. */
export interface Channel {
  readonly schema: ComponentSchema;
  /** Place among the schema's components, and among the presence bitsets of a roster. */
  readonly componentIndex: number;
  /** By slot of the region: the column of this channel. */
  readonly columns: readonly Column[];
  /** This reader's room for the blended rows, and its byte offset in the region. */
  readonly output: Column;
  readonly outputOffset: number;
  /** The output at the length of the last blend. */
  exact: Column;
  /** Whether the output holds the frame at hand. */
  blended: boolean;
}

/** Opens every published channel for one reader, by name. */
export function openChannels(
  schema: Schema,
  region: Region,
  reader: number,
): ReadonlyMap<string, Channel> {
  const { layout, buffer } = region;
  const slots = Array.from({ length: layout.slotCount }, (_, slot) => slot);
  const outputs = layout.outputs + reader * layout.outputBytes;
  return new Map(
    publishedComponents(schema).map((component, index) => {
      const length = schema.capacity * component.width;
      const view = (offset: number): Column => viewColumn(buffer, component.scalar, offset, length);
      const inSlot = layout.slots + (layout.slotColumns[index] as number);
      const outputOffset = outputs + (layout.outputColumns[index] as number);
      const output = view(outputOffset);
      const channel: Channel = {
        schema: component,
        componentIndex: schema.components.indexOf(component),
        columns: slots.map((slot) => view(inSlot + slot * layout.slotBytes)),
        output,
        outputOffset,
        exact: output.subarray(0, 0),
        blended: false,
      };
      return [component.name, channel];
    }),
  );
}
