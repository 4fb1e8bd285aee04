import { expect } from 'vitest';
import {
  ACK_BYTES,
  ClientDelivery,
  type Delivery,
  DeliveryMessage,
  encodeAck,
  encodeRecoveryRequest,
  type LinkEnd,
  RECOVERY_REQUEST_BYTES,
  type RetainedResult,
  ServerDelivery,
  type ServerDeliveryOptions,
} from '../../../src/net/index.ts';
import { SnapshotKind } from '../../../src/net/snapshot/snapshot-update.ts';
import { fillPeople, listPeople, people, person } from './people.ts';
import { applied, decodeToy, encodeToy, type Hues, nextModel, toyExtra } from './toy-update.ts';
import type { ToyUpdate } from './toy-update.ts';

type Result = RetainedResult<Uint32Array>;

/** How a pair of toys talks. */
export interface ToyOptions {
  readonly delivery: Delivery;
  /** How acknowledgements and requests travel. */
  readonly control: Delivery;
  /** Entities that have their turn in an update; the rest waits. Infinity: all. */
  readonly cap: number;
  readonly bounds?: Omit<ServerDeliveryOptions, 'extra' | 'delivery'>;
}

/** Returns the hues of a result by id. */
export function huesOf(result: Result | undefined): Hues {
  const rows = result === undefined ? [] : listPeople(result.snapshot);
  return new Map(rows.map(([id, , , , hue]) => [id, hue]));
}

function fill(result: Result, hues: Hues, tick: number): void {
  fillPeople(
    result.snapshot,
    [...hues].map(([id, hue]) => person(id, hue)),
    tick,
  );
}

/** A server that sends a world of hues to one client. */
export class ToyServer {
  readonly book: ServerDelivery<Uint32Array>;
  /** The population and model after each update that it sent, by sequence. */
  readonly sent: Map<number, { readonly hues: Hues; readonly model: number }> = new Map();
  readonly #end: LinkEnd;
  readonly #options: ToyOptions;
  readonly #message = new DeliveryMessage();
  #sequence = 1;
  #turn = 0;

  constructor(end: LinkEnd, options: ToyOptions) {
    this.#end = end;
    this.#options = options;
    const { delivery, bounds } = options;
    const isPartial = options.cap < Number.POSITIVE_INFINITY;
    this.book = new ServerDelivery(people, { ...bounds, delivery, isPartial, extra: toyExtra });
  }

  /** Takes what has come from the client. */
  receive(): void {
    this.#end.receive((bytes) => {
      const status = this.#message.read(bytes);
      if (status === 'ack') this.book.acknowledge(this.#message.sequence);
      if (status === 'recovery-request') {
        this.book.requestRecovery(this.#message.rejected, this.#message.missing);
      }
    });
  }

  /** Sends the world as it is at a tick. `isRefused`: the bytes are not accepted. */
  send(world: Hues, tick: number, nowMs: number, isRefused: boolean): void {
    const { book } = this;
    const isForced = book.prepare(nowMs);
    const { baseline } = book;
    expect(isForced && baseline !== undefined).toBe(false);
    const before = huesOf(baseline);
    const update = this.#encode(world, tick, baseline?.sequence ?? 0, before);
    const after = applied(before, update);
    const model = nextModel(baseline?.extra[0] ?? 0, update);
    const { draft } = book;
    draft.sequence = update.sequence;
    draft.kind = update.kind;
    draft.extra[0] = model;
    fill(draft, after, tick);
    const isPartial = this.#options.cap < Number.POSITIVE_INFINITY;
    const needsRecovery = isPartial && this.#options.delivery === 'unreliable';
    const isPatch = update.kind === SnapshotKind.Patch;
    const ids = Uint32Array.from(needsRecovery && isPatch ? update.upserts.map(([id]) => id) : []);
    if (book.plan(ids) !== 'accepted') {
      book.discard();
      return;
    }
    if (isRefused || this.#end.send(encodeToy(update), this.#options.delivery) !== 'sent') {
      book.abandon();
      return;
    }
    book.commit(nowMs);
    this.sent.set(update.sequence, { hues: after, model });
    this.#sequence++;
    this.#turn += isPatch ? 1 : 0;
  }

  /** Encodes a patch of those who have their turn and those to recover, or the whole world. */
  #encode(world: Hues, tick: number, baselineSequence: number, before: Hues): ToyUpdate {
    const place = { tickHigh: 0, tickLow: tick, sequence: this.#sequence };
    if (baselineSequence === 0) {
      const kind = SnapshotKind.FullReplace;
      return { ...place, kind, baselineSequence, upserts: [...world], deletes: [] };
    }
    const { cap } = this.#options;
    const ids = [...world.keys()];
    const from = this.#turn * cap;
    const hasTurn = (at: number): boolean =>
      cap >= ids.length || (((at - from) % ids.length) + ids.length) % ids.length < cap;
    const recovered = [...this.book.recoveryRows.ids].slice(0, this.book.recoveryRows.count);
    const upserts = [...world].filter(
      ([id, hue], at) => (hasTurn(at) || recovered.includes(id)) && before.get(id) !== hue,
    );
    const deletes = [...before.keys()].filter((id) => !world.has(id));
    return { ...place, kind: SnapshotKind.Patch, baselineSequence, upserts, deletes };
  }
}

/** A client that keeps the replica that a {@link ToyServer} sends. */
export class ToyClient {
  readonly book: ClientDelivery<Uint32Array>;
  /** Sequences that it applied, in order. */
  readonly applied: number[] = [];
  requests = 0;
  readonly #end: LinkEnd;
  readonly #server: ToyServer;
  readonly #control: Delivery;
  readonly #out = new Uint8Array(Math.max(ACK_BYTES, RECOVERY_REQUEST_BYTES));

  constructor(end: LinkEnd, server: ToyServer, options: ToyOptions) {
    this.#end = end;
    this.#server = server;
    this.#control = options.control;
    const { maxResults, maxBytes } = options.bounds ?? {};
    this.book = new ClientDelivery(people, { maxResults, maxBytes, extra: toyExtra });
  }

  /** Takes what has come and checks each replica against what the server says it is. */
  receive(): void {
    this.#end.receive((bytes) => this.take(decodeToy(bytes)));
  }

  take(update: ToyUpdate): void {
    const { book } = this;
    const status = book.begin(update);
    if (status === 'missing-baseline') {
      this.requests++;
      this.#send(encodeRecoveryRequest(this.#out, update.sequence, update.baselineSequence));
    }
    if (status !== 'ready') return;
    expect(book.baseline?.sequence ?? 0).toBe(update.baselineSequence);
    const before = huesOf(book.baseline);
    book.draft.extra[0] = nextModel(book.baseline?.extra[0] ?? 0, update);
    fill(book.draft, applied(before, update), update.tickLow);
    book.commit();
    this.applied.push(update.sequence);
    const { newest } = book;
    expect({ hues: huesOf(newest), model: newest?.extra[0] }).toEqual(
      this.#server.sent.get(update.sequence),
    );
    this.#send(encodeAck(this.#out, book.latestApplied));
  }

  #send(length: number): void {
    this.#end.send(this.#out.subarray(0, length), this.#control);
  }
}
