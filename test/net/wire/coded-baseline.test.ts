import { describe, expect, test } from 'vitest';
import { codedExtra } from '../../../src/net/delivery/coded-extra.ts';
import type { CodedReplica } from '../../../src/net/entropy/coded-replica.ts';
import { ClientReplicationState } from '../../../src/net/pipeline/client-state.ts';
import { Technique } from '../../../src/net/pipeline/definition.ts';
import type { EncodeRequest, Replica } from '../../../src/net/pipeline/encode-request.ts';
import { definePipeline } from '../../../src/net/pipeline/pipeline.ts';
import { TickSource } from '../../../src/net/pipeline/tick-source.ts';
import { UpdateEncoder } from '../../../src/net/pipeline/update-encoder.ts';
import { int, uint } from '../../../src/net/record/integer-field.ts';
import { defineRecord } from '../../../src/net/record/record-definition.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { type DecodeBaseline, DecodeResult } from '../../../src/net/wire/decode-result.ts';
import { decodeUpdate } from '../../../src/net/wire/decode-update.ts';
import { toPlain } from '../entropy/population.ts';
import { CodedClient, CodedServer, CODINGS, type Held } from './coded-ends.ts';
import { chanceOf, change, populate, rowsOf } from './populations.ts';

const record = defineRecord({ fields: { level: int(9), state: uint(3) } });
const other = defineRecord({ fields: { level: int(9), state: uint(3), note: uint(8) } });

describe.each(CODINGS)('%s', (_, options) => {
  const pipeline = definePipeline({ ...options, record });
  const chance = chanceOf(4);
  const world = populate(pipeline, [1, 2, 3, 9], chance).canonical;
  world.tick = 5;
  const server = new CodedServer(pipeline);
  const { bytes: whole } = server.send(world);
  const next = change(world, [1, 2, 4, 9], chance).canonical;
  next.tick = 6;
  const { bytes: patch } = server.send(next, 1);
  const foreign = new CodedServer(definePipeline({ ...options, record: other })).create().extra;

  describe('a patch is refused by a client', () => {
    /** Decodes the patch against the first result, or what is made of it. */
    function statusOf(edit: (held: Held) => DecodeBaseline | undefined, withTarget = true): string {
      const client = new CodedClient(pipeline);
      expect(client.receive(whole)).toBe('ok');
      const held = client.results.get(1) as Held;
      const before = toPlain(held.extra as CodedReplica);
      client.result.coded = withTarget ? client.create().extra : undefined;
      const status = decodeUpdate(pipeline, client.state, patch, edit(held), client.result);
      expect(toPlain(held.extra as CodedReplica)).toEqual(before);
      expect(client.state.latestRemoteSequence).toBe(status === 'ok' ? 2 : 1);
      if (status !== 'ok') {
        expect(client.result.update.upserts.count + client.result.update.deleteCount).toBe(0);
        expect(client.result.coded?.table.count ?? 0).toBe(0);
      }
      return status;
    }
    const good = ({ snapshot, extra }: Held): DecodeBaseline => ({
      sequence: 1,
      snapshot,
      coded: extra,
    });

    test('unless the baseline is whole and the one that it names', () => {
      expect(statusOf(good)).toBe('ok');
      expect(statusOf(() => undefined)).toBe('coded-patch-needs-baseline');
      expect(statusOf((held) => ({ ...good(held), sequence: 3 }))).toBe(
        'baseline-sequence-mismatch',
      );
      expect(statusOf((held) => ({ ...good(held), coded: undefined }))).toBe(
        'baseline-without-coded',
      );
      expect(statusOf((held) => ({ ...good(held), coded: foreign }))).toBe(
        'baseline-coded-foreign',
      );
      expect(statusOf((held) => ({ ...good(held), snapshot: next }))).toBe(
        'baseline-coded-mismatch',
      );
      expect(statusOf(good, false)).toBe('result-without-coded');
    });

    test('that has another record or effort', () => {
      for (const [name, others] of [
        ...CODINGS,
        ['plain', { techniques: Technique.Delta }],
      ] as const) {
        if (others === options) continue;
        const stranger = definePipeline({ ...others, record });
        const result = new DecodeResult(stranger);
        const state = { latestRemoteSequence: 0 };
        const status = decodeUpdate(stranger, state, whole, undefined, result);
        expect([name, status]).toEqual([name, 'signature-mismatch']);
      }
    });
  });

  describe('an encode throws', () => {
    const encoder = new UpdateEncoder(pipeline);
    const tick = new TickSource(pipeline.shape);
    const held = server.results.get(1) as Held;
    const baseline: Replica = { sequence: 1, snapshot: held.snapshot, coded: held.extra };

    function faultOf(request: EncodeRequest): string {
      tick.load(next);
      const state = new ClientReplicationState();
      state.nextSequence = 2;
      try {
        encoder.encode(tick, state, request);
        return 'ok';
      } catch (error) {
        return (error as { fault: string }).fault;
      }
    }

    test('unless what is coded belongs to the snapshot of the baseline', () => {
      const ids = new Snapshot(pipeline.shape);
      ids.copyFrom(held.snapshot);
      ids.ids[3] = 8;
      expect(faultOf({ baseline })).toBe('ok');
      expect(faultOf({ baseline: { ...baseline, coded: null } })).toBe('baseline-without-coded');
      expect(faultOf({ baseline: { ...baseline, coded: foreign } })).toBe('baseline-coded-foreign');
      expect(faultOf({ baseline, resultCoded: foreign })).toBe('result-coded-foreign');
      expect(faultOf({ baseline, resultCoded: held.extra })).toBe('result-coded-in-use');
      expect(faultOf({ baseline: { ...baseline, snapshot: next } })).toBe(
        'baseline-coded-mismatch',
      );
      expect(faultOf({ baseline: { ...baseline, snapshot: ids } })).toBe('baseline-coded-mismatch');
    });

    test('and leaves what the client holds as it was', () => {
      const before = [toPlain(held.extra as CodedReplica), rowsOf(held.snapshot)];
      faultOf({ baseline });
      expect([toPlain(held.extra as CodedReplica), rowsOf(held.snapshot)]).toEqual(before);
    });
  });

  test('what is kept beside a result is copied, emptied and counted', () => {
    const hooks = codedExtra(pipeline);
    const from = server.results.get(2)?.extra as CodedReplica;
    const to = hooks.create() as CodedReplica;
    const emptyBytes = hooks.byteLength(to);
    hooks.copy(from, to);
    expect(toPlain(to)).toEqual(toPlain(from));
    expect(hooks.byteLength(to)).toBeGreaterThan(emptyBytes + 4 * 2 * 8);
    hooks.reset(to);
    expect(toPlain(to)).toEqual(toPlain(hooks.create() as CodedReplica));
  });
});

test('nothing is kept beside a result of a pipeline whose records are not coded', () => {
  const hooks = codedExtra(definePipeline({ record }));
  expect([hooks.create(), hooks.byteLength(undefined)]).toEqual([undefined, 0]);
});
