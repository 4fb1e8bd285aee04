import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Frame, SampleOptions, ViewQuery, Within } from '../../src/render/index.ts';
import { scaled } from '../scaled.ts';
import { Dice } from '../sim-worker/dice.ts';
import { BulkModel } from './bulk-model.ts';
import {
  CHANNELS,
  NaiveFrame,
  ORIENTATIONS,
  type Parts,
  POSITIONS,
  type Query,
  roomFor,
  SCALES,
} from './bulk-naive.ts';
import {
  type BulkChannel,
  type BulkTypes,
  type BulkView,
  COMPONENTS,
  openBulkStage,
  widthOf,
} from './bulk-stage.ts';

type Of = NonNullable<SampleOptions<BulkTypes, BulkChannel>['of']>;
type Options = { of?: Of; within?: Within<BulkChannel> };

interface Place {
  readonly stride: number;
  readonly offset: number;
}

const runs = scaled({ tiny: 25, normal: 80, full: 600 });

/** Draws calls and compares each of them with what single samples say. */
class BulkTrial {
  readonly #dice: Dice;
  readonly #view: BulkView;
  readonly #capacity: number;
  readonly #queries: { readonly spec: Query; readonly query: ViewQuery<BulkTypes> }[] = [];
  readonly #out: Float32Array;
  /** What was asked for last: asking again must not give what is old. */
  #within: Within<BulkChannel> = { left: 0, bottom: 0, right: 0, top: 0 };
  #parts: Parts = { position: 'place' };
  #which = 0;
  #frame: Frame<BulkTypes>;
  #naive: NaiveFrame;

  constructor(seed: number, view: BulkView, capacity: number) {
    this.#dice = new Dice(seed);
    this.#view = view;
    this.#capacity = capacity;
    this.#out = new Float32Array(capacity * 20 + 64);
    this.#frame = view.frame();
    this.#naive = new NaiveFrame(this.#frame, new Map(), capacity);
    this.#frame.release();
  }

  /** Looks at one frame by some calls. */
  look(model: BulkModel, calls: number): void {
    using frame = this.#view.frame();
    const beings = model.history[frame.pairTick];
    if (beings === undefined) throw new Error('the model has not come to that tick');
    this.#frame = frame;
    this.#naive = new NaiveFrame(frame, beings, this.#capacity);
    expect([...frame.indices]).toEqual(this.#naive.slots());
    for (let i = 0; i < calls; i++) {
      const { slots, options } = this.#drawRows();
      if (this.#dice.oneIn(2)) this.#compareSamples(slots, options);
      else this.#compareMatrices(slots, options);
    }
  }

  #drawRows(): { slots: readonly number[]; options: Options } {
    const dice = this.#dice;
    const options: Options = {};
    let slots: readonly number[] = this.#naive.slots();
    if (dice.oneIn(2)) this.#which = dice.below(3);
    const which = this.#which;
    if (which === 1) {
      const { spec, query } = this.#drawQuery();
      slots = this.#naive.matches(spec);
      options.of = query;
      if (dice.oneIn(3)) {
        expect([...query.indices(this.#frame)]).toEqual(slots);
        expect(query.count).toBe(slots.length);
      }
    } else if (which === 2) {
      const length = dice.below(this.#capacity + 1);
      const reach = this.#capacity + dice.pick([0, 0, 3, 2 ** 31]);
      slots = Array.from({ length }, () => dice.below(dice.oneIn(20) ? reach : this.#capacity));
      if (dice.oneIn(2)) slots = slots.toSorted((a, b) => a - b);
      options.of = Uint32Array.from(slots);
    }
    return { slots, options };
  }

  #drawQuery(): { readonly spec: Query; readonly query: ViewQuery<BulkTypes> } {
    const dice = this.#dice;
    const last = this.#queries.at(-1);
    if (last !== undefined && dice.oneIn(2)) return last;
    if (last !== undefined && dice.oneIn(2)) return dice.pick(this.#queries);
    const names = (): (typeof COMPONENTS)[number][] =>
      Array.from({ length: dice.below(3) }, () => dice.pick(COMPONENTS));
    const spec = { all: names(), any: names(), none: dice.oneIn(2) ? [] : names() };
    const made = { spec, query: this.#view.query(spec) };
    this.#queries.push(made);
    return made;
  }

  /** Draws a place, or changes the last one as a caller does who makes no new ones. */
  #drawWithin(): Within<BulkChannel> {
    const dice = this.#dice;
    const last = this.#within as unknown as Record<string, unknown>;
    if (dice.oneIn(2)) {
      if (dice.oneIn(2)) return this.#within;
      const isFrustum = last.planes instanceof Float32Array;
      if (isFrustum && dice.oneIn(2)) (last.planes as Float32Array)[3] = dice.below(1500);
      else if (isFrustum) last.radius = dice.below(200);
      else last[dice.pick(['left', 'bottom', 'right', 'top', 'margin'])] = dice.below(900);
      return this.#within;
    }
    const bound = (): number => dice.below(2400) - 1200 + dice.below(8) / 8;
    if (dice.oneIn(2)) {
      const margin = dice.pick([{}, { margin: dice.below(300) }, { margin: 1 / 3 }]);
      return {
        left: bound(),
        bottom: bound(),
        right: bound() + 900,
        top: bound() + 900,
        ...margin,
      };
    }
    const planes = new Float32Array(24);
    for (let i = 0; i < 24; i += 4) {
      const turn = dice.below(6283) / 1000;
      planes.set([Math.cos(turn), Math.sin(turn) * 0.8, Math.sin(turn) * 0.6, dice.below(1500)], i);
    }
    return { planes, radius: dice.pick([0, 100.1, 'reach' as const]) };
  }

  /** Draws where rows must lie, or nowhere in particular, and drops the slots that do not. */
  #cull(slots: readonly number[], position: BulkChannel, options: Options): readonly number[] {
    if (this.#dice.oneIn(2)) return slots;
    const within = this.#drawWithin();
    this.#within = within;
    options.within = within;
    const isShown = (slot: number): boolean => this.#naive.at(slot) !== undefined;
    return slots.filter((slot) => isShown(slot) && this.#naive.isWithin(slot, position, within));
  }

  #compareSamples(slots: readonly number[], options: Options): void {
    const dice = this.#dice;
    const channel = dice.pick(CHANNELS);
    const position = dice.pick(POSITIONS);
    const kept = this.#cull(slots, position, options);
    const width = widthOf(channel);
    const stride = width + dice.pick([0, 0, 3]);
    const offset = dice.pick([0, 0, 5]);
    const out = roomFor(channel, this.#out.length);
    out.fill(-7);
    const rows = this.#frame.sampleInto(channel, out, { ...options, position, stride, offset });
    this.#compare(
      rows,
      kept,
      [...out],
      kept.map((slot) => this.#naive.row(slot, channel)),
      { stride, offset },
    );
  }

  #drawParts(): Parts {
    const dice = this.#dice;
    const orientation = dice.pick(ORIENTATIONS);
    const scale = dice.pick(SCALES);
    return {
      position: dice.pick(POSITIONS),
      ...(orientation === undefined ? {} : { orientation }),
      ...(scale === undefined ? {} : { scale }),
    };
  }

  #compareMatrices(slots: readonly number[], options: Options): void {
    const dice = this.#dice;
    if (dice.oneIn(2)) this.#parts = this.#drawParts();
    const parts = this.#parts;
    const { orientation } = parts;
    const kept = this.#cull(slots, parts.position, options);
    const isAngle = orientation === 'heading' || orientation === 'yaw';
    const expected = kept.map((slot) => this.#naive.matrix(slot, parts).map((n) => n + 0));
    for (let again = 0; again < 2; again++) {
      const tight = { stride: 16, offset: 0 };
      const view = [...this.#frame.composeMatrices(parts, options)].map((n) => n + 0);
      if (isAngle) snapTo(view, expected, tight);
      this.#compare(view.length / 16, kept, view, expected, tight);
      const place = { stride: 16 + dice.pick([0, 4]), offset: dice.pick([0, 3]) };
      this.#out.fill(-7);
      const rows = this.#frame.composeMatricesInto(this.#out, parts, { ...options, ...place });
      const out = [...this.#out].map((n) => n + 0);
      if (isAngle) snapTo(out, expected, place);
      this.#compare(rows, kept, out, expected, place);
    }
  }

  /** Compares bit by bit, and what lies between and behind the rows with what was there. */
  #compare(
    rows: number,
    slots: readonly number[],
    got: number[],
    wanted: readonly (readonly number[])[],
    place: Place,
  ): void {
    expect(rows).toBe(slots.length);
    expect(this.#frame.rowCount).toBe(slots.length);
    expect([...this.#frame.rowIndices]).toEqual(slots);
    const all = Array.from({ length: got.length }, () => -7);
    wanted.forEach((row, k) => {
      row.forEach((number, i) => {
        all[place.offset + k * place.stride + i] = number;
      });
    });
    expect(got).toEqual(all);
  }
}

/** Takes what is wanted for what is as near as a sine in f32, times a scale up to 1000, is. */
function snapTo(got: number[], wanted: readonly (readonly number[])[], place: Place): void {
  wanted.forEach((row, k) => {
    row.forEach((number, i) => {
      const at = place.offset + k * place.stride + i;
      if (Math.abs((got[at] as number) - number) <= 1000 * 4e-7) got[at] = number;
    });
  });
}

const programs = fc.record({
  seed: fc.integer(),
  capacity: fc.constantFrom(1, 2, 31, 32, 33, 77),
  kernels: fc.constantFrom('auto' as const, 'off' as const),
  slackMs: fc.constantFrom(0, 7, 20),
  complete: fc.boolean(),
  spawns: fc.integer({ min: 0, max: 3 }),
  verbs: fc.integer({ min: 0, max: 12 }),
  frames: fc.array(
    fc.record({
      ticks: fc.integer({ min: 0, max: 4 }),
      alpha: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    {
      minLength: 1,
      maxLength: 6,
    },
  ),
});

it('gives for any rows what single samples give, whatever has happened', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(programs, async ({ seed, capacity, frames, kernels, slackMs, ...act }) => {
      const model = new BulkModel(seed, capacity, act);
      const stage = await openBulkStage(model.script, capacity);
      try {
        stage.advance(2, 0);
        const view = stage.openView({ kernels, slackMs });
        const trial = new BulkTrial(seed ^ 1, view, capacity);
        for (const { ticks, alpha } of frames) {
          stage.advance(ticks, alpha);
          trial.look(model, 6);
        }
      } finally {
        await stage.close();
      }
    }),
    { numRuns: runs },
  );
});
