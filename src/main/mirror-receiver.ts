import { assert } from '../shared/assert.ts';
import { hostController, RECORD_BYTES } from '../shared/layout.ts';
import {
  emptyRing,
  joinWords,
  type MirrorPublication,
  type MirrorReply,
  type MirrorUpdate,
  pourRing,
} from '../shared/mirror.ts';
import { PublicationWriter } from '../shared/publication-writer.ts';
import { RECORD_WORD } from '../shared/record.ts';
import type { Region } from '../shared/region.ts';
import { openSignal } from '../shared/region-signal.ts';
import { RingReader } from '../shared/ring-reader.ts';
import { RingWriter } from '../shared/ring-writer.ts';
import type { Signal } from '../shared/signal.ts';
import { readTick } from '../shared/tick-wait.ts';
import { HEADER, REGION_STATE } from '../shared/words.ts';
import type { WorkerPeer } from './peer.ts';

/*
 * Threads    the host's thread alone.
 * Memory     writes this side's region as the simulation would, if it were shared.
 * Ordering   that of messages; within the thread, that of the program.
 * Progress   never waits.
 * Invariant  readers here see whole publications in order; rings lose and repeat nothing.
 */

const NOTHING: Uint32Array = new Uint32Array(0);
const PLACES = 3;
/** Where the serials of slots and of rosters begin in a publication. */
const SLOTS = 0;
const ROSTERS = PLACES;

/** Keeps this side's region like the simulation's, and sends back what was written here. */
export class MirrorReceiver {
  readonly #region: Region;
  readonly #peer: WorkerPeer;
  readonly #run: number;
  readonly #writer: PublicationWriter;
  readonly #sequence: Signal;
  readonly #followed: Signal;
  readonly #events: RingWriter;
  readonly #logs: RingWriter;
  readonly #trace: RingWriter;
  readonly #commands: RingReader;
  readonly #inputs: RingReader;
  #waitingEvents: Uint32Array = NOTHING;
  #waitingLogs: Uint32Array = NOTHING;
  #waitingTrace: Uint32Array = NOTHING;
  /** By serial: the place of a slot or roster that the last publication named. */
  #held: ReadonlyMap<number, number> = new Map();
  #flushing = false;
  #home: ArrayBuffer | undefined;

  constructor(region: Region, peer: WorkerPeer, run: number) {
    const { layout, i32 } = region;
    this.#region = region;
    this.#peer = peer;
    this.#run = run;
    this.#writer = new PublicationWriter(region);
    this.#sequence = openSignal(region, HEADER.sequence);
    this.#followed = openSignal(region, HEADER.followed);
    this.#events = new RingWriter(i32, layout.events);
    this.#logs = new RingWriter(i32, layout.logs);
    this.#trace = new RingWriter(i32, layout.trace);
    this.#commands = new RingReader(i32, hostController(layout).commands);
    this.#inputs = new RingReader(i32, layout.inputs);
    peer.port.onMessage((data) => {
      const update = data as MirrorUpdate | null;
      if (update?.kind === 'escapement/mirror-update' && update.run === run) this.#take(update);
    });
  }

  /** Sends what was written into this side's rings, after the present code has run. */
  flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => {
      this.#flushing = false;
      this.#reply(undefined);
    });
  }

  /** Pours what had to wait for room. Returns whether anything came. */
  refill(): boolean {
    const before = this.#waitingWords();
    this.#waitingEvents = pourRing(this.#waitingEvents, this.#events);
    this.#waitingLogs = pourRing(this.#waitingLogs, this.#logs);
    this.#waitingTrace = pourRing(this.#waitingTrace, this.#trace);
    return this.#waitingWords() < before;
  }

  #waitingWords(): number {
    return this.#waitingEvents.length + this.#waitingLogs.length + this.#waitingTrace.length;
  }

  #reply(buffer: ArrayBuffer | undefined): void {
    const reply: MirrorReply = {
      kind: 'escapement/mirror',
      run: this.#run,
      commands: emptyRing(this.#commands),
      inputs: emptyRing(this.#inputs),
      buffer,
    };
    this.#peer.post(reply, buffer === undefined ? [] : [buffer]);
  }

  #take(update: MirrorUpdate): void {
    const words = this.#region.i32;
    const { tickets } = hostController(this.#region.layout);
    const before = readTick(this.#region).epoch;
    if (update.publication !== undefined) {
      this.#publish(update.publication);
      this.#home = update.publication.buffer;
    }
    words.set(update.results, tickets.resultsIndex);
    Atomics.store(words, tickets.doneIndex, update.doneTicket);
    this.#waitingEvents = joinWords(this.#waitingEvents, update.events);
    this.#waitingLogs = joinWords(this.#waitingLogs, update.logs);
    this.#waitingTrace = joinWords(this.#waitingTrace, update.trace);
    this.refill();
    const present = Atomics.load(words, HEADER.state);
    if (present === REGION_STATE.created || present === REGION_STATE.running) {
      Atomics.store(words, HEADER.state, update.state);
    }
    this.#sequence.raise();
    const ended = update.state !== present;
    if (ended || readTick(this.#region).epoch !== before) this.#followed.raise();
    if (this.#home !== undefined) {
      const buffer = this.#home;
      this.#home = undefined;
      this.#reply(buffer);
    }
  }

  #publish(publication: MirrorPublication): void {
    const writer = this.#writer;
    const { layout, u32 } = this.#region;
    const { buffer, serials } = publication;
    writer.scan();
    const slots = this.#place(publication, SLOTS, layout.slotBytes);
    const rosters = this.#place(publication, ROSTERS, layout.roster.bytes);
    for (let at = 0; at < PLACES; at++) {
      writer.setPlace(at, slots[at] as number, rosters[at] as number);
    }
    this.#held = new Map(
      serials.map((serial, at) => [serial, [...slots, ...rosters][at] as number]),
    );
    writer.prepare();
    const record = new Uint32Array(buffer, 0, RECORD_BYTES / 4);
    for (let word = 0; word < record.length; word++) {
      // This side's places have indices of their own, and `publish` stores the tick itself.
      const ours =
        word < RECORD_WORD.flags || (word >= RECORD_WORD.slot && word < RECORD_WORD.mode);
      if (!ours) u32[writer.recordWord + word] = record[word] as number;
    }
    writer.publish(
      record[RECORD_WORD.tickLow] as number,
      record[RECORD_WORD.tickHigh] as number,
      record[RECORD_WORD.epoch] as number,
    );
  }

  /**
   * Returns this side's places for three serials from `first` on, copying in those that are new.
   */
  #place(publication: MirrorPublication, first: number, bytes: number): number[] {
    const writer = this.#writer;
    const { buffer, serials, parts } = publication;
    const taken = new Map<number, number>();
    return serials.slice(first, first + PLACES).map((serial) => {
      const known = this.#held.get(serial) ?? taken.get(serial);
      if (known !== undefined) return known;
      const part = parts.find((each) => each.serial === serial);
      assert(part !== undefined, 'a publication brings every part that is not held');
      const place = first === SLOTS ? writer.takeSlot() : writer.takeRoster();
      const target = first === SLOTS ? writer.slotOffset(place) : writer.rosterOffset(place);
      this.#region.u8.set(new Uint8Array(buffer, part.offset, bytes), target);
      taken.set(serial, place);
      return place;
    });
  }
}
