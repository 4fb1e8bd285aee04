import { afterEach, describe, expect, it } from 'vitest';
import { lerpFixed } from '../../src/shared/math/fixed.ts';
import { Random } from '../../src/shared/math/random.ts';
import { openStage, type Script, type Stage } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

type ChannelName = 'position' | 'heading' | 'yaw' | 'orientation' | 'facing' | 'scale' | 'exact';

/** Shows one channel of one entity that goes from `a` to `b` in a tick, at each alpha. */
async function between(
  channel: ChannelName,
  a: readonly number[],
  b: readonly number[],
  alphas: readonly number[],
): Promise<number[][]> {
  const script: Script = ({ world, tick }) => {
    if (tick === 0) world.spawn({ [channel]: a });
    else world.add(world.entityAt(0), channel, b);
  };
  stage = await openStage(script, { tickRateHz: 100 });
  const view = stage.openView();
  stage.advanceTo(10);
  return alphas.map((alpha) => {
    stage.clock.toMs(10 + 10 * alpha);
    const frame = view.frame();
    const row = [...frame.blend(channel)];
    frame.release();
    return row;
  });
}

function normalised(q: readonly number[]): number[] {
  const length = Math.hypot(...q);
  return q.map((x) => x / length);
}

describe('INT 37: quaternions of opposite sign take the short way', () => {
  it('stays close when both ends are nearly the same rotation', async () => {
    const a = normalised([0.76, 0.39, 0.51, 0.19]);
    const b = normalised([-0.72, -0.45, -0.49, -0.17]);
    const [middle = []] = await between('orientation', a, b, [0.5]);
    [0.7375, 0.419, 0.4984, 0.1794].forEach((x, i) => expect(middle[i]).toBeCloseTo(x, 4));
    expect(Math.abs(Math.hypot(...middle) - 1)).toBeLessThan(1e-6);
  });

  it('plays 21 degrees as 21, not as 339', async () => {
    const half = ((21 / 2) * Math.PI) / 180;
    const negated = [0, 0, -Math.sin(half), -Math.cos(half)];
    const [middle = []] = await between('orientation', [0, 0, 0, 1], negated, [0.5]);
    const angle = (2 * Math.atan2(middle[2] as number, middle[3] as number) * 180) / Math.PI;
    expect(angle).toBeCloseTo(10.5, 4);
  });

  it('is finite and of length 1 when the ends are opposite or at right angles', async () => {
    const q = normalised([0.1, -0.7, 0.3, 0.5]);
    const opposite = await between(
      'orientation',
      q,
      q.map((x) => -x),
      [0.25, 0.5, 0.75],
    );
    await stage.close();
    for (const row of opposite) row.forEach((x, i) => expect(x).toBeCloseTo(q[i] as number, 6));
    const [square] = await between('orientation', [0, 0, 0, 1], [0, 0, 1, 0], [0.5]);
    expect(square).toEqual([0, 0, Math.fround(Math.SQRT1_2), Math.fround(Math.SQRT1_2)]);
  });
});

describe('INT 38: angles wrap over their boundary', () => {
  it('turns a 16-bit yaw by 3336 units, not by 62200', async () => {
    const [middle] = await between('yaw', [30_100], [-32_100], [0.5]);
    expect(middle).toEqual([31_768]);
  });

  it.each([
    [350, 10, 0.5, 0],
    [1, 359, 0.5, 0],
    [358, 2, 0.25, 359],
    [300, 60, 0.75, 30],
  ])('goes from %i to %i degrees: at %f it stands at %i', async (a, b, alpha, expected) => {
    const [[got] = []] = await between('heading', [a], [b], [alpha]);
    expect(got).toBeCloseTo(expected, 4);
  });

  it('does not drift over 10,000 wraps', async () => {
    const script: Script = ({ world, columns, tick }) => {
      if (tick === 0) world.spawn({ heading: 0 });
      else columns.heading[0] = (tick * 170) % 360;
    };
    stage = await openStage(script, { tickRateHz: 1000, maxTicksPerAdvance: 1000 });
    const view = stage.openView();
    const ticks = Math.ceil((10_000 * 360) / 170);
    let worst = 0;
    for (let tick = 1; tick <= ticks; tick++) {
      stage.advanceTo(tick);
      stage.clock.toMs(tick + 0.5);
      const frame = view.frame();
      const ideal = ((tick - 0.5) * 170) % 360;
      worst = Math.max(worst, Math.abs((frame.blend('heading')[0] as number) - ideal));
      frame.release();
    }
    expect(worst).toBe(0);
  });
});

describe('INT 40: a sprite that is flipped by its sign does not vanish in between', () => {
  it('steps from 1 to -1 and is never 0', async () => {
    const rows = await between('facing', [1, 1], [-1, 1], [0, 0.25, 0.5, 0.999, 1]);
    expect(rows.map(([x]) => x)).toEqual([1, 1, 1, 1, -1]);
  });

  it('passes through 0 where a linear blend was asked for', async () => {
    const rows = await between('scale', [1, 1], [-1, 1], [0.5]);
    expect(rows).toEqual([[0, 1]]);
  });
});

describe('INT 44: a blend ends where it should', () => {
  const random = Random.seed(new Uint32Array(16), 0, 0, 44, 0);
  const raws = Array.from({ length: 200_002 }, () => random.nextU32() | 0);
  raws.splice(0, 4, -2_147_483_648, 2_147_483_647, 2_147_483_647, -2_147_483_648);

  it('is exact at both ends of 100,000 pairs of Q16.16, and in between otherwise', async () => {
    stage = await openStage(() => undefined);
    let faults = 0;
    for (let i = 0; i + 1 < raws.length; i += 2) {
      const [a, b] = [raws[i] as number, raws[i + 1] as number];
      if (lerpFixed(a, b, 0) !== a || lerpFixed(a, b, 65_536) !== b) faults++;
      const middle = lerpFixed(a, b, 32_768);
      if (middle < Math.min(a, b) || middle > Math.max(a, b)) faults++;
    }
    expect(faults).toBe(0);
    expect(lerpFixed(-2_147_483_648, 0x7fff_0000, 32_768)).toBe(-32_768);
  });

  it('shows the later state bitwise at 1, in f32 and in Q16.16, tick after tick', async () => {
    const script: Script = ({ world, columns, tick }) => {
      if (tick === 0) for (let i = 0; i < 256; i++) world.spawn({ position: 0, exact: 0 });
      for (let i = 0; i < 256; i++) {
        columns.exact[i] = raws[256 * tick + i] as number;
        columns.position[2 * i] = (columns.exact[i] as number) / 3e4;
        columns.position[2 * i + 1] = 1 / (columns.exact[i] as number);
      }
    };
    stage = await openStage(script, { tickRateHz: 100 });
    const view = stage.openView();
    for (let tick = 1; tick <= 100; tick++) {
      stage.advanceTo(10 * tick);
      stage.clock.ns += 10e6;
      const frame = view.frame();
      const expected = Array.from({ length: 256 }, (_, i) => raws[256 * tick + i] as number);
      expect(frame.alpha).toBe(1);
      expect([...frame.blend('exact')]).toEqual(expected);
      const positions = frame.blend('position');
      const ideal = new Float32Array(512);
      expected.forEach((raw, i) => {
        ideal[2 * i] = raw / 3e4;
        ideal[2 * i + 1] = 1 / raw;
      });
      expect([...positions]).toEqual([...ideal]);
      frame.release();
    }
  });
});
