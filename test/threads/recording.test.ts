import { readReplay } from 'escapement';
import { describe, expect, it } from 'vitest';
import { advanceWhile, startProbe, TIERS } from './tier.ts';

/** Keeps what a recording writes; fails from some write on. */
class FailingSink {
  readonly parts: Uint8Array[] = [];
  #left: number;

  constructor(writes: number) {
    this.#left = writes;
  }

  write(bytes: Uint8Array): void {
    if (this.#left-- <= 0) throw new Error('the disk is full');
    this.parts.push(bytes.slice());
  }

  close(): void {}

  get bytes(): Uint8Array {
    return Uint8Array.from(this.parts.flatMap((part) => [...part]));
  }
}

describe.each(TIERS)('a recording over the %s tier', (tier) => {
  it('is written to a stream as it is kept in memory', async () => {
    const parts: Uint8Array[] = [];
    let isClosed = false;
    const stream = new WritableStream<Uint8Array>({
      write: (bytes) => void parts.push(bytes.slice()),
      close: () => {
        isClosed = true;
      },
    });
    await using sim = await startProbe(tier, { drivenBy: 'host', record: { to: stream } });
    await sim.clock.advanceTicks(700);
    const result = await sim.recording?.stop();
    expect([result?.bytes, result?.lastTick, isClosed]).toEqual([undefined, 700, true]);
    const replay = readReplay(Uint8Array.from(parts.flatMap((part) => [...part])));
    expect([replay.lastTick, replay.truncated, replay.hashCount]).toEqual([700, undefined, 13]);
    expect(replay.keyframes.map(({ tick }) => tick)).toEqual([0, 600]);
  });

  it('tells of a sink that fails, and the simulation goes on', async () => {
    const sink = new FailingSink(3);
    await using sim = await startProbe(tier, {
      drivenBy: 'host',
      record: { to: sink, hashEveryTicks: 1, keyframeEveryTicks: 1_000_000 },
    });
    const { recording } = sim;
    await advanceWhile(sim, () => recording?.failure === undefined, 1);
    expect(recording?.failure?.code).toBe('RECORDING_FAILED');
    await expect(recording?.stop()).rejects.toThrow('the disk is full');
    expect(readReplay(sink.bytes).lastTick).toBeGreaterThan(0);
    const { tick } = sim;
    await sim.clock.advanceTicks(5);
    expect(sim.tick).toBe(tick + 5);
    // Another one can begin: nothing of the first is left in the simulation.
    const second = await sim.record();
    await sim.clock.advanceTicks(5);
    expect((await second.stop()).lastTick).toBe(tick + 10);
  });

  it('ends when it is full, readable, and the simulation goes on', async () => {
    await using sim = await startProbe(tier, {
      drivenBy: 'host',
      record: { hashEveryTicks: 1, maxBytes: 30_000 },
    });
    const { recording } = sim;
    await advanceWhile(sim, () => recording?.end === undefined, 20);
    const { tick } = sim;
    await sim.clock.advanceTicks(20);
    expect(sim.tick).toBeGreaterThan(tick);
    const result = await recording?.stop();
    const replay = readReplay(result?.bytes as Uint8Array);
    expect([result?.reason, replay.end?.reason]).toEqual(['full', 'full']);
    expect(replay.byteLength).toBeLessThanOrEqual(30_000);
    await using again = await startProbe(tier, {
      drivenBy: 'host',
      replay: result?.bytes as Uint8Array,
    });
    await again.clock.advanceTicks(5000);
    expect(again.tick).toBe(replay.lastTick);
    expect((await again.replay?.status())?.divergence).toBe(undefined);
  });

  it('holds what led to a failure', async () => {
    await using sim = await startProbe(tier, {
      drivenBy: 'host',
      params: { failAt: 25 },
      record: { hashEveryTicks: 10 },
    });
    sim.inputs.click({ n: 1 });
    await expect(sim.clock.advanceTicks(30)).rejects.toThrow('SIMULATION_FAILED');
    const result = await sim.recording?.stop();
    expect([result?.reason, result?.lastTick]).toEqual(['failed', 24]);
    const replay = readReplay(result?.bytes as Uint8Array);
    expect([replay.end, replay.inputCount]).toEqual([{ tick: 24, reason: 'failed' }, 1]);
  });

  it('holds all of it when the ring was full at the end', async () => {
    await using sim = await startProbe(tier, {
      drivenBy: 'host',
      params: { population: 1 },
      record: { hashEveryTicks: 1 },
    });
    await sim.clock.advanceTicks(20_000);
    const result = await sim.recording?.stop();
    expect([result?.reason, result?.lastTick]).toEqual(['stopped', 20_000]);
    expect(readReplay(result?.bytes as Uint8Array).hashCount).toBe(20_001);
  });

  it('ends with the last tick when the simulation is stopped', async () => {
    const sim = await startProbe(tier, { drivenBy: 'host', record: {} });
    await sim.clock.advanceTicks(77);
    const { recording } = sim;
    await sim.stop();
    const result = await recording?.stop();
    expect([result?.reason, result?.lastTick]).toEqual(['stopped', 77]);
  });

  it('refuses options that are not possible', async () => {
    await using sim = await startProbe(tier, { drivenBy: 'host' });
    const refusals = [
      { hashEveryTicks: 0 },
      { keyframeEveryTicks: 1.5 },
      { maxBytes: 10 },
      { to: 3 },
    ];
    for (const options of refusals) {
      await expect(sim.record(options as never)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    }
    const recording = await sim.record();
    expect((await recording.stop()).reason).toBe('stopped');
  });

  it('refuses to replay what is none, and what is of another simulation', async () => {
    const garbage = new Uint8Array(100);
    await expect(startProbe(tier, { replay: garbage })).rejects.toMatchObject({
      code: 'REPLAY_INVALID',
    });
    await using sim = await startProbe(tier, { drivenBy: 'host', tickRateHz: 30 });
    const saved = await sim.save();
    await expect(startProbe(tier, { restore: saved })).rejects.toMatchObject({
      code: 'REPLAY_MISMATCH',
    });
    await using again = await startProbe(tier, { restore: saved, tickRateHz: 30 });
    expect(again.clock.status().mode).toBe('live');
    await expect(again.restart({ replay: garbage })).rejects.toMatchObject({
      code: 'REPLAY_INVALID',
    });
    expect(again.state).toBe('running');
  });
});
