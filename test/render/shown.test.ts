import { afterEach, describe, expect, it } from 'vitest';
import type { Entity } from '../../src/shared/entity.ts';
import { openStage, type Script, type Stage, type StageView } from './stage.ts';

let stage: Stage;

afterEach(() => stage.close());

const TICK_MS = 1000 / 60;

/** Half a nanosecond of the clock is 3e-8 of a tick. */
const closeTo = (x: number): unknown => expect.closeTo(x, 3);

/** What a view shows of one entity's position and rows at some alphas of a tick. */
function shownAt(view: StageView, who: () => Entity, tick: number, alpha: number) {
  // A microsecond late: a clock of whole nanoseconds may fall short of a third of one.
  stage.advanceTo(tick * TICK_MS + 0.001);
  stage.clock.toMs((tick + alpha) * TICK_MS);
  using frame = view.frame();
  const out = [0, 0];
  const status = frame.sample(who(), 'position', out);
  return { status, x: out[0], rows: [...frame.blend('position')], entered: [...frame.entered] };
}

async function open(script: Script): Promise<StageView> {
  stage = await openStage(script);
  return stage.openView();
}

describe('INT 34: an entity that opted out of blending', () => {
  it('shows each of its moves at once, at any alpha, and its neighbour is blended', async () => {
    const those: Entity[] = [];
    const view = await open(({ world, columns, tick }) => {
      if (tick === 0) {
        for (let i = 0; i < 2; i++) those.push(world.spawn({ position: [0, 0] }));
        world.setBlended(those[0] as Entity, false);
      }
      columns.position[0] = tick;
      columns.position[2] = tick;
    });
    for (const tick of [1, 2, 3]) {
      for (const alpha of [0.01, 0.25, 0.75]) {
        expect(shownAt(view, () => those[0] as Entity, tick, alpha)).toMatchObject({
          status: 'snapped',
          x: tick,
        });
        const other = shownAt(view, () => those[1] as Entity, tick, alpha);
        expect(other.status).toBe('ok');
        expect(other.x).toBeCloseTo(tick - 1 + alpha, 6);
        expect(other.rows[0]).toBe(tick);
        expect(other.rows[2]).toBeCloseTo(tick - 1 + alpha, 6);
      }
    }
  });

  it('is blended again when it opts in, and so is the next owner of its slot', async () => {
    let entity = 0 as Entity;
    const view = await open(({ world, columns, tick }) => {
      if (tick === 0) {
        entity = world.spawn({ position: [0, 0] });
        world.setBlended(entity, false);
      }
      if (tick === 2) world.setBlended(entity, true);
      if (tick === 4) {
        world.setBlended(entity, false);
        world.despawn(entity);
        entity = world.spawn({ position: [0, 0] });
      }
      columns.position[0] = tick;
    });
    expect(shownAt(view, () => entity, 1, 0.5)).toMatchObject({ status: 'snapped', x: 1 });
    expect(shownAt(view, () => entity, 2, 0.5)).toMatchObject({ status: 'ok', x: closeTo(1.5) });
    stage.advanceTo(5 * TICK_MS - 1);
    expect(shownAt(view, () => entity, 5, 0.5)).toMatchObject({ status: 'ok', x: closeTo(4.5) });
  });
});

describe('an entity that is hidden', () => {
  it('is in no row, says so, and comes back without a streak', async () => {
    const those: Entity[] = [];
    const view = await open(({ world, columns, tick }) => {
      if (tick === 0) for (let i = 0; i < 3; i++) those.push(world.spawn({ position: [i, 0] }));
      const middle = those[1] as Entity;
      if (tick === 2) world.setVisible(middle, false);
      if (tick === 5) world.setVisible(middle, true);
      columns.position[2] = tick * 100;
      expect([...world.live()]).toEqual([0, 1, 2]);
    });
    const middle = (): Entity => those[1] as Entity;
    expect(shownAt(view, middle, 1, 0.5)).toMatchObject({ status: 'ok', x: closeTo(50) });
    expect(shownAt(view, middle, 3, 0.5)).toEqual({
      status: 'hidden',
      x: 0,
      rows: [0, 0, 2, 0],
      entered: [],
    });
    expect(shownAt(view, middle, 5, 0.5)).toMatchObject({
      status: 'snapped',
      x: 500,
      entered: [middle()],
    });
    expect(shownAt(view, middle, 6, 0.5)).toMatchObject({ status: 'ok', x: closeTo(550) });
  });

  it('leaves its slot to an owner that is seen', async () => {
    let entity = 0 as Entity;
    const view = await open(({ world, tick }) => {
      if (tick === 0) entity = world.spawn({ position: [1, 0] });
      if (tick === 1) {
        world.setVisible(entity, false);
        world.despawn(entity);
        entity = world.spawn({ position: [7, 0] });
      }
    });
    expect(shownAt(view, () => entity, 1, 0.5)).toMatchObject({ status: 'snapped', rows: [7, 0] });
  });
});
