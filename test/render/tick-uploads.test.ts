import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BufferRing,
  type PairContents,
  TickUploads,
  UPLOAD_BUFFERS,
} from '../../src/render/tick-uploads.ts';
import { scaled } from '../scaled.ts';

const runs = scaled({ tiny: 100, normal: 1000, full: 20_000 });

const SLOTS_MAX = 12;

/** What a frame asks for, as plain numbers. */
interface Pair {
  run: number;
  epoch: number;
  earlierTick: number;
  laterTick: number;
}

/** A simulation that was never run: its rosters follow from the tick and a list of changes. */
class World {
  run = 1;
  epoch = 0;
  newest = 0;
  /** Versions by tick, and slot counts by version, of the run at hand. */
  readonly #versions: number[] = [1];
  readonly #slotCounts: number[] = [0, 3];

  /** Goes on by one tick; a slot count given is that of a new roster. */
  tick(slotCount: number | undefined): void {
    this.newest++;
    if (slotCount !== undefined) this.#slotCounts.push(slotCount);
    this.#versions[this.newest] = this.#slotCounts.length - 1;
  }

  seek(tick: number): void {
    this.epoch++;
    for (let at = this.newest + 1; at <= tick; at++) this.#versions[at] = this.versionAt(at - 1);
    this.newest = tick;
  }

  restart(): void {
    this.run++;
    this.epoch = 0;
    this.newest = 0;
    this.#versions.length = 1;
    this.#slotCounts.length = 2;
  }

  versionAt(tick: number): number {
    return this.#versions[tick] as number;
  }

  slotCountOf(version: number): number {
    return this.#slotCounts[version] as number;
  }

  pair(behind: boolean): Pair {
    const laterTick = Math.max(0, behind ? this.newest - 1 : this.newest);
    const { run, epoch } = this;
    return { run, epoch, laterTick, earlierTick: Math.max(0, laterTick - 1) };
  }

  framePair({ run, epoch, earlierTick, laterTick }: Pair): PairContents {
    const earlierVersion = this.versionAt(earlierTick);
    const laterVersion = this.versionAt(laterTick);
    return {
      run,
      epoch,
      earlierTick,
      laterTick,
      earlierVersion,
      laterVersion,
      earlierSlotCount: this.slotCountOf(earlierVersion),
      slotCount: this.slotCountOf(laterVersion),
    };
  }
}

/** Three buffers on the other side, and everything that was ever uploaded. */
class OtherSide {
  readonly buffers: string[][];
  readonly uploads: string[] = [];

  constructor() {
    this.buffers = Array.from({ length: UPLOAD_BUFFERS }, () => Array(SLOTS_MAX).fill('0'));
  }

  apply(ring: BufferRing, earlier: string, later: string, own: readonly [number, number]): void {
    this.#upload(ring.earlier, ring.earlierRows, earlier, own[0]);
    this.#upload(ring.later, ring.laterRows, later, own[1]);
  }

  #upload(buffer: number, rows: number, content: string, own: number): void {
    if (rows === 0) return;
    this.uploads.push(content);
    for (let row = 0; row < rows; row++) {
      (this.buffers[buffer] as string[])[row] = row < own ? content : '0';
    }
  }

  rowsOf(buffer: number, rows: number): readonly string[] {
    return (this.buffers[buffer] as string[]).slice(0, rows);
  }
}

/** One side of the link between the two: what a frame does. */
class Link {
  readonly columns: OtherSide = new OtherSide();
  readonly words: OtherSide = new OtherSide();
  readonly uploads: TickUploads = new TickUploads();

  /** Shows a pair, checks all rows that a draw would read, and returns how much was uploaded. */
  show(world: World, pair: Pair): readonly [columns: number, words: number] {
    const before = [this.columns.uploads.length, this.words.uploads.length] as const;
    const frame = world.framePair(pair);
    const { uploads, columns, words } = this;
    uploads.place(frame);
    const { earlierSlotCount, slotCount } = frame;
    const own = [earlierSlotCount, slotCount] as const;
    const column = (tick: number): string => `${pair.run}/${pair.epoch}/${tick}`;
    const word = (version: number): string => `${pair.run}/${version}`;
    const [e, l] = [column(frame.earlierTick), column(frame.laterTick)];
    columns.apply(uploads.columns, e, l, own);
    expect(columns.rowsOf(uploads.columns.earlier, earlierSlotCount)).toEqual(
      Array(earlierSlotCount).fill(e),
    );
    expect(columns.rowsOf(uploads.columns.later, slotCount)).toEqual(Array(slotCount).fill(l));
    const [we, wl] = [word(frame.earlierVersion), word(frame.laterVersion)];
    words.apply(uploads.words, we, wl, own);
    const rows = (count: number, content: string): string[] =>
      Array.from({ length: SLOTS_MAX }, (_, row) => (row < count ? content : '0'));
    expect(words.rowsOf(uploads.words.earlier, SLOTS_MAX)).toEqual(rows(earlierSlotCount, we));
    expect(words.rowsOf(uploads.words.later, SLOTS_MAX)).toEqual(rows(slotCount, wl));
    return [columns.uploads.length - before[0], words.uploads.length - before[1]];
  }
}

type Step =
  | {
      readonly do: 'frame';
      readonly ticks: readonly (number | undefined)[];
      readonly behind: boolean;
    }
  | { readonly do: 'seek'; readonly tick: number }
  | { readonly do: 'restart' | 'forget' };

const frameStep: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('frame' as const),
  ticks: fc.array(fc.option(fc.nat(SLOTS_MAX), { nil: undefined, freq: 2 }), { maxLength: 6 }),
  behind: fc.boolean(),
});

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: frameStep },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('seek' as const), tick: fc.nat(40) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('restart' as const, 'forget' as const) }),
  },
);

/** Plays a program and calls `onFrame` after each frame. */
function play(program: readonly Step[], link: Link): void {
  const world = new World();
  for (const step of program) {
    if (step.do === 'frame') for (const slots of step.ticks) world.tick(slots);
    else if (step.do === 'seek') world.seek(step.tick);
    else if (step.do === 'restart') world.restart();
    else link.uploads.forget();
    link.show(world, world.pair(step.do === 'frame' && step.behind));
  }
}

describe('what a frame uploads', () => {
  it('leaves every row that a draw reads as it was published, whatever was skipped', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (program) => {
        play(program, new Link());
      }),
      { numRuns: runs },
    );
  });

  it('is each tick and each roster once at most, also for readers that look behind', () => {
    fc.assert(
      fc.property(fc.array(frameStep, { maxLength: 40 }), (program) => {
        const link = new Link();
        play(program, link);
        const { columns, words } = link;
        expect(columns.uploads).toEqual([...new Set(columns.uploads)]);
        expect(words.uploads).toEqual([...new Set(words.uploads)]);
      }),
      { numRuns: runs },
    );
  });

  it('is two ticks at first, one for the next, none without a new one, two after a gap', () => {
    const link = new Link();
    const world = new World();
    expect(link.show(world, world.pair(false))).toEqual([1, 1]);
    for (let tick = 1; tick < 5; tick++) {
      world.tick(undefined);
      expect(link.show(world, world.pair(false))).toEqual([1, 0]);
      expect(link.show(world, world.pair(true))).toEqual([0, 0]);
      expect(link.show(world, world.pair(false))).toEqual([0, 0]);
    }
    for (let tick = 0; tick < 3; tick++) world.tick(undefined);
    expect(link.show(world, world.pair(false))).toEqual([2, 0]);
    world.seek(3);
    expect(link.show(world, world.pair(false))).toEqual([2, 0]);
    world.restart();
    world.tick(5);
    expect(link.show(world, world.pair(false))).toEqual([2, 2]);
    link.uploads.forget();
    expect(link.show(world, world.pair(false))).toEqual([2, 2]);
  });

  it('never overwrites what the last frame draws when the next tick follows', () => {
    const { uploads } = new Link();
    const world = new World();
    let drawn: readonly number[] = [];
    for (let tick = 0; tick < 10; tick++) {
      uploads.place(world.framePair(world.pair(false)));
      const { columns } = uploads;
      if (tick > 1) expect(drawn).not.toContain(columns.later);
      drawn = [columns.earlier, columns.later];
      world.tick(undefined);
    }
  });
});
