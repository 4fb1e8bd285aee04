import { afterEach, describe, expect, it } from 'vitest';
import { type ProbeSimulation, startProbe, TIERS, until } from './tier.ts';

describe.each(TIERS)('the profile over the %s tier', (tier) => {
  let sim: ProbeSimulation | undefined;
  afterEach(async () => {
    await sim?.stop();
    sim = undefined;
  });

  it('tells of ticks, frames and systems, and keeps the budgets it is given', async () => {
    sim = await startProbe(tier);
    const running = sim;
    await until('ten ticks ran', () => running.tick >= 10);
    const budgets = { systems: [{ name: 'nobody', budgetMs: 1 }], tickMeanMs: 1e-9 };
    const { ticks, frames, frameRecords, systems, verdict } = await running.profile({ budgets });
    expect(ticks.count).toBeGreaterThanOrEqual(10);
    expect(ticks.meanMs).toBeGreaterThan(0);
    expect(ticks.verdict).toBe('FAIL');
    expect(frames.count).toBeGreaterThan(0);
    expect(frameRecords.at(-1)?.ticks).toBeGreaterThan(0);
    expect(frameRecords.at(-1)?.simAllocs).toBeNaN();
    const verdicts = systems.map(({ name, verdict: own }) => [name, own]);
    expect(verdicts[0]).toEqual(['move', 'NO_BUDGET']);
    expect(verdicts.at(-1)).toEqual(['nobody', 'NO_ENTRY']);
    expect(systems[0]?.runs).toBeGreaterThanOrEqual(10);
    expect(verdict).toBe('FAIL');
  });

  it('starts off if told to, is switched on and off, and a restart keeps that', async () => {
    sim = await startProbe(tier, { profile: false });
    const running = sim;
    await until('three ticks ran', () => running.tick >= 3);
    const off = await running.profile();
    expect([off.enabled, off.ticks.count, off.frames.count]).toEqual([false, 0, 0]);
    expect((await running.profile({ enabled: true })).enabled).toBe(true);
    const from = running.tick;
    await until('three more ticks ran', () => running.tick >= from + 3);
    const on = await running.profile({ enabled: false });
    expect(on.ticks.count).toBeGreaterThan(0);
    const { total } = (await running.profile()).ticks;
    const later = running.tick;
    await until('three ticks ran unseen', () => running.tick >= later + 3);
    expect((await running.profile()).ticks.total).toBe(total);
    await running.restart();
    expect((await running.profile()).enabled).toBe(false);
  });

  it('watches over systems in development', async () => {
    sim = await startProbe(tier, { development: true });
    const running = sim;
    await until('five ticks ran', () => running.tick >= 5);
    const { frameRecords, verdict } = await running.profile();
    expect([frameRecords.at(-1)?.simAllocs, verdict]).toEqual([0, 'PASS']);
  });
});
