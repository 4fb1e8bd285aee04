import { readReplay, type RecordingResult, type Replay } from 'escapement';
import { describe, expect, it } from 'vitest';
import { advanceWhile, startProbe, TIERS } from './tier.ts';

/** Replays a recording to its end and says what differed. */
async function verify(
  tier: (typeof TIERS)[number],
  { bytes }: RecordingResult,
  tickRateHz = 60,
): Promise<{ compared: number; divergence: unknown }> {
  const replay = bytes as Uint8Array;
  await using sim = await startProbe(tier, { drivenBy: 'host', replay, tickRateHz });
  await sim.clock.advanceTicks(100_000);
  expect(sim.tick).toBe(readReplay(replay).lastTick);
  const { compared = 0, divergence } = (await sim.replay?.status()) ?? {};
  return { compared, divergence };
}

function clicksOf(replay: Replay): number[] {
  const found: number[] = [];
  for (let tick = 1; tick <= replay.lastTick; tick++) {
    replay.inputsOf(tick, (_, words, begin) => found.push(words[begin] as number));
  }
  return found;
}

describe.each(TIERS)('recordings one after the other over the %s tier', (tier) => {
  it('has all of one that follows on one that was full and that nobody stopped', async () => {
    await using sim = await startProbe(tier, {
      drivenBy: 'host',
      record: { hashEveryTicks: 1, maxBytes: 20_000 },
    });
    const { recording } = sim;
    await advanceWhile(sim, () => recording?.end === undefined, 20);
    await sim.clock.advanceTicks(1);
    const second = await sim.record({ hashEveryTicks: 1 });
    const { firstTick } = second;
    // Whoever looks into the ring ten times a second has looked by then.
    const end = performance.now() + 250;
    await advanceWhile(sim, () => performance.now() < end, 1);
    expect((await recording?.stop())?.reason).toBe('full');
    await sim.clock.advanceTicks(10);
    const result = await second.stop();
    expect([result.lastTick, result.reason]).toEqual([sim.tick, 'stopped']);
    const compared = sim.tick - firstTick + 1;
    expect(await verify(tier, result)).toEqual({ compared, divergence: undefined });
  });

  it('keeps two apart when the second begins before the first has ended', async () => {
    await using sim = await startProbe(tier, { drivenBy: 'host', record: { hashEveryTicks: 7 } });
    await sim.clock.advanceTicks(25);
    const ending = sim.recording?.stop() as Promise<RecordingResult>;
    const second = await sim.record({ hashEveryTicks: 7 });
    await sim.clock.advanceTicks(25);
    const results = [await ending, await second.stop()];
    expect(results.map(({ firstTick, lastTick }) => [firstTick, lastTick])).toEqual([
      [0, 25],
      [25, 50],
    ]);
    expect(await verify(tier, results[0] as RecordingResult)).toMatchObject({ compared: 5 });
    expect(await verify(tier, results[1] as RecordingResult)).toEqual({
      compared: 6,
      divergence: undefined,
    });
  });

  it('lets one of two that are begun at once be', async () => {
    await using sim = await startProbe(tier, { drivenBy: 'host' });
    const stream = new WritableStream<Uint8Array>();
    const [first, second] = await Promise.allSettled([sim.record(), sim.record({ to: stream })]);
    expect([first.status, second.status]).toEqual(['fulfilled', 'rejected']);
    expect(stream.locked).toBe(false);
    await sim.clock.advanceTicks(5);
    expect((await sim.recording?.stop())?.lastTick).toBe(5);
  });

  it('is of the run that a restart makes when it is begun meanwhile', async () => {
    await using sim = await startProbe(tier, { drivenBy: 'host' });
    await sim.clock.advanceTicks(3);
    const restarting = sim.restart({ seed: 4, params: { slowSetupMs: 20 } });
    const recording = await sim.record({ hashEveryTicks: 1 });
    await restarting;
    await sim.clock.advanceTicks(5);
    const result = await recording.stop();
    expect([result.firstTick, result.lastTick]).toEqual([0, 5]);
    expect(readReplay(result.bytes as Uint8Array).header.seed).toEqual([0, 4]);
  });

  it('loses nothing of an advance that is longer than the ring', async () => {
    await using sim = await startProbe(tier, { drivenBy: 'host', record: { hashEveryTicks: 1 } });
    await sim.clock.advanceTicks(12_000);
    const result = await sim.recording?.stop();
    expect([result?.lastTick, result?.reason]).toEqual([12_000, 'stopped']);
    expect(readReplay(result?.bytes as Uint8Array).hashCount).toBe(12_001);
  });

  it('has the inputs of a replay that is recorded', async () => {
    await using live = await startProbe(tier, { drivenBy: 'host', record: { hashEveryTicks: 1 } });
    for (let n = 1; n <= 20; n++) {
      live.inputs.click({ n });
      await live.clock.stepOnce();
    }
    const recorded = await live.recording?.stop();
    await using sim = await startProbe(tier, {
      drivenBy: 'host',
      replay: recorded?.bytes as Uint8Array,
    });
    await sim.clock.seekTick(5);
    const recording = await sim.record({ hashEveryTicks: 1 });
    await sim.clock.advanceTicks(100);
    const result = await recording.stop();
    const replay = readReplay(result.bytes as Uint8Array);
    expect([replay.header.firstTick, replay.lastTick]).toEqual([5, 20]);
    expect(clicksOf(replay)).toEqual(Array.from({ length: 15 }, (_, k) => k + 6));
    expect(await verify(tier, result)).toEqual({ compared: 16, divergence: undefined });
  });

  it('is of the rate, and of the state, that the clock was set to', async () => {
    await using sim = await startProbe(tier, { drivenBy: 'host' });
    await sim.clock.advanceTicks(10);
    await sim.clock.configure({ tickRateHz: 30 });
    const saved = await sim.save();
    const recording = await sim.record({ hashEveryTicks: 1 });
    expect(recording.firstTick).toBe(0);
    await sim.clock.advanceTicks(10);
    const state = await sim.stateHash();
    const result = await recording.stop();
    const { schema } = readReplay(result.bytes as Uint8Array).header;
    expect(schema.quantum).toEqual({ numerator: 1, denominator: 30 });
    expect(await verify(tier, result, 30)).toEqual({ compared: 11, divergence: undefined });
    await using again = await startProbe(tier, {
      drivenBy: 'host',
      restore: saved,
      tickRateHz: 30,
    });
    await again.clock.advanceTicks(10);
    expect(await again.stateHash()).toEqual(state);
  });

  it('refuses to give the ticks of a replay another length', async () => {
    await using live = await startProbe(tier, { drivenBy: 'host', record: {} });
    await live.clock.advanceTicks(10);
    const recorded = await live.recording?.stop();
    await using sim = await startProbe(tier, {
      drivenBy: 'host',
      replay: recorded?.bytes as Uint8Array,
    });
    await sim.clock.advanceTicks(5);
    await expect(sim.clock.configure({ tickRateHz: 30 })).rejects.toThrow('replayed');
    expect(sim.tick).toBe(5);
    await sim.replay?.leave();
    await sim.clock.configure({ tickRateHz: 30 });
    expect(sim.tick).toBe(0);
  });

  it('answers no question about a replay that is over', async () => {
    const live = await startProbe(tier, { drivenBy: 'host' });
    const saved = await live.save();
    await live.stop();
    const sim = await startProbe(tier, { drivenBy: 'host', replay: saved });
    const { replay } = sim;
    await sim.restart();
    await expect(replay?.leave()).rejects.toThrow('restarted');
    const recording = await sim.record();
    await sim.stop();
    await expect(replay?.status()).rejects.toThrow('STOPPED');
    expect((await recording.stop()).reason).toBe('stopped');
  });

  it('leaves nothing of a start that cannot be recorded', async () => {
    const started = startProbe(tier, { record: { maxBytes: 10 } });
    await expect(started).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});

describe.each(['shared', 'calling-thread'] as const)(
  'a recording of one that is led, %s',
  (tier) => {
    it('ends where its leader jumps', async () => {
      await using leader = await startProbe(tier, { drivenBy: 'host' });
      await using led = await startProbe(tier, { follow: leader.share() });
      const recording = await led.record({ hashEveryTicks: 1 });
      await leader.clock.advanceTicks(40);
      await leader.waitCaughtUp();
      await leader.clock.seekTick(3);
      await leader.clock.advanceTicks(10);
      await leader.waitCaughtUp();
      expect(led.tick).toBe(13);
      const result = await recording.stop();
      expect([result.lastTick, result.reason]).toEqual([40, 'stopped']);
      expect(await verify(tier, result)).toEqual({ compared: 41, divergence: undefined });
      const replay = result.bytes as Uint8Array;
      await expect(startProbe(tier, { follow: leader.share(), replay })).rejects.toThrow(
        '`follow`',
      );
    });
  },
);
