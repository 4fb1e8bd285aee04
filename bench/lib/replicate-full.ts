import {
  ClientReplicationState,
  type CodedReplica,
  codedExtra,
  DecodeResult,
  decodeUpdate,
  definePipeline,
  defineRecord,
  direction,
  type FieldColumn,
  type Pipeline,
  quantised,
  reconstructValid,
  ReferenceField,
  Snapshot,
  SnapshotKind,
  Technique,
  TickSource,
  uint,
  UpdateEncoder,
} from 'escapement/net';
import { type HerdMotion, type HerdState, WORLD_M } from './herd-motion.ts';
import type { ReplicationDecoder, ReplicationEncoder } from './replicate-contender.ts';

/** Apart on each axis: the corner of a cube of it is less than a centimetre from its middle. */
const STEP_M = 0.0115;

/** The fields of the reference record, as finely as the bench asks for. */
const record = defineRecord({
  fields: {
    classification: uint(8),
    position: quantised({ width: 3, min: 0, max: WORLD_M, precision: STEP_M }),
    heading: direction(8),
    hue: uint(8),
  },
  position: 'position',
});

const pipeline: Pipeline = definePipeline({
  record,
  techniques: Technique.Delta | Technique.DeltaFieldMask | Technique.Entropy,
});

const extra = codedExtra(pipeline);

/** What a client holds, by the sequence of the update that led to it. */
interface Held {
  sequence: number;
  readonly snapshot: Snapshot;
  readonly trusted: true;
  readonly isTrusted: true;
  readonly coded: CodedReplica | undefined;
}

function createHeld(entities: number): Held {
  const snapshot = new Snapshot(pipeline.shape, entities);
  return { sequence: 0, snapshot, trusted: true, isTrusted: true, coded: extra.create() };
}

/**
 * All of it: an own record, field masks and entropy. The first update is complete, each later one a
 * change of the one before. What moved it finds out itself; the time of that counts as encoding.
 */
class FullEncoder implements ReplicationEncoder {
  output: Uint8Array = new Uint8Array(0);
  readonly #tick = new TickSource(pipeline.shape);
  readonly #encoder: UpdateEncoder;
  readonly #state = new ClientReplicationState();
  readonly #population: Snapshot;
  readonly #request: {
    baseline: Held | null;
    result: Snapshot;
    resultCoded: CodedReplica | undefined;
  };
  #held: Held;
  #next: Held;

  constructor(entities: number) {
    const { shape } = pipeline;
    this.#encoder = new UpdateEncoder(pipeline);
    this.#population = new Snapshot(shape, entities);
    this.#population.count = entities;
    for (let i = 0; i < entities; i++) this.#population.ids[i] = i + 1;
    columnOf(this.#population, ReferenceField.Classification).fill(1);
    this.#held = createHeld(entities);
    this.#next = createHeld(entities);
    const { snapshot, coded } = this.#next;
    this.#request = { baseline: null, result: snapshot, resultCoded: coded };
  }

  /** Fills the population, as the columns of a simulation's frame do. */
  take({ position, heading, hue, tick }: HerdMotion): void {
    const population = this.#population;
    population.tickLow = tick;
    columnOf(population, ReferenceField.Position).set(position);
    columnOf(population, ReferenceField.Heading).set(heading);
    columnOf(population, ReferenceField.Hue).set(hue);
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
class FullDecoder implements ReplicationDecoder {
  readonly #receiver = { latestRemoteSequence: 0 };
  readonly #result = new DecodeResult(pipeline);
  #current: Held;
  #next: Held;

  constructor(entities: number) {
    this.#current = createHeld(entities);
    this.#next = createHeld(entities);
  }

  decode(packet: Uint8Array): void {
    const result = this.#result;
    result.coded = this.#next.coded;
    const baseline = this.#current.sequence === 0 ? undefined : this.#current;
    const status = decodeUpdate(pipeline, this.#receiver, packet, baseline, result);
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

function columnOf(snapshot: Snapshot, field: number): FieldColumn['values'] {
  return (snapshot.columns[field] as FieldColumn).values;
}

export function createEncoder(entities: number): ReplicationEncoder {
  return new FullEncoder(entities);
}

export function createDecoder(entities: number): ReplicationDecoder {
  return new FullDecoder(entities);
}
