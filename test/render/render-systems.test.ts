import { afterEach, describe, expect, it } from 'vitest';
import { EscapementError, type Frame, type RenderSystem } from '../../src/render/index.ts';
import { openStage, type Script, type Stage, type StageTypes } from './stage.ts';

type System = RenderSystem<StageTypes>;

let stage: Stage;
afterEach(() => stage.close());

const walking: Script = ({ world, columns, tick }) => {
  if (tick === 0) world.spawn({ position: 0 });
  else columns.position[0] = tick;
};

/** Makes systems that note their names. */
function noting(notes: string[], specs: Readonly<Record<string, readonly string[]>>): System[] {
  return Object.entries(specs).map(([name, after]) => ({
    name,
    after,
    run: () => void notes.push(name),
  }));
}

describe('render systems', () => {
  it('run once a frame in the order of the list, all on one open frame', async () => {
    stage = await openStage(walking);
    const view = stage.openView();
    const seen: unknown[] = [];
    const look = (frame: Frame<StageTypes>, alpha: number): void => {
      seen.push([frame.pairTick, alpha, frame.alpha, frame.blend('position')[0]]);
      // A tick that ends while a frame is drawn is for the next one.
      stage.advanceTo(stage.clock.ns / 1e6 + 20);
    };
    const systems = view.renderSystems([
      { name: 'bodies', run: look },
      { name: 'trails', run: look },
    ]);
    stage.advanceTo(25);
    expect(systems.run()).toBe('ok');
    expect(seen).toHaveLength(2);
    expect(seen[1]).toEqual(seen[0]);
    const [tick, given, alpha, drawn] = seen[0] as number[];
    expect([tick, given, drawn]).toEqual([1, alpha, Math.fround(alpha as number)]);
    expect(alpha).toBeCloseTo(0.5, 9);
    expect(systems.run()).toBe('ok');
    expect(seen).toHaveLength(4);
    expect(systems.order).toEqual(['bodies', 'trails']);
  });

  it('come behind those they name, and keep the order of the list otherwise', async () => {
    stage = await openStage(walking);
    const notes: string[] = [];
    const systems = stage
      .openView()
      .renderSystems(noting(notes, { a: ['d'], b: [], c: ['a'], d: [], e: ['b'] }));
    systems.run();
    expect(notes).toEqual(['b', 'd', 'a', 'c', 'e']);
    expect(systems.order).toEqual(notes);
  });

  it('are refused when names are taken, unknown or wait for each other', async () => {
    stage = await openStage(walking);
    const view = stage.openView();
    const run = (): void => undefined;
    const make = (specs: Readonly<Record<string, readonly string[]>>) => () =>
      view.renderSystems(noting([], specs));
    expect(() =>
      view.renderSystems([
        { name: 'a', run },
        { name: 'a', run },
      ]),
    ).toThrow(/own/);
    expect(() => view.renderSystems([{ name: '', run }])).toThrow(/OPTION_INVALID/);
    expect(make({ a: ['z'] })).toThrow(/NAME_UNKNOWN[^]*"z"[^]*a/);
    expect(make({ a: ['a'] })).toThrow(/SCHEDULE_INVALID/);
    expect(make({ x: [], a: ['b'], b: ['a'] })).toThrow(/a after b; b after a/);
  });

  it('release the frame when one throws, say which, and run again', async () => {
    stage = await openStage(walking);
    const view = stage.openView();
    const fault = new Error('no room');
    const notes: string[] = [];
    let broken = true;
    const systems = view.renderSystems([
      ...noting(notes, { first: [] }),
      {
        name: 'second',
        run: () => {
          if (broken) throw fault;
        },
      },
      ...noting(notes, { third: [] }),
    ]);
    let caught: unknown;
    try {
      systems.run();
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(EscapementError);
    const { code, headline, cause } = caught as EscapementError;
    expect([code, cause]).toEqual(['RENDER_SYSTEM_FAILED', fault]);
    expect(headline).toContain('"second" threw: no room');
    expect(notes).toEqual(['first']);
    broken = false;
    expect(systems.run()).toBe('ok');
    expect(notes).toEqual(['first', 'first', 'third']);
    view.frame().release();
  });

  it('do not run while they are switched off', async () => {
    stage = await openStage(walking);
    const notes: string[] = [];
    const systems = stage.openView().renderSystems(noting(notes, { a: [], b: [] }));
    systems.setEnabled('a', false);
    systems.run();
    systems.setEnabled('a', true);
    systems.run();
    expect(notes).toEqual(['b', 'a', 'b']);
    expect(() => systems.setEnabled('c', true)).toThrow(/NAME_UNKNOWN/);
  });

  it('do not run while nothing is published', async () => {
    const notes: string[] = [];
    stage = await openStage(walking);
    const view = stage.openView();
    const systems = view.renderSystems(noting(notes, { a: [] }));
    // What a page sees before the first publication.
    const frame = view.frame.bind(view);
    view.frame = (now) => Object.assign(frame(now), { status: 'not-ready' });
    expect(systems.run()).toBe('not-ready');
    view.frame = frame;
    expect([notes.length, systems.stats().skipped, systems.stats().runs]).toEqual([0, 1, 0]);
    expect(systems.run()).toBe('ok');
    expect(notes).toEqual(['a']);
  });

  it('are timed one by one over the last 256 runs', async () => {
    stage = await openStage(walking);
    let cost = 0;
    const systems = stage.openView().renderSystems([
      { name: 'steady', run: () => void (stage.clock.ns += 2e6) },
      { name: 'growing', run: () => void (stage.clock.ns += ++cost * 1e4) },
      { name: 'off', run: () => undefined },
    ]);
    systems.setEnabled('off', false);
    for (let i = 0; i < 300; i++) systems.run();
    const [steady, growing, off] = systems.stats().systems;
    expect(steady).toEqual({ name: 'steady', enabled: true, runs: 300, meanMs: 2, p99Ms: 2 });
    expect(growing?.meanMs).toBeCloseTo(((45 + 300) / 2) * 0.01, 9);
    expect(growing?.p99Ms).toBeCloseTo((44 + Math.ceil(0.99 * 256)) * 0.01, 9);
    expect(off).toEqual({
      name: 'off',
      enabled: false,
      runs: 0,
      meanMs: Number.NaN,
      p99Ms: Number.NaN,
    });
  });
});
