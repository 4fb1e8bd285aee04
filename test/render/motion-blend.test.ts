import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChannelMotions } from '../../src/render/index.ts';
import type { Entity } from '../../src/sim-worker/index.ts';
import { openStage, type Script, type Stage, type StageTypes, type StageView } from './stage.ts';

type Motions = ChannelMotions<StageTypes>;

const HERMITE: Motions = { position: { velocity: 'velocity', blend: 'hermite' } };
const QUANTUM = 1 / 60;

let stage: Stage;
afterEach(() => stage.close());

/** Runs `ticks` ticks one by one and stands `quanta` after the last one's due instant. */
function standAfter(ticks: number, quanta: number): void {
  for (let tick = 1; tick <= ticks; tick++) stage.advanceTo((tick * 1000) / 60 + 1e-6);
  stage.clock.toMs(((ticks + quanta) * 1000) / 60 + 1e-6);
}

/** Reads a position by all ways there are, which must give the same bits. */
function read(view: StageView, entity: Entity): [string, number, number] {
  const frame = view.frame();
  const out = [Number.NaN, Number.NaN];
  const status = frame.sample(entity, 'position', out);
  const row = frame.entities.indexOf(entity);
  const bulk = [...frame.blend('position').subarray(2 * row, 2 * row + 2)];
  const spread = new Float64Array(frame.count * 5 + 1);
  frame.sampleInto('position', spread, { stride: 5, offset: 1 });
  frame.release();
  expect(bulk).toEqual(out);
  expect([...spread.subarray(5 * row + 1, 5 * row + 3)]).toEqual(out);
  return [status, ...(out as [number, number])];
}

/** A body on a cubic, with its exact velocity. */
function cubic([a, b, c, d]: readonly number[]): (t: number) => [number, number] {
  return (t) => [
    (a as number) + t * ((b as number) + t * ((c as number) + t * (d as number))),
    (b as number) + t * (2 * (c as number) + t * 3 * (d as number)),
  ];
}

describe('a channel blended by the velocities of both ends', () => {
  it('shows a cubic motion exactly, and both ticks bitwise', async () => {
    const coefficient = fc.double({ min: -50, max: 50, noNaN: true });
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(coefficient, coefficient, coefficient, coefficient),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (coefficients, alpha) => {
          const path = cubic(coefficients);
          let body = 0 as Entity;
          stage = await openStage(({ world, tick }) => {
            if (tick === 0) body = world.spawn({ place: 0, placeVelocity: 0, position: 0 });
            const [x, speed] = path(tick * QUANTUM);
            world.add(body, 'place', [x, 0, -x]);
            world.add(body, 'placeVelocity', [speed, 0, -speed]);
          });
          const view = stage.openView({
            channels: { place: { velocity: 'placeVelocity', blend: 'hermite' } },
          });
          standAfter(30, alpha);
          const frame = view.frame();
          const out = [0, 0, 0];
          expect(frame.sample(body, 'place', out)).toBe('ok');
          const [wanted] = path((frame.pairTick - 1 + frame.alpha) * QUANTUM);
          expect(Math.abs((out[0] as number) - wanted)).toBeLessThan(
            1e-11 * (1 + Math.abs(wanted)),
          );
          expect(out[2]).toBe(-(out[0] as number));
          frame.release();
          standAfter(30, 1);
          const end = view.frame();
          end.sample(body, 'place', out);
          expect(out[0]).toBe(path(30 * QUANTUM)[0]);
          end.release();
          await stage.close();
        },
      ),
      { numRuns: 30 },
    );
    stage = await openStage(() => undefined);
  });

  it('keeps its pace over a tick where straight pieces have a corner', async () => {
    let body = 0 as Entity;
    const angle = (tick: number): number => tick * 0.5;
    stage = await openStage(({ world, tick }) => {
      if (tick === 0) body = world.spawn({ position: 0, velocity: 0 });
      const turned = angle(tick);
      world.add(body, 'position', [Math.cos(turned), Math.sin(turned)]);
      world.add(body, 'velocity', [-30 * Math.sin(turned), 30 * Math.cos(turned)]);
    });
    const straight = stage.openView();
    const curved = stage.openView({ channels: HERMITE });
    let furthest = 0;
    let furthestStraight = 0;
    for (let tick = 1; tick <= 6; tick++) {
      stage.advanceTo((tick * 1000) / 60 + 1e-6);
      for (let step = 0; step < 8; step++) {
        stage.clock.toMs(((tick + step / 8) * 1000) / 60 + 1e-6);
        const [, x, y] = read(curved, body);
        const [, sx, sy] = read(straight, body);
        furthest = Math.max(furthest, Math.abs(Math.hypot(x, y) - 1));
        furthestStraight = Math.max(furthestStraight, Math.abs(Math.hypot(sx, sy) - 1));
      }
    }
    expect(furthestStraight).toBeGreaterThan(0.03);
    expect(furthest).toBeLessThan(0.0005);
  });

  it('shows a tick that stands alone as it is, and straight who has no velocity', async () => {
    let slow = 0 as Entity;
    let plain = 0 as Entity;
    stage = await openStage(({ world, tick }) => {
      if (tick === 0) {
        slow = world.spawn({ position: 5, velocity: 600 });
        plain = world.spawn({ position: 0 });
      } else {
        world.add(plain, 'position', tick * tick);
      }
    });
    const view = stage.openView({ channels: HERMITE });
    stage.clock.toMs(8);
    expect(read(view, slow)).toEqual(['ok', 5, 5]);
    standAfter(3, 0.25);
    expect(read(view, plain)[1]).toBeCloseTo(5.25, 4);
    expect(read(view, slow)[1]).toBeGreaterThan(5.5);
    await stage.sim.clock.seekTick(100);
    stage.clock.ns += 5e6;
    const frame = view.frame();
    expect([frame.pairTick, frame.alpha > 0.2 && frame.alpha < 0.4]).toEqual([100, true]);
    frame.release();
    expect(read(view, slow)).toEqual(['ok', 5, 5]);
  });
});

/** One body at 600 a second and one that is late by choice. */
const steady: Script = ({ world, columns, tick }) => {
  if (tick === 0) world.spawn({ position: 0, velocity: [600, 0] });
  else columns.position[0] = 10 * tick;
};

const going = (extrapolateMs: number): Motions => ({
  position: { velocity: 'velocity', extrapolateMs },
});

describe('a channel that goes on beyond the newest tick', () => {
  it('goes on along its velocity while a tick is late, up to its limit', async () => {
    stage = await openStage(steady);
    const view = stage.openView({ channels: going(25) });
    const still = stage.openView();
    const body = firstOf(view);
    const seen = [0.5, 1, 1.5, 2, 2.5, 3, 60].map((quanta) => {
      standAfter(2, quanta);
      const frame = view.frame();
      const { alpha, overrun, pairTick } = frame;
      frame.release();
      expect(pairTick).toBe(2);
      expect(alpha).toBe(Math.min(quanta, 1) === 1 ? 1 : alpha);
      expect(overrun).toBeCloseTo(Math.max(0, quanta - 1) * QUANTUM, 6);
      expect(read(still, body)[1]).toBeCloseTo(Math.min(20, 10 + 10 * quanta), 4);
      return read(view, body)[1];
    });
    const wanted = [15, 20, 25, 30, 35, 35, 35];
    for (const [i, x] of wanted.entries()) expect(seen[i]).toBeCloseTo(x, 4);
  });

  it('moves evenly across ticks with a lead of more than a quantum', async () => {
    stage = await openStage(steady);
    const view = stage.openView({ channels: going(100), leadMs: 20 });
    const body = firstOf(view);
    let last = Number.NaN;
    const steps: number[] = [];
    for (let i = 1; i <= 288; i++) {
      stage.advanceTo((i * 1000) / 144);
      const [, x] = read(view, body);
      if (i > 10) steps.push(x - last);
      last = x;
    }
    for (const step of steps) expect(step).toBeCloseTo(600 / 144, 3);
    // Shown is the world a lead after a reader without slack, which is one quantum behind.
    expect(last).toBeCloseTo(600 * (2 + 0.02 - QUANTUM), 3);
    const frame = view.frame();
    expect([frame.slackNs, frame.alpha]).toEqual([-20e6, 1]);
    expect(frame.overrun).toBeGreaterThan(0);
    frame.release();
  });

  it('leaves other channels alone, and shows the paused world exactly', async () => {
    stage = await openStage(steady);
    const view = stage.openView({ leadMs: 50 });
    const body = firstOf(view);
    standAfter(3, 0.5);
    expect(read(view, body)).toEqual(['ok', 30, 0]);
    await stage.sim.clock.pause();
    const led = stage.openView({ channels: going(100), leadMs: 50 });
    const frame = led.frame();
    expect([frame.overrun, frame.alpha > 0.4 && frame.alpha < 0.6]).toEqual([0, true]);
    frame.release();
    expect(read(led, body)[1]).toBeCloseTo(25, 4);
  });

  it('goes on from a teleport and a spawn, and never moves who opted out', async () => {
    let jumper = 0 as Entity;
    let newcomer = 0 as Entity;
    let stepper = 0 as Entity;
    stage = await openStage(({ world, tick }) => {
      if (tick === 0) {
        jumper = world.spawn({ position: 0, velocity: [60, 0] });
        stepper = world.spawn({ position: 0, velocity: [60, 0] });
        world.setBlended(stepper, false);
      }
      world.add(stepper, 'position', [tick, 0]);
      if (tick !== 4) return;
      world.teleport(jumper, { position: [900, 0] });
      newcomer = world.spawn({ position: [50, 0], velocity: [60, 0] });
    });
    const view = stage.openView({ channels: going(100) });
    standAfter(4, 1.5);
    const seen = [jumper, newcomer, stepper].map((entity) => read(view, entity));
    expect(seen.map(([status]) => status)).toEqual(['snapped', 'snapped', 'snapped']);
    expect(seen[0]?.[1]).toBeCloseTo(900.5, 3);
    expect(seen[1]?.[1]).toBeCloseTo(50.5, 4);
    expect(seen[2]?.[1]).toBe(4);
  });
});

describe('INT 31: a fresh projectile', () => {
  const launch: Script = ({ world, columns, tick }) => {
    if (tick === 0) {
      world.spawn({ position: 7, velocity: [600, 0] });
      world.spawn({ position: 0 });
    } else if (tick === 3) {
      world.spawn({ position: [100, 0], velocity: [600, 0] });
      world.teleport(world.entityAt(0), { position: [400, 0] });
    } else if (tick > 3) {
      columns.position[2 * 2] = 100 + 10 * (tick - 3);
    }
  };

  it.each([
    ['starts where its velocity puts it one quantum before', true, [90, 92.5, 95, 100]],
    [
      'stands still for a tick without the policy, and never starts at 0',
      false,
      [100, 100, 100, 100],
    ],
  ] as const)('%s', async (_, backdateSpawn, wanted) => {
    stage = await openStage(launch);
    const channels: Motions = backdateSpawn
      ? { position: { velocity: 'velocity', backdateSpawn } }
      : {};
    const view = stage.openView({ channels });
    const statuses = new Set<string>();
    for (const [i, alpha] of [0, 0.25, 0.5, 1].entries()) {
      standAfter(3, alpha);
      const frame = view.frame();
      const [jumper, , shot] = frame.entities as unknown as Entity[];
      frame.release();
      const [status, x] = read(view, shot as Entity);
      statuses.add(status);
      expect(x).toBeCloseTo(wanted[i] as number, 3);
      // A teleported entity is not new, whatever its velocity.
      expect(read(view, jumper as Entity)).toEqual(['snapped', 400, 0]);
    }
    expect([...statuses]).toEqual(backdateSpawn ? ['ok', 'snapped'] : ['snapped']);
    standAfter(4, 0.5);
    const frame = view.frame();
    const shot = frame.entities[2] as Entity;
    frame.release();
    expect(read(view, shot)[1]).toBeCloseTo(105, 3);
  });

  it('in a recycled slot starts from its own past, not from its previous owner', async () => {
    let owner = 0 as Entity;
    stage = await openStage(({ world, tick }) => {
      if (tick === 0) owner = world.spawn({ position: -900, velocity: 0 });
      if (tick !== 2) return;
      world.despawn(owner);
      owner = world.spawn({ position: [100, 0], velocity: [600, 0] });
    });
    const view = stage.openView({
      channels: { position: { velocity: 'velocity', blend: 'hermite', backdateSpawn: true } },
    });
    standAfter(2, 0.5);
    const [status, x, y] = read(view, owner);
    expect([status, y]).toEqual(['ok', 0]);
    expect(x).toBeCloseTo(95, 4);
  });
});

describe('the options of a motion', () => {
  it('are refused when they cannot be, and no reader is kept', async () => {
    stage = await openStage(() => undefined, { maxViews: 1 });
    for (const [channels, message] of [
      [{ lost: { velocity: 'velocity', blend: 'hermite' } }, /NAME_UNKNOWN.*"lost"/],
      [{ position: { velocity: 'lost', blend: 'hermite' } }, /NAME_UNKNOWN.*"lost"/],
      [{ position: { velocity: 'placeVelocity', blend: 'hermite' } }, /different widths.*2 and 3/],
      [{ heading: { velocity: 'fieldOfView', blend: 'hermite' } }, /cannot move.*angle.*lerp/],
      [{ exact: { velocity: 'fieldOfView', blend: 'hermite' } }, /cannot move.*fixed/],
      [{ fieldOfView: { velocity: 'heading', blend: 'hermite' } }, /no velocity.*angle/],
      [{ position: { velocity: 'position', blend: 'hermite' } }, /no velocity of itself/],
      [{ position: { velocity: 'velocity' } }, /nothing uses/],
      [{ position: { velocity: 'velocity', blend: 'cubic' } }, /no blend of motion.*hermite/],
      [{ position: { velocity: 'velocity', extrapolateMs: 0 } }, /above 0/],
      [{ position: { velocity: 'velocity', extrapolateMs: Number.NaN } }, /above 0/],
    ] as const) {
      expect(() => stage.openView({ channels: channels as never })).toThrow(message);
    }
    expect(() => stage.openView({ leadMs: -1 })).toThrow(/`leadMs`.*at least 0/);
    expect(() => stage.openView({ leadMs: 5, slackMs: 5 })).toThrow(
      /one of `slackMs` and `leadMs`/,
    );
    expect(stage.openView({ channels: HERMITE }).capacity).toBe(256);
  });
});

function firstOf(view: StageView): Entity {
  const frame = view.frame();
  const entity = frame.entities[0] as Entity;
  frame.release();
  return entity;
}
