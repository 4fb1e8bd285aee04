import { expect, test } from 'vitest';
import { compilePipeline, type Pipeline } from '../../../src/net/pipeline/pipeline.ts';
import { TokenTable } from '../../../src/net/record/token-table.ts';
import { encodeTokens } from '../../../src/net/snapshot/snapshot-tokens.ts';
import { bytesOf, planAll } from '../wire/populations.ts';
import { definitionOf, type VectorDefinition } from './definition.ts';
import { toHex } from './hex.ts';
import { readVectors, report } from './read-vectors.ts';
import { type Row, snapshotOf } from './rows.ts';

interface Line {
  readonly t: string;
  readonly def?: VectorDefinition;
  readonly sequence: number;
  readonly input: { readonly tick: string; readonly e: readonly Row[] };
  readonly update: string;
  readonly in?: {
    readonly snapshot: { readonly tick: string; readonly e?: readonly Row[] } | null;
  };
  readonly out?: { readonly kind?: string; readonly sequence: number; readonly bytes: string };
}

/** Returns the bytes of a complete update of a whole population. */
function complete(pipeline: Pipeline, plain: Line['input'], sequence: number): string {
  const snapshot = snapshotOf(pipeline.shape, plain);
  const table = new TokenTable(pipeline.shape.lanes.length);
  encodeTokens(snapshot, table);
  const { tickHigh, tickLow } = snapshot;
  return toHex(bytesOf(pipeline, { ...planAll(table, sequence), tickHigh, tickLow }));
}

test('complete updates have the bytes of the vectors', () => {
  let pipeline: Pipeline | undefined;
  let checked = 0;
  for (const { at, record } of readVectors()) {
    const entry = record as unknown as Line;
    if (entry.t === 'chain' && entry.def !== undefined) {
      const bytes = complete(compilePipeline(definitionOf(entry.def)), entry.input, entry.sequence);
      expect([at, bytes]).toEqual([at, entry.update]);
      checked++;
    }
    // Those of a scenario whose population is written out, where nothing narrows it down.
    if (entry.t === 'scenario' || entry.t === 'group') {
      const isWhole = entry.t === 'scenario' && entry.def !== undefined && !entry.def.aoi;
      pipeline = isWhole ? compilePipeline(definitionOf(entry.def as never)) : undefined;
    }
    const plain = entry.in?.snapshot;
    if (entry.t !== 'call' || pipeline === undefined || entry.out?.kind !== 'FullReplace') continue;
    if (plain?.e === undefined) continue;
    const bytes = complete(pipeline, { tick: plain.tick, e: plain.e }, entry.out.sequence);
    expect([at, bytes]).toEqual([at, entry.out.bytes]);
    checked++;
  }
  report('complete updates', checked);
});
