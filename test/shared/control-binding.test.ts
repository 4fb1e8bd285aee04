import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClockKeys } from '../../src/shared/clock-keys.ts';
import { ControlBinding } from '../../src/shared/control-binding.ts';
import { EscapementError } from '../../src/shared/error.ts';
import { createStateTree, type StateTree, type StateValue } from '../../src/shared/state-tree.ts';
import { ClockBinding } from '../../src/sim-worker/clock-binding.ts';
import { ClockDriver } from '../../src/sim-worker/clock-driver.ts';
import { scaled } from '../scaled.ts';
import { AsyncClock, stoppedError } from './async-clock.ts';
import { before, KEYS, type Op, program } from './binding-program.ts';

const codeOf = async (act: () => Promise<unknown>): Promise<unknown> => {
  try {
    return await act();
  } catch (error) {
    return error instanceof EscapementError ? error.code : error;
  }
};

const contentOf = (tree: StateTree): [string, StateValue | undefined][] =>
  tree.keys().map((key) => [key, tree.get(key)]);

/** A bound clock of 100 Hz on the other side. */
const bound = (options: { mode?: 'live' | 'stepping' } = {}, keys = ClockKeys.under()) => {
  const tree = createStateTree();
  const clock = new AsyncClock(new ClockDriver({ fixedDt: 0.01, ...options }));
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const binding = new ControlBinding(tree, clock, keys, { onError });
  const update = async (): Promise<string[]> => {
    binding.update();
    if (!clock.held) await clock.deliver();
    return clock.take();
  };
  return { tree, clock, driver: clock.driver, binding, errors, update };
};

/** Does to a tree and a clock what an operation says; a drive is left to the caller. */
const apply = (
  each: Op,
  tree: StateTree,
  driver: ClockDriver,
  binding: { requestSteps(steps: number): void },
): void => {
  if (each.op === 'write') tree.set(KEYS[each.lane], each.value);
  else if (each.op === 'delete') tree.delete(KEYS[each.lane]);
  else if (each.op === 'mode') driver.setMode(each.mode);
  else if (each.op === 'speed') driver.setSpeed(each.speed);
  else if (each.op === 'lockstep') driver.setLockstepSteps(each.steps);
  else if (each.op === 'request') binding.requestSteps(each.steps);
};

test('drives over commands leave the tree and the clock as drives on one thread do', async () => {
  await fc.assert(
    fc.asyncProperty(before, program, async (first, ops) => {
      const options = { fixedDt: 0.001, maxTicksPerAdvance: 50 };
      const [near, far] = [createStateTree(), createStateTree()];
      const driver = new ClockDriver(options);
      const clock = new AsyncClock(new ClockDriver(options));
      for (const each of first) {
        if (each.op === 'write')
          for (const tree of [near, far]) tree.set(KEYS[each.lane], each.value);
      }
      const binding = new ClockBinding(near, driver);
      const control = new ControlBinding(far, clock);
      for (const each of ops) {
        apply(each, near, driver, binding);
        apply(each, far, clock.driver, control);
        if (each.op !== 'drive') continue;
        const result = await control.drive(each.delta);
        expect(result).toEqual({ ...binding.drive(each.delta) });
        expect(contentOf(far)).toEqual(contentOf(near));
        expect(clock.status()).toMatchObject({ tick: driver.tick, mode: driver.mode });
      }
    }),
    { numRuns: scaled({ tiny: 100, normal: 2000, full: 50_000 }) },
  );
});

test('updates of a clock that answers late end with a tree that shows the clock', async () => {
  await fc.assert(
    fc.asyncProperty(program, fc.infiniteStream(fc.boolean()), async (ops, late) => {
      const { tree, clock, driver, binding } = bound();
      for (const each of ops) {
        apply(each, tree, driver, binding);
        if (each.op !== 'drive') continue;
        clock.held = late.next().value === true;
        binding.update();
        if (!clock.held) await clock.deliver();
      }
      clock.held = false;
      for (let i = 0; i < 3; i++) {
        await clock.deliver();
        binding.update();
      }
      await clock.deliver();
      clock.take();
      binding.update();
      // Nothing is left to be told, and whatever is readable is what the clock is.
      expect(clock.take()).toEqual([]);
      const paused = tree.get('sim.paused');
      const mode = tree.get('sim.mode');
      if (driver.mode === 'paused') expect([true, 1, '1', 'true', ...ODD]).toContainEqual(paused);
      else expect([driver.mode, ...ODD]).toContainEqual(mode);
      const speed = Number(tree.get('sim.speed'));
      if (speed >= 0 && speed <= 1000 && typeof tree.get('sim.speed') === 'number') {
        expect(speed).toBe(driver.speed);
      }
      expect([tree.get('sim.tick'), tree.get('sim.time')]).toEqual([driver.tick, driver.time]);
    }),
    { numRuns: scaled({ tiny: 100, normal: 2000, full: 50_000 }) },
  );
});

/** Values that are unreadable for a mode or a pause, and so may stay. */
const ODD: readonly StateValue[] = ['paused', 'warp', '', 1, true, 2, 'yes', Number.NaN];

describe('an update', () => {
  test('sends nothing while nothing changed, and one command for each key that did', async () => {
    const { tree, update, driver } = bound();
    expect([await update(), await update()]).toEqual([[], []]);
    tree.set('sim.speed', '2');
    tree.set('sim.lockstep_steps', 3);
    expect([await update(), await update()]).toEqual([['speed 2', 'lockstep 3'], []]);
    tree.set('sim.paused', true);
    tree.set('sim.mode', 'lockstep');
    expect([await update(), await update(), driver.mode]).toEqual([['mode paused'], [], 'paused']);
    tree.set('sim.speed', 'fast');
    tree.set('sim.mode', 'warp');
    expect([await update(), driver.speed]).toEqual([[], 2]);
  });

  test('does not take the clock’s old value for new while a command is under way', async () => {
    const { tree, clock, driver, update } = bound();
    clock.held = true;
    tree.set('sim.speed', 2);
    expect([await update(), await update(), tree.get('sim.speed')]).toEqual([['speed 2'], [], 2]);
    tree.set('sim.speed', 3);
    expect(await update()).toEqual(['speed 3']);
    await clock.deliver();
    expect([await update(), driver.speed, tree.get('sim.speed')]).toEqual([[], 3, 3]);
  });

  test('puts a refused value back and tells the refusal', async () => {
    const { tree, clock, errors, update } = bound();
    clock.fault = new EscapementError('COMMAND_REFUSED', 'The clock refused that.');
    tree.set('sim.speed', 2);
    tree.set('sim.paused', true);
    expect(await update()).toEqual(['speed 2', 'mode paused']);
    expect([tree.get('sim.speed'), tree.get('sim.paused')]).toEqual([1, false]);
    expect(errors).toEqual([clock.fault, clock.fault]);
    expect(await update()).toEqual([]);
  });

  test('tells what became of a clock that has ended, and never throws it', async () => {
    const { tree, clock, binding, errors, update } = bound();
    clock.fault = stoppedError();
    tree.set('sim.speed', 2);
    binding.requestSteps(1);
    expect(await update()).toEqual(['speed 2', 'ticks 1']);
    expect(errors).toEqual([clock.fault, clock.fault]);
    expect([await update(), tree.get('sim.speed')]).toEqual([[], 1]);
  });

  test('without onError drops what it would tell', async () => {
    const clock = new AsyncClock();
    const tree = createStateTree();
    const binding = new ControlBinding(tree, clock);
    clock.fault = stoppedError();
    tree.set('sim.paused', true);
    binding.update();
    await clock.deliver();
    binding.update();
    expect(tree.get('sim.paused')).toBe(false);
  });

  test('follows what others tell the clock, and shows what it published', async () => {
    const { tree, driver, update } = bound();
    driver.advance(0.03);
    driver.pause();
    driver.setSpeed(0.5);
    expect(await update()).toEqual([]);
    expect([tree.get('sim.paused'), tree.get('sim.speed'), tree.get('sim.tick')]).toEqual([
      true,
      0.5,
      3,
    ]);
    expect(tree.has('sim.realized_speed')).toBe(true);
  });

  test('sends requested steps as one command, a million at most', async () => {
    const { tree, driver, binding, update } = bound({ mode: 'stepping' });
    tree.set('sim.step', 2);
    binding.requestSteps(1);
    expect([await update(), await update(), driver.tick]).toEqual([['ticks 3'], [], 3]);
    tree.set('sim.step', 1_000_003);
    expect([await update(), await update()]).toEqual([['ticks 1000000'], ['ticks 1']]);
  });
});

describe('a drive', () => {
  test('tells, advances, steps, and counts both', async () => {
    const { tree, clock, binding } = bound();
    tree.set('sim.speed', 2);
    binding.requestSteps(3);
    expect(await binding.drive(0.02)).toEqual({ firstTick: 0, steps: 7, dropped: 0, alpha: 0 });
    expect(clock.take()).toEqual(['speed 2', 'advance 0.02', 'ticks 3']);
    expect([tree.get('sim.tick'), tree.get('sim.time')]).toEqual([7, 0.07]);
  });

  test('without a delta advances nothing, and runs the requested steps', async () => {
    const { clock, binding, driver } = bound();
    driver.advance(0.015);
    expect(await binding.drive()).toEqual({ firstTick: 1, steps: 0, dropped: 0, alpha: 0.5 });
    binding.requestSteps(2);
    expect(await binding.drive()).toEqual({ firstTick: 1, steps: 2, dropped: 0, alpha: 0.5 });
    expect(clock.take()).toEqual(['ticks 2']);
  });

  test('puts a refused value back and goes on; other errors pass on', async () => {
    const { tree, clock, driver, binding, errors } = bound();
    driver.configure({ fixedDt: 0.001 });
    tree.set('sim.speed', 401);
    expect(await binding.drive(0.002)).toMatchObject({ steps: 2 });
    expect([tree.get('sim.speed'), errors.length]).toEqual([1, 1]);
    clock.fault = stoppedError();
    tree.set('sim.speed', 2);
    expect(await codeOf(() => binding.drive(0.002))).toBe('STOPPED');
    expect(await codeOf(() => binding.drive(0.002))).toBe('STOPPED');
    clock.fault = undefined;
    expect(await binding.drive(0.002)).toMatchObject({ firstTick: 2, steps: 2 });
  });

  test('refuses a bad delta, and a drive before the last one has ended', async () => {
    const { clock, binding } = bound();
    expect(await codeOf(() => binding.drive(Number.NaN))).toBe('VALUE_INVALID');
    expect(() => binding.requestSteps(0.5)).toThrow('VALUE_INVALID');
    clock.held = true;
    const first = binding.drive(0.02);
    expect(await codeOf(() => binding.drive(0.02))).toBe('STATE_INVALID');
    await clock.deliver();
    expect(await first).toMatchObject({ steps: 2 });
    clock.held = false;
    expect(await binding.drive(0.02)).toMatchObject({ firstTick: 2, steps: 2 });
  });
});

test('keys that are switched off send and write nothing', async () => {
  const keys = { ...ClockKeys.under(), speed: '', tick: '' };
  const { tree, driver, update } = bound({}, keys);
  tree.set('sim.speed', 2);
  expect([await update(), driver.speed, tree.has('sim.tick')]).toEqual([[], 1, false]);
  driver.setSpeed(3);
  expect([await update(), tree.get('sim.speed')]).toEqual([[], 2]);
});
