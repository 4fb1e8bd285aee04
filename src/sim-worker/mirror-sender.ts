import { hostController, RECORD_BYTES } from '../shared/layout.ts';
import { RESULTS_WORDS } from '../shared/ticket-block.ts';
import {
  emptyRing,
  joinWords,
  type MirrorReply,
  type MirrorUpdate,
  pourRing,
} from '../shared/mirror.ts';
import type { PublicationWriter } from '../shared/publication-writer.ts';
import { RingReader } from '../shared/ring-reader.ts';
import { RingWriter } from '../shared/ring-writer.ts';
import { HEADER } from '../shared/words.ts';
import type { Run } from './run.ts';
import type { WorkerScope } from './worker-scope.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     reads this side's region; its bytes leave in transferred buffers.
 * Ordering   that of messages.
 * Progress   never waits: while both buffers are away, the newest publication waits for one.
 * Invariant  events, logs, commands and inputs cross exactly once and in order; of publications the
 *            latest wins.
 */

const BUFFERS = 2;
const NOTHING: Uint32Array = new Uint32Array(0);

/** Carries a run's publications to its host where memory cannot be shared. */
export class MirrorSender {
  readonly #run: Run;
  readonly #scope: WorkerScope;
  readonly #writer: PublicationWriter;
  readonly #free: ArrayBuffer[] = [];
  readonly #events: RingReader;
  readonly #logs: RingReader;
  readonly #trace: RingReader;
  readonly #commands: RingWriter;
  readonly #inputs: RingWriter;
  #waitingCommands: Uint32Array = NOTHING;
  #waitingInputs: Uint32Array = NOTHING;
  /** Serials the host holds: those of the last publication sent. */
  #held: readonly number[] = [];
  #sentCount = 0;
  #doneTicket = 0;

  constructor(run: Run, scope: WorkerScope) {
    const { region } = run;
    const { layout, i32 } = region;
    this.#run = run;
    this.#scope = scope;
    this.#writer = run.publication;
    this.#events = new RingReader(i32, layout.events);
    this.#logs = new RingReader(i32, layout.logs);
    this.#trace = new RingReader(i32, layout.trace);
    this.#commands = new RingWriter(i32, hostController(layout).commands);
    this.#inputs = new RingWriter(i32, layout.inputs);
    const bytes = RECORD_BYTES + 3 * (layout.slotBytes + layout.roster.bytes);
    for (let i = 0; i < BUFFERS; i++) this.#free.push(new ArrayBuffer(bytes));
    run.driver.onProgress = () => {
      this.#pour();
      this.flush();
    };
    this.flush();
  }

  /** Takes what the host sent. */
  receive(data: unknown): void {
    const reply = data as MirrorReply;
    if (reply.run !== this.#run.config.run) return;
    if (reply.buffer !== undefined) this.#free.push(reply.buffer);
    this.#waitingCommands = joinWords(this.#waitingCommands, reply.commands);
    this.#waitingInputs = joinWords(this.#waitingInputs, reply.inputs);
    this.#pour();
    if (this.#sentCount !== this.#writer.publishedCount) this.flush();
  }

  #pour(): void {
    const before = this.#waitingCommands.length + this.#waitingInputs.length;
    if (before === 0) return;
    this.#waitingCommands = pourRing(this.#waitingCommands, this.#commands);
    this.#waitingInputs = pourRing(this.#waitingInputs, this.#inputs);
    this.#run.wake.raise();
  }

  /** Sends what the host does not know yet. */
  flush(): void {
    const { region, config } = this.#run;
    const { tickets } = hostController(region.layout);
    const isSent = this.#sentCount === this.#writer.publishedCount;
    const buffer = isSent ? undefined : this.#free.pop();
    // A command is answered no sooner than what it brought about arrives.
    if (isSent || buffer !== undefined) {
      this.#doneTicket = Atomics.load(region.i32, tickets.doneIndex);
    }
    const update: MirrorUpdate = {
      kind: 'escapement/mirror-update',
      run: config.run,
      state: Atomics.load(region.i32, HEADER.state),
      doneTicket: this.#doneTicket,
      results: region.i32.slice(tickets.resultsIndex, tickets.resultsIndex + RESULTS_WORDS),
      events: emptyRing(this.#events),
      logs: emptyRing(this.#logs),
      trace: emptyRing(this.#trace),
      publication: buffer === undefined ? undefined : this.#pack(buffer),
    };
    this.#scope.post(update, buffer === undefined ? [] : [buffer]);
  }

  #pack(buffer: ArrayBuffer): NonNullable<MirrorUpdate['publication']> {
    const { region } = this.#run;
    const { layout, u8 } = region;
    const writer = this.#writer;
    const bytes = new Uint8Array(buffer);
    const record = Atomics.load(region.i32, HEADER.current);
    bytes.set(u8.subarray(layout.records + record * RECORD_BYTES).subarray(0, RECORD_BYTES));
    const serials: number[] = [];
    const parts: { serial: number; offset: number }[] = [];
    let offset = RECORD_BYTES;
    const add = (serial: number, source: number, length: number): void => {
      serials.push(serial);
      if (this.#held.includes(serial) || parts.some((part) => part.serial === serial)) return;
      bytes.set(u8.subarray(source, source + length), offset);
      parts.push({ serial, offset });
      offset += length;
    };
    for (let place = 0; place < 3; place++) {
      const slot = writer.slotAt(place);
      add(writer.slotSerials[slot] as number, writer.slotOffset(slot), layout.slotBytes);
    }
    for (let place = 0; place < 3; place++) {
      const roster = writer.rosterAt(place);
      add(writer.rosterSerials[roster] as number, writer.rosterOffset(roster), layout.roster.bytes);
    }
    this.#held = serials;
    this.#sentCount = writer.publishedCount;
    return { buffer, serials, parts };
  }
}
