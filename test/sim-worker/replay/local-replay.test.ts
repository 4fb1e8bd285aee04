import { describe, expect, it } from 'vitest';
import { EscapementError } from '../../../src/shared/error.ts';
import type { Replay } from '../../../src/shared/replay/replay.ts';
import { openHeadless, openReplay, readReplay } from '../../../src/sim-worker/index.ts';
import { storm } from '../../../scenes/storm.sim.ts';
import { scaled } from '../../scaled.ts';

const TICKS = scaled({ tiny: 150, normal: 300, full: 10_000 });

async function record(ticks: number, hashEveryTicks = 60): Promise<Uint8Array> {
  const headless = await openHeadless(storm, {
    maxTicks: ticks,
    pacing: 'fast',
    seed: 7,
    params: { population: 500 },
    record: { hashEveryTicks, keyframeEveryTicks: 50 },
  });
  const { recording } = await headless.run();
  return recording?.bytes as Uint8Array;
}

/** A recording with some of its keyframes; those of `damaged` cannot be loaded. */
function withKeyframes(
  replay: Replay,
  kept: readonly number[],
  damaged: readonly number[] = [],
): Replay {
  const wanted = [...kept, ...damaged];
  const keyframes = replay.keyframes.filter(({ tick }) => wanted.includes(tick));
  return {
    ...withAll(replay),
    keyframes,
    loadKeyframe: (k) => {
      const tick = keyframes[k]?.tick as number;
      if (damaged.includes(tick)) throw new EscapementError('REPLAY_INVALID', 'Damaged.');
      return replay.loadKeyframe(replay.keyframes.findIndex((one) => one.tick === tick));
    },
  };
}

/** The same recording as an object of its own. */
function withAll(replay: Replay): Replay {
  return {
    ...replay,
    inputsOf: (tick, visit) => replay.inputsOf(tick, visit),
    hashAt: (k) => replay.hashAt(k),
    findHash: (tick, out) => replay.findHash(tick, out),
    loadKeyframe: (k) => replay.loadKeyframe(k),
  };
}

describe('a headless run that is recorded', () => {
  it('is replayed with the same state after every tick', async () => {
    const bytes = await record(TICKS, 1);
    const replay = readReplay(bytes);
    expect(replay.lastTick).toBe(TICKS);
    const run = await openReplay(storm, replay);
    expect(run.verify()).toEqual({
      ok: true,
      compared: TICKS + 1,
      firstTick: 0,
      lastTick: TICKS,
      divergence: undefined,
    });
    run.close();
  });

  it('is sought back to its beginning when it was cut off before the state of that', async () => {
    const replay = readReplay(await record(TICKS, 10));
    const run = await openReplay(storm, withKeyframes(replay, []));
    const first = run.stateHash();
    run.seek(30);
    run.seek(20);
    run.seek(0);
    expect([run.stateHash(), run.divergence]).toEqual([first, undefined]);
    run.close();
  });

  it('passes by a keyframe that is damaged', async () => {
    const replay = readReplay(await record(TICKS, 10));
    const run = await openReplay(storm, withKeyframes(replay, [0], [50]));
    run.seek(70);
    run.seek(60);
    expect([run.tick, run.divergence]).toEqual([60, undefined]);
    run.close();
  });

  it('that begins in mid-run is refused without the state it begins with', async () => {
    const replay = readReplay(await record(TICKS, 10));
    const header = { ...replay.header, firstTick: 40 };
    const late = { ...withKeyframes(replay, [50]), header };
    await expect(openReplay(storm, late)).rejects.toMatchObject({ code: 'REPLAY_INVALID' });
  });

  it('begins with its first state, not with that of setup, when it says so', async () => {
    const replay = readReplay(await record(TICKS, 10));
    const moved = { ...replay.header, seed: [0, 8] as const };
    const fromSetup = await openReplay(storm, { ...withAll(replay), header: moved });
    expect(fromSetup.divergence?.tick).toBe(0);
    fromSetup.close();
    const header = { ...moved, fromSetup: false as const };
    const run = await openReplay(storm, { ...withAll(replay), header });
    expect(run.verify().ok).toBe(true);
    run.close();
  });

  it('is refused by one that keeps foreign state when it has none', async () => {
    const bytes = await record(TICKS, 10);
    const foreign = { save: () => new Uint8Array(1), restore: () => undefined, hash: () => 1 };
    const run = await openReplay({ ...storm, foreign }, bytes);
    expect(() => run.seek(60)).toThrow('REPLAY_MISMATCH');
    expect(run.tick).toBe(0);
    run.close();
  });

  it('waits for its keyframes to be written rather than leave some out', async () => {
    // 150 copies of the world are more than may wait at once.
    const headless = await openHeadless(storm, {
      maxTicks: 150,
      pacing: 'fast',
      params: { population: 500 },
      record: { keyframeEveryTicks: 1 },
    });
    const { recording } = await headless.run();
    const { keyframes } = readReplay(recording?.bytes as Uint8Array);
    expect(keyframes.map(({ tick }) => tick)).toEqual(Array.from({ length: 151 }, (_, k) => k));
  });

  it('is sought in any order, from its keyframes', async () => {
    const replay = readReplay(await record(TICKS, 1));
    const run = await openReplay(storm, replay);
    const hash = new Uint32Array(2);
    for (const part of [1, 0.3, 0.31, 0.9, 0, 0.5, 1]) {
      const tick = Math.round(part * TICKS);
      run.seek(tick);
      expect(run.tick).toBe(tick);
      expect(replay.findHash(tick, hash)).toBe(true);
      const recorded = Array.from(hash, (word) => word.toString(16).padStart(8, '0')).join('');
      expect(run.stateHash()).toBe(recorded);
    }
    expect(run.divergence).toBe(undefined);
    run.close();
  });
});
