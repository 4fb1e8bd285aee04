import { type Entity, HandleCodec } from '../shared/entity.ts';
import { EscapementError } from '../shared/error.ts';
import { publishedComponents } from '../shared/layout.ts';
import type { Region } from '../shared/region.ts';
import { type Column, type ComponentSchema, type Schema, viewColumn } from '../shared/schema.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import { type BlendJob, blendChannel, blendRow, copyRow, hasBit } from './blend.ts';
import type { BlendOf, ChannelName, Frame, FrameStatus, SampleStatus } from './frame.ts';
import { RosterView } from './roster-view.ts';

/*
 * Threads    the reader's own.
 * Memory     reads what the view has pinned, writes this reader's output columns in the region.
 * Ordering   plain accesses under the view's pin.
 * Progress   wait-free; allocates only when the number of entities changes.
 * Invariant  after release no byte of the region is read for it.
 */

interface Channel {
  readonly schema: ComponentSchema;
  readonly componentIndex: number;
  /** By slot: the column of this channel. */
  readonly columns: readonly Column[];
  readonly output: Column;
  exact: Column;
  blended: boolean;
}

const NONE: Uint32Array = new Uint32Array(0);

/** The frame of one view over one region; see {@link Frame}. */
export class PinnedFrame<T extends SimulationTypes = SimulationTypes> implements Frame<T> {
  status: FrameStatus = 'not-ready';
  tick = 0;
  epoch = 0;
  pairTick = 0;
  alpha = 0;
  time = 0;
  slackNs = 0;
  running = false;
  count = 0;
  entered: Uint32Array = NONE;
  left: Uint32Array = NONE;

  readonly #channels: Map<string, Channel> = new Map();
  readonly #rosters: readonly RosterView[];
  readonly #globals: readonly (readonly Column[])[];
  readonly #globalNames: readonly string[];
  readonly #codec: HandleCodec;
  readonly #handleRoom: Uint32Array;
  readonly #job: BlendJob;
  readonly #onRelease: () => void;
  #handles: Uint32Array = NONE;
  #handlesVersion = -1;
  #earlier: RosterView;
  #later: RosterView;
  #earlierSlot = 0;
  #laterSlot = 0;
  #open = false;
  #dense = false;

  constructor(schema: Schema, region: Region, reader: number, onRelease: () => void) {
    const { layout, buffer } = region;
    const slots = Array.from({ length: layout.slotCount }, (_, slot) => slot);
    this.#onRelease = onRelease;
    this.#rosters = slots.map((slot) => new RosterView(region, slot));
    this.#codec = new HandleCodec(schema.capacity);
    this.#handleRoom = new Uint32Array(schema.capacity);
    publishedComponents(schema).forEach((component, index) => {
      const length = schema.capacity * component.width;
      const view = (offset: number): Column => viewColumn(buffer, component.scalar, offset, length);
      const inSlot = layout.slotColumns[index] as number;
      const output = view(
        layout.outputs + reader * layout.outputBytes + (layout.outputColumns[index] as number),
      );
      this.#channels.set(component.name, {
        schema: component,
        componentIndex: schema.components.indexOf(component),
        columns: slots.map((slot) => view(layout.slots + slot * layout.slotBytes + inSlot)),
        output,
        exact: output.subarray(0, 0),
        blended: false,
      });
    });
    this.#globalNames = schema.globals.map(({ name }) => name);
    this.#globals = slots.map((slot) =>
      schema.globals.map(({ type }, index) => {
        const at = layout.slots + slot * layout.slotBytes + layout.slotGlobals;
        return viewColumn(buffer, type, at + (layout.world.globalOffsets[index] as number), 1);
      }),
    );
    const first = this.#rosters[0] as RosterView;
    this.#earlier = first;
    this.#later = first;
    this.#job = {
      earlier: new Float32Array(0),
      later: new Float32Array(0),
      alpha: 0,
      live: NONE,
      count: 0,
      dense: false,
      earlierStamps: NONE,
      laterStamps: NONE,
      checkStamps: false,
      presence: NONE,
      checkPresence: false,
      out: NONE,
      stride: 0,
      offset: 0,
    };
  }

  /** Points the frame at a pinned pair. For the view only. */
  openOn(earlierSlot: number, laterSlot: number, earlierRoster: number, laterRoster: number): void {
    this.#open = true;
    this.#earlierSlot = earlierSlot;
    this.#laterSlot = laterSlot;
    this.#earlier = this.#rosters[earlierRoster] as RosterView;
    this.#later = this.#rosters[laterRoster] as RosterView;
    this.count = this.#later.count;
    this.#dense = this.count === this.#later.highWater;
    for (const channel of this.#channels.values()) channel.blended = false;
  }

  /**
   * Opens the frame on what it showed last, when nothing newer could be pinned. For the view only.
   */
  openAgain(): void {
    this.#open = true;
  }

  /** The roster of the later tick. For the view only. */
  get roster(): RosterView {
    return this.#later;
  }

  /** Whether the frame is held. */
  get isOpen(): boolean {
    return this.#open;
  }

  get indices(): Uint32Array {
    this.#checkOpen();
    return this.#hasData ? this.#later.indices() : NONE;
  }

  get entities(): Uint32Array {
    this.#checkOpen();
    if (!this.#hasData) return this.#handles;
    const { version, count, handles, live } = this.#later;
    if (version !== this.#handlesVersion) {
      for (let row = 0; row < count; row++) {
        this.#handleRoom[row] = handles[live[row] as number] as number;
      }
      this.#handlesVersion = version;
      if (this.#handles.length !== count) this.#handles = this.#handleRoom.subarray(0, count);
    }
    return this.#handles;
  }

  blend<K extends ChannelName<T>>(channel: K): BlendOf<T, K> {
    const entry = this.#channel(channel);
    const { schema, output } = entry;
    if (this.#hasData && !entry.blended) {
      this.#prepare(entry, output, schema.width, 0);
      blendChannel(schema, this.#job);
      entry.blended = true;
    }
    const length = this.count * schema.width;
    if (entry.exact.length !== length) entry.exact = output.subarray(0, length);
    return entry.exact as BlendOf<T, K>;
  }

  sampleInto(
    channel: ChannelName<T>,
    out: { [index: number]: number; readonly length: number },
    options: { readonly stride?: number; readonly offset?: number } = {},
  ): number {
    const entry = this.#channel(channel);
    const { width } = entry.schema;
    const stride = options.stride ?? width;
    const offset = options.offset ?? 0;
    const needed = this.count === 0 ? 0 : offset + (this.count - 1) * stride + width;
    if (!(stride >= width && offset >= 0 && out.length >= needed)) {
      throw new EscapementError('VALUE_INVALID', 'The array does not hold all rows.', {
        given: `length ${out.length}, stride ${stride}, offset ${offset}`,
        allowed: `stride >= ${width}, length >= ${needed} for ${this.count} rows`,
        fix: 'Make it as long as capacity x stride once, and reuse it.',
      });
    }
    if (this.#hasData) {
      this.#prepare(entry, out, stride, offset);
      blendChannel(entry.schema, this.#job);
    } else {
      for (let row = 0; row < this.count; row++) {
        copyRow(entry.output, row * width, width, out as Column, offset + row * stride);
      }
    }
    return this.count;
  }

  sample(entity: Entity, channel: ChannelName<T>, out: { [index: number]: number }): SampleStatus {
    const { schema, columns, componentIndex } = this.#channel(channel);
    if (!this.#hasData) return 'not-published';
    const later = this.#later;
    const index = this.#codec.indexOf(entity);
    const status = this.#statusOf(entity, index);
    if (status !== undefined) return status;
    if (!hasBit(later.presence[componentIndex] as Uint32Array, index)) return 'no-component';
    const from = index * schema.width;
    const laterColumn = columns[this.#laterSlot] as Column;
    if (this.#earlier.stamps[index] !== later.stamps[index]) {
      copyRow(laterColumn, from, schema.width, out, 0);
      return 'snapped';
    }
    const earlierColumn = columns[this.#earlierSlot] as Column;
    blendRow(schema, earlierColumn, laterColumn, from, this.alpha, out, 0);
    return 'ok';
  }

  global(name: keyof T['globals'] & string): number {
    this.#checkOpen();
    const index = this.#globalNames.indexOf(name);
    const column = this.#globals[this.#laterSlot]?.[index];
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
    const later = this.#later;
    const known = index < later.issued ? (later.handles[index] as number) : 0;
    if (known === entity) return hasBit(later.alive, index) ? undefined : 'stale';
    if (index > this.#codec.indexMask) return 'stale';
    const newer = this.#codec.generationOf(entity) > this.#codec.generationOf(known as Entity);
    return newer ? 'not-published' : 'stale';
  }

  #prepare(
    { columns, componentIndex }: Channel,
    out: { [index: number]: number },
    stride: number,
    offset: number,
  ): void {
    const job = this.#job;
    const earlier = this.#earlier;
    const later = this.#later;
    const presence = later.presence[componentIndex] as Uint32Array;
    job.earlier = columns[this.#earlierSlot] as Column;
    job.later = columns[this.#laterSlot] as Column;
    job.alpha = this.alpha;
    job.live = later.live;
    job.count = this.count;
    job.checkStamps = earlier.version !== later.version;
    job.earlierStamps = earlier.stamps;
    job.laterStamps = later.stamps;
    job.presence = presence;
    job.checkPresence = !allPresent(presence, later.alive, later.highWater);
    job.dense = this.#dense && !job.checkStamps && !job.checkPresence;
    job.out = out;
    job.stride = stride;
    job.offset = offset;
  }

  #channel(name: string): Channel {
    this.#checkOpen();
    const channel = this.#channels.get(name);
    if (channel === undefined) throw unknownName('channel', name, [...this.#channels.keys()]);
    return channel;
  }

  #checkOpen(): void {
    if (this.#open) return;
    throw new EscapementError('FRAME_RELEASED', 'This frame has been released.', {
      fix: 'Read a frame between view.frame() and frame.release(); take a new one each time.',
    });
  }
}

function allPresent(presence: Uint32Array, alive: Uint32Array, rows: number): boolean {
  for (let word = 0; word * 32 < rows; word++) {
    if (((alive[word] as number) & ~(presence[word] as number)) !== 0) return false;
  }
  return true;
}

function unknownName(kind: string, given: string, allowed: readonly string[]): EscapementError {
  return new EscapementError('NAME_UNKNOWN', `There is no such published ${kind}.`, {
    given: JSON.stringify(given),
    allowed: allowed.join(', ') || 'none is published',
    fix: kind === 'channel' ? 'List the component in `publish` of defineSimulation.' : undefined,
  });
}
