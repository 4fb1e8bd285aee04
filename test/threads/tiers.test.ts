import type { SimulationEvent } from 'escapement';
import { openView } from 'escapement/render';
import type { Entity } from 'escapement/sim';
import { afterEach, describe, expect, it } from 'vitest';
import { type ProbeSimulation, type ProbeTypes, startProbe, TIERS, until } from './tier.ts';

type ProbeEvent = SimulationEvent<ProbeTypes>;

describe.each(TIERS)('over the %s tier', (tier) => {
  let sim: ProbeSimulation;
  afterEach(() => sim.stop());

  it('says which tier it is and why', async () => {
    sim = await startProbe(tier);
    expect(sim.capabilities.tier).toBe(tier);
    expect(sim.capabilities.reason.length).toBeGreaterThan(20);
  });

  it('runs by itself and reports its figures', async () => {
    sim = await startProbe(tier);
    await until('tick 45', () => sim.tick >= 45);
    const stats = sim.stats();
    expect(stats.state).toBe('running');
    expect(stats.entityCount).toBe(10);
    expect(stats.tickRateHz).toBe(60);
    expect(stats.worldTime).toBeCloseTo(stats.tick / 60, 9);
    expect(stats.realizedSpeed).toBeGreaterThan(0.8);
    expect(stats.tickTimeP50).toBeGreaterThan(0);
  });

  it('freezes tick, alpha and picture bitwise while paused, and goes on from there', async () => {
    sim = await startProbe(tier);
    const view = openView(sim.share());
    await until('tick 3', () => sim.tick >= 3);
    await sim.clock.pause();
    const seen = new Set<string>();
    for (let i = 0; i < 100; i++) {
      const frame = view.frame();
      seen.add(`${frame.tick} ${frame.alpha} ${frame.blend('position').join(' ')}`);
      frame.release();
    }
    expect([...seen]).toHaveLength(1);
    const frozen = view.frame();
    const before = frozen.pairTick + frozen.alpha;
    frozen.release();
    await sim.clock.resume();
    const resumed = view.frame();
    const after = resumed.pairTick + resumed.alpha;
    resumed.release();
    expect(after).toBeGreaterThanOrEqual(before);
    expect(after - before).toBeLessThan(8);
    view.close();
  });

  it('runs exactly the steps asked for while paused', async () => {
    sim = await startProbe(tier, { paused: true });
    expect(sim.tick).toBe(0);
    await sim.clock.stepOnce();
    expect(sim.tick).toBe(1);
    await Promise.all([sim.clock.stepOnce(), sim.clock.stepOnce()]);
    expect(sim.tick).toBe(3);
    await sim.clock.advanceTicks(100);
    expect(sim.tick).toBe(103);
    expect(await sim.queries.tick()).toBe(103);
  });

  it('refuses speeds that are none and keeps the old one', async () => {
    sim = await startProbe(tier);
    await sim.clock.setSpeed(0.5);
    await expect(sim.clock.setSpeed(-1)).rejects.toMatchObject({ code: 'VALUE_INVALID' });
    await expect(sim.clock.setSpeed(Number.NaN)).rejects.toMatchObject({ code: 'VALUE_INVALID' });
    await expect(sim.clock.setSpeed(1e9)).rejects.toMatchObject({ code: 'COMMAND_REFUSED' });
    expect(sim.stats().speed).toBe(0.5);
  });

  it('hands each event over exactly once and in order', async () => {
    sim = await startProbe(tier);
    const got: number[] = [];
    const take = (event: ProbeEvent): void => {
      if (event.type === 'clicked') got.push(event.n);
    };
    for (let n = 0; n < 500; n++) {
      while (!sim.inputs.click({ n })) await until('room', () => sim.tick >= 0);
      if (n % 50 === 0) await sim.waitForTickChange(sim.tick, 1000);
      sim.events.drain(take);
    }
    await until('all 500 came back', () => {
      sim.events.drain(take);
      return got.length >= 500;
    });
    expect(got).toEqual(Array.from({ length: 500 }, (_, n) => n));
    expect(sim.events.drain(take)).toBe(0);
  });

  it('keeps the last state input and every event input while paused', async () => {
    sim = await startProbe(tier, { paused: true });
    for (let n = 1; n <= 3; n++) {
      sim.inputs.pointer({ x: n, y: n / 3, down: true });
      sim.inputs.click({ n });
    }
    await sim.clock.advanceTicks(2);
    const events: ProbeEvent[] = [];
    sim.events.drain((event) => events.push(event));
    expect(events.filter((e) => e.type === 'clicked').map((e) => [e.tick, e.n])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
    expect(events.filter((e) => e.type === 'pointed')).toEqual([
      { type: 'pointed', tick: 1, x: 3, y: 1, down: true },
      { type: 'pointed', tick: 2, x: 3, y: 1, down: true },
    ]);
  });

  it('refuses inputs that are not whole', async () => {
    sim = await startProbe(tier, { paused: true });
    const send = sim.inputs.click as (values: unknown) => boolean;
    expect(() => send({})).toThrow(/Field "n" of input "click".*undefined.*finite number/);
    expect(() => send({ n: Number.NaN })).toThrow(/NaN/);
    expect(() => send({ n: '3' })).toThrow(/"3"/);
  });

  it('answers queries between ticks, with errors that keep their code', async () => {
    sim = await startProbe(tier);
    expect(await sim.queries.sum(2, 3)).toBe(5);
    await expect(sim.queries.fail()).rejects.toThrow(/the query failed/);
    const unknown = sim.queries as unknown as Record<string, () => Promise<unknown>>;
    await expect(unknown['nonsense']?.()).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
    expect(sim.state).toBe('running');
  });

  it('restarts into a new region, and views move over', async () => {
    sim = await startProbe(tier);
    const view = openView(sim.share());
    await until('tick 2', () => sim.tick >= 2);
    view.frame().release();
    await sim.restart({ params: { population: 4 }, tickRateHz: 30, paused: true });
    const frame = view.frame();
    expect(frame.tick).toBe(0);
    expect(frame.count).toBe(4);
    expect(frame.left).toHaveLength(10);
    expect(frame.entered).toHaveLength(4);
    frame.release();
    expect(sim.stats().tickRateHz).toBe(30);
    view.close();
  });

  it('ends every promise and waiter with the cause when a system throws', async () => {
    sim = await startProbe(tier, { params: { failAt: 5 } });
    const began = performance.now();
    const never = sim.queries.never().catch((error: unknown) => error);
    const wait = sim.waitForTickChange(1e9, 5000);
    const cause = await sim.ended;
    expect(cause).toMatchObject({ code: 'SIMULATION_FAILED' });
    expect(cause?.message).toMatch(/system "trouble" threw in tick 5.*failed on purpose/);
    expect(await never).toBe(cause);
    expect(['changed', 'failed']).toContain((await wait).reason);
    expect(performance.now() - began).toBeLessThan(1000);
    expect(sim.state).toBe('failed');
    await expect(sim.clock.pause()).rejects.toBe(cause);
    const view = openView(sim.share());
    expect(view.frame().status).toBe('failed');
    view.close();
  });

  it('rejects the start when setup throws', async () => {
    sim = await startProbe(tier);
    await expect(startProbe(tier, { params: { failInSetup: true } })).rejects.toMatchObject({
      code: 'SIMULATION_FAILED',
    });
  });

  it('stops once and for all, and rejects what waits', async () => {
    sim = await startProbe(tier);
    const pending = Array.from({ length: 100 }, () =>
      sim.queries.never().catch((error: { code: string }) => error.code),
    );
    const wait = sim.waitForTickChange(1e9);
    const stops = [sim.stop(), sim.stop()];
    await Promise.all(stops);
    await sim.stop();
    expect(new Set(await Promise.all(pending))).toEqual(new Set(['STOPPED']));
    expect(['changed', 'stopped']).toContain((await wait).reason);
    expect(await sim.ended).toBeUndefined();
    await expect(sim.clock.resume()).rejects.toMatchObject({ code: 'STOPPED' });
    expect(() => sim.inputs.click({ n: 1 })).toThrow(/STOPPED/);
  });

  it('says of each sampled entity what became of it', async () => {
    sim = await startProbe(tier, { paused: true });
    const view = openView(sim.share());
    const out = [Number.NaN, Number.NaN];
    const newcomer = (await sim.queries.spawn(500, -20)) as Entity;
    const early = view.frame();
    expect(early.sample(newcomer, 'position', out)).toBe('not-published');
    expect(out[0]).toBeNaN();
    early.release();
    await sim.clock.stepOnce();
    const first = view.frame();
    expect(first.sample(newcomer, 'position', out)).toBe('snapped');
    expect(out).toEqual([500, -20]);
    expect(first.sample(newcomer, 'rare', out)).toBe('no-component');
    expect([...first.entered]).toContain(newcomer);
    first.release();
    await sim.clock.stepOnce();
    const second = view.frame();
    expect(second.sample(newcomer, 'position', out)).toBe('ok');
    second.release();
    await sim.queries.despawn(newcomer);
    const successor = (await sim.queries.spawn(50, 0)) as Entity;
    await sim.clock.stepOnce();
    const third = view.frame();
    expect(third.sample(newcomer, 'position', out)).toBe('stale');
    expect(third.sample(successor, 'position', out)).toBe('snapped');
    expect(out).toEqual([50, 0]);
    expect([...third.left]).toEqual([newcomer]);
    expect([...third.entered]).toEqual([successor]);
    third.release();
    view.close();
  });

  it('carries a teleport over skipped frames', async () => {
    sim = await startProbe(tier, { paused: true });
    const view = openView(sim.share());
    const body = (await sim.queries.spawn(0, 0)) as Entity;
    await sim.clock.advanceTicks(2);
    await sim.queries.teleport(body, 900, 900);
    await sim.clock.stepOnce();
    const frame = view.frame();
    const out = [0, 0];
    expect(frame.sample(body, 'position', out)).toBe('snapped');
    expect(out).toEqual([900, 900]);
    const row = [...frame.entities].indexOf(body);
    expect([...frame.blend('position').subarray(2 * row, 2 * row + 2)]).toEqual([900, 900]);
    frame.release();
    view.close();
  });

  it('keeps one open frame a view and a declared number of views', async () => {
    sim = await startProbe(tier, { maxViews: 2 });
    const view = openView(sim.share());
    const frame = view.frame();
    expect(() => view.frame()).toThrow(/FRAME_OPEN/);
    frame.release();
    expect(() => frame.blend('position')).toThrow(/FRAME_RELEASED/);
    const second = openView(sim.share());
    expect(() => openView(sim.share())).toThrow(/READERS_EXHAUSTED.*maxViews/);
    second.close();
    second.close();
    const third = openView(sim.share());
    third.close();
    view.close();
    expect(() => view.frame()).toThrow(/closed/);
  });

  it('gives NaN to those without a component, in whole columns', async () => {
    sim = await startProbe(tier, { paused: true });
    const view = openView(sim.share());
    const body = (await sim.queries.spawn(7, 7)) as Entity;
    await sim.queries.setRare(body, 0.5);
    await sim.clock.advanceTicks(3);
    const frame = view.frame();
    const rare = frame.blend('rare');
    const row = [...frame.entities].indexOf(body);
    expect(rare[row]).toBe(0.5);
    expect([...rare].filter((value) => !Number.isNaN(value))).toEqual([0.5]);
    const wide = new Float32Array(frame.count * 4).fill(-1);
    expect(frame.sampleInto('position', wide, { stride: 4, offset: 1 })).toBe(frame.count);
    expect([...wide.subarray(4 * row, 4 * row + 4)]).toEqual([-1, 7, 7, -1]);
    expect(() => frame.sampleInto('position', new Float32Array(3))).toThrow(/does not hold all/);
    frame.release();
    view.close();
  });
});
