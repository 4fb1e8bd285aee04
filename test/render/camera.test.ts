import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type CameraOptions, openCamera } from '../../src/render/index.ts';
import type { Entity } from '../../src/sim-worker/index.ts';
import { openStage, type Script, type Stage, type StageTypes } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const OFFSET = [16, -3] as const;

/** Quaternion times vector: where a camera's own direction points in the world. */
function turn(q: ArrayLike<number>, [vx, vy, vz]: readonly [number, number, number]): number[] {
  const [x = 0, y = 0, z = 0, w = 0] = Array.from(q);
  const tx = 2 * (y * vz - z * vy);
  const ty = 2 * (z * vx - x * vz);
  const tz = 2 * (x * vy - y * vx);
  return [
    vx + w * tx + (y * tz - z * ty),
    vy + w * ty + (z * tx - x * tz),
    vz + w * tz + (x * ty - y * tx),
  ];
}

function expectNear(actual: ArrayLike<number>, wanted: readonly number[]): void {
  expect(actual.length).toBe(wanted.length);
  for (const [i, value] of wanted.entries()) expect(actual[i]).toBeCloseTo(value, 6);
}

/** Starts a stage with one camera at rest, and reads it at tick 1. */
async function readOnce(
  values: Parameters<Parameters<Script>[0]['world']['spawn']>[0],
  options: Omit<CameraOptions<StageTypes>, 'position'>,
) {
  let entity = 0 as Entity;
  stage = await openStage(({ world, tick }) => {
    if (tick === 0) entity = world.spawn({ position: [3, 4], ...values });
  });
  const view = stage.openView();
  stage.advanceTo(25);
  const frame = view.frame();
  const sample = openCamera(view, { position: 'position', ...options }).read(frame, entity);
  frame.release();
  return sample;
}

describe('a camera that follows a target at 300 units a second, 144 Hz over 60 Hz ticks', () => {
  it('keeps its offset bitwise over 1000 frames, set in the tick or in the frame', async () => {
    let target = 0 as Entity;
    let camera = 0 as Entity;
    stage = await openStage(({ world, tick }) => {
      // Between 4096 and 8192 neighbouring f32 are equally far apart: both round alike.
      const x = 4096 + 5 * tick + 1 / 8;
      const place = [x + OFFSET[0], OFFSET[1]] as const;
      if (tick === 0) {
        target = world.spawn({ position: [x, 0] });
        camera = world.spawn({ position: place });
      } else {
        world.add(target, 'position', [x, 0]);
        world.add(camera, 'position', place);
      }
    });
    const view = stage.openView();
    const reader = openCamera(view, { position: 'position' });
    const simulated = new Set<number>();
    const computed = new Set<number>();
    const alphas = new Set<number>();
    for (let i = 1; i <= 1000; i++) {
      stage.advanceTo((i * 1000) / 144);
      const frame = view.frame();
      const { position } = reader.read(frame, camera);
      const seen = [0, 0];
      frame.sample(target, 'position', seen);
      simulated.add((position[0] as number) - (seen[0] as number));
      simulated.add((position[1] as number) - (seen[1] as number) + 100);
      const followed = (seen[0] as number) + OFFSET[0];
      computed.add(followed - (frame.blend('position')[0] as number));
      alphas.add(frame.alpha);
      frame.release();
    }
    expect([...simulated]).toEqual([OFFSET[0], OFFSET[1] + 100]);
    expect([...computed]).toEqual([OFFSET[0]]);
    expect(alphas.size).toBeGreaterThan(5);
  });

  it('keeps its offset when both are teleported, and shows nothing in between', async () => {
    let target = 0 as Entity;
    let camera = 0 as Entity;
    const xAt = (tick: number): number => (tick < 30 ? tick : 5000 + tick);
    stage = await openStage(({ world, tick }) => {
      if (tick === 0) {
        target = world.spawn({ position: [0, 0] });
        camera = world.spawn({ position: [16, 0] });
        return;
      }
      const verb = tick === 30 ? 'teleport' : 'add';
      for (const [entity, x] of [
        [target, xAt(tick)],
        [camera, xAt(tick) + 16],
      ] as const) {
        if (verb === 'teleport') world.teleport(entity, { position: [x, 0] });
        else world.add(entity, 'position', [x, 0]);
      }
    });
    const view = stage.openView();
    const reader = openCamera(view, { position: 'position' });
    const statuses = new Set<string>();
    for (let i = 1; i <= 144; i++) {
      stage.advanceTo((i * 1000) / 144);
      const frame = view.frame();
      const seen = [0, 0];
      const status = frame.sample(target, 'position', seen);
      const sample = reader.read(frame, camera);
      expect(sample.status).toBe(status);
      statuses.add(status);
      const x = seen[0] as number;
      expect(Math.abs((sample.position[0] as number) - x - 16)).toBeLessThan(1e-3);
      expect(x <= 29 || x >= 5030).toBe(true);
      frame.release();
    }
    expect([...statuses]).toEqual(['ok', 'snapped']);
  });
});

describe('the orientation of a camera', () => {
  it('is the quaternion of its channel', async () => {
    const half = Math.SQRT1_2;
    const { orientation, status } = await readOnce(
      { orientation: [0, half, 0, half] },
      { orientation: 'orientation' },
    );
    expect(status).toBe('ok');
    expectNear(orientation, [0, half, 0, half]);
    expectNear(turn(orientation, [0, 0, -1]), [-1, 0, 0]);
  });

  it.each([
    ['pitch looks up', [0.3, 0, 0], [0, Math.sin(0.3), -Math.cos(0.3)], [1, 0, 0]],
    ['yaw turns left', [0, 0.3, 0], [-Math.sin(0.3), 0, -Math.cos(0.3)], null],
    ['roll leans left', [0, 0, 0.3], [0, 0, -1], [Math.cos(0.3), Math.sin(0.3), 0]],
    [
      'yaw turns what was pitched',
      [0.3, Math.PI / 2, 0],
      [-Math.cos(0.3), Math.sin(0.3), 0],
      [0, 0, -1],
    ],
  ] as const)('has Euler angles whose positive %s', async (_, look, ahead, side) => {
    const { orientation } = await readOnce({ look }, { eulerAngles: 'look' });
    expectNear(turn(orientation, [0, 0, -1]), ahead);
    if (side !== null) expectNear(turn(orientation, [1, 0, 0]), side);
  });

  it('turns the short way where a yaw wraps', async () => {
    let camera = 0 as Entity;
    stage = await openStage(({ world, tick }) => {
      if (tick === 0) camera = world.spawn({ position: 0, look: [0, 6.2, 0] });
      else world.add(camera, 'look', [0, tick === 1 ? 6.2 : 0.1, 0]);
    });
    const view = stage.openView();
    const reader = openCamera(view, { position: 'position', eulerAngles: 'look' });
    for (let tick = 0; tick < 3; tick++) stage.advanceTo((tick * 1000) / 60 + 1e-6);
    for (let step = 0; step <= 10; step++) {
      stage.clock.toMs(((2 + step / 10) * 1000) / 60 + 1e-6);
      const frame = view.frame();
      const { orientation } = reader.read(frame, camera);
      const yaw = 6.2 + (step / 10) * (0.1 + 2 * Math.PI - 6.2);
      expectNear(turn(orientation, [0, 0, -1]), [-Math.sin(yaw), 0, -Math.cos(yaw)]);
      frame.release();
    }
  });

  it('looks along any direction, with a side that is level', async () => {
    const place = fc.double({ min: -1, max: 1, noNaN: true });
    let camera = 0 as Entity;
    let wanted = [0, 0, 0];
    stage = await openStage(({ world, tick }) => {
      if (tick === 0) camera = world.spawn({ position: 0, direction: [0, 0, 1] });
      else world.teleport(camera, { direction: wanted });
    });
    const view = stage.openView();
    const reader = openCamera(view, {
      position: 'position',
      direction: 'direction',
      up: [0, 0, 2],
    });
    let ms = 0;
    fc.assert(
      fc.property(fc.tuple(place, place, place), (direction) => {
        wanted = direction.map((value) => Math.fround(value));
        stage.advanceTo((ms += 20));
        const frame = view.frame();
        const { orientation } = reader.read(frame, camera);
        frame.release();
        const length = Math.hypot(...wanted);
        const ahead = length === 0 ? [0, 0, -1] : wanted.map((value) => value / length);
        expectNear(turn(orientation, [0, 0, -1]), ahead);
        expect(Math.hypot(...orientation)).toBeCloseTo(1, 12);
        if (Math.abs(ahead[2] as number) < 0.999) {
          expect(turn(orientation, [1, 0, 0])[2]).toBeCloseTo(0, 6);
          expect(turn(orientation, [0, 1, 0])[2]).toBeGreaterThan(0);
        }
      }),
      { examples: [[[0, 0, 1]], [[0, 0, -1]], [[0, 0, 0]], [[1, 0, 0]], [[1e-30, 0, 0]]] },
    );
  });

  it('is that of the later tick where a blended direction has no length', async () => {
    let camera = 0 as Entity;
    stage = await openStage(({ world, tick }) => {
      if (tick === 0) camera = world.spawn({ position: 0, direction: [2, 0, 0] });
      else world.add(camera, 'direction', [tick === 1 ? 2 : -2, 0, 0]);
    });
    const view = stage.openView();
    const reader = openCamera(view, { position: 'position', direction: 'direction' });
    for (let tick = 0; tick < 3; tick++) stage.advanceTo((tick * 1000) / 50 + 1e-6);
    const frameMs = 1000 / 60;
    const seen: number[] = [];
    for (const alpha of [0.25, 0.5, 0.75]) {
      stage.clock.ns = Math.round((2 + alpha) * frameMs * 1e6);
      const frame = view.frame();
      // Exactly half, whatever the reading rounds to.
      (frame as { alpha: number }).alpha = alpha;
      seen.push(turn(reader.read(frame, camera).orientation, [0, 0, -1])[0] as number);
      frame.release();
    }
    expectNear(seen, [1, -1, -1]);
  });
});

describe('the matrices of a camera', () => {
  it('take its place to the origin and what it looks at to -z', async () => {
    const { viewMatrix, orientation, position } = await readOnce(
      { look: [0.4, 1.1, -0.2] },
      { eulerAngles: 'look' },
    );
    const apply = (point: ArrayLike<number>): number[] =>
      [0, 1, 2].map(
        (row) =>
          [0, 1, 2].reduce(
            (sum, column) => sum + (viewMatrix[4 * column + row] as number) * (point[column] ?? 0),
            0,
          ) + (viewMatrix[12 + row] as number),
      );
    expect([...position]).toEqual([3, 4, 0]);
    expectNear(apply(position), [0, 0, 0]);
    for (const own of [
      [0, 0, -7],
      [1, 0, 0],
      [0, 2, 0],
    ] as const) {
      const world = turn(orientation, own).map((value, i) => value + (position[i] as number));
      expectNear(apply(world), own);
    }
    expect([3, 7, 11, 15].map((i) => viewMatrix[i])).toEqual([0, 0, 0, 1]);
  });

  it('project near and far planes and the upper edge to where WebGL clips', async () => {
    const sample = await readOnce({ fieldOfView: 1.2 }, { fieldOfView: 'fieldOfView' });
    expect(sample.fieldOfView).toBeCloseTo(1.2, 6);
    const out = sample.projectionInto(2, 0.5, 100, new Float64Array(16));
    const project = (y: number, z: number): number[] => {
      const w = (out[11] as number) * z;
      return [((out[5] as number) * y) / w, ((out[10] as number) * z + (out[14] as number)) / w];
    };
    const edge = Math.tan(0.6);
    expectNear(project(edge * 0.5, -0.5), [1, -1]);
    expectNear(project(-edge * 100, -100), [-1, 1]);
    expect((out[5] as number) / (out[0] as number)).toBeCloseTo(2, 12);
    const endless = sample.projectionInto(1, 0.5, Number.POSITIVE_INFINITY, []);
    expect(endless.slice(10, 15)).toEqual([-1, -1, 0, 0, -1]);
    expect(() => sample.projectionInto(1, 2, 1, [])).toThrow(/VALUE_INVALID/);
  });
});

describe('what becomes of a camera', () => {
  it('is told by its status, and the last good sample stays', async () => {
    let camera = 0 as Entity;
    let poor = 0 as Entity;
    stage = await openStage(({ world, tick }) => {
      if (tick === 0) {
        camera = world.spawn({ position: [1, 2], look: 0 });
        poor = world.spawn({ position: [7, 8] });
      }
      if (tick === 2) world.despawn(camera);
    });
    const view = stage.openView();
    const reader = openCamera(view, { position: 'position', eulerAngles: 'look' });
    const seen: unknown[] = [];
    for (const ms of [20, 40]) {
      stage.advanceTo(ms);
      const frame = view.frame();
      for (const entity of [poor, camera]) {
        const { status, position } = reader.read(frame, entity);
        seen.push([status, ...position]);
      }
      frame.release();
    }
    expect(seen).toEqual([
      ['no-component', 0, 0, 0],
      ['ok', 1, 2, 0],
      ['no-component', 1, 2, 0],
      ['stale', 1, 2, 0],
    ]);
  });

  it('is refused for channels of the wrong kind, with what is allowed', async () => {
    stage = await openStage(() => undefined);
    const view = stage.openView();
    const position = 'position';
    for (const [options, message] of [
      [{ position: 'heading' }, /two or three numbers/],
      [{ position: 'lost' }, /NAME_UNKNOWN.*"lost"/],
      [{ position, orientation: 'orientation', eulerAngles: 'look' }, /turned in one way/],
      [{ position, orientation: 'look' }, /quaternion/],
      [{ position, eulerAngles: 'direction' }, /eulerAngles/],
      [{ position, direction: 'position' }, /vec3/],
      [{ position, up: [0, 0, 1] }, /no `direction` beside it/],
      [{ position, direction: 'direction', up: [0, 0, 0] }, /not all 0/],
      [{ position, fieldOfView: 4 }, /between 0 and pi/],
      [{ position, fieldOfView: 'scale' }, /one f32 or f64/],
    ] as const) {
      expect(() => openCamera(view, options as never)).toThrow(message);
    }
  });
});
