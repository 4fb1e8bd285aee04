import { Worker } from 'node:worker_threads';
import { type StartOptions, startSimulation } from 'escapement';
import { openView } from 'escapement/render';
import { inline } from 'escapement/sim';
import { describe, expect, it } from 'vitest';
import { builtModule } from './built-worker.ts';
import { type ProbeSimulation, type ProbeTypes, startProbe, until } from './tier.ts';
import type { Probe } from './workers/probe.sim.ts';

/*
 * A simulation that follows the clock of another one, each in a worker of its own or both here: its
 * tick n is the other's tick n x 6.
 */

const K = 6;

type Place = 'shared' | 'calling-thread';

async function startPair(
  place: Place,
  lead: StartOptions<ProbeTypes> = {},
): Promise<[ProbeSimulation, ProbeSimulation]> {
  const leader = await startProbe(place, { drivenBy: 'host', tickRateHz: 60, ...lead });
  const led = await startProbe(place, { follow: leader.share(), tickRateHz: 10 });
  return [leader, led];
}

async function caughtUp(leader: ProbeSimulation): Promise<void> {
  expect(await leader.waitCaughtUp()).toMatchObject({ reason: 'caught-up' });
}

describe.each(['shared', 'calling-thread'] as const)('a simulation that is led, %s', (place) => {
  it('runs a tick for every six of its leader, however they come', async () => {
    const [leader, led] = await startPair(place);
    let total = 0;
    for (const ticks of [1, 5, 6, 30, 3, 4, 100, 1]) {
      await leader.clock.advanceTicks(ticks);
      total += ticks;
      await caughtUp(leader);
      expect([leader.tick, led.tick]).toEqual([total, Math.floor(total / K)]);
      expect(await led.queries.tick()).toBe(Math.floor(total / K));
    }
    expect(led.clock.status().time).toBe(led.tick / 10);
    await led.stop();
    await leader.stop();
  });

  it('stands where its leader stands: alpha, mode and speed are the leader’s', async () => {
    const [leader, led] = await startPair(place);
    await leader.clock.setSpeed(0.5);
    await leader.clock.advance(0.29);
    await caughtUp(leader);
    const { alpha } = leader.clock.status();
    expect([leader.tick, led.tick]).toEqual([8, 1]);
    await until('the record is there', () => led.clock.status().alpha > 0.4);
    expect(led.clock.status()).toMatchObject({ mode: 'live', speed: 0.5, running: false });
    expect(led.clock.status().alpha).toBeCloseTo((2 + alpha) / K, 12);
    using view = openView(led.share());
    const frame = view.frame();
    expect(frame.alpha).toBeCloseTo((2 + alpha) / K, 12);
    frame.release();
    await leader.clock.pause();
    await until('the pause is there', () => led.clock.status().mode === 'paused');
    await led.stop();
    await leader.stop();
  });

  it('survives a seek, a configure and a restart of its leader', async () => {
    const [leader, led] = await startPair(place);
    await leader.clock.advanceTicks(13);
    await caughtUp(leader);
    await leader.clock.seekTick(600);
    await leader.clock.advanceTicks(12);
    await caughtUp(leader);
    expect(led.tick).toBe(102);
    expect(await led.queries.tick()).toBe(2 + 2);
    await leader.clock.configure({ tickRateHz: 30 });
    await leader.clock.advanceTicks(9);
    await caughtUp(leader);
    expect([led.tick, await led.queries.tick()]).toEqual([3, 7]);
    await leader.restart({ tickRateHz: 60 });
    await until('it has moved over', () => led.clock.status().tick === 0);
    await leader.clock.advanceTicks(12);
    await caughtUp(leader);
    expect([led.tick, await led.queries.tick()]).toEqual([2, 9]);
    await led.stop();
    await leader.stop();
  });

  it('takes no commands of its own, and says whom to command', async () => {
    const [leader, led] = await startPair(place);
    const refused = {
      code: 'COMMAND_REFUSED',
      message: expect.stringContaining('follows') as string,
    };
    await expect(led.clock.pause()).rejects.toMatchObject(refused);
    await expect(led.clock.stepOnce()).rejects.toMatchObject(refused);
    await expect(led.clock.seekTick(3)).rejects.toMatchObject(refused);
    expect(led.tick).toBe(0);
    await led.stop();
    await leader.stop();
  });

  it('has the trajectory of its own ticks, whoever paces them', async () => {
    const [leader, led] = await startPair(place);
    const alone = await startProbe('calling-thread', { drivenBy: 'host', tickRateHz: 10 });
    await alone.clock.advanceTicks(50);
    for (let i = 0; i < 10; i++) await leader.clock.advanceTicks(30);
    await caughtUp(leader);
    expect(await led.stateHash()).toEqual(await alone.stateHash());
    await Promise.all([led.stop(), leader.stop(), alone.stop()]);
  });

  it('joins in mid-run at the leader’s tick, and owes nothing from before', async () => {
    const leader = await startProbe(place, { drivenBy: 'host' });
    await leader.clock.advanceTicks(100);
    const led = await startProbe(place, { follow: leader.share(), tickRateHz: 10 });
    expect([led.tick, await led.queries.tick()]).toEqual([16, 0]);
    await leader.clock.advanceTicks(2);
    await caughtUp(leader);
    expect([led.tick, await led.queries.tick()]).toEqual([17, 1]);
    await led.stop();
    expect(await leader.waitCaughtUp()).toMatchObject({ reason: 'caught-up' });
    await leader.stop();
  });
});

describe('a leader that runs by its own clock', () => {
  it('takes its follower along, and readers of both blend at one time', async () => {
    const [leader, led] = await startPair('shared', { drivenBy: 'clock' });
    const first = openView(leader.share(), { slackMs: 0 });
    const second = openView(led.share(), { slackMs: 0 });
    await until('both run', () => led.tick > 2 && led.clock.status().running);
    let worst = 0;
    let compared = 0;
    for (let i = 0; i < 50; i++) {
      await leader.waitForTickChange(leader.tick);
      const a = first.frame();
      const b = second.frame();
      // A tick that is due and not there clamps: only unclamped frames tell.
      if (a.alpha > 0 && a.alpha < 1 && b.alpha > 0 && b.alpha < 1) {
        const theirs = (a.pairTick + a.alpha) / 60;
        const ours = (b.pairTick + b.alpha) / 10;
        worst = Math.max(worst, Math.abs(theirs - ours));
        compared++;
      }
      a.release();
      b.release();
    }
    expect(compared).toBeGreaterThan(0);
    expect(worst).toBeLessThan(0.02);
    first.close();
    second.close();
    await led.stop();
    await leader.stop();
  });
});

describe('the end of a led simulation', () => {
  it('leaves no follower behind, however it came', async () => {
    await using leader = await startProbe('shared', { drivenBy: 'host', maxFollowers: 1 });
    const follow = leader.share();
    const never = startProbe('shared', { follow, tickRateHz: 10, speed: 5000 });
    await expect(never).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    const dying = await startProbe('shared', { follow, tickRateHz: 10, params: { exitAt: 1 } });
    await leader.clock.advanceTicks(6);
    await dying.ended;
    const stuck = await startProbe('shared', { follow, tickRateHz: 10 });
    await stuck.stop({ timeoutMs: 1000 });
    await leader.clock.advanceTicks(60);
    expect(await leader.waitCaughtUp()).toMatchObject({ reason: 'caught-up' });
  });

  it('is not that of its leader: it stands then', async () => {
    const [leader, led] = await startPair('shared', { drivenBy: 'clock' });
    await until('it runs', () => led.clock.status().running);
    await leader.stop();
    await until('it stands', () => !led.clock.status().running);
    expect(led.state).toBe('running');
    await led.stop();
  });

  it('is led although it was told that its host drives', async () => {
    await using leader = await startProbe('shared', { drivenBy: 'host' });
    const options = { follow: leader.share(), tickRateHz: 10, drivenBy: 'host' } as const;
    await using led = await startProbe('shared', options);
    await leader.clock.advanceTicks(12);
    await caughtUp(leader);
    expect(led.tick).toBe(2);
  });
});

describe('what cannot be followed', () => {
  it('is refused at the start, and nothing is left', async () => {
    await using leader = await startProbe('shared', { drivenBy: 'host', maxFollowers: 1 });
    const follow = leader.share();
    const uneven = startProbe('shared', { follow, tickRateHz: 25 });
    await expect(uneven).rejects.toMatchObject({ code: 'VALUE_INVALID' });
    await expect(startProbe('shared', { follow: {} as never })).rejects.toMatchObject({
      code: 'VALUE_INVALID',
    });
    await using led = await startProbe('shared', { follow, tickRateHz: 10 });
    const second = startProbe('shared', { follow, tickRateHz: 10 });
    await expect(second).rejects.toMatchObject({ code: 'FOLLOWERS_EXHAUSTED' });
    expect(led.state).toBe('running');
  });

  it('is memory that another thread does not see', async () => {
    const module = (await import(builtModule('probe.sim'))) as { probe: Probe };
    await using leader = await startSimulation(inline(module.probe), { drivenBy: 'host' });
    const follow = leader.share();
    const led = startSimulation<Probe>(() => new Worker(builtModule('probe.sim')), {
      follow,
      tickRateHz: 10,
    });
    await expect(led).rejects.toMatchObject({ code: 'NOT_SHARED' });
  });
});
