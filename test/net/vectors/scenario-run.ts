import { expect } from 'vitest';
import { ClientReplicationState } from '../../../src/net/pipeline/client-state.ts';
import type { PipelineDefinition } from '../../../src/net/pipeline/definition.ts';
import type { EncodeRequest, Replica } from '../../../src/net/pipeline/encode-request.ts';
import type { EncodeResult } from '../../../src/net/pipeline/encode-result.ts';
import { compilePipeline, type Pipeline } from '../../../src/net/pipeline/pipeline.ts';
import { TickSource } from '../../../src/net/pipeline/tick-source.ts';
import { UpdateEncoder } from '../../../src/net/pipeline/update-encoder.ts';
import { NetError } from '../../../src/net/net-error.ts';
import { fingerprint } from '../../../src/net/snapshot/fingerprint.ts';
import type { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { Snapshot as SnapshotOf } from '../../../src/net/snapshot/snapshot.ts';
import type {
  VectorCall,
  VectorInput,
  VectorOutcome,
  VectorReplica,
  VectorScenario,
  VectorState,
} from './encode-vectors.ts';
import { definitionOf } from './definition.ts';
import { hexOfWordList, wordsOfHex } from './hex.ts';
import { kebab } from './read-vectors.ts';
import { plainOf, snapshotOf } from './rows.ts';
import type { PlainSnapshot, Row } from './rows.ts';

/** Runs the calls of a scenario on one state and compares all that comes of them. */
export class ScenarioRun {
  readonly #scenario: VectorScenario;
  readonly #pipeline: Pipeline;
  readonly #tick: TickSource;
  readonly #encoder: UpdateEncoder;
  readonly #state = new ClientReplicationState();
  readonly #inputs = new Map<number, PlainSnapshot>();
  readonly #results = new Map<number, Snapshot>();

  constructor(scenario: VectorScenario) {
    const { definition, signature, layout, startState } = scenario;
    this.#scenario = scenario;
    this.#pipeline = compilePipeline(definitionOf(definition));
    const { signatureHigh, signatureLow } = this.#pipeline;
    expect(hexOfWordList([signatureHigh, signatureLow])).toBe(signature);
    expect(this.#pipeline.layout).toBe(kebab(layout));
    this.#tick = new TickSource(this.#pipeline.shape);
    this.#encoder = new UpdateEncoder(this.#pipeline);
    if (startState === undefined) return;
    this.#state.nextSequence = startState.next_sequence;
    this.#state.cursor = startState.cursor;
    this.#state.incrementalSeeded = startState.incremental_seeded;
    this.#state.lodSeeded = startState.lod_seeded;
  }

  /** Runs all calls; returns how many lines were checked. */
  run(): number {
    for (const step of this.#scenario.steps) {
      if ('in' in step) this.#runCall(step);
      else this.#state.nextSequence = step.next_sequence;
    }
    return this.#scenario.steps.length + 1;
  }

  #runCall(call: VectorCall): void {
    const { out } = call;
    const label = `${this.#scenario.file} ${this.#scenario.name} ${call.i}`;
    const before = structuredClone(this.#state);
    const first = this.#attempt(call);
    // Without a commit nothing has happened, so the same call gives the same again.
    expect([label, structuredClone(this.#state)]).toEqual([label, before]);
    const bytes = first instanceof NetError ? null : first.bytes.slice(0, first.byteCount);
    const second = this.#attempt(call);
    if (second instanceof NetError || out.error !== undefined) {
      this.#compareFailure(second, out, label);
      expect([label, structuredClone(this.#state)]).toEqual([label, before]);
    } else if (out.skipped !== undefined || second.skipped !== null) {
      expect([label, second.skipped]).toEqual([label, kebab(out.skipped ?? '')]);
      expect(() => second.commit()).toThrow('no update to commit');
      expect([label, structuredClone(this.#state)]).toEqual([label, before]);
    } else {
      expect([label, second.bytes.slice(0, second.byteCount)]).toEqual([label, bytes]);
      this.#compareUpdate(second, call, label);
      second.commit();
    }
    expect([label, stateOf(this.#state, this.#pipeline.definition)]).toEqual([label, out.state]);
  }

  #attempt(call: VectorCall): EncodeResult | NetError {
    try {
      const { snapshot } = call.in;
      const input = snapshot === null ? null : this.#inputOf(call.i, snapshot);
      this.#tick.load(input === null ? (null as never) : snapshotOf(this.#pipeline.shape, input));
      return this.#encoder.encode(this.#tick, this.#state, this.#requestOf(call));
    } catch (error) {
      if (error instanceof NetError) return error;
      throw error;
    }
  }

  #inputOf(index: number, { tick, e, like, set = [], gone = [] }: VectorInput): PlainSnapshot {
    const rows = new Map<number, Row>();
    const old = like === undefined ? [] : (this.#inputs.get(like)?.e ?? []);
    if (e === undefined) {
      for (const row of old) rows.set(row[0], row);
      for (const id of gone) rows.delete(id);
      for (const row of set) rows.set(row[0], row);
    }
    const joined = e ?? [...rows.values()].sort((left, right) => left[0] - right[0]);
    const input = { tick, e: joined };
    this.#inputs.set(index, input);
    return input;
  }

  #requestOf(call: VectorCall): EncodeRequest {
    const { baseline, replica, source, candidates, recovery, force } = call.in;
    const isLooking = this.#pipeline.definition.areaOfInterest.mode !== 'none';
    const every = Uint32Array.from({ length: this.#tick.source.count }, (_, row) => row);
    return {
      baseline: this.#replicaOf(baseline),
      replica: this.#replicaOf(replica),
      source:
        source === undefined
          ? undefined
          : {
              position: tripleOf(source.position),
              forward: source.forward === undefined ? undefined : tripleOf(source.forward),
              self: source.self,
            },
      candidates:
        candidates !== undefined ? Uint32Array.from(candidates) : isLooking ? every : null,
      recovery: recovery === undefined ? null : Uint32Array.from(recovery),
      forceFullReplace: force,
      quality: call.out.quality !== undefined,
      result: new SnapshotOf(this.#pipeline.shape),
    };
  }

  #replicaOf(replica: VectorReplica | undefined): Replica | null {
    if (replica === undefined) return null;
    const { sequence, call, snapshot } = replica;
    if (snapshot !== undefined)
      return { sequence, snapshot: snapshotOf(this.#pipeline.shape, snapshot) };
    return { sequence, snapshot: call === undefined ? null : this.#resultOf(call) };
  }

  #resultOf(call: number): Snapshot {
    const result = this.#results.get(call);
    if (result === undefined) throw new Error(`call ${call} has no result`);
    return result;
  }

  #compareFailure(failure: EncodeResult | NetError, out: VectorOutcome, label: string): void {
    const fault = [out.error, out.detail]
      .filter((part) => part !== undefined)
      .map(kebab)
      .join('/');
    // Nobody says where a client looks from: the original throws, we skip.
    const isSkip = fault === 'aoi-source-missing' && !(failure instanceof NetError);
    const given = isSkip ? failure.skipped : failure instanceof NetError ? failure.fault : failure;
    expect([label, given]).toEqual([label, fault]);
  }

  #compareUpdate(result: EncodeResult, call: VectorCall, label: string): void {
    const { out } = call;
    const { plan, resulting } = result;
    this.#results.set(call.i, resulting);
    expect([label, hexOf(result)]).toEqual([label, out.bytes]);
    const ids = Array.from({ length: plan.rowCount }, (_, i) => idAt(result, i));
    const isPatch = plan.kind === 1;
    expect({
      label,
      sequence: plan.sequence,
      kind: isPatch ? 'Patch' : 'FullReplace',
      baseline: plan.baselineSequence,
      upserts: isPatch ? ids : undefined,
      deletes: isPatch ? Array.from(plan.deletes.slice(0, plan.deleteCount)) : undefined,
      aoi: interestOf(result),
      delta: deltaOf(result),
      lod: lodOf(result),
      recovered: out.recovery_added === undefined ? undefined : result.recoveryAdded,
    }).toEqual({
      label,
      sequence: out.sequence,
      kind: out.kind,
      baseline: out.baseline_sequence ?? 0,
      upserts: out.upsert_ids,
      deletes: out.delete_ids,
      aoi: out.aoi,
      delta: out.delta,
      lod: out.lod,
      recovered: out.recovery_added,
    });
    this.#compareResulting(resulting, call, label);
    compareQuality(result, out, label);
  }

  #compareResulting(snapshot: Snapshot, call: VectorCall, label: string): void {
    const resulting = plainOf(snapshot);
    const input = this.#inputs.get(call.i);
    const expected = call.out.resulting;
    expect([label, resulting.tick]).toEqual([label, input?.tick]);
    if (expected === 'same_as_input') expect([label, resulting.e]).toEqual([label, input?.e]);
    else if (expected !== undefined && 'fingerprint' in expected)
      expect([label, fingerprint(snapshot)]).toEqual([label, expected.fingerprint]);
    else expect([label, resulting.e]).toEqual([label, expected]);
  }
}

function compareQuality(result: EncodeResult, { quality }: VectorOutcome, label: string): void {
  expect([label, result.quality.active]).toEqual([label, quality !== undefined]);
  if (quality === undefined) return;
  const { samples, positionSum, positionMax, headingSum, headingMax } = result.quality;
  const given: Record<string, number> = {
    samples,
    position_sum: positionSum,
    position_max: positionMax,
    heading_sum: headingSum,
    heading_max: headingMax,
  };
  for (const [name, value] of Object.entries(quality)) {
    const error = Math.abs((given[name] as number) - value);
    expect([label, name, error <= 1e-12 * value]).toEqual([label, name, true]);
  }
}

function tripleOf(hex: string): [number, number, number] {
  const [x = 0, y = 0, z = 0] = new Float32Array(Uint32Array.from(wordsOfHex(hex)).buffer);
  return [x, y, z];
}

function hexOf({ bytes, byteCount }: EncodeResult): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, byteCount).toString('hex');
}

function idAt({ plan }: EncodeResult, index: number): number {
  return plan.table.ids[plan.rows[index] as number] as number;
}

function interestOf({ interest }: EncodeResult): number[] | undefined {
  const { active, source, candidates, retained, culled } = interest;
  return active ? [source, candidates, retained, culled] : undefined;
}

function deltaOf({ delta }: EncodeResult): number[] | undefined {
  if (!delta.active) return undefined;
  const { candidates, unchanged, changedExisting, spawned, produced } = delta;
  const { wholeRecords, maskedRecords, inclusions, completeBytes, upsertBytes } = delta;
  const records = [wholeRecords, maskedRecords, ...inclusions, completeBytes, upsertBytes];
  return [candidates, unchanged, changedExisting, spawned, produced, ...records];
}

function lodOf({ lod }: EncodeResult): (number | number[])[] | undefined {
  if (!lod.active) return undefined;
  const { population, eligible, serviced, represented, deferred } = lod;
  return [
    ...[population, eligible, serviced, represented, deferred].map((counts) => Array.from(counts)),
    lod.pending,
    lod.transitions,
    lod.forced,
    lod.deletes,
    lod.fullReplaceOverride,
    lod.encodedBytes,
  ];
}

function stateOf(state: ClientReplicationState, definition: PipelineDefinition): VectorState {
  const { nextSequence, cursor, incrementalSeeded, lodSeeded, schedule } = state;
  const plain = [nextSequence, cursor, Number(incrementalSeeded), Number(lodSeeded)] as const;
  if (definition.levelOfDetail.mode === 'none') return plain;
  const rows = Array.from({ length: schedule.count }, (_, i) => {
    const due = (BigInt(schedule.dueHigh[i] ?? 0) << 32n) | BigInt(schedule.dueLow[i] ?? 0);
    return [
      schedule.ids[i] ?? 0,
      schedule.bands[i] ?? 0,
      String(due),
      schedule.pending[i] ?? 0,
    ] as const;
  });
  return [...plain, rows];
}
