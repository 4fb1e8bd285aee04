import type { Entity } from '../../src/shared/entity.ts';
import type { Frame, Within } from '../../src/render/index.ts';
import { type Being, slotOf } from './bulk-model.ts';
import {
  type BulkChannel,
  type BulkTypes,
  type ComponentName,
  PUBLISHED,
  widthOf,
} from './bulk-stage.ts';

type BulkFrame = Frame<BulkTypes>;

/** What a bulk call must give, worked out entity by entity. */
export interface Query {
  readonly all?: readonly ComponentName[];
  readonly any?: readonly ComponentName[];
  readonly none?: readonly ComponentName[];
}

/** The parts of a matrix. */
export interface Parts {
  readonly position: BulkChannel;
  readonly orientation?: BulkChannel;
  readonly scale?: BulkChannel;
}

const { fround } = Math;
const INTEGERS: readonly BulkChannel[] = ['kind', 'exact'];

/** Makes an array that holds a channel's numbers as its column does. */
export function roomFor(
  channel: BulkChannel,
  length: number,
): Float32Array | Float64Array | Int32Array {
  if (channel === 'wide') return new Float64Array(length);
  return INTEGERS.includes(channel) ? new Int32Array(length) : new Float32Array(length);
}

/** Says what bulk calls must give at one frame, from single samples and what the model knows. */
export class NaiveFrame {
  readonly #frame: BulkFrame;
  readonly #capacity: number;
  readonly #bySlot: Map<number, Being> = new Map();

  constructor(frame: BulkFrame, beings: ReadonlyMap<Entity, Being>, capacity: number) {
    this.#frame = frame;
    this.#capacity = capacity;
    for (const being of beings.values()) {
      if (being.isVisible) this.#bySlot.set(slotOf(being.entity, capacity), being);
    }
  }

  /** Slots of those that are seen, ascending. */
  slots(): number[] {
    return [...this.#bySlot.keys()].sort((a, b) => a - b);
  }

  /** Slots of those that match. */
  matches({ all = [], any = [], none = [] }: Query): number[] {
    return this.slots().filter((slot) => {
      const { parts } = this.#bySlot.get(slot) as Being;
      return (
        all.every((name) => parts.has(name)) &&
        (any.length === 0 || any.some((name) => parts.has(name))) &&
        !none.some((name) => parts.has(name))
      );
    });
  }

  /** The being that is seen at a slot. */
  at(slot: number): Being | undefined {
    return this.#bySlot.get(slot);
  }

  /** A channel's numbers for a slot; undefined for who lacks it or is not seen. */
  sample(slot: number, channel: BulkChannel): readonly number[] | undefined {
    const being = this.#bySlot.get(slot);
    if (being === undefined) return undefined;
    const out = roomFor(channel, widthOf(channel));
    const status = this.#frame.sample(being.entity, channel, out);
    const expected = being.parts.has(channel) ? ['ok', 'snapped'] : ['no-component'];
    if (!expected.includes(status)) throw new Error(`slot ${slot}: ${channel} is ${status}`);
    return status === 'no-component' ? undefined : [...out];
  }

  /** A channel's row for a slot, as a bulk call writes it. */
  row(slot: number, channel: BulkChannel): readonly number[] {
    const missing = INTEGERS.includes(channel) ? 0 : Number.NaN;
    const sampled = slot < this.#capacity ? this.sample(slot, channel) : undefined;
    return sampled ?? Array.from({ length: widthOf(channel) }, () => missing);
  }

  /** Whether the position of a slot is kept. */
  isWithin(slot: number, position: BulkChannel, within: Within<BulkChannel>): boolean {
    const at = this.sample(slot, position);
    if (at === undefined) return false;
    const [x, y, z = 0] = at as [number, number, number?];
    if (!('planes' in within)) {
      const { left, bottom, right, top, margin = 0 } = within;
      const beyond = x < fround(left - margin) || x > fround(right + margin);
      return !beyond && y >= fround(bottom - margin) && y <= fround(top + margin);
    }
    const { planes, radius } = within;
    const reach = typeof radius === 'number' ? radius : (this.sample(slot, radius)?.[0] ?? 0);
    return [0, 4, 8, 12, 16, 20].every((plane) => {
      const [a, b, c, d] = planes.slice(plane, plane + 4) as unknown as number[];
      const along = fround(fround(x * (a as number)) + fround(y * (b as number)));
      const deep = fround(along + fround(z * (c as number)));
      return fround(deep + fround((d as number) + reach)) >= 0;
    });
  }

  /** A row's matrix; each step rounded to f32, but for sines and cosines of angles. */
  matrix(slot: number, { position, orientation, scale }: Parts): readonly number[] {
    const at = slot < this.#capacity ? this.sample(slot, position) : undefined;
    if (at === undefined) return Array.from({ length: 16 }, () => 0);
    const sampled = scale === undefined ? undefined : this.sample(slot, scale);
    const [sx = 1, sy = sampled?.length === 1 ? sx : 1, sz = sampled?.length === 1 ? sx : 1] =
      sampled ?? [];
    const turned = this.#turn(slot, orientation);
    const columns = [sx, sy, sz].flatMap((factor, column) => [
      ...turned.slice(column * 3, column * 3 + 3).map((number) => fround(number * factor)),
      0,
    ]);
    return [...columns, at[0] as number, at[1] as number, at[2] ?? 0, 1];
  }

  #turn(slot: number, orientation: BulkChannel | undefined): readonly number[] {
    const sampled = orientation === undefined ? undefined : this.sample(slot, orientation);
    if (sampled === undefined) return [1, 0, 0, 0, 1, 0, 0, 0, 1];
    if (sampled.length === 1) {
      const turns = orientation === 'heading' ? 360 : 2 * Math.PI;
      const radians = ((sampled[0] as number) * 2 * Math.PI) / turns;
      const [c, s] = [Math.cos(radians), Math.sin(radians)];
      return [c, s, 0, -s, c, 0, 0, 0, 1];
    }
    const [x, y, z, w] = sampled as [number, number, number, number];
    const times = (a: number, b: number): number => fround(a * fround(b + b));
    const minus = (a: number, b: number): number => fround(a - b);
    const plus = (a: number, b: number): number => fround(a + b);
    return [
      minus(1, plus(times(y, y), times(z, z))),
      plus(times(x, y), times(w, z)),
      minus(times(x, z), times(w, y)),
      minus(times(x, y), times(w, z)),
      minus(1, plus(times(x, x), times(z, z))),
      plus(times(y, z), times(w, x)),
      plus(times(x, z), times(w, y)),
      minus(times(y, z), times(w, x)),
      minus(1, plus(times(x, x), times(y, y))),
    ];
  }
}

/** Channels by what they can be in a matrix. */
export const POSITIONS: readonly BulkChannel[] = ['place', 'spot'];
export const ORIENTATIONS: readonly (BulkChannel | undefined)[] = [
  undefined,
  'heading',
  'yaw',
  'turn',
  'twist',
];
export const SCALES: readonly (BulkChannel | undefined)[] = [
  undefined,
  'size',
  'stretch',
  'extent',
  'flip',
  'mirror',
];
export const CHANNELS: readonly BulkChannel[] = PUBLISHED;
