import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Frame, openCamera, type RenderSystem } from '../../src/render/index.ts';
import type { Entity } from '../../src/sim-worker/index.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';
import { openStage, type Stage, type StageTypes, type StageView } from './stage.ts';

const calls = scaled({ tiny: 3000, normal: 10_000, full: 10_000 });

let stage: Stage;
let body = 0 as Entity;
const out = new Float64Array(4);
/** What a tick takes. */
let spentNs = 0;

function openBody(): Promise<Stage> {
  return openStage(({ world, tick }) => {
    if (tick > 0) stage.clock.ns += spentNs;
    if (tick === 0) body = world.spawn({ position: 0, velocity: 0, direction: 0 });
    world.add(body, 'position', [tick * 0.3, 1]);
    world.add(body, 'velocity', [18, tick / 7]);
    world.add(body, 'direction', [1, tick / 100, 1]);
    world.add(body, 'place', [tick / 3, tick / 7, 1]);
    world.add(body, 'heading', [350 + tick * 7.3]);
    world.add(body, 'look', [0.1, tick / 9, tick / 11]);
    world.add(body, 'exact', [tick * 65_537]);
    world.add(body, 'orientation', [0, 0, Math.sin(tick / 9), Math.cos(tick / 9)]);
    world.add(body, 'fieldOfView', [1 + tick / 100]);
  });
}

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

const KINDS = ['place', 'heading', 'look', 'exact', 'orientation', 'fieldOfView'] as const;
type Kind = (typeof KINDS)[number];

/** Declares the tests of what a frame leaves; `how` says in what code. */
export function describeFrames(how: string): void {
  describe(`a frame leaves nothing on the heap, ${how}`, () => {
    beforeEach(async () => {
      spentNs = 0;
      stage = await openBody();
    });
    afterEach(() => stage.close());
    it('when channels move by their velocity, between ticks and beyond', checkMotion);
    it('when one entity is sampled, and when a camera is read', checkSamples);
    it('when systems draw that take the frame alone', checkSystems);
    it('when it is one of another thread, whose slack follows', checkFollowing);
    it('when channels of every kind are sampled, and turned cameras are read', checkKinds);
  });
}

function checkMotion(): void {
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
}

function checkSamples(): void {
  const view = stage.openView();
  const camera = openCamera(view, { position: 'position', direction: 'direction' });
  standBetween();
  const ofSamples = perFrame(view, (frame) => {
    frame.sample(body, 'position', out);
    frame.sample(body, 'direction', out);
  });
  expect(ofSamples).toBe(0);
  expect(perFrame(view, (frame) => void camera.read(frame, body))).toBe(0);
}

function checkSystems(): void {
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
}

function checkFollowing(): void {
  const view = stage.openRemoteView();
  spentNs = 4_000_000;
  standBetween();
  const stepNs = 100_003;
  // Its timestamp grows old, so that ages leave the small integers, which are never boxed.
  const ofStamped = perFrame(view, (frame) => {
    stage.clock.ns += stepNs;
    frame.sample(body, 'position', out);
  });
  expect(ofStamped).toBe(0);
  const unstamped = (): void => {
    stage.clock.ns += stepNs;
    const frame = view.frame();
    frame.blend('position');
    frame.release();
  };
  expect(bytesLeft(calls, unstamped)).toBe(0);
  expect(view.stats().slackMs).toBeGreaterThan(0);
  expect(view.stats().beat?.frameRateHz).toBeCloseTo(1e9 / stepNs, 3);
}

function checkKinds(): void {
  const view = stage.openView();
  standBetween();
  const ofKinds = perFrame(view, (frame) => {
    for (let i = 0; i < KINDS.length; i++) frame.sample(body, KINDS[i] as Kind, out);
  });
  expect(ofKinds).toBe(0);
  const { position, fieldOfView } = { position: 'position', fieldOfView: 'fieldOfView' } as const;
  for (const turning of [{ eulerAngles: 'look' }, { orientation: 'orientation' }] as const) {
    const camera = openCamera(view, { position, fieldOfView, ...turning });
    expect(perFrame(view, (frame) => void camera.read(frame, body))).toBe(0);
  }
}
