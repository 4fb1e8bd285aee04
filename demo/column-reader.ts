import type { SimulationTypes } from 'escapement';
import type { ChannelName, Frame } from 'escapement/render';

/** Reads the rows of a channel: as many numbers a row as it has, in the order of the frame. */
export type ReadColumn<T extends SimulationTypes> = (channel: ChannelName<T>) => Float32Array;

/** How rows are blended: one entity after the other, or all at once. */
export type Reading = 'entity' | 'bulk';

/** Reads whole channels of one frame after the other. Allocates only when rows come and go. */
export class ColumnReader<T extends SimulationTypes> {
  readonly #width: (channel: ChannelName<T>) => number;
  readonly #rooms: Map<string, Float32Array> = new Map();
  readonly #row: number[] = [];
  #frame: Frame<T> | undefined;
  #reading: Reading = 'bulk';

  /** `width` says how many numbers a row of a channel has. */
  constructor(width: (channel: ChannelName<T>) => number) {
    this.#width = width;
  }

  /** Turns to an open frame. */
  turnTo(frame: Frame<T>, reading: Reading): ReadColumn<T> {
    this.#frame = frame;
    this.#reading = reading;
    return this.read;
  }

  /** Reads a channel of the frame at hand, as it was last asked for. */
  readonly read: ReadColumn<T> = (channel) => {
    const frame = this.#frame;
    if (frame === undefined) throw new Error('No frame is open.');
    if (this.#reading === 'bulk') return frame.blend(channel) as Float32Array;
    const rows = this.#roomFor(channel, frame.count * this.#width(channel));
    this.#sampleEach(frame, channel, rows);
    return rows;
  };

  /** Lets the last frame go. */
  forget(): void {
    this.#frame = undefined;
  }

  #sampleEach(frame: Frame<T>, channel: ChannelName<T>, rows: Float32Array): void {
    const { entities } = frame;
    const row = this.#row;
    const width = rows.length / entities.length;
    for (let k = 0; k < entities.length; k++) {
      row.fill(Number.NaN);
      frame.sample(entities[k] as Parameters<typeof frame.sample>[0], channel, row);
      for (let i = 0; i < width; i++) rows[k * width + i] = row[i] as number;
    }
  }

  #roomFor(channel: string, length: number): Float32Array {
    const known = this.#rooms.get(channel);
    if (known?.length === length) return known;
    const roomy = known !== undefined && known.buffer.byteLength >= 4 * length;
    const room = roomy ? new Float32Array(known.buffer) : new Float32Array(2 * length);
    const rows = room.subarray(0, length);
    this.#rooms.set(channel, rows);
    return rows;
  }
}
