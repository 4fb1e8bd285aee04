import {
  ClientReplicationState,
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

/** What a client holds, by the sequence of the update that led to it. */
interface Held {
  sequence: number;
  readonly snapshot: Snapshot;
  readonly trusted: true;
}

/**
 * One of ours, with the reference record. The first update is complete, each later one a change of
 * the one before. What moved it finds out itself; the time of that counts as encoding.
 */
class EscapementEncoder implements ReplicationEncoder {
  output: Uint8Array = new Uint8Array(0);
  readonly #tick: TickSource;
  readonly #encoder: UpdateEncoder;
  readonly #state = new ClientReplicationState();
  readonly #request: { baseline: Held | null; result: Snapshot };
  #population: Snapshot;
  #held: Held;
  #next: Held;

  constructor(pipeline: Pipeline, entities: number) {
    const { shape } = pipeline;
    this.#tick = new TickSource(shape);
    this.#population = this.#tick.prepare(entities);
    this.#encoder = new UpdateEncoder(pipeline);
    this.#held = { sequence: 0, snapshot: new Snapshot(shape, entities), trusted: true };
    this.#next = { sequence: 0, snapshot: new Snapshot(shape, entities), trusted: true };
    this.#request = { baseline: null, result: this.#next.snapshot };
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
    const { sequence } = update.plan;
    this.#next.sequence = sequence;
    const before = this.#held;
    this.#held = this.#next;
    this.#next = before;
    request.baseline = this.#held;
    request.result = before.snapshot;
    this.output = update.bytes;
    return update.byteCount;
  }
}

/** Keeps two snapshots, as a client does that shows what lies between them. */
class EscapementDecoder implements ReplicationDecoder {
  readonly #pipeline: Pipeline;
  readonly #receiver = { latestRemoteSequence: 0 };
  readonly #result: DecodeResult;
  #current: Snapshot;
  #next: Snapshot;

  constructor(pipeline: Pipeline, entities: number) {
    this.#pipeline = pipeline;
    this.#result = new DecodeResult(pipeline);
    this.#current = new Snapshot(pipeline.shape, entities);
    this.#next = new Snapshot(pipeline.shape, entities);
  }

  decode(packet: Uint8Array): void {
    const status = decodeUpdate(this.#pipeline, this.#receiver, packet, undefined, this.#result);
    if (status !== 'ok') throw new Error(`The update is ${status}.`);
    const { update } = this.#result;
    const base = update.kind === SnapshotKind.FullReplace ? null : this.#current;
    const applied = reconstructValid(base, update, this.#next);
    if (applied !== 'ok') throw new Error(`The update cannot be applied: ${applied}.`);
    const before = this.#current;
    this.#current = this.#next;
    this.#next = before;
  }

  show({ position, heading, hue }: HerdState): void {
    position.set(columnOf(this.#current, ReferenceField.Position).subarray(0, position.length));
    heading.set(columnOf(this.#current, ReferenceField.Heading).subarray(0, heading.length));
    hue.set(columnOf(this.#current, ReferenceField.Hue).subarray(0, hue.length));
  }
}

/** Makes a contender of a pipeline with the reference record that has `Technique.Delta`. */
export function contenderOf(options: PipelineOptions): ReplicationContender {
  const pipeline = definePipeline(options);
  return {
    createEncoder: (entities) => new EscapementEncoder(pipeline, entities),
    createDecoder: (entities) => new EscapementDecoder(pipeline, entities),
  };
}

function columnOf(snapshot: Snapshot, field: number): FieldColumn['values'] {
  return (snapshot.columns[field] as FieldColumn).values;
}
