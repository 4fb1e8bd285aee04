import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildBudgetReport } from '../../src/sim-worker/budget-report.ts';
import { Profiler } from '../../src/sim-worker/profiler.ts';
import { OVERRUN } from '../../src/sim-worker/system-timer.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';

const runs = { numRuns: scaled({ tiny: 50, normal: 300, full: 5000 }) };

const SYSTEMS = [{ name: 'steer', budgetMs: 1 }, { name: 'move' }, { name: 'hit', budgetMs: 0.5 }];

/** Totals of ticks, frames, frame records, then of each system. */
function totalsOf(profiler: Profiler): number[] {
  return [
    profiler.ticks.totalRecorded,
    profiler.frames.totalRecorded,
    profiler.frameRecords.count,
    ...profiler.systems.map(({ runs }) => runs),
  ];
}

function tickOnce(profiler: Profiler, ns: number): void {
  profiler.beginTick();
  profiler.recordTick(ns);
}

function frameOnce(profiler: Profiler, ns: number): void {
  profiler.beginFrame();
  profiler.recordFrame(ns, 1, 0, 0, 0, 1);
}

describe('a profiler', () => {
  test('numbers the systems from 1 in the order of declaration, with their budgets', () => {
    const { systems, enabled } = new Profiler(SYSTEMS);
    expect(systems.map(({ id, name, budgetNs }) => [id, name, budgetNs])).toEqual([
      [1, 'steer', 1_000_000],
      [2, 'move', undefined],
      [3, 'hit', 500_000],
    ]);
    expect(enabled).toBe(true);
    expect(() => new Profiler([{ name: 'steer', budgetMs: 0 }])).toThrow('above 0');
  });

  test('keeps 512 ticks, 256 frames, 32 frame records and 64 runs a system', () => {
    const profiler = new Profiler(SYSTEMS);
    for (let i = 1; i <= 600; i++) {
      tickOnce(profiler, i);
      frameOnce(profiler, i);
      profiler.beginSystem();
      profiler.recordSystem(1, i);
    }
    const { ticks, frames, frameRecords, systems } = profiler;
    expect([ticks.count, ticks.totalRecorded, ticks.percentile(0)]).toEqual([512, 600, 89]);
    expect([frames.count, frames.totalRecorded, frames.percentile(0)]).toEqual([256, 600, 345]);
    expect(frameRecords.list().map(({ ms }) => Math.round(ms * 1e6))).toEqual(
      Array.from({ length: 32 }, (_, i) => 569 + i),
    );
    const window = systems[1]?.window;
    expect([window?.count, window?.totalRecorded, window?.percentile(0)]).toEqual([64, 600, 537]);
  });

  test('returns how far a run went over, and puts it down to that system alone', () => {
    const profiler = new Profiler(SYSTEMS);
    const run = (index: number, ns: number): number => {
      profiler.beginSystem();
      return profiler.recordSystem(index, ns);
    };
    expect([run(0, 1_000_000), run(1, 9_000_000), run(2, 1_000_000), run(2, 1_500_000)]).toEqual([
      OVERRUN.none,
      OVERRUN.none,
      OVERRUN.warn,
      OVERRUN.critical,
    ]);
    expect(profiler.systems.map(({ runs, warns, errors }) => [runs, warns, errors])).toEqual([
      [1, 0, 0],
      [1, 0, 0],
      [2, 2, 1],
    ]);
  });
});

describe('a disabled profiler', () => {
  test('records nothing and keeps what it had', () => {
    const profiler = new Profiler(SYSTEMS);
    tickOnce(profiler, 5);
    const before = totalsOf(profiler);
    profiler.disable();
    expect(profiler.enabled).toBe(false);
    expect([profiler.beginTick(), profiler.beginFrame(), profiler.beginSystem()]).toEqual([
      false,
      false,
      false,
    ]);
    profiler.recordTick(7);
    profiler.recordFrame(7, 1, 3, 48, 1, 1);
    expect(profiler.recordSystem(0, 9_000_000)).toBe(OVERRUN.none);
    expect(totalsOf(profiler)).toEqual(before);
    expect(profiler.ticks.last).toBe(5);
    expect(profiler.frameRecords.simAllocsTotal).toBe(0);
  });

  test('goes on with its windows when enabled again', () => {
    const profiler = new Profiler(SYSTEMS);
    tickOnce(profiler, 5);
    profiler.disable();
    tickOnce(profiler, 6);
    profiler.enable();
    tickOnce(profiler, 7);
    expect([profiler.ticks.count, profiler.ticks.mean()]).toEqual([2, 6]);
  });

  test('leaves out all that was in progress when it was disabled, enabled again or not', () => {
    for (const again of [false, true]) {
      const profiler = new Profiler(SYSTEMS);
      profiler.beginFrame();
      profiler.beginTick();
      profiler.beginSystem();
      profiler.disable();
      if (again) profiler.enable();
      profiler.recordSystem(0, 9_000_000);
      // The next system begins under the new state, within the same tick and frame.
      expect(profiler.beginSystem()).toBe(again);
      profiler.recordSystem(1, 4);
      profiler.recordTick(9_100_000);
      profiler.recordFrame(9_200_000, 1, 0, 0, 2, 1);
      expect(totalsOf(profiler)).toEqual([0, 0, 0, 0, again ? 1 : 0, 0]);
    }
  });

  test('leaves out a tick in whose middle it was enabled, but not the systems after', () => {
    const profiler = new Profiler(SYSTEMS);
    profiler.disable();
    profiler.beginTick();
    profiler.beginSystem();
    profiler.enable();
    profiler.recordSystem(0, 1);
    profiler.beginSystem();
    profiler.recordSystem(1, 1);
    profiler.recordTick(2);
    expect(totalsOf(profiler)).toEqual([0, 0, 0, 0, 1, 0]);
  });
});

describe('a sample', () => {
  test('is taken once, if it was begun while enabled and none was disabled since', () => {
    const kinds = ['tick', 'frame', 'system'] as const;
    const does = fc.constantFrom('begin', 'record');
    const step = fc.oneof(
      { arbitrary: fc.record({ kind: fc.constantFrom(...kinds), does }), weight: 4 },
      { arbitrary: fc.constantFrom('enable' as const, 'disable' as const), weight: 1 },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const profiler = new Profiler(SYSTEMS);
        const open = { tick: false, frame: false, system: false };
        const taken = { tick: 0, frame: 0, system: 0 };
        let enabled = true;
        for (const doing of steps) {
          if (typeof doing === 'string') {
            profiler[doing]();
            enabled = doing === 'enable';
            if (!enabled) for (const kind of kinds) open[kind] = false;
          } else if (doing.does === 'begin') {
            expect(begin(profiler, doing.kind)).toBe(enabled);
            open[doing.kind] = enabled;
          } else {
            record(profiler, doing.kind);
            if (open[doing.kind]) taken[doing.kind] += 1;
            open[doing.kind] = false;
          }
        }
        const { tick, frame, system } = taken;
        expect(totalsOf(profiler)).toEqual([tick, frame, Math.min(32, frame), system, 0, 0]);
      }),
      runs,
    );
  });

  function begin(profiler: Profiler, kind: 'tick' | 'frame' | 'system'): boolean {
    if (kind === 'tick') return profiler.beginTick();
    return kind === 'frame' ? profiler.beginFrame() : profiler.beginSystem();
  }

  function record(profiler: Profiler, kind: 'tick' | 'frame' | 'system'): void {
    if (kind === 'tick') profiler.recordTick(1);
    else if (kind === 'frame') profiler.recordFrame(1, 1, 0, 0, 0, 1);
    else profiler.recordSystem(0, 1);
  }
});

describe('recording', () => {
  test('leaves nothing on the heap, enabled or disabled', () => {
    const profiler = new Profiler(SYSTEMS);
    // A clock that has run for long: times are differences of whole doubles beyond 32 bits.
    const clock = Float64Array.of(1e15);
    let step = 0;
    let tick = 0;
    const frame = (): void => {
      const start = clock[0] as number;
      clock[0] = start + (step = (step * 5 + 12_345) & 0x7fffff);
      const ns = (clock[0] as number) - start;
      let overruns = 0;
      profiler.beginFrame();
      profiler.beginTick();
      for (let i = 0; i < SYSTEMS.length; i++) {
        profiler.beginSystem();
        overruns += profiler.recordSystem(i, ns);
      }
      profiler.recordTick(3 * ns);
      profiler.recordFrame(3 * ns + 100, 1, 0, 0, overruns, ++tick);
    };
    expect(bytesLeft(50_000, frame)).toBe(0);
    expect(profiler.ticks.totalRecorded).toBe(tick);
    profiler.disable();
    expect(bytesLeft(50_000, frame)).toBe(0);
    expect(profiler.ticks.totalRecorded).toBeLessThan(tick);
    expect(buildBudgetReport(profiler).ticks.count).toBe(512);
  });
});
