import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CodedReplica } from '../../../src/net/entropy/coded-replica.ts';
import { UpdateCoder } from '../../../src/net/entropy/update-coder.ts';
import type { Lane, LaneKind } from '../../../src/net/record/lane.ts';
import { scaled } from '../../scaled.ts';
import {
  createDice,
  cubeLanes,
  disturb,
  EFFORTS,
  encode,
  type Population,
  toPlain,
  toPopulation,
  toTable,
} from './population.ts';

const runs = scaled({ tiny: 8, normal: 40, full: 1000 });

const kinds: readonly LaneKind[] = ['linear', 'circular', 'category', 'opaque'];
const field = fc.oneof(
  fc.array(fc.record({ kind: fc.constantFrom(...kinds), bits: fc.integer({ min: 1, max: 32 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
  fc
    .integer({ min: 1, max: 20 })
    .map((bits) => [
      { kind: 'category' as LaneKind, bits: 2 },
      ...Array.from({ length: 3 }, () => ({ kind: 'linear' as LaneKind, bits })),
    ]),
  fc.constant([14, 10, 14].map((bits) => ({ kind: 'linear' as LaneKind, bits }))),
);
const records = fc
  .array(field, { minLength: 1, maxLength: 5 })
  .map((fields): Lane[] =>
    fields.flatMap((lanes, index) => lanes.map((lane) => ({ ...lane, field: index }))),
  );

/** What one side keeps of an update, and what a client must hold after it. */
interface Kept {
  readonly tick: number;
  readonly server: CodedReplica;
  readonly client: CodedReplica;
  readonly held: Population;
}

function follow(lanes: readonly Lane[], effort: (typeof EFFORTS)[number], seed: number): void {
  const dice = createDice(seed);
  const server = new UpdateCoder(lanes, effort);
  let client = new UpdateCoder(lanes, effort);
  const world: Population = new Map();
  for (let i = 0; i < 30; i++) disturb(world, lanes, dice);
  const kept: Kept[] = [];
  let tick = dice(1000);
  for (let step = 0; step < 12; step++) {
    disturb(world, lanes, dice);
    tick += 1 + dice(5);
    // Any update that is kept may be the baseline: what came between may as well be lost.
    const base = dice(6) === 0 ? undefined : kept[dice(kept.length)];
    const table = toTable(world, lanes.length);
    const held: Population = new Map(base?.held);
    const gone = [...held.keys()].filter((id) => !world.has(id)).toSorted((a, b) => a - b);
    const some = dice(3) === 0;
    const rows: number[] = [];
    for (const id of gone) held.delete(id);
    for (let row = 0; row < table.count; row++) {
      if (some && dice(2) === 0) continue;
      const id = table.ids[row] as number;
      held.set(id, world.get(id) as number[]);
      rows.push(row);
    }
    const content = {
      table,
      rows: Uint32Array.from(rows),
      rowCount: rows.length,
      deletes: Uint32Array.from(gone),
      deleteCount: gone.length,
    };
    // Nothing may be left in a coder from one update to the next.
    if (dice(2) === 0) client = new UpdateCoder(lanes, effort);
    const [ours, theirs] = [server.createReplica(), client.createReplica()];
    const before = base === undefined ? undefined : toPlain(base.client);
    const bytes = encode(server, base?.server ?? null, tick, content, ours);
    const status = client.decode(base?.client ?? null, tick, bytes, 0, bytes.length, theirs);
    expect(status).toBe('decoded');
    expect(toPopulation(theirs.table)).toEqual(new Map([...held].toSorted(([a], [b]) => a - b)));
    expect(toPlain(theirs)).toEqual(toPlain(ours));
    expect(base === undefined ? undefined : toPlain(base.client)).toEqual(before);
    kept.push({ tick, server: ours, client: theirs, held });
  }
}

describe.each(EFFORTS)('updates coded %s', (effort) => {
  test('decode from any baseline alone, whatever the record', () => {
    fc.assert(
      fc.property(records, fc.integer(), (lanes, seed) => follow(lanes, effort, seed)),
      { numRuns: runs },
    );
  });

  test('of cubes decode from any baseline alone', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => follow(cubeLanes, effort, seed)),
      { numRuns: runs },
    );
  });
});

test('a replica that was copied is as good as the one it was copied from', () => {
  for (const effort of EFFORTS) {
    const coder = new UpdateCoder(cubeLanes, effort);
    const dice = createDice(3);
    const world: Population = new Map();
    for (let i = 0; i < 60; i++) disturb(world, cubeLanes, dice);
    const first = coder.createReplica();
    const rows = toTable(world, cubeLanes.length);
    const all = (count: number): Uint32Array => Uint32Array.from({ length: count }, (_, i) => i);
    const none = new Uint32Array(0);
    const say = (table: typeof rows) => ({
      table,
      rows: all(table.count),
      rowCount: table.count,
      deletes: none,
      deleteCount: 0,
    });
    encode(coder, null, 1, say(rows), first);
    const copy = coder.createReplica();
    copy.copyFrom(first);
    for (const [id, tokens] of world) world.set(id, [...tokens.slice(0, 7), 1]);
    const next = say(toTable(world, cubeLanes.length));
    const [a, b] = [coder.createReplica(), coder.createReplica()];
    expect(encode(coder, copy, 2, next, a)).toEqual(encode(coder, first, 2, next, b));
    first.clear();
    expect([first.table.count, toPlain(a)]).toEqual([0, toPlain(b)]);
  }
});
