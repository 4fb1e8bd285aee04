import type { Anchor } from '../shared/anchor.ts';
import { strideBytes } from '../shared/schema.ts';
import { publishedComponents } from '../shared/layout.ts';
import { PublicationWriter } from '../shared/publication-writer.ts';
import { RECORD_DOUBLE, RECORD_FLAG, RECORD_WORD } from '../shared/record.ts';
import type { Region } from '../shared/region.ts';
import type { Schema } from '../shared/schema.ts';
import { bitsetBytes } from '../shared/world-map.ts';
import type { DriverStats } from './driver-stats.ts';
import type { World } from './world.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     reads the world's columns and roster, fills free slots, rosters and records.
 * Ordering   plain copies; `PublicationWriter.publish` makes them visible.
 * Progress   wait-free, allocates nothing; one bulk copy a channel.
 * Invariant  a record names (T-2, T-1, T); its flags say which of these pairs are consecutive.
 */

interface ChannelCopy {
  readonly source: number;
  readonly target: number;
  readonly stride: number;
}

/** Copies finished ticks into slots and publishes records that name them. */
export class Publisher {
  readonly writer: PublicationWriter;
  readonly #world: World;
  readonly #region: Region;
  readonly #channels: readonly ChannelCopy[];
  /** Captured ticks since the last reset, up to three: how many places are real. */
  #depth = 0;
  #capturedTick = -1;
  #capturedVersion = -1;
  #rosterVersion = 0;

  constructor(schema: Schema, region: Region, world: World) {
    const { layout } = region;
    this.writer = new PublicationWriter(region);
    this.#world = world;
    this.#region = region;
    this.#channels = publishedComponents(schema).map((component, channel) => ({
      source: layout.world.columns[schema.components.indexOf(component)] as number,
      target: layout.slotColumns[channel] as number,
      stride: strideBytes(component),
    }));
  }

  /** Learns which places are free. Call once before the captures of one publication. */
  scan(): void {
    this.writer.scan();
  }

  /** Copies the world as the state of `tick`. A tick that does not follow the last one snaps. */
  capture(tick: number): void {
    const { writer } = this;
    const slot = writer.takeSlot();
    this.#copySlot(writer.slotOffset(slot));
    const changed = this.#world.version !== this.#capturedVersion;
    let roster = writer.rosterAt(2);
    if (changed || this.#depth === 0) {
      roster = writer.takeRoster();
      this.#copyRoster(writer.rosterOffset(roster));
      this.#capturedVersion = this.#world.version;
      this.#rosterVersion = (this.#rosterVersion + 1) >>> 0;
    }
    if (this.#depth > 0 && tick === this.#capturedTick + 1) {
      writer.push(slot, roster);
      if (this.#depth < 3) this.#depth++;
    } else {
      writer.reset(slot, roster);
      this.#depth = 1;
    }
    this.#capturedTick = tick;
  }

  /** Forgets the history: the next capture is named for every place and nothing blends across. */
  forget(): void {
    this.#depth = 0;
  }

  #copySlot(slot: number): void {
    const { copy } = this.writer;
    const { layout } = this.#region;
    const rows = this.#world.highWater;
    const { globals, globalsBytes } = layout.world;
    if (globalsBytes > 0) copy(slot + layout.slotGlobals, globals, globalsBytes);
    for (const channel of this.#channels) {
      copy(slot + channel.target, channel.source, rows * channel.stride);
    }
  }

  #copyRoster(target: number): void {
    const { copy } = this.writer;
    const { layout } = this.#region;
    const world = this.#world;
    const count = world.refreshShown();
    const rows = world.highWater;
    const { roster: map } = layout;
    const source = layout.world.roster;
    copy(target, source, map.live + count * 4);
    copy(target + map.handles, source + map.handles, world.issued * 4);
    copy(target + map.stamps, source + map.stamps, rows * 4);
    // Whole bitsets: a bit beyond the rows must read as dead, whatever this roster held before.
    const bits = bitsetBytes(layout.capacity);
    copy(target + map.alive, source + map.alive, bits);
    copy(target + map.unblended, source + map.unblended, bits);
    copy(target + map.hidden, source + map.hidden, bits);
    for (const offset of map.presence) copy(target + offset, source + offset, bits);
  }

  /** Publishes a record of the present anchor and figures over the captured ticks. */
  publish(anchor: Anchor, stats: DriverStats): void {
    const { writer } = this;
    writer.prepare();
    const word = writer.recordWord;
    const double = writer.recordDouble;
    const { u32, f64 } = this.#region;
    const { tick } = anchor;
    const tickHigh = Math.floor(tick / 2 ** 32);
    u32[word + RECORD_WORD.flags] =
      (anchor.running ? RECORD_FLAG.running : 0) |
      (this.#depth > 1 ? RECORD_FLAG.pair : 0) |
      (this.#depth > 2 ? RECORD_FLAG.earlierPair : 0);
    u32[word + RECORD_WORD.mode] = stats.modeCode;
    u32[word + RECORD_WORD.rosterVersion] = this.#rosterVersion;
    u32[word + RECORD_WORD.anchorNanos] = anchor.due.nanos;
    u32[word + RECORD_WORD.skippedPublications] = writer.skippedPublications;
    u32[word + RECORD_WORD.inputsDropped] = stats.inputsDropped;
    u32[word + RECORD_WORD.eventsDropped] = stats.eventsDropped;
    f64[double + RECORD_DOUBLE.anchorSeconds] = anchor.due.seconds;
    f64[double + RECORD_DOUBLE.anchorFraction] = anchor.dueFraction;
    f64[double + RECORD_DOUBLE.quantumWallNs] = anchor.quantumWallNs;
    f64[double + RECORD_DOUBLE.alpha] = anchor.alpha;
    f64[double + RECORD_DOUBLE.alphaNumerator] = anchor.alphaNumerator;
    f64[double + RECORD_DOUBLE.alphaDenominator] = anchor.alphaDenominator;
    stats.writeTo(f64, double);
    writer.publish(tick >>> 0, tickHigh, anchor.epoch);
  }
}
