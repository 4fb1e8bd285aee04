import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Frame, openCamera, type RenderSystem } from '../../src/render/index.ts';
import type { Entity } from '../../src/sim-worker/index.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';
import { openStage, type Stage, type StageTypes, type StageView } from './stage.ts';

/** In a file of its own: code that has seen many kinds of arrays boxes what it reads from them. */

const calls = scaled({ tiny: 3000, normal: 10_000, full: 10_000 });

let stage: Stage;
let body = 0 as Entity;
const out = new Float64Array(4);

beforeEach(async () => {
  stage = await openStage(({ world, tick }) => {
    if (tick === 0) body = world.spawn({ position: 0, velocity: 0, direction: 0 });
    world.add(body, 'position', [tick * 0.3, 1]);
    world.add(body, 'velocity', [18, tick / 7]);
    world.add(body, 'direction', [1, tick / 100, 1]);
  });
});
afterEach(() => stage.close());

/** Goes into the middle of a tick. */
function standBetween(): void {
  stage.advanceTo(20);
  stage.advanceTo(40);
}

function perFrame(view: StageView, work: (frame: Frame<StageTypes>) => void): number {
  // Made once, as a browser makes it: a double that is handed over anew is a box of the test's own.
  const now = 1_000_000 + stage.clock.ns / 1e6;
  return bytesLeft(calls, () => {
    const frame = view.frame(now);
    work(frame);
    frame.release();
  });
}

describe('a frame leaves nothing on the heap', () => {
  it('when channels move by their velocity, between ticks and beyond', async () => {
    const channels = {
      position: { velocity: 'velocity', blend: 'hermite', extrapolateMs: 100 },
    } as const;
    const between = stage.openView({ channels });
    const beyond = stage.openView({ channels, leadMs: 30 });
    standBetween();
    for (const view of [between, beyond]) {
      expect(perFrame(view, (frame) => void frame.sample(body, 'position', out))).toBe(0);
      expect(perFrame(view, (frame) => void frame.blend('position'))).toBe(0);
    }
    expect(between.stats().beat).toBeUndefined();
  });

  it('when one entity is sampled, and when a camera is read', () => {
    const view = stage.openView();
    const camera = openCamera(view, { position: 'position', direction: 'direction' });
    standBetween();
    const ofSamples = perFrame(view, (frame) => {
      frame.sample(body, 'position', out);
      frame.sample(body, 'direction', out);
    });
    expect(ofSamples).toBe(0);
    expect(perFrame(view, (frame) => void camera.read(frame, body))).toBe(0);
  });

  it('when systems draw that take the frame alone', () => {
    const sum = new Float64Array(1);
    const run = (frame: Frame<StageTypes>): void => {
      stage.clock.ns += 1000;
      sum[0] = (sum[0] as number) + (frame.blend('position')[0] as number);
    };
    const list: RenderSystem<StageTypes>[] = ['a', 'b'].map((name) => ({ name, run }));
    const systems = stage.openView().renderSystems(list);
    standBetween();
    expect(bytesLeft(calls, () => void systems.run())).toBe(0);
    expect(sum[0]).toBeGreaterThan(0);
  });
});
