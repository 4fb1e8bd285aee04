import { assert } from '../shared/assert.ts';
import { clearBit, hasBit, lowestBit, setBit } from '../shared/bitset.ts';
import { type Entity, HandleCodec, NO_ENTITY } from '../shared/entity.ts';
import { EscapementError } from '../shared/error.ts';
import { ROSTER_WORD, type RosterMap } from '../shared/world-map.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     the world's own roster; no other thread looks at it.
 * Ordering   plain accesses; what others see is copied out by the publisher.
 * Progress   issuing a slot scans a bitset from a hint; nothing allocates after construction, but
 *            for `live` a view whenever the count has changed.
 * Invariant  `alive` has a bit for each living slot, `handles` the last handle issued at each, and
 *            the roster lists those that readers see ascending whenever it is not dirty: all of
 *            the living, but for the hidden. A slot is taken while it is reserved, alive or
 *            retired. Only a living slot is hidden or opted out of blending.
 */

/** Share of retired slots from which a warning is due. */
const RETIRED_WARNING_SHARE = 0.01;

/** Who lives in which slot, and under which handle. */
export class EntityTable {
  readonly capacity: number;
  readonly handles: Uint32Array;
  /** At each slot, raised by whatever must not be blended across. */
  readonly stamps: Uint32Array;
  /** For each 32 slots, the {@link version} in which the last of their stamps was raised. */
  readonly stampVersions: Uint32Array;
  readonly alive: Uint32Array;
  /** Slots whose generations are used up; they are never issued again. */
  retiredCount = 0;
  /** Living entities. */
  count = 0;
  /** One more than the highest living slot index. */
  highWater = 0;
  /** One more than the highest slot index ever issued. */
  issued = 0;
  /** Raised by every birth, death, jump and change of components. */
  version = 1;
  /** Raised by every birth and death. */
  lifeVersion = 1;
  /** Raised by every birth, death and change of components, but not by a jump. */
  structureVersion = 1;

  readonly #codec: HandleCodec;
  readonly #unblended: Uint32Array;
  readonly #hidden: Uint32Array;
  /** Slot indices of those that readers see. */
  readonly #shown: Uint32Array;
  /** Those of the living. A list of its own: who is hidden in a walk over it is still walked. */
  readonly #live: Uint32Array;
  readonly #header: Uint32Array;
  /** A bit for each slot that may not be issued. */
  readonly #taken: Uint32Array;
  readonly #reserved: Uint32Array;
  #firstFreeWord = 0;
  #dirty = true;
  #unblendedCount = 0;
  #hiddenCount = 0;
  #liveView: Uint32Array;

  constructor(capacity: number, buffer: ArrayBufferLike, roster: number, map: RosterMap) {
    const words = Math.ceil(capacity / 32);
    this.capacity = capacity;
    this.#codec = new HandleCodec(capacity);
    this.#header = new Uint32Array(buffer, roster, 16);
    this.#shown = new Uint32Array(buffer, roster + map.live, capacity);
    this.#live = new Uint32Array(capacity);
    this.handles = new Uint32Array(buffer, roster + map.handles, capacity);
    this.stamps = new Uint32Array(buffer, roster + map.stamps, capacity);
    this.alive = new Uint32Array(buffer, roster + map.alive, words);
    this.#unblended = new Uint32Array(buffer, roster + map.unblended, words);
    this.#hidden = new Uint32Array(buffer, roster + map.hidden, words);
    this.stampVersions = new Uint32Array(words);
    this.#taken = new Uint32Array(words);
    this.#reserved = new Uint32Array(words);
    this.#liveView = this.#live.subarray(0, 0);
  }

  /** Takes the lowest free slot and issues its next handle; the entity does not live yet. */
  reserve(): number {
    const index = this.#lowestFree();
    const generation = this.#codec.generationOf(this.handles[index] as Entity) + 1;
    this.handles[index] = this.#codec.join(index, generation);
    setBit(this.#taken, index);
    setBit(this.#reserved, index);
    if (index >= this.issued) this.issued = index + 1;
    return index;
  }

  /** Brings a reserved slot to life. It snaps: no reader blends it from anywhere. */
  enliven(index: number): void {
    clearBit(this.#reserved, index);
    setBit(this.alive, index);
    this.count++;
    if (index >= this.highWater) this.highWater = index + 1;
    this.lifeVersion = (this.lifeVersion + 1) | 0;
    this.restructure();
    this.snap(index);
  }

  /** Ends the entity of a living slot, and frees the slot unless its generations are used up. */
  end(index: number): void {
    clearBit(this.alive, index);
    this.count--;
    // The slot's next owner is seen and blended, whatever this one was.
    if (hasBit(this.#unblended, index)) this.#unblendedCount--;
    if (hasBit(this.#hidden, index)) this.#hiddenCount--;
    clearBit(this.#unblended, index);
    clearBit(this.#hidden, index);
    this.free(index);
    if (index === this.highWater - 1) this.#lowerHighWater();
    this.lifeVersion = (this.lifeVersion + 1) | 0;
    this.restructure();
    this.touch();
  }

  /** Frees a slot that does not live, unless its generations are used up. */
  free(index: number): void {
    clearBit(this.#reserved, index);
    if (this.#codec.generationOf(this.handles[index] as Entity) >= this.#codec.generationMax) {
      this.retiredCount++;
      return;
    }
    clearBit(this.#taken, index);
    const word = index >>> 5;
    if (word < this.#firstFreeWord) this.#firstFreeWord = word;
  }

  /** Keeps every reader from blending the slot across this moment. */
  snap(index: number): void {
    this.stamps[index] = ((this.stamps[index] as number) + 1) >>> 0;
    this.touch();
    this.stampVersions[index >>> 5] = this.version;
  }

  /** Lets readers blend a living slot between ticks, or show the later one at once. */
  setBlended(index: number, isBlended: boolean): void {
    if (hasBit(this.#unblended, index) !== isBlended) return;
    if (isBlended) clearBit(this.#unblended, index);
    else setBit(this.#unblended, index);
    this.#unblendedCount += isBlended ? -1 : 1;
    this.touch();
  }

  /** Whether readers blend a living slot. */
  isBlended(index: number): boolean {
    return !hasBit(this.#unblended, index);
  }

  /** Whether readers see a living slot. */
  isVisible(index: number): boolean {
    return !hasBit(this.#hidden, index);
  }

  /** Lets readers see a living slot, or not; one that is seen again snaps. */
  setVisible(index: number, isVisible: boolean): void {
    if (hasBit(this.#hidden, index) !== isVisible) return;
    if (isVisible) clearBit(this.#hidden, index);
    else setBit(this.#hidden, index);
    this.#hiddenCount += isVisible ? -1 : 1;
    this.snap(index);
  }

  /** Marks who is there, or with which components, as changed. */
  restructure(): void {
    this.structureVersion = (this.structureVersion + 1) >>> 0;
  }

  /** Marks the roster as changed. */
  touch(): void {
    this.#dirty = true;
    this.version = (this.version + 1) >>> 0;
  }

  /** Returns the slot index of a living entity, -1 for a stale handle. */
  indexOf(entity: Entity): number {
    const index = this.#codec.indexOf(entity);
    if (index >= this.capacity || this.handles[index] !== entity) return -1;
    return hasBit(this.alive, index) ? index : -1;
  }

  /** Returns the slot index of an entity that lives or is reserved, -1 for a stale handle. */
  issuedIndexOf(entity: Entity): number {
    const index = this.#codec.indexOf(entity);
    if (index >= this.capacity || this.handles[index] !== entity) return -1;
    return hasBit(this.alive, index) || hasBit(this.#reserved, index) ? index : -1;
  }

  /** Returns the handle of the entity at a slot index, {@link NO_ENTITY} when it is dead. */
  entityAt(index: number): Entity {
    if (!(index >= 0 && index < this.capacity && hasBit(this.alive, index))) return NO_ENTITY;
    return this.handles[index] as Entity;
  }

  /** Returns the generation of a handle. */
  generationOf(entity: Entity): number {
    return this.#codec.generationOf(entity);
  }

  /** Returns the slot indices of the living, ascending; see `World.live`. */
  live(): Uint32Array {
    if (this.#dirty) this.#rebuildLists();
    if (this.#liveView.length !== this.count) this.#liveView = this.#live.subarray(0, this.count);
    return this.#liveView;
  }

  /** Brings the lists up to date in memory and makes no view of them; returns how many are seen. */
  refreshShown(): number {
    if (this.#dirty) this.#rebuildLists();
    return this.count - this.#hiddenCount;
  }

  /** Whether so many slots are retired that a warning is due. */
  get retirementWarningDue(): boolean {
    return this.retiredCount > 0 && this.retiredCount >= this.capacity * RETIRED_WARNING_SHARE;
  }

  #rebuildLists(): void {
    const { highWater } = this;
    const shown = this.#shown;
    const live = this.#live;
    const hidden = this.#hidden;
    const isAnyHidden = this.#hiddenCount > 0;
    const count = listBits(this.alive, highWater, live);
    assert(count === this.count, 'the live list holds every living entity');
    let shownCount = 0;
    for (let k = 0; k < count; k++) {
      const index = live[k] as number;
      if (!(isAnyHidden && hasBit(hidden, index))) shown[shownCount++] = index;
    }
    const header = this.#header;
    header[ROSTER_WORD.liveCount] = shownCount;
    header[ROSTER_WORD.highWater] = highWater;
    header[ROSTER_WORD.issued] = this.issued;
    header[ROSTER_WORD.version] = this.version;
    header[ROSTER_WORD.unblendedCount] = this.#unblendedCount;
    header[ROSTER_WORD.hiddenCount] = this.#hiddenCount;
    header[ROSTER_WORD.structureVersion] = this.structureVersion;
    this.#dirty = false;
  }

  /**
   * Takes over what the block now holds, which somebody copied there: counts, hints and free slots
   * are found again, and whoever compares versions sees that everything changed.
   */
  adopt(): void {
    const { alive, capacity, handles } = this;
    const codec = this.#codec;
    // A census compares with the one it was taken in, which lies in the block too.
    this.structureVersion = this.#header[ROSTER_WORD.structureVersion] as number;
    this.count = countBits(alive);
    this.highWater = alive.length * 32;
    this.#lowerHighWater();
    this.#unblendedCount = countBits(this.#unblended);
    this.#hiddenCount = countBits(this.#hidden);
    this.issued = capacity;
    while (this.issued > 0 && handles[this.issued - 1] === 0) this.issued--;
    this.#taken.set(alive);
    this.#reserved.fill(0);
    this.retiredCount = 0;
    for (let index = 0; index < this.issued; index++) {
      if (codec.generationOf(handles[index] as Entity) < codec.generationMax) continue;
      if (hasBit(alive, index)) continue;
      setBit(this.#taken, index);
      this.retiredCount++;
    }
    this.#firstFreeWord = 0;
    this.lifeVersion = (this.lifeVersion + 1) | 0;
    this.touch();
    this.stampVersions.fill(this.version);
  }

  #lowerHighWater(): void {
    const { alive } = this;
    let word = (this.highWater + 31) >>> 5;
    while (word > 0 && alive[word - 1] === 0) word--;
    this.highWater = word === 0 ? 0 : word * 32 - Math.clz32(alive[word - 1] as number);
  }

  #reservedCount(): number {
    return countBits(this.#reserved);
  }

  #lowestFree(): number {
    const taken = this.#taken;
    for (let word = this.#firstFreeWord; word < taken.length; word++) {
      const free = ~(taken[word] as number);
      if (free === 0) continue;
      const index = word * 32 + lowestBit(free);
      if (index >= this.capacity) break;
      this.#firstFreeWord = word;
      return index;
    }
    throw new EscapementError('CAPACITY_EXHAUSTED', 'The world is full.', {
      given:
        `a spawn with ${this.count} entities alive, ${this.#reservedCount()} about to be, ` +
        `and ${this.retiredCount} slots retired`,
      allowed: `${this.capacity} entities`,
      fix:
        'Raise `capacity` where the world is declared, or despawn first: a despawn that waits in ' +
        '`commands` frees its slot when it applies.',
    });
  }
}

/** Counts the bits that are set. */
function countBits(words: Uint32Array): number {
  let count = 0;
  for (let w = 0; w < words.length; w++) {
    for (let bits = words[w] as number; bits !== 0; bits &= bits - 1) count++;
  }
  return count;
}

/** Lists the bits that are set below `end`, ascending; returns how many. */
function listBits(bits: Uint32Array, end: number, into: Uint32Array): number {
  let count = 0;
  for (let word = 0; word * 32 < end; word++) {
    let rest = bits[word] as number;
    for (; rest !== 0; rest &= rest - 1) into[count++] = word * 32 + lowestBit(rest);
  }
  return count;
}
