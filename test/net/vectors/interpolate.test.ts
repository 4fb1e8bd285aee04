import { expect, test } from 'vitest';
import { NetError } from '../../../src/net/net-error.ts';
import { interpolate } from '../../../src/net/snapshot/interpolate.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { referenceShape } from '../reference-shape.ts';
import { kebab, readVectors, report } from './read-vectors.ts';
import { type PlainSnapshot, plainOf, snapshotOf } from './rows.ts';

interface Pair {
  readonly t: 'pair';
  readonly pair: number;
  readonly previous: PlainSnapshot;
  readonly current: PlainSnapshot;
}

interface Interpolation {
  readonly t: 'interpolate';
  readonly pair: number;
  readonly alpha: { readonly bits: string };
  readonly result?: PlainSnapshot;
  readonly error?: string;
  readonly detail?: string;
}

const lines = readVectors().filter(({ record }) =>
  ['pair', 'interpolate'].includes(String(record.t)),
);
const shape = referenceShape();

function alphaOf(bits: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${bits}`));
  return view.getFloat64(0);
}

function outcomeOf(pair: Pair, alpha: number): unknown {
  const out = new Snapshot(shape);
  out.tick = 77;
  try {
    interpolate(snapshotOf(shape, pair.previous), snapshotOf(shape, pair.current), alpha, out);
    return plainOf(out);
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    return { fault: error.fault, out: plainOf(out) };
  }
}

test('every interpolation gives what the original gave', () => {
  const pairs = new Map<string, Pair>();
  let checked = 0;
  for (const { at, record } of lines) {
    const vector = record as unknown as Pair | Interpolation;
    const key = `${at.slice(0, at.lastIndexOf(':'))} ${vector.pair}`;
    if (vector.t === 'pair') {
      pairs.set(key, vector);
      continue;
    }
    const fault = [vector.error, vector.detail].filter((label) => label !== undefined);
    const expected = vector.result ?? {
      fault: fault.map(kebab).join('/'),
      out: { tick: '77', e: [] },
    };
    const outcome = outcomeOf(pairs.get(key) as Pair, alphaOf(vector.alpha.bits));
    expect({ at, outcome }).toEqual({ at, outcome: expected });
    checked++;
  }
  report('interpolate', checked);
});
