import { type RecordingResult, readReplay, type Replay } from 'escapement';
import { describe, expect, it } from 'vitest';
import { openView } from 'escapement/render';
import { type ProbeSimulation, startProbe, TIERS, until } from './tier.ts';

/** Records a run with inputs at known ticks; returns the recording and the states by tick. */
async function recordProbe(tier: (typeof TIERS)[number], ticks = 60): Promise<RecordingResult> {
  await using sim = await startProbe(tier, {
    drivenBy: 'host',
    seed: 5,
    params: { population: 20 },
    record: { hashEveryTicks: 1, keyframeEveryTicks: 16 },
  });
  for (let tick = 0; tick < ticks; tick++) {
    if (tick === 0 || tick === 1 || tick === ticks - 1) sim.inputs.click({ n: tick });
    if (tick % 10 === 3) sim.inputs.pointer({ x: tick, y: tick / 3, down: tick % 20 === 3 });
    await sim.clock.stepOnce();
  }
  const recording = sim.recording;
  if (recording === undefined) throw new Error('the run is recorded');
  return recording.stop();
}

function inputsByTick(replay: Replay): Map<number, number> {
  const found = new Map<number, number>();
  for (let tick = 0; tick <= replay.lastTick; tick++) {
    const count = replay.inputsOf(tick, () => undefined);
    if (count > 0) found.set(tick, count);
  }
  return found;
}

describe.each(TIERS)('a recording over the %s tier', (tier) => {
  it('case 113: has each input at the tick that consumed it, and replays equally', async () => {
    const { bytes, lastTick, reason } = await recordProbe(tier);
    const replay = readReplay(bytes as Uint8Array);
    expect([lastTick, reason, replay.truncated]).toEqual([60, 'stopped', undefined]);
    expect([...inputsByTick(replay)]).toEqual([
      [1, 1],
      [2, 1],
      [4, 1],
      [14, 1],
      [24, 1],
      [34, 1],
      [44, 1],
      [54, 1],
      [60, 1],
    ]);
    await using sim = await startProbe(tier, { drivenBy: 'host', replay: bytes as Uint8Array });
    expect(sim.inputs.click({ n: 99 })).toBe(true);
    await sim.clock.advanceTicks(100);
    expect(sim.tick).toBe(60);
    expect(await sim.replay?.status()).toEqual({
      playing: true,
      compared: 61,
      divergence: undefined,
      refusedInputs: 1,
    });
    const clicks: number[] = [];
    sim.events.drain((event) => {
      if (event.type === 'clicked') clicks.push(event.tick);
    });
    expect(clicks).toEqual([1, 2, 60]);
  });

  it('is played by the clock at any speed, stands at its end, and is sought', async () => {
    const { bytes } = await recordProbe(tier);
    const replay = readReplay(bytes as Uint8Array);
    await using sim = await startProbe(tier, { replay: bytes as Uint8Array });
    const { clock } = sim;
    expect(clock.status().mode).toBe('replay');
    await clock.setSpeed(30);
    await clock.setCap(1000);
    await clock.resume();
    await until('the recording is over', () => sim.tick === 60);
    await until('the clock stands', () => clock.status().mode === 'replay');
    const hash = new Uint32Array(2);
    for (const tick of [0, 60, 17, 16, 15, 59, 33]) {
      await clock.seekTick(tick);
      expect(replay.findHash(tick, hash)).toBe(true);
      const recorded = Array.from(hash, (word) => word.toString(16).padStart(8, '0')).join('');
      expect(await sim.stateHash()).toEqual({ tick, hash: recorded });
    }
    await expect(clock.seekTick(61)).rejects.toThrow('refused to');
    expect((await sim.replay?.status())?.divergence).toBe(undefined);
  });

  it('shows a tick that was sought without a streak', async () => {
    const { bytes } = await recordProbe(tier);
    await using sim = await startProbe(tier, { replay: bytes as Uint8Array });
    using view = openView(sim.share());
    for (const tick of [50, 10, 33]) {
      await sim.clock.seekTick(tick);
      using frame = view.frame();
      expect(frame.tick).toBe(tick);
      // The probe's entity k is at k + tick: blended with any other tick it would be elsewhere.
      expect(Array.from(frame.blend('position').subarray(0, 4))).toEqual([tick, 0, 1 + tick, 0]);
    }
  });

  it('goes on live once it is left, and from a state that was saved', async () => {
    const { bytes } = await recordProbe(tier);
    await using sim = await startProbe(tier, { drivenBy: 'host', replay: bytes as Uint8Array });
    await sim.clock.seekTick(40);
    expect((await sim.replay?.leave())?.playing).toBe(false);
    sim.inputs.click({ n: 1 });
    await sim.clock.advanceTicks(5);
    const saved = await sim.save();
    const before = await sim.stateHash();
    await sim.clock.advanceTicks(30);
    const after = await sim.stateHash();
    expect([before.tick, after.tick]).toEqual([45, 75]);
    await using again = await startProbe(tier, { drivenBy: 'host', restore: saved });
    expect(await again.stateHash()).toEqual(before);
    await again.clock.advanceTicks(30);
    expect(await again.stateHash()).toEqual(after);
    await again.restart({ restore: saved });
    expect(await again.stateHash()).toEqual(before);
  });

  it('begins in mid-run too, refuses jumps meanwhile, and ends with its run', async () => {
    await using sim = await startProbe(tier, { drivenBy: 'host' });
    await sim.clock.advanceTicks(25);
    const recording = await sim.record({ hashEveryTicks: 10 });
    expect(recording.firstTick).toBe(25);
    await expect(sim.record()).rejects.toThrow('STATE_INVALID');
    await expect(sim.clock.seekTick(3)).rejects.toThrow('being recorded');
    await expect(sim.clock.configure({ tickRateHz: 30 })).rejects.toThrow('being recorded');
    await sim.clock.advanceTicks(50);
    await sim.restart();
    const { bytes, lastTick } = await recording.stop();
    expect(lastTick).toBe(75);
    await using again = await startProbe(tier, { drivenBy: 'host', replay: bytes as Uint8Array });
    expect(again.tick).toBe(25);
    await again.clock.advanceTicks(100);
    expect(await again.replay?.status()).toMatchObject({ compared: 7, divergence: undefined });
  });

  it('case 115: twice in one process and once in a fresh thread, with equal states', async () => {
    const { bytes } = await recordProbe(tier);
    const options = { drivenBy: 'host', replay: bytes as Uint8Array } as const;
    await using sim = await startProbe(tier, options);
    const first = await statesOf(sim);
    await sim.restart({ replay: bytes as Uint8Array });
    expect(await statesOf(sim)).toEqual(first);
    await using fresh = await startProbe(tier, options);
    expect(await statesOf(fresh)).toEqual(first);
    expect(new Set(first).size).toBe(61);
  });

  it('case 116: at any pace, with equal states', async () => {
    const { bytes } = await recordProbe(tier);
    const paces: Record<string, (sim: ProbeSimulation) => Promise<unknown>> = {
      'live at 0.5x': (sim) => playAt(sim, 0.5),
      'live at 30x': (sim) => playAt(sim, 30),
      lockstep: async (sim) => {
        await sim.clock.setMode('lockstep');
        await sim.clock.setLockstepSteps(7);
        while (sim.tick < 60) await sim.clock.advance(1 / 60);
      },
      'given deltas, with stalls': async (sim) => {
        await sim.clock.setMode('live');
        for (let k = 0; sim.tick < 60; k++) await sim.clock.advance(k % 3 === 0 ? 0.4 : 1 / 144);
      },
      'one batch': (sim) => sim.clock.advanceTicks(60),
    };
    for (const [name, play] of Object.entries(paces)) {
      await using sim = await startProbe(tier, {
        replay: bytes as Uint8Array,
        drivenBy: name.startsWith('live') ? 'clock' : 'host',
      });
      await play(sim);
      const { compared, divergence } = (await sim.replay?.status()) ?? {};
      expect({ name, tick: sim.tick, compared, divergence }).toEqual({
        name,
        tick: 60,
        compared: 61,
        divergence: undefined,
      });
    }
  });
});

async function statesOf(sim: ProbeSimulation): Promise<string[]> {
  const hashes = [(await sim.stateHash()).hash];
  while (sim.tick < 60) {
    await sim.clock.stepOnce();
    hashes.push((await sim.stateHash()).hash);
  }
  return hashes;
}

async function playAt(sim: ProbeSimulation, speed: number): Promise<void> {
  await sim.clock.setSpeed(speed);
  await sim.clock.resume();
  await until('the recording is over', () => sim.tick === 60);
}
