import { expect } from 'vitest';
import {
  createLossyLink,
  type Delivery,
  fingerprint,
  type InterestSource,
  type LinkConditions,
  type Pipeline,
  TickSource,
  type TransferOptions,
  UpdateOutput,
  UpdateReceiver,
  UpdateSender,
  type UpdateSenderOptions,
} from '../../../src/net/index.ts';
import { chanceOf, rowOf, rowsOf } from '../wire/populations.ts';
import { describePipeline, isPartial } from './any-pipeline.ts';
import { viewOfReceiver, viewOfSender } from './ends-view.ts';
import { World } from './world.ts';

/** How the two ends talk. */
export interface RunOptions {
  readonly seed: number;
  readonly pipeline: Pipeline;
  readonly conditions: LinkConditions;
  readonly transfer: TransferOptions;
  readonly delivery: Delivery;
  /** How acknowledgements and requests travel. */
  readonly control: Delivery;
  readonly bounds?: Omit<UpdateSenderOptions, 'delivery' | 'extra'>;
  /** The client's own entity; 0: none. */
  readonly self?: number;
  readonly population?: number;
}

/** Something that happens in a tick beside its update. */
export interface RunEvent {
  readonly verb: 'change' | 'toggle' | 'look' | 'idle' | 'refuse' | 'break' | 'crowd';
  readonly id: number;
}

const TICK_MS = 16;

/** A world, a server, a client and the network between them; all that comes of it is checked. */
export class ReplicationRun {
  readonly world: World;
  readonly options: RunOptions;
  readonly output: UpdateOutput;
  readonly tickSource: TickSource;
  sender!: UpdateSender;
  receiver!: UpdateReceiver;
  link!: ReturnType<typeof createLossyLink>;
  source: InterestSource;
  tick = 0;
  applied = 0;
  /** Outcomes of the client by name. */
  readonly outcomes: Map<string, number> = new Map();
  /** What each update leads to, by sequence. */
  readonly expected: Map<number, { readonly tick: number; readonly print: string }> = new Map();
  /** What every entity looked like at some tick, one text for each state. */
  readonly #states: Set<string> = new Set();
  /** What the client shows: updates are applied to it where they apply directly. */
  readonly #shown: Map<number, string> = new Map();
  readonly #out = new Uint8Array(16);
  readonly #pipelineText: string;
  #conditions: LinkConditions;
  #clockMs = 0;

  constructor(options: RunOptions) {
    const { pipeline, seed, transfer, conditions, self = 0, population = 6 } = options;
    this.options = options;
    this.world = new World(pipeline, chanceOf(seed), population);
    this.output = new UpdateOutput(pipeline, transfer);
    this.tickSource = new TickSource(pipeline.shape);
    this.source = { position: [0, 0, 0], self };
    this.#conditions = conditions;
    this.#pipelineText = describePipeline(pipeline);
    this.connect();
  }

  get label(): string {
    return `${this.#pipelineText}, tick ${this.tick}`;
  }

  /** Begins anew with both ends and the network, but not with the world. */
  connect(): void {
    const { options } = this;
    const { delivery, bounds } = options;
    const seed = options.seed + this.tick;
    this.link = createLossyLink({ seed, conditions: this.#conditions });
    this.sender = new UpdateSender(this.output, { ...bounds, delivery });
    this.connectClient();
    this.expected.clear();
    this.#clockMs = 0;
  }

  /** Begins anew with the client alone, as one that has lost all it had. */
  connectClient(): void {
    const { pipeline, transfer, bounds } = this.options;
    const { maxResults, maxBytes } = bounds ?? {};
    this.receiver = new UpdateReceiver(pipeline, { ...transfer, maxResults, maxBytes });
    this.#shown.clear();
  }

  /** Changes the network. */
  setConditions(conditions: LinkConditions): void {
    this.#conditions = conditions;
    this.link.setConditions(conditions);
  }

  step(event?: RunEvent): void {
    this.#live(event);
    const { snapshot } = this.world;
    this.world.write(this.tick);
    this.tickSource.load(snapshot);
    this.#remember();
    this.link.a.receive((bytes) => {
      this.sender.acceptMessage(bytes, this.#clockMs);
    });
    if (event?.verb !== 'idle') this.#send(event);
    this.tick++;
    this.#clockMs += TICK_MS;
    this.link.advanceTo(this.#clockMs);
    this.link.b.receive((bytes) => {
      this.take(bytes);
    });
  }

  /** What the client should come to see, once nothing is lost and nothing changes. */
  seen(): number[][] {
    return this.world.seenFrom(this.source);
  }

  /** Lets the client take a packet, checks what it makes of it, and sends what it says. */
  take(bytes: Uint8Array): void {
    const { receiver, label } = this;
    const outcome = receiver.acceptPacket(bytes, this.#clockMs);
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    if (outcome === 'refused') expect([label, receiver.detail]).toEqual([label, 'limit-exceeded']);
    if (outcome === 'applied') this.#checkApplied();
    for (;;) {
      const length = receiver.takeMessage(this.#out);
      if (length === 0) break;
      this.link.b.send(this.#out.subarray(0, length), this.options.control);
    }
  }

  #live(event: RunEvent | undefined): void {
    const { verb, id = 0 } = event ?? {};
    const self = this.source.self ?? 0;
    if (verb === 'change') this.world.change(id + 1);
    if (verb === 'toggle' && id + 1 !== self) this.world.toggle(id + 1);
    if (verb === 'crowd') for (let other = 1; other <= 12; other++) this.world.change(other);
    if (verb === 'look') this.source = { position: [id * 4 - 20, 0, id * 3 - 15], self };
  }

  #remember(): void {
    const everywhere = { ...this.source, position: [0, 0, 0] as const };
    const all = new Map(this.world.seenFrom(everywhere).map((row) => [row[0], row]));
    for (const row of [...all.values(), ...this.seen()]) this.#states.add(row.join());
  }

  #send(event: RunEvent | undefined): void {
    const { sender, source, label } = this;
    const before = event?.verb === 'refuse' || event?.verb === 'break' ? this.#views() : undefined;
    const status = sender.prepare(this.tickSource, this.#clockMs, { source });
    if (status !== 'prepared') {
      expect(['send-interval', 'retention-pressure', 'too-large']).toContain(status);
      return;
    }
    const { packetCount, update } = sender;
    // Once some packets have gone, the connection is closed; before that, all goes on as it was.
    const sent = event?.verb === 'break' ? packetCount - 1 : event?.verb === 'refuse' ? 0 : -1;
    for (let at = 0; at < (sent < 0 ? packetCount : sent); at++) {
      const packet = sender.packetAt(at);
      const limit = this.options.transfer.packets?.maxPayloadBytes ?? 1200;
      expect(packet.length).toBeLessThanOrEqual(limit);
      this.link.a.send(packet, this.options.delivery);
    }
    if (sent >= 0) {
      sender.abandon();
      expect([label, this.#views()]).toEqual([label, before]);
      if (event?.verb === 'break') this.connect();
      return;
    }
    const { resulting, plan } = update as NonNullable<typeof update>;
    this.#checkView(rowsOf(resulting));
    this.expected.set(plan.sequence, { tick: this.tick, print: fingerprint(resulting) });
    sender.commit(this.#clockMs);
  }

  #views(): unknown {
    const { sender, receiver } = this;
    // What is too old is let go by the time alone.
    sender.delivery.prepare(this.#clockMs);
    return [viewOfSender(sender), viewOfReceiver(receiver)];
  }

  /** Compares what the server says the client will hold with the world itself. */
  #checkView(rows: readonly number[][]): void {
    const { label } = this;
    const seen = this.seen();
    if (!isPartial(this.options.pipeline)) {
      expect([label, rows]).toEqual([label, seen]);
      return;
    }
    // Who is new may have to wait for a turn; who is gone is gone at once.
    const ids = new Set(seen.map(([id]) => id));
    expect([label, rows.filter(([id]) => !ids.has(id))]).toEqual([label, []]);
    const unknown = rows.filter((row) => !this.#states.has(row.join()));
    expect([label, unknown]).toEqual([label, []]);
  }

  #checkApplied(): void {
    const { receiver, label } = this;
    const { newest, newestSequence, update } = receiver;
    this.applied++;
    if (newest === undefined) throw new Error('an update was applied and there is no replica');
    expect([label, newest.tick, fingerprint(newest)]).toEqual([
      label,
      this.expected.get(newestSequence)?.tick,
      this.expected.get(newestSequence)?.print,
    ]);
    const shown = this.#shown;
    const rows = rowsOf(newest);
    if (receiver.appliesDirectly) {
      for (const id of update.deletes.subarray(0, update.deleteCount)) shown.delete(id);
      for (let row = 0; row < update.upserts.count; row++) {
        shown.set(update.upserts.ids[row] as number, rowOf(update.upserts, row).join());
      }
    } else {
      shown.clear();
      for (const row of rows) shown.set(row[0] as number, row.join());
    }
    const sorted = [...shown].sort(([a], [b]) => a - b).map(([, text]) => text);
    expect([label, sorted]).toEqual([label, rows.map((row) => row.join())]);
  }
}
