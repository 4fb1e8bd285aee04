import { hasBit } from '../shared/bitset.ts';
import { type Entity, HandleCodec } from '../shared/entity.ts';
import { EscapementError } from '../shared/error.ts';
import type { Kernels } from '../shared/kernels/kernels.ts';
import type { Region } from '../shared/region.ts';
import { type Column, type Schema, viewColumn } from '../shared/schema.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import { blendRow, copyRow } from './blend.ts';
import type { MatrixOptions, MatrixParts, RowOptions, SampleOptions } from './bulk-options.ts';
import { BulkRows } from './bulk-rows.ts';
import { type Channel, openChannels } from './channel.ts';
import type { BlendOf, ChannelName, Frame, FrameStatus, SampleStatus } from './frame.ts';
import { type Motions, openMotions } from './motion-blend.ts';
import type { AnyMotions } from './motion-options.ts';
import { PinnedPair, unknownName } from './pinned-pair.ts';
import { openOutputs } from './reader-outputs.ts';
import type { RosterView } from './roster-view.ts';
import type { ViewQuery } from './view-query.ts';

/*
 * Threads    the reader's own.
 * Memory     reads what the view has pinned, writes this reader's output columns in the region.
 * Ordering   plain accesses under the view's pin.
 * Progress   wait-free; allocates only when the number of entities changes.
 * Invariant  after release no byte of the region is read for it.
 */

const NONE: Uint32Array = new Uint32Array(0);

/** The frame of one view over one region; see {@link Frame}. */
export class PinnedFrame<T extends SimulationTypes = SimulationTypes> implements Frame<T> {
  status: FrameStatus = 'not-ready';
  tick = 0;
  epoch = 0;
  pairTick = 0;
  alpha = 0;
  time = 0;
  overrun = 0;
  /** Seconds of world time from tick to tick. */
  quantumSeconds = 0;
  slackNs = 0;
  running = false;
  count = 0;
  entered: Uint32Array = NONE;
  left: Uint32Array = NONE;

  readonly pair: PinnedPair<T>;

  readonly #channels: ReadonlyMap<string, Channel>;
  readonly #motions: Motions;
  readonly #globals: readonly (readonly Column[])[];
  readonly #globalNames: readonly string[];
  readonly #codec: HandleCodec;
  readonly #handleRoom: Uint32Array;
  readonly #bulk: BulkRows;
  readonly #onRelease: () => void;
  #handles: Uint32Array = NONE;
  #handlesVersion = -1;
  #open = false;

  constructor(
    schema: Schema,
    region: Region,
    run: number,
    reader: number,
    kernels: Kernels | undefined,
    onRelease: () => void,
    motions: AnyMotions = {},
  ) {
    const { layout, buffer } = region;
    const slots = Array.from({ length: layout.slotCount }, (_, slot) => slot);
    this.#onRelease = onRelease;
    this.#channels = openChannels(schema, region, reader);
    this.#motions = openMotions(motions, this.#channels);
    this.pair = new PinnedPair<T>(region, run, this.#channels);
    this.#codec = new HandleCodec(schema.capacity);
    this.#handleRoom = new Uint32Array(schema.capacity);
    this.#globalNames = schema.globals.map(({ name }) => name);
    this.#globals = slots.map((slot) =>
      schema.globals.map(({ type }, index) => {
        const at = layout.slots + slot * layout.slotBytes + layout.slotGlobals;
        return viewColumn(buffer, type, at + (layout.world.globalOffsets[index] as number), 1);
      }),
    );
    this.#bulk = new BulkRows(
      schema.components.map(({ name }) => name),
      this.pair,
      this.#channels,
      openOutputs(region, reader, kernels),
      this.#motions,
    );
  }

  /** Points the frame at a pinned pair. For the view only. */
  openOn(earlierSlot: number, laterSlot: number, earlierRoster: number, laterRoster: number): void {
    const { pair } = this;
    this.#open = true;
    pair.open(earlierSlot, laterSlot, earlierRoster, laterRoster);
    pair.epoch = this.epoch;
    pair.laterTick = this.pairTick;
    pair.earlierTick = earlierSlot === laterSlot ? this.pairTick : this.pairTick - 1;
    this.count = pair.laterRoster.count;
    for (const motion of this.#motions.values()) motion.prepare(this as PinnedFrame);
    this.#bulk.open(this);
  }

  /**
   * Opens the frame on what it showed last, when nothing newer could be pinned. For the view only.
   */
  openAgain(): void {
    this.#open = true;
    this.#bulk.openAgain();
  }

  /** Names of the components, published or not. For the view only. */
  get componentNames(): readonly string[] {
    return this.#bulk.componentNames;
  }

  /** The roster of the later tick. For the view only. */
  get roster(): RosterView {
    return this.pair.laterRoster;
  }

  /** Whether the frame is held. */
  get isOpen(): boolean {
    return this.#open;
  }

  get indices(): Uint32Array {
    this.#checkOpen();
    return this.#hasData ? this.pair.laterRoster.indices() : NONE;
  }

  get entities(): Uint32Array {
    this.#checkOpen();
    if (!this.#hasData) return this.#handles;
    const { version, count, handles, live } = this.pair.laterRoster;
    if (version !== this.#handlesVersion) {
      for (let row = 0; row < count; row++) {
        this.#handleRoom[row] = handles[live[row] as number] as number;
      }
      this.#handlesVersion = version;
      if (this.#handles.length !== count) this.#handles = this.#handleRoom.subarray(0, count);
    }
    return this.#handles;
  }

  get rowCount(): number {
    return this.#bulk.count;
  }

  get rowIndices(): Uint32Array {
    this.#checkOpen();
    return this.#bulk.indices();
  }

  indicesOf(query: ViewQuery<T>): Uint32Array {
    this.#checkOpen();
    return this.#bulk.indicesOf(query);
  }

  blend<K extends ChannelName<T>>(channel: K): BlendOf<T, K> {
    const entry = this.#channel(channel);
    return this.#bulk.blend(entry) as BlendOf<T, K>;
  }

  sampleInto(
    channel: ChannelName<T>,
    out: { [index: number]: number; readonly length: number },
    options?: SampleOptions<T, ChannelName<T>>,
  ): number {
    const entry = this.#channel(channel);
    return this.#bulk.sampleInto(entry, out, options);
  }

  composeMatrices(
    parts: MatrixParts<ChannelName<T>>,
    options?: RowOptions<T, ChannelName<T>>,
  ): Float32Array {
    this.#checkOpen();
    return this.#bulk.composeMatrices(parts, options);
  }

  composeMatricesInto(
    out: { [index: number]: number; readonly length: number },
    parts: MatrixParts<ChannelName<T>>,
    options?: MatrixOptions<T, ChannelName<T>>,
  ): number {
    this.#checkOpen();
    return this.#bulk.composeMatricesInto(out, parts, options);
  }

  sample(entity: Entity, channel: ChannelName<T>, out: { [index: number]: number }): SampleStatus {
    const { schema, columns, componentIndex } = this.#channel(channel);
    if (!this.#hasData) return 'not-published';
    const { laterRoster: later, laterSlot, earlierSlot } = this.pair;
    const index = this.#codec.indexOf(entity);
    const status = this.#statusOf(entity, index);
    if (status !== undefined) return status;
    if (!hasBit(later.presence[componentIndex] as Uint32Array, index)) return 'no-component';
    const from = index * schema.width;
    const laterColumn = columns[laterSlot] as Column;
    const motion = this.#motions.get(componentIndex);
    if (motion !== undefined) {
      const snapped = motion.blendRow(columns[earlierSlot] as Column, laterColumn, index, out, 0);
      return snapped ? 'snapped' : 'ok';
    }
    if (this.pair.snaps(index)) {
      copyRow(laterColumn, from, schema.width, out, 0);
      return 'snapped';
    }
    const earlierColumn = columns[earlierSlot] as Column;
    blendRow(schema, earlierColumn, laterColumn, from, this, out, 0);
    return 'ok';
  }

  global(name: keyof T['globals'] & string): number {
    this.#checkOpen();
    const index = this.#globalNames.indexOf(name);
    const column = this.#globals[this.pair.laterSlot]?.[index];
    if (column === undefined) throw unknownName('global', name, this.#globalNames);
    return column[0] as number;
  }

  release(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#onRelease();
  }

  [Symbol.dispose](): void {
    this.release();
  }

  get #hasData(): boolean {
    return this.status !== 'busy' && this.status !== 'not-ready';
  }

  #statusOf(entity: Entity, index: number): SampleStatus | undefined {
    const later = this.pair.laterRoster;
    const known = index < later.issued ? (later.handles[index] as number) : 0;
    if (known === entity) {
      if (!hasBit(later.alive, index)) return 'stale';
      return hasBit(later.hidden, index) ? 'hidden' : undefined;
    }
    if (index > this.#codec.indexMask) return 'stale';
    const newer = this.#codec.generationOf(entity) > this.#codec.generationOf(known as Entity);
    return newer ? 'not-published' : 'stale';
  }

  #channel(name: string): Channel {
    this.#checkOpen();
    return this.pair.channel(name);
  }

  #checkOpen(): void {
    if (this.#open) return;
    throw new EscapementError('FRAME_RELEASED', 'This frame has been released.', {
      fix: 'Read a frame between view.frame() and frame.release(); take a new one each time.',
    });
  }
}
