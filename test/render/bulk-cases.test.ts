import { afterEach, describe, expect, it } from 'vitest';
import type { PinnedFrame } from '../../src/render/pinned-frame.ts';
import type { Entity } from '../../src/sim-worker/index.ts';
import {
  type BulkScript,
  type BulkStage,
  type BulkTypes,
  type BulkView,
  openBulkStage,
  TICK_MS,
} from './bulk-stage.ts';

const CAPACITY = 8;
let stage: BulkStage;
afterEach(() => stage.close());

async function open(script: BulkScript): Promise<BulkView> {
  stage = await openBulkStage(script, CAPACITY);
  stage.advance(1, 0.5);
  return stage.openView();
}

const HALF_TURN_ROOT = Math.SQRT1_2;

/** The determinant of the upper left 3 x 3 of a matrix. */
function determinant(matrix: Float32Array): number {
  const at = (column: number, row: number): number =>
    matrix[4 * (column % 3) + (row % 3)] as number;
  const minor = (row: number): number =>
    at(1, row + 1) * at(2, row + 2) - at(1, row + 2) * at(2, row + 1);
  return at(0, 0) * minor(0) + at(0, 1) * minor(1) + at(0, 2) * minor(2);
}

describe('INT 41: mirrored matrices', () => {
  it.each(['extent', 'mirror'] as const)(
    'are composed of parts blended apart: the same matrix halfway, by %s',
    async (scale) => {
      const turn = [0, 0, HALF_TURN_ROOT, HALF_TURN_ROOT];
      const view = await open(({ world, tick }) => {
        if (tick > 0) return;
        world.spawn({ spot: [3, 4, 5], turn, heading: 90, [scale]: [-1, 1, 1] });
      });
      for (const orientation of ['turn', 'heading'] as const) {
        for (const alpha of [0, 0.25, 0.5, 1]) {
          stage.advance(1, alpha);
          using frame = view.frame();
          const matrix = frame.composeMatrices({ position: 'spot', orientation, scale });
          // R(90 degrees about z) x S(-1, 1, 1): x goes to -y, y to -x.
          const expected = [0, -1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 3, 4, 5, 1];
          expected.forEach((number, i) => {
            expect(Math.abs((matrix[i] as number) - number)).toBeLessThanOrEqual(1e-6);
          });
          expect(determinant(matrix)).toBeCloseTo(-1, 6);
        }
      }
    },
  );

  it('are flipped at once, and never flat, where the scale is a step', async () => {
    const view = await open(({ world, columns, tick }) => {
      if (tick === 0) world.spawn({ spot: [0, 0, 0], mirror: [1, 1, 1] });
      columns.mirror[0] = tick % 2 === 0 ? 1 : -1;
    });
    const seen = new Set<number>();
    for (const alpha of [0, 0.25, 0.5, 0.75, 1]) {
      stage.advance(1, alpha);
      using frame = view.frame();
      seen.add(frame.composeMatrices({ position: 'spot', scale: 'mirror' })[0] as number);
    }
    expect([...seen].sort((a, b) => a - b)).toEqual([-1, 1]);
  });
});

const SCRIPT: BulkScript = ({ world, columns, tick }) => {
  if (tick === 0) {
    for (let i = 0; i < 4; i++)
      world.spawn({ place: [i, 0], heading: 0, ...(i === 2 ? { asleep: true } : {}) });
  }
  for (let i = 0; i < 4; i++) columns.place[2 * i] = i + 10 * tick;
};

describe('what was made before', () => {
  it('is not shown again by the same call in a later frame', async () => {
    const view = await open(SCRIPT);
    const awake = view.query({ none: ['asleep'] });
    const options = { of: awake, within: { left: 0, bottom: -1, right: 1000, top: 1 } };
    const xs = [0, 1].map(() => {
      using frame = view.frame();
      const x = frame.composeMatrices({ position: 'place' }, options)[12];
      stage.advance(1, 0.5);
      return x;
    });
    expect(xs).toEqual([5, 15]);
  });

  it('is not shown again when a place or a list was changed where it lies', async () => {
    const view = await open(SCRIPT);
    using frame = view.frame();
    const within = { left: 5.5, bottom: 0, right: 6.5, top: 0, margin: 0 };
    const of = Uint32Array.of(3, 1);
    const kept = (options: object): number[] => {
      frame.composeMatrices({ position: 'place' }, options);
      return [...frame.rowIndices];
    };
    expect(kept({ within })).toEqual([1]);
    within.margin = 1;
    expect(kept({ within })).toEqual([0, 1, 2]);
    within.left = 6.5;
    expect(kept({ within })).toEqual([1, 2]);
    expect(kept({ of })).toEqual([3, 1]);
    of[0] = 0;
    expect(kept({ of })).toEqual([0, 1]);
    expect(frame.composeMatrices({ position: 'place' }, { of })[12]).toBe(5);
  });

  it('is left alone by a frame that is busy, which says how much it is', async () => {
    const view = await open(SCRIPT);
    const awake = view.query({ none: ['asleep'] });
    const first = new Float32Array(64);
    const second = new Float32Array(64);
    const third = new Float32Array(8);
    const within = { left: 5, bottom: 0, right: 6, top: 0 };
    const look = (frame: PinnedFrame<BulkTypes>): unknown => [
      frame.composeMatricesInto(first, { position: 'place' }, { of: awake }),
      frame.composeMatricesInto(second, { position: 'place' }, { within }),
      frame.sampleInto('place', third),
      frame.composeMatrices({ position: 'place' }, { within }).length,
      [...frame.rowIndices],
      [...awake.indices(frame)],
    ];
    const frame = view.frame() as PinnedFrame<BulkTypes>;
    const before = [look(frame), [...first], [...second], [...third]];
    frame.release();
    stage.advance(5, 0.5);
    // As the view does when publications overtook every try to pin one.
    frame.status = 'busy';
    frame.openAgain();
    expect([look(frame), [...first], [...second], [...third]]).toEqual(before);
    expect(before[0]).toEqual([3, 2, 4, 32, [0, 1], [0, 1, 3]]);
    frame.release();
  });
});

describe('a query of a view', () => {
  it('has one answer for each of the frames that ask it in turn', async () => {
    const one = await open(({ world, tick }) => void world.spawn({ place: [tick, 0] }));
    const other = stage.openView({ slackMs: 1.2 * TICK_MS });
    const all = one.query({ all: ['place'] });
    stage.advance(2, 0.5);
    using newer = one.frame();
    using older = other.frame();
    expect([newer.pairTick, older.pairTick]).toEqual([3, 2]);
    for (let i = 0; i < 2; i++) {
      expect([...all.indices(newer)]).toEqual([0, 1, 2, 3]);
      expect(newer.composeMatrices({ position: 'place' }, { of: all }).length).toBe(64);
      expect([...all.indices(older)]).toEqual([0, 1, 2]);
      expect(older.composeMatrices({ position: 'place' }, { of: all }).length).toBe(48);
    }
  });

  it('outlives a restart', async () => {
    let spawned = 5;
    const view = await open(({ world, tick }) => {
      if (tick > 0) return;
      for (let i = 0; i < spawned; i++)
        world.spawn({ place: [i, 0], ...(i % 2 === 0 ? { asleep: true } : {}) });
    });
    const asleep = view.query({ all: ['asleep'] });
    view.frame().release();
    const answer = (): unknown => {
      using frame = view.frame();
      const rows = frame.sampleInto('place', new Float32Array(16), { of: asleep });
      return [rows, [...asleep.indices(frame)]];
    };
    expect(answer()).toEqual([3, [0, 2, 4]]);
    spawned = 2;
    await stage.sim.restart();
    expect(answer()).toEqual([1, [0]]);
  });
});

describe('what is not possible', () => {
  it('is refused with what would be', async () => {
    const view = await open(SCRIPT);
    using frame = view.frame();
    const out = new Float32Array(64);
    const position = 'place';
    const refuse = (call: () => unknown, what: RegExp): void => expect(call).toThrow(what);
    for (const wrong of ['heading', 'kind', 'exact', 'wide', 'turn', 'bones'] as const) {
      refuse(() => frame.composeMatrices({ position: wrong }), /VALUE_INVALID.*position2d/);
    }
    for (const wrong of ['place', 'size', 'bones', 'kind', 'wide'] as const) {
      const parts = { position, orientation: wrong } as const;
      refuse(() => frame.composeMatrices(parts), /VALUE_INVALID.*quaternion\(\) or angle\(\)/);
    }
    for (const wrong of ['turn', 'heading', 'exact', 'wide', 'bones'] as const) {
      refuse(() => frame.composeMatrices({ position, scale: wrong }), /VALUE_INVALID.*a scale/);
    }
    const planes = new Float32Array(24);
    const cull = (within: object): (() => unknown) => {
      return () => frame.sampleInto(position, out, { within: within as never });
    };
    refuse(cull({ planes, radius: 'place' }), /VALUE_INVALID.*a radius/);
    refuse(cull({ planes, radius: 'nothing' }), /NAME_UNKNOWN/);
    refuse(cull({ planes, radius: Number.NaN }), /VALUE_INVALID.*nowhere/);
    refuse(cull({ planes: planes.subarray(1), radius: 0 }), /VALUE_INVALID.*nowhere/);
    refuse(cull({ left: 0, right: 1, top: 1 }), /VALUE_INVALID.*nowhere/);
    refuse(cull({ left: 0, right: 1, top: 1, bottom: 0, margin: Number.NaN }), /nowhere/);
    const within = { left: 0, bottom: 0, right: 1, top: 1 };
    refuse(() => frame.sampleInto('heading', out, { within }), /VALUE_INVALID.*a position/);
    const of = new Uint32Array(CAPACITY + 1);
    refuse(() => frame.sampleInto(position, out, { of }), /VALUE_INVALID.*`of`/);
    refuse(() => frame.sampleInto(position, out, { of: [0] as never }), /VALUE_INVALID.*`of`/);
    for (const offset of [-1, 0.5, 57, Number.NaN]) {
      refuse(() => frame.sampleInto(position, out, { offset }), /VALUE_INVALID.*array/);
    }
    refuse(() => frame.composeMatricesInto(out, { position }, { offset: 1 }), /VALUE_INVALID/);
    refuse(() => frame.composeMatricesInto(out, { position }, { stride: 15 }), /VALUE_INVALID/);
    refuse(() => view.query({ all: ['plaice' as never] }), /NAME_UNKNOWN.*place/);
    expect([...out]).toEqual(Array.from(out, () => 0));
    frame.release();
    refuse(() => frame.composeMatrices({ position }), /FRAME_RELEASED/);
    refuse(() => frame.rowIndices, /FRAME_RELEASED/);
  });

  it('leaves the next call as good as new', async () => {
    const view = await open(SCRIPT);
    using frame = view.frame();
    const good = [...frame.composeMatrices({ position: 'place' })];
    expect(() => frame.composeMatrices({ position: 'place', scale: 'turn' })).toThrow(/scale/);
    expect([...frame.composeMatrices({ position: 'place' })]).toEqual(good);
  });
});

it('lets entities be met in a list of slots in any order, and twice', async () => {
  const those: Entity[] = [];
  const view = await open(({ world, tick }) => {
    if (tick > 0) return;
    for (let i = 0; i < 4; i++) those.push(world.spawn({ place: [i, 0] }));
    world.setVisible(those[3] as Entity, false);
  });
  using frame = view.frame();
  const out = new Float32Array(12);
  const of = Uint32Array.of(2, 3, 0, 2, 7, 4_000_000_000);
  expect(frame.sampleInto('place', out, { of })).toBe(6);
  const none = [Number.NaN, Number.NaN];
  expect([...out]).toEqual([2, 0, ...none, 0, 0, 2, 0, ...none, ...none]);
});

it('writes what the channel holds into an array of any type, whoever is asked for', async () => {
  const view = await open(({ world, tick }) => {
    if (tick === 0)
      for (let i = 0; i < 3; i++) world.spawn({ heading: i, kind: i, wide: [0.1, i] });
    if (tick === 0) world.spawn({ place: [0, 0] });
  });
  using frame = view.frame();
  const all = view.query({});
  for (const options of [{}, { of: all }, { of: frame.indices }]) {
    const turns: number[] = Array.from({ length: 4 }, () => 7);
    frame.sampleInto('heading', turns, options);
    expect(turns).toEqual([0, 1, 2, Number.NaN]);
    const kinds = new Float32Array(4).fill(7);
    frame.sampleInto('kind', kinds, options);
    expect([...kinds]).toEqual([0, 1, 2, 0]);
    const wides = new Float32Array(8).fill(7);
    frame.sampleInto('wide', wides, options);
    expect(wides[2]).toBe(Math.fround(0.1));
    expect(wides[6]).toBeNaN();
  }
});
