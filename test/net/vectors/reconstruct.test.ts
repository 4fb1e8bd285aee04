import { expect, test } from 'vitest';
import { fingerprint } from '../../../src/net/snapshot/fingerprint.ts';
import { reconstruct } from '../../../src/net/snapshot/reconstruct.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { validateSnapshot } from '../../../src/net/snapshot/snapshot-check.ts';
import { SnapshotUpdate } from '../../../src/net/snapshot/snapshot-update.ts';
import { validateUpdate } from '../../../src/net/snapshot/update-check.ts';
import { rawShape, referenceShape } from '../reference-shape.ts';
import { wordsOfHex } from './hex.ts';
import { kebab, readVectors, report } from './read-vectors.ts';
import { type PlainSnapshot, plainOf, type Row, setRows, setTick, snapshotOf } from './rows.ts';

interface Reconstruction {
  readonly baseline?: PlainSnapshot;
  readonly update: {
    readonly tick: string;
    readonly kind: number;
    readonly upserts: readonly Row[];
    readonly deletes: readonly number[];
  };
  readonly update_check: string;
  readonly result?: PlainSnapshot;
  readonly error?: string;
  readonly detail?: string;
}

const lines = readVectors();
const shape = referenceShape();

function updateOf({ tick, kind, upserts, deletes }: Reconstruction['update']): SnapshotUpdate {
  const update = new SnapshotUpdate(shape);
  update.kind = kind;
  setRows(update.upserts, upserts);
  setTick(update.upserts, tick);
  update.reserveDeletes(deletes.length);
  update.deletes.set(deletes);
  update.deleteCount = deletes.length;
  return update;
}

test('every reconstruction gives what the original gave', () => {
  const untouched: PlainSnapshot = { tick: '77', e: [[5, 6, '0'.repeat(24), '0'.repeat(24), 7]] };
  let checked = 0;
  for (const { at, record } of lines.filter(({ record: r }) => r.t === 'reconstruct')) {
    const vector = record as unknown as Reconstruction;
    const update = updateOf(vector.update);
    const baseline = vector.baseline === undefined ? null : snapshotOf(shape, vector.baseline);
    const out = snapshotOf(shape, untouched);
    const check = validateUpdate(update);
    const status = reconstruct(baseline, update, out);
    const labels = [vector.error ?? 'ok', vector.detail].filter((label) => label !== undefined);
    expect({ at, check, status, out: plainOf(out) }).toEqual({
      at,
      check: kebab(vector.update_check),
      status: labels.map(kebab).join('/'),
      out: vector.result ?? untouched,
    });
    checked++;
  }
  report('reconstructions', checked);
});

test('every fingerprint beside the rows that it is of is the same', () => {
  let checked = 0;
  for (const { at, record } of lines) {
    const rows = record.result as PlainSnapshot | undefined;
    if (typeof record.fingerprint !== 'string' || rows?.e === undefined) continue;
    const found = fingerprint(snapshotOf(shape, rows));
    expect({ at, found }).toEqual({ at, found: record.fingerprint });
    checked++;
  }
  report('fingerprints', checked);
});

test('the same headings pass the tolerance of their length', () => {
  const heading = rawShape([{ name: 'heading', scalar: 'f32', width: 3, check: 'unit' }]);
  const snapshot = new Snapshot(heading, 1);
  snapshot.count = 1;
  snapshot.ids[0] = 1;
  let checked = 0;
  for (const { at, record } of lines.filter(({ record: r }) => r.t === 'heading_ok')) {
    for (const [digits, passes] of record.values as [string, 0 | 1][]) {
      snapshot.columns[0]?.bits.set(wordsOfHex(digits));
      const found = validateSnapshot(snapshot) === 'ok' ? 1 : 0;
      expect({ at, digits, found }).toEqual({ at, digits, found: passes });
      checked++;
    }
  }
  report('headings', checked);
});
