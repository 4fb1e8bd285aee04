import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ControlKeys, type Key, KEYS } from '../../src/cli/control-keys.ts';
import type { ClockMode } from '../../src/shared/clock-options.ts';
import { scaled } from '../scaled.ts';
import { ClockStage } from './clock-stage.ts';

function create(): { stage: ClockStage; keys: ControlKeys } {
  const stage = new ClockStage();
  return { stage, keys: new ControlKeys(stage) };
}

const runs = { numRuns: scaled({ tiny: 200, normal: 2000, full: 50_000 }) };

test('the keys begin with what the clock is set to', () => {
  const { keys } = create();
  expect(keys.read(KEYS)).toEqual({
    'sim.speed': 1,
    'sim.paused': false,
    'sim.mode': 'live',
    'sim.lockstep_steps': 1,
    'sim.step': 0,
    'sim.time': 0,
    'sim.tick': 0,
    'sim.fixed_dt': 0.01,
    'sim.realized_speed': NaN,
    'sim.dropped': 0,
  });
});

test('telemetry follows the clock', async () => {
  const { stage, keys } = create();
  await stage.setCap(5);
  stage.pass(1);
  expect(keys.read(['sim.tick', 'sim.time', 'sim.dropped'])).toEqual({
    'sim.tick': 5,
    'sim.time': 0.05,
    'sim.dropped': 95,
  });
});

describe('a pause', () => {
  test.each<[string, ClockMode]>([
    ['live', 'paused'],
    ['lockstep', 'paused'],
    ['stepping', 'stepping'],
    ['replay', 'replay'],
  ])('over the mode %s makes the clock %s, and off again leaves that mode', async (mode, clock) => {
    const { stage, keys } = create();
    await keys.write({ 'sim.mode': mode });
    await keys.write({ 'sim.paused': true });
    expect(stage.status().mode).toBe(clock);
    expect(keys.read(['sim.paused', 'sim.mode'])).toEqual({ 'sim.paused': true, 'sim.mode': mode });
    await keys.write({ 'sim.paused': false });
    expect(stage.status().mode).toBe(mode);
  });

  test('by somebody else is seen, and so is its end', async () => {
    const { stage, keys } = create();
    await stage.pause();
    expect(keys.read(['sim.paused'])).toEqual({ 'sim.paused': true });
    await stage.resume();
    expect(keys.read(['sim.paused', 'sim.mode'])).toEqual({
      'sim.paused': false,
      'sim.mode': 'live',
    });
  });
});

test('a key that undoes what somebody else told the clock is a change', async () => {
  const { stage, keys } = create();
  await stage.pause();
  await keys.write({ 'sim.paused': false });
  expect(stage.status().mode).toBe('live');
  await stage.setSpeed(4);
  await keys.write({ 'sim.speed': 1 });
  expect(stage.status().speed).toBe(1);
});

describe('sim.step', () => {
  test('runs its increments in any mode, and none for a decrease', async () => {
    const { stage, keys } = create();
    const ticks: number[] = [];
    for (const [mode, step] of [
      ['live', 3],
      ['replay', 4],
      ['stepping', 1],
      ['lockstep', 3],
    ] as const) {
      await keys.write({ 'sim.mode': mode, 'sim.step': step });
      ticks.push(stage.status().tick);
    }
    expect(ticks).toEqual([3, 4, 4, 6]);
  });

  test('from two writers at once adds up to the larger count', async () => {
    const { stage, keys } = create();
    stage.commandMs = 5;
    await Promise.all([
      keys.write({ 'sim.speed': 2, 'sim.step': 3 }),
      keys.write({ 'sim.speed': 3, 'sim.step': 5 }),
    ]);
    expect(stage.status()).toMatchObject({ tick: 5, speed: 3 });
  });

  test('refuses more than a million at once and goes on from where it was', async () => {
    const { stage, keys } = create();
    await expect(keys.write({ 'sim.step': 1_000_001 })).rejects.toMatchObject({
      code: 'VALUE_INVALID',
    });
    await keys.write({ 'sim.step': 2 });
    expect(stage.status().tick).toBe(2);
  });
});

const goodValue: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  'sim.speed': fc.double({ min: 0, max: 1000, noNaN: true }),
  'sim.paused': fc.constantFrom(true, false, 0, 1, 'true', 'false'),
  'sim.mode': fc.constantFrom('live', 'lockstep', 'stepping', 'replay'),
  'sim.lockstep_steps': fc.integer({ min: 1, max: 1000 }),
  'sim.step': fc.nat({ max: 50 }),
};
const goodWrite = fc.record(goodValue, { requiredKeys: [] });

const badWrite = fc.oneof(
  fc.record({ 'sim.speed': fc.constantFrom(-1, 1001, NaN, Infinity, '1', null, true, [1]) }),
  fc.record({ 'sim.paused': fc.constantFrom(2, 'yes', null, {}) }),
  fc.record({ 'sim.mode': fc.constantFrom('paused', 'fast', 0, null) }),
  fc.record({ 'sim.lockstep_steps': fc.constantFrom(0, 1.5, -1, '2', 2 ** 31, 1_000_001) }),
  fc.record({ 'sim.step': fc.constantFrom(-1, 0.5, '1', 2 ** 53, null) }),
  fc.record({ 'sim.tick': fc.nat() }),
  fc.record({ 'sim.nothing': fc.nat() }),
);

describe('any writes', () => {
  test('leave the clock as the last value of each control says, a pause above all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(goodWrite, { maxLength: 12 }), async (writes) => {
        const { stage, keys } = create();
        const wanted = { mode: 'live', paused: false, step: 0, tick: 0, lockstep: 1 };
        for (const values of writes) {
          await keys.write(values);
          wanted.mode = (values['sim.mode'] ?? wanted.mode) as string;
          const paused = values['sim.paused'];
          if (paused !== undefined) wanted.paused = [true, 1, 'true'].includes(paused as never);
          const step = (values['sim.step'] ?? wanted.step) as number;
          wanted.tick += Math.max(0, step - wanted.step);
          wanted.step = step;
          wanted.lockstep = (values['sim.lockstep_steps'] ?? wanted.lockstep) as number;
          const halts = wanted.paused && ['live', 'lockstep'].includes(wanted.mode);
          expect(stage.status()).toMatchObject({
            mode: halts ? 'paused' : wanted.mode,
            tick: wanted.tick,
            lockstepSteps: wanted.lockstep,
          });
          expect(keys.read(['sim.mode', 'sim.paused', 'sim.step'])).toEqual({
            'sim.mode': wanted.mode,
            'sim.paused': wanted.paused,
            'sim.step': wanted.step,
          });
        }
      }),
      runs,
    );
  });

  test('with one bad value change nothing, whatever the others are', async () => {
    const write = fc.tuple(goodWrite, badWrite).map(([good, bad]) => ({ ...good, ...bad }));
    await fc.assert(
      fc.asyncProperty(goodWrite, write, async (first, second) => {
        const { stage, keys } = create();
        await keys.write(first);
        const before = [stage.status(), keys.read(KEYS)];
        const cause: unknown = await keys.write(second).catch((error: unknown) => error);
        expect(cause).toHaveProperty('detail.allowed');
        expect([stage.status(), keys.read(KEYS as readonly Key[])]).toEqual(before);
      }),
      runs,
    );
  });
});
