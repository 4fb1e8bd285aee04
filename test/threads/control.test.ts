import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ClockControl, openControl } from 'escapement';
import { openView } from 'escapement/render';
import { describe, expect, it } from 'vitest';
import { builtModule } from './built-worker.ts';
import { startProbe, TIERS, until } from './tier.ts';
import type { ControllerReport, ToController } from './workers/controller.ts';

async function ask(worker: Worker, message: ToController): Promise<ControllerReport> {
  worker.postMessage(message);
  const [report] = (await once(worker, 'message')) as [ControllerReport];
  return report;
}

const STANDING = { paused: true } as const;

describe.each(TIERS)('the clock of a simulation over the %s tier', (tier) => {
  it('tells what each advance ran, and runs nothing else when the host drives', async () => {
    await using sim = await startProbe(tier, { drivenBy: 'host', fixedDt: 0.01 });
    const { clock } = sim;
    expect(await clock.advance(0.055)).toMatchObject({ firstTick: 0, steps: 5, dropped: 0 });
    expect((await clock.advance(0.005)).steps).toBe(1);
    expect(await clock.advance(1)).toMatchObject({ firstTick: 6, steps: 8, dropped: 92 });
    expect(await clock.advanceTicks(20)).toMatchObject({ firstTick: 14, steps: 20, dropped: 0 });
    expect(await clock.stepOnce()).toMatchObject({ firstTick: 34, steps: 1 });
    expect(clock.status()).toMatchObject({ tick: 35, epoch: 1, dropped: 92, running: false });
    expect(clock.status().time).toBe(0.35);
    expect(await sim.queries.tick()).toBe(35);
  });

  it('obeys every mode', async () => {
    await using sim = await startProbe(tier, { drivenBy: 'host', tickRateHz: 100 });
    const { clock } = sim;
    await clock.setMode('lockstep');
    await clock.setLockstepSteps(3);
    expect((await clock.advance(0)).steps).toBe(3);
    expect((await clock.advance(10)).steps).toBe(3);
    expect(clock.status()).toMatchObject({ mode: 'lockstep', lockstepSteps: 3, alpha: 0 });
    for (const mode of ['paused', 'stepping', 'replay'] as const) {
      await clock.setMode(mode);
      expect((await clock.advance(1)).steps).toBe(0);
      expect((await clock.stepOnce()).steps).toBe(1);
      expect(clock.status().mode).toBe(mode);
    }
    await clock.resume();
    await clock.setCap(4);
    expect(await clock.advance(0.1)).toMatchObject({ steps: 4, dropped: 6 });
    await clock.setSpeed(2);
    await clock.setCap(4, true);
    expect(await clock.advance(0.05)).toMatchObject({ steps: 8, dropped: 2 });
  });

  it('goes to a tick and begins again, with the world as it is', async () => {
    await using sim = await startProbe(tier, { drivenBy: 'host' });
    const { clock } = sim;
    await clock.advanceTicks(10);
    await clock.seekTick(1000);
    expect(clock.status()).toMatchObject({ tick: 1000, epoch: 2, alpha: 0 });
    using view = openView(sim.share());
    const sought = view.frame();
    expect([sought.tick, sought.alpha]).toEqual([1000, 0]);
    sought.release();
    expect(await clock.stepOnce()).toMatchObject({ firstTick: 1000, steps: 1 });
    await clock.configure({ fixedDt: 0.05, speed: 0.5, maxTicksPerAdvance: 2 });
    expect(clock.status()).toMatchObject({ tick: 0, epoch: 3, fixedDt: 0.05, speed: 0.5 });
    expect(await clock.advance(1)).toMatchObject({ firstTick: 0, steps: 2, dropped: 8 });
    expect(await sim.queries.tick()).toBe(13);
  });

  it('refuses what is out of range, says why, and changes nothing', async () => {
    await using sim = await startProbe(tier, STANDING);
    const { clock } = sim;
    const before = clock.status();
    const refused: [() => Promise<unknown>, string][] = [
      [() => clock.setSpeed(-1), 'VALUE_INVALID'],
      [() => clock.setSpeed(5000), 'COMMAND_REFUSED'],
      [() => clock.advance(-0.1), 'VALUE_INVALID'],
      [() => clock.advanceTicks(0), 'VALUE_INVALID'],
      [() => clock.seekTick(0.5), 'VALUE_INVALID'],
      // One command's quanta have to fit behind it.
      [() => clock.seekTick(Number.MAX_SAFE_INTEGER), 'VALUE_INVALID'],
      [() => clock.setLockstepSteps(1_000_001), 'OPTION_INVALID'],
      [() => clock.setCap(1_000_001), 'OPTION_INVALID'],
      [() => clock.configure({ lockstepSteps: 1_000_001 }), 'OPTION_INVALID'],
      [() => clock.setLockstepSteps(0), 'OPTION_INVALID'],
      [() => clock.setCap(0), 'OPTION_INVALID'],
      [() => clock.setMode('warp' as never), 'OPTION_INVALID'],
      [() => clock.configure({ fixedDt: 100 }), 'OPTION_INVALID'],
      [() => clock.configure({ fixedDt: 0.01, tickRateHz: 100 }), 'OPTION_INVALID'],
      [() => clock.configure({ speed: 5000 }), 'COMMAND_REFUSED'],
    ];
    for (const [call, code] of refused) await expect(call()).rejects.toMatchObject({ code });
    expect(clock.status()).toEqual(before);
  });

  it('answers a command when its effect can be seen, and tells alpha in the quantum', async () => {
    await using sim = await startProbe(tier, { tickRateHz: 200 });
    for (let i = 1; i <= 5; i++) {
      // Publications pile up meanwhile: over the transfer tier no buffer is at home then.
      const end = performance.now() + 15;
      while (performance.now() < end);
      await sim.clock.seekTick(5000 * i);
      expect(sim.tick).toBeGreaterThanOrEqual(5000 * i);
      expect(sim.clock.status().epoch).toBe(1 + i);
    }
    await sim.clock.configure({ fixedDt: 10 });
    await until('some of the quantum is gone', () => performance.now() > 0);
    const { alpha } = await sim.clock.stepOnce();
    expect(alpha).toBeGreaterThan(0);
    expect(alpha).toBeLessThan(0.5);
  });

  it('gives a step the inputs that were sent before it, also while another runs', async () => {
    await using sim = await startProbe(tier, { drivenBy: 'host' });
    for (let i = 0; i < 20; i++) {
      const long = sim.clock.advanceTicks(300);
      sim.inputs.click({ n: i });
      const { firstTick } = await sim.clock.stepOnce();
      await long;
      const seen: number[] = [];
      await until('the click was told', () => {
        sim.events.drain((event) => {
          if (event.type === 'clicked') seen.push(event.tick);
        });
        return seen.length > 0;
      });
      expect(seen[0]).toBeLessThanOrEqual(firstTick + 1);
    }
  });

  it('keeps its last word after the end', async () => {
    const sim = await startProbe(tier, { drivenBy: 'host' });
    await sim.clock.advanceTicks(3);
    await sim.stop();
    expect(sim.clock.status().tick).toBe(3);
    await expect(sim.clock.stepOnce()).rejects.toMatchObject({ code: 'STOPPED' });
  });

  it('ends with the cause when it cannot be started again', async () => {
    const sim = await startProbe(tier, STANDING);
    const restarting = sim.restart({ params: { failInSetup: true } });
    await expect(restarting).rejects.toMatchObject({ code: 'SIMULATION_FAILED' });
    await expect(sim.clock.pause()).rejects.toMatchObject({ code: 'SIMULATION_FAILED' });
    expect((await sim.ended)?.code).toBe('SIMULATION_FAILED');
    expect(sim.state).toBe('failed');
  });

  it('goes on when a restart is refused before anything was ended', async () => {
    await using sim = await startProbe(tier, STANDING);
    const refused = sim.restart({ params: { nothing: 1 } as never });
    await expect(refused).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
    expect((await sim.clock.stepOnce()).firstTick).toBe(0);
  });

  it('is not taken for late when it is commanded between two ticks', async () => {
    await using sim = await startProbe(tier, { tickRateHz: 20 });
    for (let i = 0; i < 5; i++) {
      await sim.waitForTickChange(sim.tick);
      const end = performance.now() + 30;
      await until('most of the tick is gone', () => performance.now() > end);
      await sim.clock.setCap(8);
    }
    await sim.waitForTickChange(sim.tick);
    expect(sim.stats().delayP99).toBeLessThan(25);
  });

  it('goes on by readings after an advance by a delta', async () => {
    await using sim = await startProbe(tier);
    await sim.clock.advance(0.02);
    expect(sim.clock.status().running).toBe(true);
    const { tick } = sim;
    await until('ticks came by readings', () => sim.tick > tick + 3);
  });
});

describe('a control on another thread', () => {
  it('takes turns with the host: no step is lost, none is run twice', async () => {
    await using sim = await startProbe('shared', { drivenBy: 'host' });
    const worker = new Worker(builtModule('controller'));
    expect(await ask(worker, { handle: sim.share() as never })).toEqual({ advances: [] });
    const remote = ask(worker, { steps: 2, times: 200 });
    const own: Awaited<ReturnType<ClockControl['stepOnce']>>[] = [];
    for (let i = 0; i < 200; i++) own.push(await sim.clock.stepOnce());
    const { advances } = await remote;
    const all = [...own, ...advances].sort((a, b) => a.firstTick - b.firstTick);
    let tick = 0;
    for (const { firstTick, steps } of all) {
      expect(firstTick).toBe(tick);
      tick += steps;
    }
    expect([tick, sim.tick]).toEqual([600, 600]);
    worker.postMessage('close');
    await once(worker, 'exit');
  });

  it('is refused when all are taken, and had again when one is closed', async () => {
    await using sim = await startProbe('shared', { ...STANDING, maxControls: 2 });
    const first = openControl(sim.share());
    const second = openControl(sim.share());
    expect(() => openControl(sim.share())).toThrow(
      expect.objectContaining({ code: 'CONTROLS_EXHAUSTED' }),
    );
    first.close();
    first.close();
    const third = openControl(sim.share());
    expect((await third.stepOnce()).firstTick).toBe(0);
    expect((await second.stepOnce()).firstTick).toBe(1);
    await expect(first.stepOnce()).rejects.toMatchObject({ code: 'STATE_INVALID' });
    expect(() => openControl({} as never)).toThrow(
      expect.objectContaining({ code: 'VALUE_INVALID' }),
    );
  });

  it('is had again when it was closed with a command under way', async () => {
    await using sim = await startProbe('shared', { ...STANDING, maxControls: 1 });
    for (let i = 0; i < 20; i++) {
      const control = openControl(sim.share());
      const step = control.stepOnce();
      control.close();
      // The simulation may have been faster than the next line.
      const [ended] = await Promise.allSettled([step]);
      const code = ended?.status === 'rejected' ? (ended.reason as { code: string }).code : 'done';
      expect(['done', 'STATE_INVALID']).toContain(code);
      await until('it is free again', () => {
        try {
          openControl(sim.share()).close();
          return true;
        } catch {
          return false;
        }
      });
    }
  });

  it('finds the newest run on a handle that a restart has overtaken', async () => {
    await using sim = await startProbe('shared', STANDING);
    const old = sim.share() as never;
    await sim.restart(STANDING);
    const worker = new Worker(builtModule('controller'));
    expect(await ask(worker, { handle: old })).toEqual({ advances: [] });
    for (;;) {
      const { advances, error } = await ask(worker, { steps: 3, times: 1 });
      if (error === undefined) {
        expect(advances).toMatchObject([{ firstTick: 0, steps: 3 }]);
        break;
      }
      expect(error).toBe('STOPPED');
    }
    worker.postMessage('close');
    await once(worker, 'exit');
  });

  it('moves over to the next run', async () => {
    await using sim = await startProbe('shared', STANDING);
    const control = openControl(sim.share());
    await control.advanceTicks(7);
    await sim.restart(STANDING);
    expect((await control.stepOnce()).firstTick).toBe(0);
    expect([control.status().tick, sim.tick]).toEqual([1, 1]);
  });

  it('rejects with what ended the simulation', async () => {
    const sim = await startProbe('shared', { ...STANDING, params: { failAt: 3 } });
    const control = openControl(sim.share());
    await control.advanceTicks(2);
    const failed = { code: 'SIMULATION_FAILED' };
    await expect(control.advanceTicks(5)).rejects.toMatchObject(failed);
    await sim.ended;
    await expect(control.stepOnce()).rejects.toMatchObject(failed);
    expect(control.status().tick).toBe(2);
    await sim.stop();
  });
});
