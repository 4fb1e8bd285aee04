import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { BeatMeter } from '../../src/render/beat-meter.ts';
import { openStage, type Stage } from './stage.ts';

/** Takes in frames at a rate, each late by its own part of a period, some of them left out. */
function measure(rateHz: number, late: readonly number[], missed: readonly boolean[]): BeatMeter {
  const meter = new BeatMeter();
  const periodNs = 1e9 / rateHz;
  let last = 0;
  for (const [k, lateness] of late.entries()) {
    if (missed[k] === true) continue;
    const at = Math.round((k + 1 + lateness) * periodNs);
    meter.add(at - last);
    last = at;
  }
  return meter;
}

const steady = (count: number): number[] => Array.from({ length: count }, () => 0);

describe('the beat of frames and ticks', () => {
  it.each([
    [59.94, 60, 0.06],
    [60, 59.94, 0.06],
    [144, 60, 24],
    [75, 50, 25],
    [120, 60, 0],
    [60, 20, 0],
    [29.97, 60, 0.06],
    [59.94, 30, 0.06],
    [50, 60, 10],
    [144, 50, 6],
  ])('of %f frames and %f ticks a second is %f Hz', (frameRate, tickRate, beatHz) => {
    const report = measure(frameRate, steady(600), []).report(tickRate);
    expect(report?.frameRateHz).toBeCloseTo(frameRate, 3);
    expect(report?.framesPerTick).toBeCloseTo(frameRate / tickRate, 4);
    expect(report?.beatHz).toBeCloseTo(beatHz, 3);
    if (beatHz > 0) expect((report?.periodSeconds ?? 0) * beatHz).toBeCloseTo(1, 2);
    else expect(report?.periodSeconds).toBeGreaterThan(100);
    expect(report?.tickRateHz).toBe(tickRate);
  });

  it('is not measured before 32 frames, and begins anew after a pause', () => {
    const meter = measure(60, steady(31), []);
    expect(meter.report(60)).toBeUndefined();
    meter.add(16_666_667);
    expect(meter.report(60)?.frameRateHz).toBeCloseTo(60, 3);
    expect(meter.report(Number.POSITIVE_INFINITY)).toBeUndefined();
    meter.add(0);
    meter.add(300e6);
    expect(meter.report(60)).toBeUndefined();
  });

  it('finds the rate within 0.2 % through late and missed frames', () => {
    const lateness = fc.array(fc.double({ min: 0, max: 0.3, noNaN: true }), {
      minLength: 512,
      maxLength: 700,
    });
    const missing = fc.array(
      fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
      { maxLength: 700 },
    );
    fc.assert(
      fc.property(
        fc.double({ min: 20, max: 240, noNaN: true }),
        lateness,
        missing,
        (rateHz, late, missed) => {
          const report = measure(rateHz, late, missed).report(60);
          expect(Math.abs((report?.frameRateHz ?? 0) / rateHz - 1)).toBeLessThan(0.002);
        },
      ),
    );
  });
});

describe('the beat of a view', () => {
  let stage: Stage;
  afterEach(() => stage.close());

  it('is measured between the times shown, at the speed of the clock', async () => {
    stage = await openStage(() => undefined, { tickRateHz: 50 });
    const view = stage.openView();
    expect(view.stats().beat).toBeUndefined();
    for (let i = 1; i <= 200; i++) {
      const due = (i * 1000) / 75;
      // The callback comes late, by another time each time; the timestamp is that of the display.
      stage.advanceTo(due + ((i * 7) % 5));
      view.frame(1e6 + due).release();
      view.frame(1e6 + due).release();
    }
    const beat = view.stats().beat;
    expect(beat?.frameRateHz).toBeCloseTo(75, 2);
    expect(beat?.tickRateHz).toBeCloseTo(50, 9);
    expect(beat?.beatHz).toBeCloseTo(25, 1);
    await stage.sim.clock.setSpeed(1.5);
    view.frame().release();
    expect(view.stats().beat?.tickRateHz).toBeCloseTo(75, 9);
    await stage.sim.clock.pause();
    view.frame().release();
    expect(view.stats().beat).toBeUndefined();
  });
});
