import { describe, expect, it } from 'vitest';
import type { EscapementError } from '../../src/shared/error.ts';
import { Random, STATE_WORDS } from '../../src/shared/math/random.ts';
import { quaternion, scalar, sparse, step, tag, vec2 } from '../../src/sim-worker/index.ts';
import type { Profiler } from '../../src/sim-worker/profiler.ts';
import { errorOf } from './outcome.ts';
import { type SystemBench, systemBench } from './system-bench.ts';

const components = {
  pos: vec2(),
  hp: step('u8'),
  frozen: tag(),
  rare: sparse(scalar(), 4),
  turn: quaternion(),
};

type Bench = SystemBench<typeof components>;
const open = (seed = 0): Bench => systemBench({ capacity: 8, components, seed, maxSystems: 6 });

/** Registers a system that notes its name and the tick. */
function note(bench: Bench, notes: string[], name: string, more: object = {}): void {
  bench.set.register({ name, run: ({ tick }) => void notes.push(`${name} ${tick}`), ...more });
}

describe('the systems of a set', () => {
  it('run in the order of registration, with ids from 1', () => {
    const bench = open();
    const notes: string[] = [];
    for (const name of ['c', 'a', 'b']) note(bench, notes, name);
    expect(bench.set.register({ name: 'last', run: () => undefined })).toBe(4);
    bench.run(2);
    expect(notes).toEqual(['c 1', 'a 1', 'b 1', 'c 2', 'a 2', 'b 2']);
    expect(bench.set.count).toBe(4);
    expect(bench.set.specs.map(({ name }) => name)).toEqual(['c', 'a', 'b', 'last']);
  });

  it('run later than that only when `after` says so, one registered later included', () => {
    const bench = open();
    const notes: string[] = [];
    note(bench, notes, 'a', { after: ['d'] });
    note(bench, notes, 'b', { after: ['a'] });
    note(bench, notes, 'c');
    note(bench, notes, 'd');
    bench.run(1);
    expect(notes).toEqual(['c 1', 'd 1', 'a 1', 'b 1']);
  });

  it('run in ticks that are multiples of their period, with so much longer a dt', () => {
    const bench = open();
    const seen: number[][] = [];
    for (const period of [1, 2, 3]) {
      bench.set.register({
        name: `every ${period}`,
        period,
        run: ({ tick, dt, time }) => void seen.push([period, tick, dt, time]),
      });
    }
    bench.run(6);
    const of = (period: number): number[][] => seen.filter(([first]) => first === period);
    expect(of(1)).toEqual([1, 2, 3, 4, 5, 6].map((tick) => [1, tick, 1 / 20, tick / 20]));
    expect(of(2)).toEqual([2, 4, 6].map((tick) => [2, tick, 2 / 20, tick / 20]));
    expect(of(3)).toEqual([3, 6].map((tick) => [3, tick, 3 / 20, tick / 20]));
  });

  it('find the commands of the one before applied, and those given between two ticks', () => {
    const bench = open();
    const { world, set } = bench;
    const seen: number[] = [];
    const look = ({ tick }: { tick: number }): void => void seen.push(10 * tick + world.count);
    set.register({ name: 'first', run: look });
    set.register({
      name: 'second',
      writes: ['hp'],
      run: ({ commands }) => {
        commands.spawn({ hp: 1 });
        seen.push(-world.count);
      },
    });
    set.register({ name: 'third', run: look });
    world.commands.spawn();
    bench.run(2);
    expect(seen).toEqual([11, -1, 12, 22, -2, 23]);
    expect(world.commands.count).toBe(0);
  });

  it('see in enter lists what the ticks before have left, the same in every system', () => {
    const bench = systemBench({ capacity: 8, components, changes: true, maxSystems: 2 });
    const query = bench.world.query({ all: ['hp'] });
    const seen: number[] = [];
    const look = (): void => {
      query.refreshChanges();
      seen.push(query.enteredCount);
    };
    bench.set.register({
      name: 'giver',
      writes: ['hp'],
      run: ({ world, tick }) => {
        look();
        for (let i = 0; i < tick; i++) world.spawn({ hp: 1 });
      },
    });
    bench.set.register({ name: 'watcher', run: look });
    bench.run(3);
    expect(seen).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it('are told by name and tick when one throws; the systems behind it do not run', () => {
    const bench = open();
    const notes: string[] = [];
    const cause = new Error('on purpose');
    note(bench, notes, 'first');
    bench.set.register({
      name: 'shaky',
      period: 2,
      run: () => {
        throw cause;
      },
    });
    note(bench, notes, 'last');
    const error = errorOf(() => bench.run(4));
    expect([error.code, error.cause]).toEqual(['SIMULATION_FAILED', cause]);
    expect(error.headline).toBe('The simulation failed: system "shaky" threw in tick 2.');
    expect(notes).toEqual(['first 1', 'last 1', 'first 2']);
  });

  it('are refused when there is no generator left, and nothing is registered', () => {
    const bench = systemBench({ capacity: 1, components, maxSystems: 2 });
    for (const name of ['a', 'b']) bench.set.register({ name, run: () => undefined });
    const { code, message } = errorOf(() =>
      bench.set.register({ name: 'c', run: () => undefined }),
    );
    expect([code, bench.set.count]).toEqual(['CAPACITY_EXHAUSTED', 2]);
    expect(message).toContain('maxSystems');
  });
});

describe('the columns of a system', () => {
  it('are those it declares; another one throws and names system and component', () => {
    const bench = open();
    const seen: unknown[] = [];
    bench.set.register({
      name: 'reader',
      reads: ['pos'],
      writes: ['hp'],
      run: ({ columns, world }) => {
        seen.push(columns.pos === world.columns.pos, columns.hp === world.columns.hp);
        seen.push(Object.keys(columns), Object.isFrozen(columns));
        void columns.turn[0];
      },
    });
    const error = errorOf(() => bench.run(1));
    expect(seen).toEqual([true, true, ['pos', 'hp'], true]);
    const inner = error.cause as EscapementError;
    expect(inner.code).toBe('ACCESS_UNDECLARED');
    expect(inner.headline).toContain('"reader" uses component "turn"');
    expect(inner.detail.fix).toContain('"turn"');
  });

  it('are none when it declares none, those of tags too', () => {
    for (const name of Object.keys(components) as (keyof typeof components)[]) {
      const bench = open();
      bench.set.register({ name: 'bare', run: ({ columns }) => void columns[name] });
      const { code } = errorOf(() => bench.run(1)).cause as EscapementError;
      expect(code).toBe('ACCESS_UNDECLARED');
    }
  });
});

describe('the schedule in force', () => {
  it('must have been made, and is stale after another registration', () => {
    const bench = open();
    const { set } = bench;
    note(bench, [], 'a');
    expect(set.scheduleFault()?.code).toBe('SCHEDULE_INVALID');
    set.use(set.schedule());
    expect(set.scheduleFault()).toBe(undefined);
    note(bench, [], 'b');
    const fault = set.scheduleFault();
    expect(fault?.code).toBe('SCHEDULE_STALE');
    expect(set.scheduleFault()).toBe(fault);
    expect(bench.events()).toEqual(['schedule_invalid', 'schedule_stale']);
    expect(bench.fieldsOf('schedule_invalid')).toEqual([
      { scheduled_systems: 0, current_systems: 1 },
    ]);
    expect(bench.fieldsOf('schedule_stale')).toEqual([
      { scheduled_systems: 1, current_systems: 2 },
    ]);
    set.use(set.schedule());
    expect(set.scheduleFault()).toBe(undefined);
  });

  it('that was built by hand is looked into, and runs as it says', () => {
    const bench = open();
    const notes: string[] = [];
    for (const name of ['a', 'b']) note(bench, notes, name);
    const { set } = bench;
    set.use({ order: [2, 2], systemCount: 2, warnings: [] });
    expect(set.scheduleFault()?.code).toBe('SCHEDULE_INVALID');
    set.use({ order: [2, 1], systemCount: 2, warnings: [] });
    expect(set.scheduleFault()).toBe(undefined);
    set.runTick(1);
    expect(notes).toEqual(['b 1', 'a 1']);
  });

  it('warns of a reader that runs before a writer by nothing but registration', () => {
    const bench = open();
    note(bench, [], 'reader', { reads: ['hp'] });
    note(bench, [], 'writer', { writes: ['hp'] });
    bench.set.schedule();
    expect(bench.events()).toEqual(['read_before_write']);
    const fields = { reader: 'reader', writer: 'writer', component: 'hp' };
    expect(bench.fieldsOf('read_before_write')).toEqual([fields]);
  });

  it('cannot be made with two writers of one component in no set order', () => {
    const bench = open();
    note(bench, [], 'one', { writes: ['hp'] });
    note(bench, [], 'two', { writes: ['hp'] });
    expect(errorOf(() => bench.set.schedule()).code).toBe('SCHEDULE_INVALID');
  });
});

describe('the generator of a system', () => {
  const seed = 2 ** 40 + 12345;

  function expected(stream: number, draws: number): number[] {
    const words = new Uint32Array(STATE_WORDS);
    const random = Random.seed(words, 0, Math.floor(seed / 2 ** 32), seed % 2 ** 32, stream);
    return Array.from({ length: draws }, () => random.nextU32());
  }

  /** What three systems draw in two ticks when the first draws `extra` times more. */
  function drawn(extra: number): Record<string, number[]> {
    const bench = open(seed);
    const all: Record<string, number[]> = { a: [], b: [], c: [] };
    for (const name of ['a', 'b', 'c']) {
      bench.set.register({
        name,
        run: ({ random }) => {
          for (let i = name === 'a' ? -extra : 0; i < 3; i++) all[name]?.push(random.nextU32());
        },
      });
    }
    bench.run(2);
    return all;
  }

  it('is the substream of the seed with its id, the master’s is substream 0', () => {
    const { a, b, c } = drawn(0);
    expect([a, b, c]).toEqual([expected(1, 6), expected(2, 6), expected(3, 6)]);
    const { world } = open(seed);
    expect([world.random.nextU32(), world.random.nextU32()]).toEqual(expected(0, 2));
  });

  it('draws the same however often another system draws', () => {
    const few = drawn(0);
    const many = drawn(7);
    expect([many['b'], many['c']]).toEqual([few['b'], few['c']]);
    expect(many['a']).toEqual(expected(1, 20));
  });
});

describe('the budget of a system', () => {
  /** Runs one system of 2 ms at most, whose runs take so many ms, one a tick. */
  function timed(milliseconds: readonly number[]): Bench & { profiler: Profiler } {
    const bench = open();
    bench.set.register({
      name: 'slow',
      budgetMs: 2,
      run: ({ tick }) => void (bench.hand.ns += (milliseconds[tick - 1] as number) * 1e6),
    });
    bench.set.use(bench.set.schedule());
    const { profiler } = bench.set;
    for (let tick = 1; tick <= milliseconds.length; tick++) {
      bench.clock.nowMs += 1000;
      bench.set.runTick(tick);
    }
    return { ...bench, profiler };
  }

  it('may be met: only what is over it warns, and three times it is an error too', () => {
    const { events, fieldsOf, set, profiler } = timed([2, 2.5, 1, 6, 5.999]);
    expect(events()).toEqual([
      'budget_overrun',
      'budget_overrun',
      'budget_critical',
      'budget_overrun',
    ]);
    const fields = { system: 'slow', id: 1, budget_ms: 2 };
    expect(fieldsOf('budget_overrun')[0]).toEqual({
      ...fields,
      measured_ms: 2.5,
      p99_ms: 2.5,
      window_samples: 2,
    });
    expect(fieldsOf('budget_critical')[0]).toEqual({
      ...fields,
      measured_ms: 6,
      p99_ms: 6,
      window_samples: 4,
    });
    expect(set.frameOverruns).toBe(4);
    const [timer] = profiler.systems;
    expect([timer?.runs, timer?.warns, timer?.errors]).toEqual([5, 3, 1]);
  });

  it('is counted per frame: beginFrame starts over, the window of the timer goes on', () => {
    const { set, profiler } = timed([3, 3]);
    expect(set.frameOverruns).toBe(2);
    set.beginFrame();
    expect([set.frameOverruns, profiler.systems[0]?.window.count]).toEqual([0, 2]);
  });

  it('is measured with the commands, which are part of the run, but not when it throws', () => {
    const bench = open();
    bench.set.register({
      name: 'giver',
      writes: ['hp'],
      run: ({ commands, tick }) => {
        commands.spawn({ hp: 1 });
        bench.hand.ns += 1000;
        if (tick === 2) throw new Error('on purpose');
      },
    });
    expect(errorOf(() => bench.run(2)).code).toBe('SIMULATION_FAILED');
    const { profiler } = bench.set;
    expect([profiler.systems[0]?.runs, profiler.systems[0]?.lastNs]).toEqual([1, 1000]);
  });

  it('is watched over also while the profiler is off, which then takes no other samples', () => {
    const bench = open();
    bench.set.register({ name: 'slow', budgetMs: 1, run: () => void (bench.hand.ns += 9e6) });
    bench.set.register({ name: 'free', run: () => void (bench.hand.ns += 9e6) });
    bench.set.use(bench.set.schedule());
    const { profiler } = bench.set;
    profiler.disable();
    bench.set.runTick(1);
    expect(bench.events()).toEqual(['budget_overrun', 'budget_critical']);
    expect(profiler.systems.map(({ runs }) => runs)).toEqual([0, 0]);
    expect(bench.fieldsOf('budget_critical')[0]).toMatchObject({ measured_ms: 9 });
    expect(bench.set.frameOverruns).toBe(2);
  });

  it('is watched over anew after another schedule, and a profiler that was off stays off', () => {
    const bench = open();
    bench.set.register({ name: 'first', run: () => undefined });
    bench.run(2);
    bench.set.profiler.disable();
    bench.set.register({ name: 'second', run: () => undefined });
    bench.run(2);
    expect(bench.set.profiler.systems.map(({ name, runs }) => [name, runs])).toEqual([
      ['first', 0],
      ['second', 0],
    ]);
    bench.set.profiler.enable();
    bench.set.runTick(3);
    expect(bench.set.profiler.systems.map(({ runs }) => runs)).toEqual([1, 1]);
  });
});
