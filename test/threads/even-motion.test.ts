import { Worker } from 'node:worker_threads';
import { type RunningSimulation, startSimulation } from 'escapement';
import { openView, type ViewOptions } from 'escapement/render';
import type { TypesOf } from 'escapement/sim';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scaled } from '../scaled.ts';
import { builtModule } from './built-worker.ts';
import type { Steady } from './workers/steady.sim.ts';

const SPEED_PER_MS = 60 / 1000;
const FRAME_RATES = [59.94, 60, 75, 120, 144, 240];
const SETTLE_MS = scaled({ tiny: 500, normal: 1000, full: 1000 });
const MEASURE_MS = scaled({ tiny: 500, normal: 1000, full: 20_000 });
const ATTEMPTS = 5;
/** How long frames are waited for that the machine leaves alone. */
const PATIENCE_MS = 20 * (SETTLE_MS + MEASURE_MS);
/** The most a frame's displacement may differ from the ideal, as a share of it. */
const ERROR_MAX = 0.005;
/** The most the slack moves in a frame, as a share of it, unless ticks became much later. */
const PACE_MAX = 0.0045;

/** What one attempt measured; errors as shares of a frame's ideal displacement. */
interface Motion {
  readonly frames: number;
  readonly withinBound: number;
  /** Frames beyond the bound, and how many one in a hundred is. */
  readonly beyond: number;
  readonly allowed: number;
  /**
   * The same of the frames that the machine left alone: in which no tick came later than the slack
   * allows for, and none so late that the slack followed in a hurry.
   */
  readonly calm: number;
  readonly calmBeyond: number;
  readonly errorP50: number;
  readonly errorP99: number;
  readonly errorMax: number;
  readonly slackMs: number;
  readonly clamped: number;
}

/** Draws at a frame rate, parked between frames, and measures how evenly the body moves. */
function watch(
  sim: RunningSimulation<TypesOf<Steady>>,
  rateHz: number,
  options: ViewOptions = {},
): Motion {
  const view = openView(sim.share(), options);
  const word = new Int32Array(new SharedArrayBuffer(4));
  const periodMs = 1000 / rateHz;
  const start = performance.now();
  const errors: number[] = [];
  const calmErrors: number[] = [];
  let due = start;
  let lastNow = Number.NaN;
  let lastX = Number.NaN;
  let clampedBefore = 0;
  let lastClamped = 0;
  let lastSlackNs = 0;
  let wasClamped = true;
  for (;;) {
    const waitMs = due - performance.now();
    if (waitMs > 0) Atomics.wait(word, 0, 0, waitMs);
    const now = performance.now();
    if (now - start > SETTLE_MS + MEASURE_MS) break;
    const frame = view.frame(now);
    const x = frame.blend('position')[0] as number;
    const { slackNs } = frame;
    frame.release();
    const { clampedFrames: clamped } = view.stats();
    const isClamped = clamped > lastClamped;
    if (now - start > SETTLE_MS) {
      const ideal = SPEED_PER_MS * (now - lastNow);
      // A frame right behind a late one moves by little more than a place's last bit.
      const whole = Math.max(ideal, SPEED_PER_MS * periodMs);
      const error = Math.abs(x - lastX - ideal) / whole;
      const pace = Math.abs(slackNs - lastSlackNs) / 1e6 / (now - lastNow);
      errors.push(error);
      if (!isClamped && !wasClamped && pace < PACE_MAX) calmErrors.push(error);
    } else {
      clampedBefore = clamped;
    }
    lastClamped = clamped;
    wasClamped = isClamped;
    lastSlackNs = slackNs;
    lastNow = now;
    lastX = x;
    due = Math.max(due + periodMs, now);
  }
  const { slackMs, clampedFrames } = view.stats();
  view.close();
  errors.sort((a, b) => a - b);
  const within = errors.filter((error) => error < ERROR_MAX).length;
  const rank = (share: number): number => errors[Math.ceil(share * errors.length) - 1] as number;
  return {
    frames: errors.length,
    withinBound: within / errors.length,
    beyond: errors.length - within,
    allowed: Math.ceil(errors.length / 100),
    calm: calmErrors.length,
    calmBeyond: calmErrors.filter((error) => error >= ERROR_MAX).length,
    errorP50: rank(0.5),
    errorP99: rank(0.99),
    errorMax: rank(1),
    slackMs,
    clamped: clampedFrames - clampedBefore,
  };
}

function describeMotion(rateHz: number, tickRateHz: number, motion: Motion): string {
  const percent = (share: number): string => `${(share * 100).toFixed(3)} %`;
  const calm = `${motion.calm - motion.calmBeyond} of ${motion.calm} calm ones`;
  return [
    `${rateHz} Hz over ${tickRateHz} ticks a second: ${motion.frames} frames`,
    `${percent(motion.withinBound)}, ${calm} within ${percent(ERROR_MAX)}`,
    `error p50 ${percent(motion.errorP50)}, p99 ${percent(motion.errorP99)}`,
    `max ${percent(motion.errorMax)}`,
    `slack ${motion.slackMs.toFixed(2)} ms, ${motion.clamped} clamped`,
  ].join(', ');
}

describe.each([20, 30, 50, 60])('a steady body at %i ticks of half a quantum', (tickRateHz) => {
  let sim: RunningSimulation<TypesOf<Steady>>;
  beforeAll(async () => {
    sim = await startSimulation<Steady>(() => new Worker(builtModule('steady.sim')), {
      logLevel: 'off',
      tickRateHz,
      params: { busyMs: 500 / tickRateHz },
    });
    await sim.waitForTickChange(0, 1000);
  });
  afterAll(() => sim.stop());

  it.each(FRAME_RATES)('moves evenly at %f frames a second', async (rateHz) => {
    const enough = (MEASURE_MS / 1000) * rateHz * 0.5;
    const isEven = ({ frames, beyond, allowed }: Motion): boolean =>
      frames > enough && beyond <= allowed;
    const begun = performance.now();
    const attempts: Motion[] = [];
    const sum = (of: 'calm' | 'calmBeyond'): number =>
      attempts.reduce((total, motion) => total + motion[of], 0);
    const attempt = async (): Promise<boolean> => {
      // Others may be busy on this machine: their noise comes and goes.
      if (attempts.length > 0) await new Promise((resolve) => setTimeout(resolve, 200));
      const motion = watch(sim, rateHz);
      attempts.push(motion);
      process.stdout.write(`${describeMotion(rateHz, tickRateHz, motion)}\n`);
      return isEven(motion);
    };
    while (attempts.length < ATTEMPTS) if (await attempt()) return;
    // On a machine that is busy all the time, what it leaves alone must be even.
    while (sum('calm') <= enough / 2 && performance.now() - begun < PATIENCE_MS) await attempt();
    expect(sum('calm')).toBeGreaterThan(enough / 2);
    expect(sum('calmBeyond')).toBeLessThanOrEqual(Math.ceil(sum('calm') / 100));
  });

  it('would not without slack', () => {
    expect(watch(sim, 120, { slackMs: 0 }).withinBound).toBeLessThan(0.9);
  });
});
