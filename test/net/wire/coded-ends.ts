import { codedExtra } from '../../../src/net/delivery/coded-extra.ts';
import { RetainedResult } from '../../../src/net/delivery/retained-result.ts';
import type { CodedReplica } from '../../../src/net/entropy/coded-replica.ts';
import { ClientReplicationState } from '../../../src/net/pipeline/client-state.ts';
import { type PipelineOptions, Technique } from '../../../src/net/pipeline/definition.ts';
import type { Replica } from '../../../src/net/pipeline/encode-request.ts';
import type { EncodeResult } from '../../../src/net/pipeline/encode-result.ts';
import type { Pipeline } from '../../../src/net/pipeline/pipeline.ts';
import { TickSource } from '../../../src/net/pipeline/tick-source.ts';
import { UpdateEncoder } from '../../../src/net/pipeline/update-encoder.ts';
import { reconstruct } from '../../../src/net/snapshot/reconstruct.ts';
import type { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { DecodeResult } from '../../../src/net/wire/decode-result.ts';
import { decodeUpdate } from '../../../src/net/wire/decode-update.ts';

const { Delta, DeltaFieldMask, DeltaPacking, Entropy } = Technique;

/** The ways in which records are coded. */
export const CODINGS: readonly (readonly [string, PipelineOptions])[] = [
  ['packed', { techniques: Delta | DeltaPacking }],
  ['fast', { techniques: Delta | DeltaFieldMask | Entropy }],
  ['strong', { techniques: Delta | Entropy, entropyEffort: 'strong' }],
];

/** A result with the coded replica beside its snapshot. */
export type Held = RetainedResult<CodedReplica | undefined>;

/** Keeps every result, by its sequence. */
class Keeper {
  readonly pipeline: Pipeline;
  readonly results: Map<number, Held> = new Map();
  readonly #extra: ReturnType<typeof codedExtra>;

  constructor(pipeline: Pipeline) {
    this.pipeline = pipeline;
    this.#extra = codedExtra(pipeline);
  }

  /** What a request and a decoding want of a result; undefined: there is none. */
  replicaOf(sequence: number): (Replica & { readonly snapshot: Snapshot }) | undefined {
    const held = this.results.get(sequence);
    return held && { sequence, snapshot: held.snapshot, coded: held.extra };
  }

  create(): Held {
    return new RetainedResult(this.pipeline.shape, this.#extra);
  }
}

/** Encodes updates against any result that it kept. */
export class CodedServer extends Keeper {
  readonly #tick: TickSource;
  readonly #encoder: UpdateEncoder;
  readonly #state = new ClientReplicationState();

  constructor(pipeline: Pipeline) {
    super(pipeline);
    const { shape } = pipeline;
    this.#tick = new TickSource(shape);
    this.#encoder = new UpdateEncoder(pipeline);
  }

  /** Encodes a population against the result of a sequence, or as complete; keeps the result. */
  send(population: Snapshot, baselineSequence = 0): { update: EncodeResult; bytes: Uint8Array } {
    this.#tick.load(population);
    const next = this.create();
    const update = this.#encoder.encode(this.#tick, this.#state, {
      baseline: this.replicaOf(baselineSequence),
      result: next.snapshot,
      resultCoded: next.extra,
    });
    update.commit();
    next.sequence = update.plan.sequence;
    this.results.set(next.sequence, next);
    return { update, bytes: update.bytes.slice(0, update.byteCount) };
  }
}

/** Decodes updates against the results that it kept. */
export class CodedClient extends Keeper {
  readonly result: DecodeResult;
  readonly state: { latestRemoteSequence: number } = { latestRemoteSequence: 0 };

  constructor(pipeline: Pipeline) {
    super(pipeline);
    this.result = new DecodeResult(pipeline);
  }

  /** Decodes an update and keeps what follows from it. Returns the status. */
  receive(bytes: Uint8Array): string {
    const { result } = this;
    const next = this.create();
    result.coded = next.extra;
    result.header.read(bytes);
    const baseline = this.results.get(result.header.baselineSequence);
    const given = this.replicaOf(result.header.baselineSequence);
    const status = decodeUpdate(this.pipeline, this.state, bytes, given, result);
    if (status !== 'ok') return status;
    next.sequence = result.header.sequence;
    this.results.set(next.sequence, next);
    return reconstruct(baseline?.snapshot ?? null, result.update, next.snapshot);
  }
}
