import { EscapementError } from '../shared/error.ts';
import type { Region } from '../shared/region.ts';
import type { Column } from '../shared/schema.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { Channel } from './channel.ts';
import type { BlendOf, ChannelName, FramePair } from './frame.ts';
import { RosterView } from './roster-view.ts';
import { writeSlotWords } from './slot-words.ts';

/*
 * Threads    the reader's own.
 * Memory     views over the two slots and rosters that the view has pinned.
 * Ordering   plain reads under that pin.
 * Progress   wait-free; allocates when made.
 * Invariant  both ticks are of one epoch, and consecutive or the same.
 */

/** The two ticks between which a frame stands; see {@link FramePair}. */
export class PinnedPair<T extends SimulationTypes = SimulationTypes> implements FramePair<T> {
  readonly run: number;
  epoch = 0;
  earlierTick = 0;
  laterTick = 0;
  /** Slots of the region. */
  earlierSlot = 0;
  laterSlot = 0;
  earlierRoster: RosterView;
  laterRoster: RosterView;
  readonly #channels: ReadonlyMap<string, Channel>;
  readonly #rosters: readonly RosterView[];

  constructor(region: Region, run: number, channels: ReadonlyMap<string, Channel>) {
    this.run = run;
    this.#channels = channels;
    this.#rosters = Array.from(
      { length: region.layout.slotCount },
      (_, roster) => new RosterView(region, roster),
    );
    const first = this.#rosters[0] as RosterView;
    this.earlierRoster = first;
    this.laterRoster = first;
  }

  /** Points the pair at what is pinned. */
  open(earlierSlot: number, laterSlot: number, earlierRoster: number, laterRoster: number): void {
    this.earlierSlot = earlierSlot;
    this.laterSlot = laterSlot;
    this.earlierRoster = this.#rosters[earlierRoster] as RosterView;
    this.laterRoster = this.#rosters[laterRoster] as RosterView;
  }

  get slotCount(): number {
    return this.laterRoster.highWater;
  }

  get earlierSlotCount(): number {
    return this.earlierRoster.highWater;
  }

  get earlierVersion(): number {
    return this.earlierRoster.version;
  }

  get laterVersion(): number {
    return this.laterRoster.version;
  }

  get earlierStamps(): Uint32Array {
    return this.earlierRoster.stamps;
  }

  get laterStamps(): Uint32Array {
    return this.laterRoster.stamps;
  }

  earlier<K extends ChannelName<T>>(channel: K): BlendOf<T, K> {
    return this.channel(channel).columns[this.earlierSlot] as Column as BlendOf<T, K>;
  }

  later<K extends ChannelName<T>>(channel: K): BlendOf<T, K> {
    return this.channel(channel).columns[this.laterSlot] as Column as BlendOf<T, K>;
  }

  /** Whether the entity of a slot shows the later tick and nothing in between. */
  snaps(slot: number): boolean {
    const { earlierRoster, laterRoster } = this;
    return (
      earlierRoster.stamps[slot] !== laterRoster.stamps[slot] ||
      (((laterRoster.unblended[slot >>> 5] as number) >>> (slot & 31)) & 1) === 1
    );
  }

  shows(slot: number): boolean {
    return this.laterRoster.shows(slot);
  }

  has(slot: number, channel: ChannelName<T>): boolean {
    return this.#isIn(this.laterRoster, slot, channel);
  }

  had(slot: number, channel: ChannelName<T>): boolean {
    return this.#isIn(this.earlierRoster, slot, channel);
  }

  #isIn({ presence }: RosterView, slot: number, channel: string): boolean {
    const bits = presence[this.channel(channel).componentIndex] as Uint32Array;
    return (((bits[slot >>> 5] as number) >>> (slot & 31)) & 1) === 1;
  }

  earlierWords(channel: ChannelName<T>, out: Uint32Array): number {
    return this.#words(this.earlierRoster, channel, out);
  }

  laterWords(channel: ChannelName<T>, out: Uint32Array): number {
    return this.#words(this.laterRoster, channel, out);
  }

  #words(roster: RosterView, channel: string, out: Uint32Array): number {
    const { componentIndex } = this.channel(channel);
    return writeSlotWords(roster, roster.presence[componentIndex] as Uint32Array, out);
  }

  /** Returns a channel by name. Throws NAME_UNKNOWN. */
  channel(name: string): Channel {
    const channel = this.#channels.get(name);
    if (channel === undefined) throw unknownName('channel', name, [...this.#channels.keys()]);
    return channel;
  }
}

/** Makes the error for a name that is not published. */
export function unknownName(
  kind: 'channel' | 'global' | 'component',
  given: string,
  allowed: readonly string[],
): EscapementError {
  return new EscapementError('NAME_UNKNOWN', `There is no such published ${kind}.`, {
    given: JSON.stringify(given),
    allowed: allowed.join(', ') || 'none is published',
    fix: kind === 'channel' ? 'List the component in `publish` of defineSimulation.' : undefined,
  });
}
