import { afterEach, describe, expect, it } from 'vitest';
import type { ViewOptions } from '../../src/render/index.ts';
import { scaled } from '../scaled.ts';
import { openStage, type Script, type Stage, type StageTypes, TwoThreads } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const FRAME_RATES = [59.94, 60, 75, 120, 144, 240];
const TICK_RATES = [20, 30, 50, 60];
const CASES = FRAME_RATES.flatMap((rate) => TICK_RATES.map((ticks) => [rate, ticks] as const));

const SETTLE_MS = 5000;
const MEASURE_MS = scaled({ tiny: 3000, normal: 10_000, full: 60_000 });

/** A repeatable stream of numbers in [0, 1). */
function stream(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Circumstances {
  readonly frameRateHz: number;
  readonly tickRateHz: number;
  /** The most by which a wake-up and a tick's cost vary, in milliseconds. */
  readonly jitterMs?: number;
  /** The most by which a frame's callback is late, as a share of a frame's period. */
  readonly delayShare?: number;
  /** Whether frames are given the display's time, by which motion is measured in any case. */
  readonly stamped?: boolean;
  readonly options?: ViewOptions<StageTypes>;
}

/**
 * Plays a body at constant speed whose ticks cost half a quantum. Returns how far each frame's
 * displacement is from that of an even motion between the times shown, as a share of it, ascending.
 */
async function displacementErrors(circumstances: Circumstances): Promise<number[]> {
  const { frameRateHz, tickRateHz, jitterMs = 0, delayShare = 0, options = {} } = circumstances;
  const next = stream(Math.round(frameRateHz * 100) + tickRateHz);
  const delayMs = (): number => next() * delayShare * (1000 / frameRateHz);
  let onFrame = (): void => undefined;
  const threads = new TwoThreads(frameRateHz, () => onFrame(), delayMs);
  const script: Script = ({ world, columns, tick }) => {
    if (tick === 0) world.spawn({ place: 0, placeVelocity: tickRateHz });
    columns.place[0] = tick;
    if (tick > 0) threads.spend((0.5e3 / tickRateHz + next() * jitterMs) * 1e6);
  };
  stage = await openStage(script, { tickRateHz }, threads.clock);
  const view = stage.openRemoteView(options);
  const errors: number[] = [];
  let lastX = 0;
  let lastNs = 0;
  onFrame = () => {
    const ns = threads.displayNs;
    const frame = view.frame(circumstances.stamped === true ? 1e6 + ns / 1e6 : undefined);
    const x = frame.blend('place')[0] as number;
    frame.release();
    const ideal = ((ns - lastNs) * tickRateHz) / 1e9;
    if (ns > SETTLE_MS * 1e6) errors.push(Math.abs(x - lastX - ideal) / ideal);
    lastX = x;
    lastNs = ns;
  };
  threads.play(stage, SETTLE_MS + MEASURE_MS, () => 0.1 + next() * jitterMs);
  expect(errors.length).toBeGreaterThanOrEqual((MEASURE_MS / 1000) * frameRateHz - 2);
  return errors.sort((a, b) => a - b);
}

function shareBelow(errors: readonly number[], bound: number): number {
  return errors.filter((error) => error < bound).length / errors.length;
}

describe('a body at constant speed whose ticks cost half a quantum, in virtual time', () => {
  it.each(CASES)(
    'moves evenly in every frame at %f Hz over %i ticks a second',
    async (...rates) => {
      const [frameRateHz, tickRateHz] = rates;
      const errors = await displacementErrors({ frameRateHz, tickRateHz });
      expect(errors.at(-1)).toBeLessThan(0.001);
    },
  );

  it.each(CASES)(
    'moves evenly in 99 of 100 frames at %f Hz over %i when ticks are late by chance',
    async (frameRateHz, tickRateHz) => {
      const errors = await displacementErrors({ frameRateHz, tickRateHz, jitterMs: 0.5 });
      expect(shareBelow(errors, 0.001)).toBeGreaterThanOrEqual(0.99);
    },
  );

  it.each(CASES)(
    'moves evenly in display time at %f Hz over %i when callbacks are late by chance',
    async (frameRateHz, tickRateHz) => {
      const late = { frameRateHz, tickRateHz, delayShare: 0.9 };
      const errors = await displacementErrors({ ...late, stamped: true });
      expect(errors.at(-1)).toBeLessThan(0.001);
      await stage.close();
      const unstamped = await displacementErrors(late);
      expect(shareBelow(unstamped, 0.001)).toBeLessThan(0.1);
    },
  );

  it.each(CASES)('moves evenly at %f Hz over %i with a lead and no slack', async (...rates) => {
    const [frameRateHz, tickRateHz] = rates;
    const options: ViewOptions<StageTypes> = {
      leadMs: 5,
      channels: { place: { velocity: 'placeVelocity', extrapolateMs: 200 } },
    };
    const errors = await displacementErrors({ frameRateHz, tickRateHz, jitterMs: 0.5, options });
    expect(errors.at(-1)).toBeLessThan(0.001);
  });

  it('would not without slack', async () => {
    const options = { slackMs: 0 };
    const errors = await displacementErrors({ frameRateHz: 144, tickRateHz: 60, options });
    expect(shareBelow(errors, 0.001)).toBeLessThan(0.9);
  });

  it('moves evenly with a slack fixed at a whole quantum or more', async () => {
    for (const slackMs of [1000 / 60, 1000]) {
      const options = { slackMs };
      const errors = await displacementErrors({ frameRateHz: 144, tickRateHz: 60, options });
      expect(errors.at(-1)).toBeLessThan(0.001);
      await stage.close();
    }
    stage = await openStage(() => undefined);
  });
});
