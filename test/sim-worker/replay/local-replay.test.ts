import { describe, expect, it } from 'vitest';
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
