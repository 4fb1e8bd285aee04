import {
  ClientReplicationState,
  type CodedReplica,
  codedExtra,
  DecodeResult,
  decodeUpdate,
  definePipeline,
  type FieldColumn,
  type Pipeline,
  type PipelineOptions,
  type PositionBounds,
  reconstructValid,
  ReferenceField,
  Snapshot,
  SnapshotKind,
  TickSource,
  UpdateEncoder,
} from 'escapement/net';
import { type HerdMotion, type HerdState, WORLD_M } from './herd-motion.ts';
import type {
  ReplicationContender,
  ReplicationDecoder,
  ReplicationEncoder,
} from './replicate-contender.ts';

/** Makes what is kept beside a result. */
type Extra = ReturnType<typeof codedExtra>;

/** The box of the herd. */
export const HERD_BOUNDS: PositionBounds = {
  min: [0, 0, 0],
  max: [WORLD_M, WORLD_M, WORLD_M],
};

/** Fills a population of the reference record, whole, with the herd. */
export function fillPopulation(population: Snapshot, herd: HerdMotion): void {
  const { ids } = population;
  for (let i = 0; i < herd.entities; i++) ids[i] = i + 1;
  population.tickLow = herd.tick;
  columnOf(population, ReferenceField.Classification).fill(1);
  columnOf(population, ReferenceField.Position).set(herd.position);
  columnOf(population, ReferenceField.Heading).set(herd.heading);
  columnOf(population, ReferenceField.Hue).set(herd.hue);
}

/** What a client holds, by the sequence of the update that led to it; for both ends. */
interface Held {
  sequence: number;
  readonly snapshot: Snapshot;
  readonly trusted: true;
  readonly isTrusted: true;
  readonly coded: CodedReplica | undefined;
}

function createHeld({ shape }: Pipeline, extra: Extra, entities: number): Held {
  const snapshot = new Snapshot(shape, entities);
  return { sequence: 0, snapshot, trusted: true, isTrusted: true, coded: extra.create() };
}

/**
 * One of ours. The first update is complete, each later one a change of the one before. What moved
 * it finds out itself; the time of that counts as encoding.
 */
class EscapementEncoder implements ReplicationEncoder {
  output: Uint8Array = new Uint8Array(0);
  readonly #tick: TickSource;
  readonly #encoder: UpdateEncoder;
  readonly #state = new ClientReplicationState();
  readonly #request: {
    baseline: Held | null;
    result: Snapshot;
    resultCoded: CodedReplica | undefined;
  };
  #population: Snapshot;
  #held: Held;
  #next: Held;

  constructor(pipeline: Pipeline, extra: Extra, entities: number) {
    this.#tick = new TickSource(pipeline.shape);
    this.#population = this.#tick.prepare(entities);
    this.#encoder = new UpdateEncoder(pipeline);
    this.#held = createHeld(pipeline, extra, entities);
    this.#next = createHeld(pipeline, extra, entities);
    const { snapshot, coded } = this.#next;
    this.#request = { baseline: null, result: snapshot, resultCoded: coded };
  }

  /** Brings the herd to the source's own memory, as a frame of a simulation would be. */
  take(herd: HerdMotion): void {
    this.#population = this.#tick.prepare(herd.entities);
    fillPopulation(this.#population, herd);
  }

  encode(): number {
    const request = this.#request;
    this.#tick.load(this.#population);
    const update = this.#encoder.encode(this.#tick, this.#state, request);
    update.commit();
    this.#next.sequence = update.plan.sequence;
    const before = this.#held;
    this.#held = this.#next;
    this.#next = before;
    request.baseline = this.#held;
    request.result = before.snapshot;
    request.resultCoded = before.coded;
    this.output = update.bytes;
    return update.byteCount;
  }
}

/** Keeps two results, as a client does that shows what lies between them. */
class EscapementDecoder implements ReplicationDecoder {
  readonly #pipeline: Pipeline;
  readonly #receiver = { latestRemoteSequence: 0 };
  readonly #result: DecodeResult;
  #current: Held;
  #next: Held;

  constructor(pipeline: Pipeline, extra: Extra, entities: number) {
    this.#pipeline = pipeline;
    this.#result = new DecodeResult(pipeline);
    this.#current = createHeld(pipeline, extra, entities);
    this.#next = createHeld(pipeline, extra, entities);
  }

  decode(packet: Uint8Array): void {
    const result = this.#result;
    result.coded = this.#next.coded;
    const baseline = this.#current.sequence === 0 ? undefined : this.#current;
    const status = decodeUpdate(this.#pipeline, this.#receiver, packet, baseline, result);
    if (status !== 'ok') throw new Error(`The update is ${status}.`);
    const { update, header } = result;
    const base = update.kind === SnapshotKind.FullReplace ? null : this.#current.snapshot;
    const applied = reconstructValid(base, update, this.#next.snapshot);
    if (applied !== 'ok') throw new Error(`The update cannot be applied: ${applied}.`);
    this.#next.sequence = header.sequence;
    const before = this.#current;
    this.#current = this.#next;
    this.#next = before;
  }

  show({ position, heading, hue }: HerdState): void {
    const { snapshot } = this.#current;
    position.set(columnOf(snapshot, ReferenceField.Position).subarray(0, position.length));
    heading.set(columnOf(snapshot, ReferenceField.Heading).subarray(0, heading.length));
    hue.set(columnOf(snapshot, ReferenceField.Hue).subarray(0, hue.length));
  }
}

/** Makes a contender of a pipeline that has the fields of the reference record, and `Delta`. */
export function contenderOf(options: PipelineOptions): ReplicationContender {
  const pipeline = definePipeline(options);
  const extra = codedExtra(pipeline);
  return {
    createEncoder: (entities) => new EscapementEncoder(pipeline, extra, entities),
    createDecoder: (entities) => new EscapementDecoder(pipeline, extra, entities),
  };
}

function columnOf(snapshot: Snapshot, field: number): FieldColumn['values'] {
  return (snapshot.columns[field] as FieldColumn).values;
}
