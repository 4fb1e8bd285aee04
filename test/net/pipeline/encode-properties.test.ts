import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClientReplicationState } from '../../../src/net/pipeline/client-state.ts';
import { Technique } from '../../../src/net/pipeline/definition.ts';
import type { EncodeResult } from '../../../src/net/pipeline/encode-result.ts';
import type { SelectionSettings } from '../../../src/net/pipeline/selection-settings.ts';
import { TickSource } from '../../../src/net/pipeline/tick-source.ts';
import { UpdateEncoder } from '../../../src/net/pipeline/update-encoder.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { scaled } from '../../scaled.ts';
import { CountingWriter, leanRecord } from './lean-record.ts';
import { PlainSelection } from './plain-selection.ts';
import type { PlainEntity, PlainUpdate } from './plain-selection.ts';

const runs = { numRuns: scaled({ tiny: 60, normal: 500, full: 20_000 }) };
const shape = leanRecord();

const anySettings: fc.Arbitrary<SelectionSettings> = fc
  .record({
    techniques: fc.constantFrom(
      0,
      Technique.Incremental,
      Technique.Delta,
      Technique.Delta | Technique.Incremental,
      Technique.Delta | Technique.DeltaFieldMask | Technique.Incremental,
    ),
    cap: fc.integer({ min: 1, max: 6 }),
    mode: fc.constantFrom('none', 'radius', 'bands'),
  })
  .map(({ techniques, cap, mode }) => ({
    techniques,
    intervalTicks: 1,
    maxEntitiesPerUpdate: cap,
    areaOfInterest:
      mode === 'none'
        ? { mode: 'none', radius: 0, fovDegrees: 0 }
        : { mode: 'radius', radius: 12, fovDegrees: 0 },
    levelOfDetail:
      mode === 'bands'
        ? {
            mode: 'distance-bands',
            near: 3,
            medium: 7,
            mediumIntervalTicks: 3,
            farIntervalTicks: 5,
          }
        : { mode: 'none', near: 0, medium: 0, mediumIntervalTicks: 0, farIntervalTicks: 0 },
  }));

/** Entities by id: a level, and a whole number for the place, so that distances are exact. */
const anyPopulation = fc
  .uniqueArray(
    fc.record({
      id: fc.integer({ min: 1, max: 12 }),
      level: fc.integer({ min: 0, max: 2 }),
      place: fc.integer({ min: -14, max: 14 }),
    }),
    { selector: ({ id }) => id, maxLength: 12 },
  )
  .map((rows) => rows.sort((left, right) => left.id - right.id));

const anyCall = fc.record({
  population: anyPopulation,
  own: fc.boolean(),
  recovery: fc
    .uniqueArray(fc.integer({ min: 1, max: 14 }), { maxLength: 3 })
    .map((ids) => ids.sort((left, right) => left - right)),
  force: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
  accepted: fc.integer({ min: 0, max: 3 }).map((dice) => dice > 0),
  later: fc.integer({ min: 1, max: 3 }),
});

test('selects what the model selects; a refused update never happened', () => {
  fc.assert(
    fc.property(anySettings, fc.array(anyCall, { maxLength: 20 }), (settings, calls) => {
      const encoder = new UpdateEncoder({ settings, shape, writer: new CountingWriter() });
      const tick = new TickSource(shape);
      const state = new ClientReplicationState();
      const model = new PlainSelection(settings);
      let held: PlainUpdate['held'] | null = null;
      let replica: { sequence: number; snapshot: Snapshot } | null = null;
      let now = 0;
      for (const { population, own, recovery, force, accepted, later } of calls) {
        now += later;
        tick.load(snapshotOf(population, now));
        const ownId = own ? (population[0]?.id ?? 0) : 0;
        const usesBaseline =
          settings.levelOfDetail.mode !== 'none' || has(settings, Technique.Delta);
        const usesReplica = !usesBaseline && has(settings, Technique.Incremental);
        const isForced = force || (replica === null && model.seeded);
        const isPatch = replica !== null && !isForced && (usesBaseline || usesReplica);
        const request = {
          source: { position: [0, 0, 0] as const, self: ownId },
          baseline: usesBaseline && isPatch ? replica : null,
          replica: usesReplica && isPatch ? replica : null,
          recovery: isPatch ? Uint32Array.from(recovery) : null,
          forceFullReplace: isForced,
          result: new Snapshot(shape),
        };
        const before = structuredClone(state);
        const modelBefore = { cursor: model.cursor, seeded: model.seeded, due: model.due };
        const update = encoder.encode(tick, state, request);
        const plain = model.select(
          population.map((entity) => plainOf(entity)),
          {
            tick: now,
            own: ownId,
            recovery: isPatch ? recovery : [],
            force: isForced,
            held: isPatch ? held : null,
          },
        );
        expect(summaryOf(update)).toEqual(plain);
        expect(structuredClone(state)).toEqual(before);
        if (!accepted) {
          update.discard();
          expect(structuredClone(state)).toEqual(before);
          Object.assign(model, modelBefore);
          continue;
        }
        update.commit();
        expect(state.cursor).toBe(model.cursor);
        expect(scheduleOf(state)).toEqual(model.due);
        held = plain.held;
        replica = { sequence: update.plan.sequence, snapshot: update.resulting };
      }
    }),
    runs,
  );
});

const anyBound = fc.record({
  entities: fc.integer({ min: 1, max: 40 }),
  cap: fc.integer({ min: 1, max: 12 }),
  cadence: fc.integer({ min: 1, max: 4 }),
  medium: fc.integer({ min: 2, max: 6 }),
  far: fc.integer({ min: 7, max: 20 }),
  refuse: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
});

test('work that is due is done within ceil(N / K) committed updates', () => {
  fc.assert(
    fc.property(anyBound, ({ entities, cap, cadence, medium, far, refuse }) => {
      const settings: SelectionSettings = {
        techniques: Technique.Incremental | Technique.SendInterval,
        intervalTicks: cadence,
        maxEntitiesPerUpdate: cap,
        areaOfInterest: { mode: 'radius', radius: 100, fovDegrees: 0 },
        levelOfDetail: {
          mode: 'distance-bands',
          near: 5,
          medium: 20,
          mediumIntervalTicks: medium,
          farIntervalTicks: far,
        },
      };
      const encoder = new UpdateEncoder({ settings, shape, writer: new CountingWriter() });
      const tick = new TickSource(shape);
      const state = new ClientReplicationState();
      const rows = Array.from({ length: entities }, (_, i) => ({
        id: i * 7 + 1,
        level: 0,
        place: (i * 2) % 50,
      }));
      const bound = Math.ceil(entities / cap);
      const waits = new Map<number, number>();
      const served = new Map<number, number>();
      let replica: { sequence: number; snapshot: Snapshot } | null = null;
      let committed = 0;
      for (let now = 0; now < 200; now++) {
        tick.load(snapshotOf(rows, now));
        const request = {
          source: { position: [0, 0, 0] as const },
          baseline: replica,
          result: new Snapshot(shape),
        };
        const update = encoder.encode(tick, state, request);
        expect(update.skipped).toBe(now % cadence === 0 ? null : 'send-interval');
        if (update.skipped !== null) continue;
        // Refusals come on top: the bound counts updates that were accepted.
        const isRefused = replica !== null && refuse[now % refuse.length] === true;
        if (isRefused) continue;
        update.commit();
        replica = { sequence: update.plan.sequence, snapshot: update.resulting };
        committed++;
        const sent = new Set(idsOf(update));
        const { schedule } = state;
        for (let i = 0; i < schedule.count; i++) {
          const id = schedule.ids[i] as number;
          const waited = schedule.pending[i] === 1 ? (waits.get(id) ?? 0) + 1 : 0;
          waits.set(id, waited);
          expect(waited).toBeLessThan(bound);
          const interval = [1, medium, far][schedule.bands[i] as number] as number;
          if (sent.has(id)) served.set(id, now);
          // Without refusals ticks are bounded too.
          if (refuse.every((one) => !one))
            expect(now - (served.get(id) ?? 0)).toBeLessThan(interval + bound * cadence);
        }
      }
      expect(committed).toBeGreaterThan(0);
    }),
    { numRuns: scaled({ tiny: 20, normal: 100, full: 2000 }) },
  );
});

interface PlainRow {
  readonly id: number;
  readonly level: number;
  readonly place: number;
}

function has({ techniques }: SelectionSettings, technique: number): boolean {
  return (techniques & technique) !== 0;
}

function snapshotOf(rows: readonly PlainRow[], tick: number): Snapshot {
  const snapshot = new Snapshot(shape, rows.length);
  snapshot.tick = tick;
  snapshot.count = rows.length;
  for (const [row, { id, level, place }] of rows.entries()) {
    snapshot.ids[row] = id;
    snapshot.columns[0]?.values.set([level], row);
    snapshot.columns[1]?.values.set([place, 0, 0], row * 3);
  }
  return snapshot;
}

function plainOf({ id, level, place }: PlainRow): PlainEntity {
  return { id, fields: [String(level), `${place} 0 0`], distance: Math.abs(place) };
}

function idsOf({ plan }: EncodeResult): number[] {
  return Array.from(plan.rows.subarray(0, plan.rowCount), (row) => plan.table.ids[row] ?? 0);
}

function summaryOf(update: EncodeResult): PlainUpdate {
  const { plan, delta, resulting } = update;
  const masks = delta.active ? Array.from(plan.masks.subarray(0, plan.rowCount)) : [];
  return {
    kind: plan.kind === 1 ? 'patch' : 'full',
    upserts: idsOf(update),
    deletes: Array.from(plan.deletes.subarray(0, plan.deleteCount)),
    fields: masks.map((mask) =>
      mask === 0x8000_0000 ? 'new' : [0, 1].filter((field) => (mask >>> field) & 1).join(','),
    ),
    held: heldOf(resulting),
    recovered: update.recoveryAdded,
  };
}

function heldOf({ count, ids, columns }: Snapshot): Map<number, string[]> {
  const [levels, places] = columns.map(({ values }) => values);
  return new Map(
    Array.from({ length: count }, (_, row) => [
      ids[row] ?? 0,
      [String(levels?.[row]), Array.from(places?.subarray(row * 3, row * 3 + 3) ?? []).join(' ')],
    ]),
  );
}

function scheduleOf({ schedule }: ClientReplicationState): Map<number, object> {
  return new Map(
    Array.from({ length: schedule.count }, (_, i) => [
      schedule.ids[i] ?? 0,
      { band: schedule.bands[i], tick: schedule.dueLow[i], pending: schedule.pending[i] === 1 },
    ]),
  );
}
