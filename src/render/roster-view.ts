import { ROSTER_HEADER_BYTES, ROSTER_WORD } from '../shared/world-map.ts';
import type { Region } from '../shared/region.ts';

/*
 * Threads    the reader's own.
 * Memory     one roster of the region; valid while a frame that names it is pinned.
 * Ordering   plain reads under a pin.
 * Progress   wait-free, allocates only when made.
 * Invariant  views lie over the roster's own bytes; nothing is copied.
 */

/** Views over one roster: who lives, under which handle, with which components. */
export class RosterView {
  readonly header: Uint32Array;
  readonly live: Uint32Array;
  readonly handles: Uint32Array;
  readonly stamps: Uint32Array;
  readonly alive: Uint32Array;
  /** Bits of the living that opted out of blending, and of those that readers do not see. */
  readonly unblended: Uint32Array;
  readonly hidden: Uint32Array;
  /** One bitset per component, in the schema's order. */
  readonly presence: readonly Uint32Array[];
  #exact: Uint32Array;

  constructor(region: Region, roster: number) {
    const { buffer, layout } = region;
    const map = layout.roster;
    const base = layout.rosters + roster * map.bytes;
    const bitsetWords = Math.ceil(layout.capacity / 32);
    this.header = new Uint32Array(buffer, base, ROSTER_HEADER_BYTES / 4);
    this.live = new Uint32Array(buffer, base + map.live, layout.capacity);
    this.handles = new Uint32Array(buffer, base + map.handles, layout.capacity);
    this.stamps = new Uint32Array(buffer, base + map.stamps, layout.capacity);
    this.alive = new Uint32Array(buffer, base + map.alive, bitsetWords);
    this.unblended = new Uint32Array(buffer, base + map.unblended, bitsetWords);
    this.hidden = new Uint32Array(buffer, base + map.hidden, bitsetWords);
    this.presence = map.presence.map(
      (offset) => new Uint32Array(buffer, base + offset, bitsetWords),
    );
    this.#exact = this.live.subarray(0, 0);
  }

  /** Living entities that readers see. */
  get count(): number {
    return this.header[ROSTER_WORD.liveCount] as number;
  }

  /** One more than the highest living slot index. */
  get highWater(): number {
    return this.header[ROSTER_WORD.highWater] as number;
  }

  /** One more than the highest slot index whose handle is known. */
  get issued(): number {
    return this.header[ROSTER_WORD.issued] as number;
  }

  /** Equal versions are equal rosters. */
  get version(): number {
    return this.header[ROSTER_WORD.version] as number;
  }

  /** Living entities that opted out of blending. */
  get unblendedCount(): number {
    return this.header[ROSTER_WORD.unblendedCount] as number;
  }

  /** Whether the entity of a slot lives and is not hidden. */
  shows(index: number): boolean {
    const word = index >>> 5;
    const bits = (this.alive[word] as number) & ~(this.hidden[word] as number);
    return ((bits >>> (index & 31)) & 1) === 1;
  }

  /** The live list at its exact length; made anew only when the count changed. */
  indices(): Uint32Array {
    const { count } = this;
    if (this.#exact.length !== count) this.#exact = this.live.subarray(0, count);
    return this.#exact;
  }
}
