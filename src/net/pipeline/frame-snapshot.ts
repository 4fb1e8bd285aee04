import { type Entity, HandleCodec } from '../../shared/entity.ts';
import { NetError } from '../net-error.ts';
import type { FieldColumn } from '../record/field-codec.ts';
import type { RecordShape } from '../record/record-shape.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** One tick of a region, held still: what a frame of a view shows. */
export interface TickFrame {
  readonly status: string;
  /** Slots of the entities that live, ascending. */
  readonly indices: Uint32Array;
  /** Their handles, in the same order. */
  readonly entities: Uint32Array;
  readonly pair: {
    readonly laterTick: number;
    /** The column of a channel at the later tick: `width` numbers a slot. */
    later(channel: string): ArrayLike<number>;
  };
}

/** How a {@link FrameSnapshot} is set up. */
export interface FrameSnapshotOptions {
  /** The most entities of the simulation. */
  readonly capacity: number;
  /** By field of the record: the channel that it is taken from. Default: the one of its name. */
  readonly channels?: Readonly<Record<string, string>> | undefined;
}

/**
 * Takes the population of a tick out of a frame, so that an encoder on any thread works on what the
 * simulation has published. Values are those of the later tick of the frame, never blended ones.
 *
 * The id of an entity is its handle with the slot first: ids ascend as slots do, and whoever takes
 * the slot of another gets another id.
 */
export class FrameSnapshot {
  readonly #shape: RecordShape;
  readonly #capacity: number;
  readonly #channels: readonly string[];
  readonly #codec: HandleCodec;

  constructor(shape: RecordShape, options: FrameSnapshotOptions) {
    this.#shape = shape;
    this.#capacity = options.capacity;
    this.#codec = new HandleCodec(options.capacity);
    this.#channels = shape.fields.map(({ name }) => options.channels?.[name] ?? name);
  }

  /** The id that stands for an entity in updates. */
  idOf(entity: number): number {
    const { indexBits } = this.#codec;
    return ((entity << (32 - indexBits)) | (entity >>> indexBits)) >>> 0;
  }

  /** The handle of the entity that an id stands for. */
  entityOf(id: number): Entity {
    const { indexBits } = this.#codec;
    return (((id << indexBits) | (id >>> (32 - indexBits))) >>> 0) as Entity;
  }

  /**
   * Fills a snapshot with the entities of a frame, or with those of some of its slots, ascending:
   * what `frame.indicesOf(query)` returns, when not all of them have the channels. Returns false,
   * and leaves the snapshot as it is, when the frame shows nothing. Throws a {@link NetError}
   * `frame-channel-width` for a channel with another count of numbers than its field.
   */
  fill(frame: TickFrame, snapshot: Snapshot, indices: Uint32Array = frame.indices): boolean {
    if (frame.status === 'busy' || frame.status === 'not-ready') return false;
    for (let field = 0; field < this.#channels.length; field++) this.#columnOf(frame, field);
    const count = indices.length;
    if (count > snapshot.ids.length) snapshot.reserve(count);
    snapshot.tick = frame.pair.laterTick;
    snapshot.count = count;
    this.#fillIds(frame, snapshot.ids, indices);
    for (let field = 0; field < this.#channels.length; field++) {
      const { values } = snapshot.columns[field] as FieldColumn;
      const { width } = (this.#shape.fields[field] as RecordShape['fields'][number]).codec;
      takeRows(values, this.#columnOf(frame, field), width, indices);
    }
    return true;
  }

  #columnOf(frame: TickFrame, field: number): ArrayLike<number> {
    const channel = this.#channels[field] as string;
    const column = frame.pair.later(channel);
    const { name, codec } = this.#shape.fields[field] as RecordShape['fields'][number];
    if (column.length === this.#capacity * codec.width) return column;
    throw new NetError('OPTION_INVALID', 'frame-channel-width', `Field ${name} has no channel.`, {
      given: `${column.length} numbers of ${channel} for ${this.#capacity} entities`,
      allowed: `${codec.width} numbers an entity`,
      fix: 'Give the capacity of the simulation, and a channel as wide as the field.',
    });
  }

  #fillIds(frame: TickFrame, ids: Uint32Array, indices: Uint32Array): void {
    const { entities } = frame;
    const every = frame.indices;
    const { indexBits } = this.#codec;
    let place = 0;
    for (let row = 0; row < indices.length; row++) {
      while (place < every.length && every[place] !== indices[row]) place++;
      const entity = entities[place] as number;
      ids[row] = (entity << (32 - indexBits)) | (entity >>> indexBits);
    }
  }
}

function takeRows(
  to: FieldColumn['values'],
  from: ArrayLike<number>,
  width: number,
  indices: Uint32Array,
): void {
  let at = 0;
  for (let row = 0; row < indices.length; row++) {
    const source = (indices[row] as number) * width;
    for (let k = 0; k < width; k++) to[at++] = from[source + k] as number;
  }
}
