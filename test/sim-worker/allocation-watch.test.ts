import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { AllocationGuard, type AllocationReport } from '../../src/sim-worker/allocation-guard.ts';
import {
  AllocationSampler,
  findAllocationSites,
  keepApart,
} from '../../src/sim-worker/allocation-sites.ts';
import { AllocationWatch, COLLECTED } from '../../src/sim-worker/allocation-watch.ts';
import { scaled } from '../scaled.ts';

type System = (tick: number) => void;

/** What a system that allocates keeps, so that the engine cannot optimise it away. */
let kept: unknown;

/** A short patience: for systems that need no warming, or had it. */
const SHORT = { runs: 40 };

/** Systems whose lines the engine sees as they are written. */
const ALLOCATING = './allocating-systems.cjs';
const systems = createRequire(import.meta.url)(ALLOCATING) as Record<string, System>;

/** Returns the line of that file on which a function of this name begins. */
function lineOf(name: string): number {
  const lines = readFileSync(new URL(ALLOCATING, import.meta.url), 'utf8').split('\n');
  return 1 + lines.findIndex((line) => line.includes(`function ${name}(`));
}

/** Fails with what was measured. */
function claim(holds: boolean, said: string): void {
  expect({ holds, said }).toEqual({ holds: true, said });
}

function open<Tool>(tool: Tool | string): Tool {
  if (typeof tool === 'string') throw new Error(tool);
  return tool;
}

/** Runs systems under a guard, one tick after another. */
function guarded(
  systems: readonly System[],
  ticks: number,
  guard: AllocationGuard,
  from = 0,
): AllocationReport[] {
  const reports: AllocationReport[] = [];
  const runs = systems.map(keepApart);
  for (let tick = from + 1; tick <= from + ticks; tick++) {
    guard.beginFrame();
    for (const [index, system] of runs.entries()) {
      guard.begin(index);
      system(tick);
      guard.end(index, tick);
    }
    const report = guard.takeReport();
    if (report !== undefined) reports.push(report);
  }
  return reports;
}

/** A healthy system: `bodies` of them move and bounce. */
function moving(bodies: number): System {
  const at = new Float64Array(bodies);
  const speed = new Float64Array(bodies).fill(0.3);
  return () => {
    for (let i = 0; i < bodies; i++) {
      at[i] = (at[i] as number) + (speed[i] as number) * 0.01;
      if ((at[i] as number) > 5) at[i] = (at[i] as number) * 0.5;
    }
  };
}

/** A healthy system of long code without a loop. */
function longCode(): System {
  const x = new Float64Array(4);
  return (tick) => {
    x[0] = (x[1] as number) * 0.5 + 0.25 * tick;
    x[1] = (x[2] as number) * 0.25 + (x[0] as number);
    x[2] = Math.sqrt((x[3] as number) + 1.5);
    x[3] = (x[0] as number) > 100 ? (x[0] as number) - 50.5 : (x[1] as number) / 3;
    if ((x[3] as number) > 1e6) x[3] = 0.5;
  };
}

test('a growth is measured to the byte above the floor, and an empty window is 0', () => {
  const watch = open(AllocationWatch.open());
  const seen = new Map<number, number>();
  const empty: number[] = [];
  for (let window = 0; window < 200; window++) {
    watch.calibrate();
    watch.arm();
    kept = new Float64Array(0);
    const bytes = watch.read();
    if (bytes !== COLLECTED) seen.set(bytes, (seen.get(bytes) ?? 0) + 1);
    watch.arm();
    empty.push(watch.read());
  }
  const said = `floor ${watch.floorBytes} bytes; windows ${JSON.stringify([...seen])}`;
  const most = Math.max(...seen.values());
  claim(most > 150, said);
  claim(empty.filter((bytes) => bytes === 0).length > 150, said);
  claim(watch.floorBytes > 0 && watch.floorBytes < 2000, said);
});

test('twice as many objects are twice as many bytes', () => {
  const watch = open(AllocationWatch.open());
  const measure = (count: number): number => {
    const list: unknown[] = Array.from({ length: count });
    const seen: number[] = [];
    for (let attempt = 0; attempt < 200; attempt++) {
      watch.calibrate();
      watch.arm();
      for (let i = 0; i < count; i++) list[i] = () => i;
      seen.push(watch.read());
    }
    return seen.sort((a, b) => a - b)[100] ?? 0;
  };
  measure(1000);
  const one = measure(1000);
  const two = measure(2000);
  expect(one).toBeGreaterThan(16_000);
  claim(Math.abs(two - 2 * one) / one < 0.05, `${one} bytes, then ${two}`);
});

test('a window in which the heap was collected says nothing', () => {
  const watch = open(AllocationWatch.open());
  kept = Array.from({ length: 100_000 }, (_, i) => ({ i }));
  watch.arm();
  kept = undefined;
  globalThis.gc?.();
  expect(watch.read()).toBe(COLLECTED);
});

test('where Node is missing or old, every tool says why instead of throwing', () => {
  for (const scope of [{}, { process: {} }]) {
    expect(AllocationWatch.open(scope)).toMatch(/Node 20\.16/);
    expect(AllocationSampler.open(scope)).toMatch(/Node 20\.16/);
    expect(AllocationGuard.open(1, SHORT, scope)).toMatch(/Node 20\.16/);
  }
  const modules = { process: { getBuiltinModule: () => undefined } };
  expect(AllocationSampler.open(modules)).toMatch(/without its inspector/);
});

test('healthy systems of every size give no report while the engine warms up, nor later', () => {
  const guard = open(AllocationGuard.open(5));
  const systems = [moving(1), moving(3), moving(1000), longCode(), () => undefined];
  const ticks = scaled({ tiny: 15_000, normal: 25_000, full: 200_000 });
  const reports = guarded(systems, ticks, guard);
  const said = `floor ${guard.floorBytes} bytes`;
  expect({ reports, said }).toEqual({ reports: [], said });
});

test('healthy systems that are warm give no report at a short patience over 5,000 runs', () => {
  const systems = [moving(1), moving(1000), longCode()];
  guarded(systems, 12_000, open(AllocationGuard.open(3)));
  const guard = open(AllocationGuard.open(3, SHORT));
  const reports = guarded(systems, 5000, guard);
  const said = `floor ${guard.floorBytes} bytes`;
  expect({ reports, said }).toEqual({ reports: [], said });
});

test.each([
  ['an array', 'makesArray', 96],
  ['a literal', 'makesLiteral', 16],
  ['a closure', 'makesClosure', 32],
  ['a boxed double', 'boxesDouble', 16],
  ['what a builtin makes', 'callsBuiltin', 32],
])('%s is found in a system, and the function %s is named', (_kind, name, leastBytes) => {
  const guard = open(AllocationGuard.open(3, SHORT));
  const all = [moving(1000), systems[name] as System, moving(1000)];
  const [report, ...more] = guarded(all, 300, guard);
  const said = `floor ${guard.floorBytes} bytes; ${JSON.stringify(report)}`;
  expect({ more, said }).toEqual({ more: [], said });
  claim(report !== undefined, said);
  const { system: index, site, bytes, tick } = report as AllocationReport;
  expect({ index, name: site.functionName, line: site.line, said }).toEqual({
    index: 1,
    name,
    line: lineOf(name),
    said,
  });
  claim(site.url.endsWith(ALLOCATING.slice(1)), said);
  claim(bytes >= leastBytes && bytes < 1000, said);
  claim(tick > 2 * SHORT.runs, said);
});

test('the default patience reports a literal a tick, and the counters of the frame show it', () => {
  const guard = open(AllocationGuard.open(1));
  const system: System = (tick) => {
    kept = { tick };
  };
  const [report] = guarded([system], 12_000, guard);
  expect(report?.system).toBe(0);
  let allocs = 0;
  for (let tick = 1; tick <= 100; tick++) {
    expect(guarded([system], 1, guard, 12_000 + tick)).toEqual([]);
    allocs += guard.simAllocs;
    expect(guard.simAllocBytes).toBeGreaterThanOrEqual(guard.simAllocs * 16);
    expect(guard.unjudgedBytes).toBe(0);
  }
  expect(allocs).toBeGreaterThan(90);
  guard.beginFrame();
  expect([guard.simAllocs, guard.simAllocBytes]).toEqual([0, 0]);
});

test('a system that allocates now and then is not held to allocate', () => {
  const guard = open(AllocationGuard.open(1, SHORT));
  const system: System = (tick) => {
    if (tick % 4 === 0) kept = { tick };
  };
  guarded([system], 2000, open(AllocationGuard.open(1)));
  expect(guarded([system], 2000, guard)).toEqual([]);
});

test('a system that allocates every second tick is found', () => {
  const guard = open(AllocationGuard.open(1, SHORT));
  const literal = systems['makesLiteral'] as System;
  const system: System = (tick) => {
    if (tick % 2 === 0) literal(tick);
  };
  const [report] = guarded([system], 1000, guard);
  expect(report?.system).toBe(0);
});

test('a run that throws while it is looked at leaves the guard working', () => {
  const guard = open(AllocationGuard.open(1, SHORT));
  const reports: AllocationReport[] = [];
  const system = keepApart((tick: number) => {
    kept = { tick };
  });
  for (let tick = 1; tick <= 400; tick++) {
    guard.beginFrame();
    guard.begin(0);
    system(tick);
    if (tick % 3 === 0) continue;
    guard.end(0, tick);
    const report = guard.takeReport();
    if (report !== undefined) reports.push(report);
  }
  expect(reports.map(({ system }) => system)).toEqual([0]);
});

test('the sites of a piece of work are its functions, most bytes first, without its own', () => {
  const sampler = open(AllocationSampler.open());
  function little(): void {
    kept = [kept === undefined];
  }
  function much(): void {
    for (let i = 0; i < 50; i++) kept = [i, i, i];
  }
  const sites = findAllocationSites(sampler, () => {
    little();
    much();
  });
  const names = sites.map((site) => site.functionName);
  expect(names.slice(0, 1)).toEqual(['much']);
  expect(names).toContain('little');
  expect(sites.filter(({ url }) => !url.endsWith('allocation-watch.test.ts'))).toEqual([]);
  expect(findAllocationSites(sampler, () => undefined)).toEqual([]);
  expect(() =>
    findAllocationSites(sampler, () => {
      throw new RangeError('of the work');
    }),
  ).toThrow('of the work');
  expect(sampler.isSampling).toBe(false);
});
