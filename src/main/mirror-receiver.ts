import { RECORD_BYTES } from '../shared/layout.ts';
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

/** Keeps this side's region like the simulation's, and sends back what was written here. */
export class MirrorReceiver {
  readonly #region: Region;
  readonly #peer: WorkerPeer;
  readonly #run: number;
  readonly #writer: PublicationWriter;
  readonly #sequence: Signal;
  readonly #events: RingWriter;
  readonly #logs: RingWriter;
  readonly #commands: RingReader;
  readonly #inputs: RingReader;
  #waitingEvents: Uint32Array = NOTHING;
  #serials: readonly number[] = [];
  #flushing = false;
  #home: ArrayBuffer | undefined;

  constructor(region: Region, peer: WorkerPeer, run: number) {
    const { layout, i32 } = region;
    this.#region = region;
    this.#peer = peer;
    this.#run = run;
    this.#writer = new PublicationWriter(region);
    this.#sequence = openSignal(region, HEADER.sequence);
    this.#events = new RingWriter(i32, layout.events);
    this.#logs = new RingWriter(i32, layout.logs);
    this.#commands = new RingReader(i32, layout.commands);
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
    const { tickets } = this.#region.layout;
    if (update.publication !== undefined) {
      this.#publish(update.publication);
      this.#home = update.publication.buffer;
    }
    words.set(update.results, tickets.resultsIndex);
    Atomics.store(words, tickets.doneIndex, update.doneTicket);
    this.#waitingEvents = joinWords(this.#waitingEvents, update.events);
    this.#waitingEvents = pourRing(this.#waitingEvents, this.#events);
    if (update.logs !== undefined) pourRing(update.logs, this.#logs);
    const present = Atomics.load(words, HEADER.state);
    if (present === REGION_STATE.created || present === REGION_STATE.running) {
      Atomics.store(words, HEADER.state, update.state);
    }
    this.#sequence.raise();
    if (this.#home !== undefined) {
      const buffer = this.#home;
      this.#home = undefined;
      this.#reply(buffer);
    }
  }

  #publish(publication: MirrorPublication): void {
    const writer = this.#writer;
    const { layout, u8, u32 } = this.#region;
    const { buffer, serials, parts } = publication;
    const bytes = new Uint8Array(buffer);
    writer.scan();
    const place = (index: number, kind: 'slot' | 'roster'): number => {
      const serial = serials[index] as number;
      const before = this.#serials.indexOf(serial);
      if (before >= 0) return kind === 'slot' ? held.slots[before] as number : held.rosters[before - PLACES] as number;
      const again = serials.indexOf(serial);
      if (again < index) return kind === 'slot' ? slots[again] as number : rosters[again - PLACES] as number;
      const part = parts.find((each) => each.serial === serial);
      const length = kind === 'slot' ? layout.slotBytes : layout.rosterBytes;
      const taken = kind === 'slot' ? writer.takeSlot() : writer.takeRoster();
      const target = kind === 'slot' ? writer.slotOffset(taken) : writer.rosterOffset(taken);
      const offset = part?.offset ?? RECORD_BYTES;
      u8.set(bytes.subarray(offset, offset + length), target);
      return taken;
    };
    const held = {
      slots: [0, 1, 2].map((at) => writer.slotAt(at)),
      rosters: [0, 1, 2].map((at) => writer.rosterAt(at)),
    };
    const slots: number[] = [];
    const rosters: number[] = [];
    for (let at = 0; at < PLACES; at++) slots.push(place(at, 'slot'));
    for (let at = 0; at < PLACES; at++) rosters.push(place(PLACES + at, 'roster'));
    for (let at = 0; at < PLACES; at++) {
      writer.setPlace(at, slots[at] as number, rosters[at] as number);
    }
    this.#serials = serials;
    writer.prepare();
    const record = new Uint32Array(buffer, 0, RECORD_BYTES / 4);
    for (let word = 0; word < record.length; word++) {
      // This side's places have indices of their own, and `publish` stores the tick itself.
      const ours = word < RECORD_WORD.flags || (word >= RECORD_WORD.slot && word < RECORD_WORD.mode);
      if (!ours) u32[writer.recordWord + word] = record[word] as number;
    }
    writer.publish(
      record[RECORD_WORD.tickLow] as number,
      record[RECORD_WORD.tickHigh] as number,
      record[RECORD_WORD.epoch] as number,
    );
  }
}
