import { describe, expect, test } from 'vitest';
import { defineSimulation, type HeadlessOutcome, openHeadless, scalar } from 'escapement/sim';
import { createLog, type LogRecord } from '../../src/shared/log.ts';

const BODIES = 100;
/** More than a guard takes to be sure. */
const TICKS = 12_000;
/** It takes longer where the engine changes the code under it; the run ends once it has spoken. */
const TICKS_MAX = 300_000;

interface DevelopmentRun {
  readonly outcome: HeadlessOutcome;
  readonly lines: readonly LogRecord[];
  readonly verdict: string;
  readonly simAllocs: number;
}

/** Runs a system in development, as fast as it goes. */
async function develop(work: (value: Float32Array) => void, maxTicks: number) {
  const definition = defineSimulation({
    tickRateHz: 60,
    // Roomy: no guardrail is to speak of a full world.
    capacity: 10 * BODIES,
    components: { value: scalar() },
    publish: [],
    setup: ({ world }) => {
      for (let i = 0; i < BODIES; i++) world.spawn({ value: i });
    },
    systems: [
      { name: 'idle', run: () => undefined },
      {
        name: 'suspect',
        writes: ['value'],
        run: ({ columns: { value } }) => work(value),
      },
    ],
  });
  const lines: LogRecord[] = [];
  const log = createLog({ nowMs: () => 0, sink: (line) => void lines.push(line) });
  let ticksSince = 0;
  const headless = await openHeadless(definition, {
    maxTicks,
    pacing: 'fast',
    development: true,
    log,
    onTick: () => {
      if (lines.some(({ subsystem }) => subsystem === 'alloc')) ticksSince++;
      if (ticksSince > 10) headless.stop();
    },
  });
  const outcome = await headless.run();
  const { frames, verdict } = headless.profile();
  const run: DevelopmentRun = { outcome, lines, verdict, simAllocs: frames.simAllocsLast };
  return run;
}

describe('a run in development', () => {
  test.for([
    ['Math.random', () => Math.random()],
    ['Math.sin', () => Math.sin(1)],
    ['Date.now', () => Date.now()],
    ['performance.now', () => performance.now()],
  ] as const)('fails at the first %s, naming the system', async ([name, call]) => {
    const { outcome } = await develop((value) => {
      value[0] = call();
    }, 3);
    expect([outcome.tick, outcome.status]).toEqual([0, 'failed']);
    const cause = outcome.error?.cause as { code: string; message: string };
    expect(cause.code).toBe('AMBIENT_FORBIDDEN');
    expect(cause.message).toContain(name);
    expect(cause.message).toContain('suspect');
    // The trap is open again, whatever the system did.
    expect(call()).toBeGreaterThanOrEqual(0);
  });

  test('names a system that allocates tick after tick, and its report fails', async () => {
    const kept: unknown[] = [];
    const leak = (value: Float32Array): void => {
      for (let i = 0; i < BODIES; i++) kept[i] = { was: value[i], index: i };
      value[0] = (value[0] as number) + 1;
    };
    const { outcome, lines, verdict, simAllocs } = await develop(leak, TICKS_MAX);
    expect(outcome.status).toBe('stopped');
    const told = lines.filter(({ subsystem }) => subsystem === 'alloc');
    expect(told.map(({ event, severity }) => [event, severity])).toEqual([
      ['sim_tick_allocation', 'error'],
    ]);
    expect(told[0]?.fields).toMatchObject({ system: 'suspect' });
    // The engine may inline `leak` into the system's own function.
    expect(told[0]?.fields['site']).toMatch(/^(leak|run) .*development\.test\.ts:\d+:\d+$/);
    expect(told[0]?.fields['bytes']).toBeGreaterThan(BODIES * 16);
    expect([verdict, simAllocs]).toEqual(['FAIL', 1]);
  });

  test('lets a system pass that keeps the rules', async () => {
    const { outcome, lines, verdict } = await develop((value) => {
      for (let i = 0; i < BODIES; i++) value[i] = Math.fround((value[i] as number) * 0.5 + 1);
    }, TICKS);
    expect([outcome.status, outcome.tick, lines, verdict]).toEqual(['done', TICKS, [], 'PASS']);
  });
});
