import { assert } from './assert.ts';
import { type Copy, createCopy } from './copier.ts';
import { RECORD_BYTES } from './layout.ts';
import { RECORD_WORD } from './record.ts';
import type { Region } from './region.ts';
import { openSignal } from './region-signal.ts';
import type { Signal } from './signal.ts';
import { HEADER, READER, READER_WORDS } from './words.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     `current`, `sequence`, all records, slots and rosters of the region.
 * Ordering   slots and record are filled with plain stores; the store to `current` publishes them.
 *            Every scan of the hazard words comes after the last store to `current`.
 * Progress   wait-free, allocates nothing: the pools are large enough that a free place exists.
 * Invariant  no slot, roster or record that `current` or any hazard word names is ever written.
 *
 *   slots     [a][b][c][d][e][f][g]...          fill a free one with tick T (plain stores)
 *                |  |  |
 *   records   [ T-2 T-1 T | tick, anchor .. ]   fill a free one that names three slots (plain)
 *                 ^
 *   current ------+                             store: from here on readers may pin the record
 *   hazard[r] = index + 1                       a reader's announcement: leave that record alone
 *
 * A scan that missed an announcement came before it; then the announcing reader's confirming load
 * of `current` comes after whatever that scan allowed to be published, sees another index and
 * tries again. So a place found free by the scan is free until the next store to `current`.
 * `proof/publication.pml` checks this, and that each of its guards is needed.
 */

/** How many places a record names of each kind: T-2, T-1, T. */
const PLACES = 3;
const NAMED = 2 * PLACES;

/** Publishes ticks: takes free slots, fills them from the world, names them in a record. */
export class PublicationWriter {
  readonly region: Region;
  readonly copy: Copy;
  /** Words of the record being prepared start here; doubles at half of it. */
  recordWord = 0;
  recordDouble = 0;
  /** Records published so far. */
  publishedCount = 0;
  /** Called when readers may pin a record already, before the waiters are woken. */
  beforeRaise: (() => void) | undefined;
  /** By slot and by roster index: which capture it holds, counted from 1. For mirrors. */
  readonly slotSerials: Float64Array;
  readonly rosterSerials: Float64Array;
  /** Publications that found no room. Stays 0; counted because silence would be worse. */
  skippedPublications = 0;

  readonly #i32: Int32Array;
  readonly #sequence: Signal;
  readonly #hazards: Int32Array;
  /** Row per record: slots of T-2, T-1, T, then rosters of the same; valid once published. */
  readonly #named: Int32Array;
  /** A byte a record, slot and roster, in this order: 1 while it may not be taken. */
  readonly #busy: Uint8Array;
  readonly #recordBusy: Uint8Array;
  readonly #slotBusy: Uint8Array;
  readonly #rosterBusy: Uint8Array;
  /** Slots then rosters of the last three captured ticks; named by the next record. */
  readonly #history: Int32Array = new Int32Array(NAMED);
  #serial = 0;
  #current = -1;
  #preparing = -1;

  constructor(region: Region, copy: Copy = createCopy(region)) {
    const { layout } = region;
    this.region = region;
    this.copy = copy;
    this.#i32 = region.i32;
    this.#sequence = openSignal(region, HEADER.sequence);
    this.#hazards = Int32Array.from({ length: layout.readers }, (_, reader) =>
      Math.trunc(layout.readerBlocks / 4 + reader * READER_WORDS + READER.hazard),
    );
    this.#named = new Int32Array(layout.recordCount * NAMED);
    const { recordCount, slotCount } = layout;
    this.#busy = new Uint8Array(recordCount + 2 * slotCount);
    this.#recordBusy = this.#busy.subarray(0, recordCount);
    this.#slotBusy = this.#busy.subarray(recordCount, recordCount + slotCount);
    this.#rosterBusy = this.#busy.subarray(recordCount + slotCount);
    this.slotSerials = new Float64Array(layout.slotCount);
    this.rosterSerials = new Float64Array(layout.slotCount);
  }

  /** Learns which places are free. Call once per publication, before any place is taken. */
  scan(): void {
    this.#busy.fill(0);
    if (this.#current >= 0) {
      this.#markBusy(this.#current);
      for (let place = 0; place < PLACES; place++) {
        this.#slotBusy[this.#history[place] as number] = 1;
        this.#rosterBusy[this.#history[PLACES + place] as number] = 1;
      }
    }
    for (let reader = 0; reader < this.#hazards.length; reader++) {
      const announced = Atomics.load(this.#i32, this.#hazards[reader] as number);
      if (announced !== 0) this.#markBusy(announced - 1);
    }
  }

  #markBusy(record: number): void {
    this.#recordBusy[record] = 1;
    const row = record * NAMED;
    for (let place = 0; place < PLACES; place++) {
      this.#slotBusy[this.#named[row + place] as number] = 1;
      this.#rosterBusy[this.#named[row + PLACES + place] as number] = 1;
    }
  }

  /** Takes a free slot and returns its index; it is this writer's until published. */
  takeSlot(): number {
    const slot = take(this.#slotBusy, 'a free slot exists');
    this.slotSerials[slot] = ++this.#serial;
    return slot;
  }

  /** Takes a free roster and returns its index. */
  takeRoster(): number {
    const roster = take(this.#rosterBusy, 'a free roster exists');
    this.rosterSerials[roster] = ++this.#serial;
    return roster;
  }

  /** Byte offset of a slot. */
  slotOffset(slot: number): number {
    return this.region.layout.slots + slot * this.region.layout.slotBytes;
  }

  /** Byte offset of a roster. */
  rosterOffset(roster: number): number {
    return this.region.layout.rosters + roster * this.region.layout.roster.bytes;
  }

  /** Names a filled slot and roster as the newest tick; the older two move one place back. */
  push(slot: number, roster: number): void {
    const history = this.#history;
    history[0] = history[1] as number;
    history[1] = history[2] as number;
    history[2] = slot;
    history[3] = history[4] as number;
    history[4] = history[5] as number;
    history[5] = roster;
  }

  /** Names one slot and roster for all three places: the first tick, a seek, a restore. */
  reset(slot: number, roster: number): void {
    this.#history.fill(slot, 0, PLACES);
    this.#history.fill(roster, PLACES, NAMED);
  }

  /** Names a slot and a roster for one place alone: 0 for T-2, 1 for T-1, 2 for T. */
  setPlace(place: number, slot: number, roster: number): void {
    this.#history[place] = slot;
    this.#history[PLACES + place] = roster;
  }

  /** The slot named for a place by the next record. */
  slotAt(place: number): number {
    return this.#history[place] as number;
  }

  /** The roster named for a place by the next record. */
  rosterAt(place: number): number {
    return this.#history[PLACES + place] as number;
  }

  /**
   * Takes a free record and points {@link recordWord} and {@link recordDouble} at it, its slots
   * and rosters named. The caller fills the other fields, then calls {@link publish}.
   */
  prepare(): void {
    const record = take(this.#recordBusy, 'a free record exists');
    const offset = this.region.layout.records + record * RECORD_BYTES;
    const word = offset / 4;
    this.#preparing = record;
    this.recordWord = word;
    this.recordDouble = offset / 8;
    const row = record * NAMED;
    const history = this.#history;
    for (let place = 0; place < NAMED; place++) {
      const index = history[place] as number;
      this.#named[row + place] = index;
      this.#i32[word + RECORD_WORD.slot + place] = index;
    }
  }

  /** Publishes the prepared record: readers may pin it from the store to `current` on. */
  publish(tickLow: number, tickHigh: number, epoch: number): void {
    assert(this.#preparing >= 0, 'publish follows prepare');
    const words = this.#i32;
    const record = this.recordWord;
    // Atomic, unlike the other fields: waiters read them without a pin.
    Atomics.store(words, record + RECORD_WORD.tickLow, tickLow);
    Atomics.store(words, record + RECORD_WORD.tickHigh, tickHigh);
    Atomics.store(words, record + RECORD_WORD.epoch, epoch);
    Atomics.store(words, HEADER.current, this.#preparing);
    this.#current = this.#preparing;
    this.#preparing = -1;
    this.publishedCount++;
    this.beforeRaise?.();
    this.#sequence.raise();
  }
}

function take(busy: Uint8Array, claim: string): number {
  // A free place is among the first few: `indexOf` takes longer to call than this loop to run.
  let index = 0;
  while (index < busy.length && busy[index] !== 0) index++;
  assert(index < busy.length, claim);
  busy[index] = 1;
  return index;
}
