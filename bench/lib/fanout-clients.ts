import {
  ClientReplicationState,
  definePipeline,
  type EncodeRequest,
  type Pipeline,
  Snapshot,
  Technique,
  TickSource,
  UpdateEncoder,
} from 'escapement/net';
import { type HerdMotion, WORLD_M } from './herd-motion.ts';
import { fillPopulation, HERD_BOUNDS } from './replicate-escapement.ts';

/** How far a client sees, metres. */
const RADIUS_M = 60;

/** What a client holds, by the sequence of the update that led to it. */
interface Held {
  sequence: number;
  readonly snapshot: Snapshot;
  readonly trusted: true;
}

/** One client, with a place of its own from where it looks on. */
class FanoutClient {
  readonly #state = new ClientReplicationState();
  readonly #request: {
    readonly source: NonNullable<EncodeRequest['source']>;
    baseline: Held | null;
    result: Snapshot;
  };
  #held: Held;
  #next: Held;

  constructor({ shape }: Pipeline, index: number) {
    // Places that never repeat, by the fractional parts of multiples of irrational numbers.
    const place = (by: number): number => ((0.5 + index * by) % 1) * WORLD_M;
    const position = [place(0.8191725134), place(0.6710436067), place(0.5497004779)] as const;
    this.#held = { sequence: 0, snapshot: new Snapshot(shape), trusted: true };
    this.#next = { sequence: 0, snapshot: new Snapshot(shape), trusted: true };
    this.#request = { source: { position }, baseline: null, result: this.#next.snapshot };
  }

  /** Encodes what changed since the tick before; returns its bytes. */
  encode(encoder: UpdateEncoder, tick: TickSource): number {
    const request = this.#request;
    const update = encoder.encode(tick, this.#state, request);
    update.commit();
    const before = this.#held;
    this.#held = this.#next;
    this.#next = before;
    this.#held.sequence = update.plan.sequence;
    request.baseline = this.#held;
    request.result = before.snapshot;
    return update.byteCount;
  }
}

/** A server of a herd: one source a tick, and an update of it for each client. */
export class FanoutServer {
  /** Bytes of all updates so far. */
  sentBytes = 0;
  readonly #herd: HerdMotion;
  readonly #tick: TickSource;
  readonly #encoder: UpdateEncoder;
  readonly #clients: readonly FanoutClient[];

  constructor(herd: HerdMotion, clients: number) {
    const { Quantization, OctHeading, BitPacking, Delta } = Technique;
    const pipeline = definePipeline({
      techniques: Quantization | OctHeading | BitPacking | Delta,
      positionBounds: HERD_BOUNDS,
      areaOfInterest: { mode: 'radius', radius: RADIUS_M, fovDegrees: 0 },
    });
    this.#herd = herd;
    this.#tick = new TickSource(pipeline.shape);
    this.#encoder = new UpdateEncoder(pipeline);
    this.#clients = Array.from({ length: clients }, (_, i) => new FanoutClient(pipeline, i));
  }

  /** Takes the herd as it is and encodes it for every client. */
  send(): void {
    const population = this.#tick.prepare(this.#herd.entities);
    fillPopulation(population, this.#herd);
    this.#tick.load(population);
    for (const client of this.#clients) this.sentBytes += client.encode(this.#encoder, this.#tick);
  }
}
