import type { Schema } from '../shared/schema.ts';
import { StateBlock } from '../sim-worker/state-block.ts';

/** One entity of a saved state; a tag is `true`. */
export interface EntityRow {
  readonly slot: number;
  readonly entity: number;
  readonly components: Readonly<Record<string, number | readonly number[] | true>>;
}

/** A saved state for people and programs. */
export interface StateTable {
  /** All that live, listed or not. */
  readonly entities: number;
  readonly globals: Readonly<Record<string, number>>;
  /** The first of them, by slot. */
  readonly rows: readonly EntityRow[];
}

/** Lists the globals and the first `limit` entities of a keyframe's world. */
export function tabulate(schema: Schema, world: Uint8Array, limit: number): StateTable {
  const block = new StateBlock(schema, world);
  const rows: EntityRow[] = [];
  let entities = 0;
  for (let slot = 0; slot < schema.capacity; slot++) {
    if (!block.lives(slot)) continue;
    entities++;
    if (rows.length < limit) rows.push(rowOf(block, slot));
  }
  const globals = schema.globals.map(({ name }, g): [string, number] => [name, block.global(g)]);
  return { entities, globals: Object.fromEntries(globals), rows };
}

/** Returns a table as text, a line for each entity. */
export function formatTable({ entities, globals, rows }: StateTable): string {
  const values = Object.entries(globals).map(([name, value]) => `${name} ${value}`);
  const lines = rows.map(({ slot, entity, components }) => {
    const parts = Object.entries(components).map(([name, value]) => `${name} ${textOf(value)}`);
    return `  slot ${slot}, entity ${entity}: ${parts.join(', ') || 'no component'}`;
  });
  const rest = entities - rows.length;
  return [
    ...(values.length === 0 ? [] : [`globals: ${values.join(', ')}`]),
    `entities: ${entities}`,
    ...lines,
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    '',
  ].join('\n');
}

function rowOf(block: StateBlock, slot: number): EntityRow {
  const components: Record<string, number | readonly number[] | true> = {};
  for (const store of block.stores) {
    if (!block.has(store, slot)) continue;
    const { name, width, column } = store;
    const at = store.rowOf(slot) * width;
    const numbers = Array.from({ length: width }, (_, i) => column[at + i] ?? Number.NaN);
    components[name] = width === 0 ? true : width === 1 ? (numbers[0] as number) : numbers;
  }
  return { slot, entity: block.handles[slot] as number, components };
}

function textOf(value: number | readonly number[] | true): string {
  if (value === true) return 'yes';
  return typeof value === 'number' ? String(value) : `[${value.join(', ')}]`;
}
