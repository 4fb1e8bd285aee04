import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClockKeys, keysBeside } from '../../src/shared/clock-keys.ts';
import type { ClockMode } from '../../src/shared/clock-options.ts';
import { resolveSpeed } from '../../src/shared/speed.ts';
import { createStateTree, type StateTree, type StateValue } from '../../src/shared/state-tree.ts';
import { ClockBinding } from '../../src/sim-worker/clock-binding.ts';
import { ClockDriver, type ClockDriverOptions } from '../../src/sim-worker/clock-driver.ts';
import { scaled } from '../scaled.ts';
import { before, KEYS, type Op, program } from '../shared/binding-program.ts';
import { HandClock } from './loop-stage.ts';
import { outcome } from './outcome.ts';

const CONTROLS = ['speed', 'paused', 'mode', 'lockstepSteps', 'step'] as const;
type Control = (typeof CONTROLS)[number];

/** A quantum at which some speeds that a key can name are refused by the clock. */
const FINE: ClockDriverOptions = { fixedDt: 0.001, maxTicksPerAdvance: 50 };

const decimal = (value: StateValue): number =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : (value as number);

/** What a value means, written down once more; undefined is unreadable. */
const MEANING: Readonly<Record<Control, (value: StateValue) => StateValue | undefined>> = {
  speed: (value) => {
    const speed = typeof value === 'boolean' ? Number.NaN : decimal(value);
    if (typeof speed !== 'number' || !(speed >= 0 && speed <= 1000)) return undefined;
    const kept = resolveSpeed(speed, { numerator: 1, denominator: 1 });
    return kept === undefined ? undefined : kept.numerator / kept.denominator;
  },
  paused: (value) => {
    const at = ['true', '1', 'false', '0'].indexOf(String(value));
    return at < 0 ? undefined : at < 2;
  },
  mode: (value) =>
    ['live', 'lockstep', 'stepping', 'replay'].includes(String(value)) ? value : undefined,
  lockstepSteps: (value) => {
    const steps = decimal(value);
    return Number.isInteger(steps) && steps >= 1 && steps < 2 ** 31 ? steps : undefined;
  },
  step: (value) => (Number.isInteger(decimal(value)) ? decimal(value) : undefined),
};

/** The rules written down naively: plain values, compared with those after the last drive. */
class BindingModel {
  readonly driver: ClockDriver;
  readonly keys: Partial<Record<Control, StateValue>>;
  readonly #meant: Record<string, StateValue> = {};
  #after: Partial<Record<Control, StateValue | undefined>> = {};
  #clock: { mode: ClockMode; speed: number; lockstepSteps: number };
  #baseline: number | undefined;
  #requested = 0;

  constructor(driver: ClockDriver, keys: Partial<Record<Control, StateValue>>) {
    this.driver = driver;
    this.keys = { ...keys };
    const { mode, speed, lockstepSteps } = driver;
    this.#clock = { mode, speed, lockstepSteps };
    this.#meant = {
      speed,
      lockstepSteps,
      paused: mode === 'paused',
      mode: mode === 'paused' ? 'live' : mode,
    };
    this.#seed();
    // What was there before counts as written; what was seeded does not.
    for (const lane of CONTROLS) if (keys[lane] === undefined) this.#after[lane] = this.keys[lane];
    const first = this.keys.step as StateValue;
    this.#baseline = MEANING.step(first) as number | undefined;
    this.#after.step = first;
  }

  request(steps: number): void {
    this.#requested += steps;
  }

  drive(delta: number): [number, number, number, number] {
    const { driver, keys } = this;
    const written = new Set<Control>();
    for (const lane of CONTROLS) {
      const value = keys[lane];
      if (value === undefined || Object.is(value, this.#after[lane])) continue;
      const meaning = MEANING[lane](value);
      if (meaning !== undefined) written.add(lane);
    }
    this.#followClock(written);
    for (const lane of written) {
      if (lane !== 'step')
        this.#meant[lane] = MEANING[lane](keys[lane] as StateValue) as StateValue;
    }
    if (written.has('step')) this.#count(MEANING.step(keys.step as StateValue) as number);
    this.#seed();
    this.#tellClock();
    const { firstTick, steps, dropped, alpha } = driver.advance(delta);
    const requested = this.#requested;
    this.#requested = 0;
    driver.advanceTicks(requested);
    const { mode, speed, lockstepSteps } = driver;
    this.#clock = { mode, speed, lockstepSteps };
    this.#after = { ...keys };
    return [firstTick, steps + requested, dropped, requested > 0 ? driver.alpha : alpha];
  }

  #count(count: number): void {
    this.#requested += Math.max(0, count - (this.#baseline ?? count));
    this.#baseline = count;
  }

  /** Where the clock was told something by others, keys that were not written show it. */
  #followClock(written: ReadonlySet<Control>): void {
    const { mode, speed, lockstepSteps } = this.driver;
    const follow = (lane: Control, value: StateValue): void => {
      if (this.#meant[lane] === value) return;
      this.#meant[lane] = value;
      if (!written.has(lane)) this.keys[lane] = value;
    };
    if (speed !== this.#clock.speed) follow('speed', speed);
    if (lockstepSteps !== this.#clock.lockstepSteps) follow('lockstepSteps', lockstepSteps);
    if (mode === this.#clock.mode) return;
    const base = this.#meant['mode'];
    if (mode === 'paused') {
      follow('paused', true);
      if (base !== 'live' && base !== 'lockstep') follow('mode', 'live');
    } else {
      follow('mode', mode);
      if (mode === 'live' || mode === 'lockstep') follow('paused', false);
    }
  }

  #seed(): void {
    for (const lane of CONTROLS) {
      this.keys[lane] ??=
        lane === 'step' ? (this.#baseline ?? 0) : (this.#meant[lane] as StateValue);
    }
    this.#baseline ??= MEANING.step(this.keys.step as StateValue) as number | undefined;
  }

  #tellClock(): void {
    const { driver } = this;
    const { mode, speed, lockstepSteps, paused } = this.#meant;
    const pauses = paused === true && (mode === 'live' || mode === 'lockstep');
    driver.setMode(pauses ? 'paused' : (mode as ClockMode));
    driver.setLockstepSteps(lockstepSteps as number);
    if (outcome(() => driver.setSpeed(speed as number)) !== 'VALUE_INVALID') return;
    this.#meant['speed'] = driver.speed;
    this.keys.speed = driver.speed;
  }
}

const controlsOf = (tree: StateTree): Partial<Record<Control, StateValue>> => {
  const keys: Partial<Record<Control, StateValue>> = {};
  for (const lane of CONTROLS) {
    const value = tree.get(KEYS[lane]);
    if (value !== undefined) keys[lane] = value;
  }
  return keys;
};

/** Tells a clock something directly, if that is what the operation does. */
const call = (driver: ClockDriver, each: Op): void => {
  if (each.op === 'mode') driver.setMode(each.mode);
  else if (each.op === 'speed') driver.setSpeed(each.speed);
  else if (each.op === 'lockstep') driver.setLockstepSteps(each.steps);
};

test('keys, direct calls and drives agree with the rules written down naively', () => {
  fc.assert(
    fc.property(before, program, fc.boolean(), (first, ops, startsPaused) => {
      const options: ClockDriverOptions = { ...FINE, mode: startsPaused ? 'paused' : 'live' };
      const tree = createStateTree();
      for (const each of first) if (each.op === 'write') tree.set(KEYS[each.lane], each.value);
      const model = new BindingModel(new ClockDriver(options), controlsOf(tree));
      const driver = new ClockDriver(options);
      const binding = new ClockBinding(tree, driver);
      expect(controlsOf(tree)).toEqual(model.keys);
      for (const each of ops) {
        call(driver, each);
        call(model.driver, each);
        if (each.op === 'request') {
          binding.requestSteps(each.steps);
          model.request(each.steps);
        } else if (each.op === 'write') {
          tree.set(KEYS[each.lane], each.value);
          model.keys[each.lane as Control] = each.value;
        } else if (each.op === 'delete') {
          tree.delete(KEYS[each.lane]);
          delete model.keys[each.lane as Control];
        } else if (each.op === 'drive') {
          const expected = model.drive(each.delta);
          const { firstTick, steps, dropped, alpha } = binding.drive(each.delta);
          expect([firstTick, steps, dropped]).toEqual(expected.slice(0, 3));
          // Each change of the speed rounds it once, and the model changes it more often.
          expect(alpha).toBeCloseTo(expected[3], 12);
          expect([driver.tick, driver.mode, driver.speed, driver.lockstepSteps]).toEqual([
            model.driver.tick,
            model.driver.mode,
            model.driver.speed,
            model.driver.lockstepSteps,
          ]);
          expect(controlsOf(tree)).toEqual(model.keys);
          expectTelemetry(tree, model.driver);
        }
      }
    }),
    { numRuns: scaled({ tiny: 500, normal: 10_000, full: 100_000 }) },
  );
});

function expectTelemetry(tree: StateTree, clock: ClockDriver): void {
  const { realizedSpeed } = clock;
  const shown = Number.isNaN(realizedSpeed) ? undefined : realizedSpeed;
  expect([
    tree.get('sim.time'),
    tree.get('sim.tick'),
    tree.get('sim.fixed_dt'),
    tree.get('sim.dropped'),
    tree.get('sim.realized_speed'),
  ]).toEqual([clock.time, clock.tick, clock.fixedDt, clock.dropped, shown]);
}

/** A bound clock of 100 Hz. */
const bound = (options: ClockDriverOptions = {}, keys = ClockKeys.under()) => {
  const tree = createStateTree();
  const driver = new ClockDriver({ fixedDt: 0.01, ...options });
  const binding = new ClockBinding(tree, driver, keys);
  const steps = (delta = 0.02): number => binding.drive(delta).steps;
  return { tree, driver, binding, steps };
};

describe('the keys', () => {
  test('that are not there take the clock’s values, at once', () => {
    const { tree } = bound({ speed: 1.5, lockstepSteps: 4 });
    expect(tree.keys().map((key) => [key, tree.get(key)])).toEqual([
      ['sim.dropped', 0],
      ['sim.fixed_dt', 0.01],
      ['sim.lockstep_steps', 4],
      ['sim.mode', 'live'],
      ['sim.paused', false],
      ['sim.speed', 1.5],
      ['sim.step', 0],
      ['sim.tick', 0],
      ['sim.time', 0],
    ]);
  });

  test('that are there win over the clock at the first drive, except the count of steps', () => {
    const tree = createStateTree();
    tree.set('sim.speed', 2);
    tree.set('sim.step', 7);
    const driver = new ClockDriver({ fixedDt: 0.01 });
    const binding = new ClockBinding(tree, driver);
    expect([driver.speed, binding.drive(0.02).steps, driver.speed]).toEqual([1, 4, 2]);
  });

  test.each<[string, StateValue, number]>([
    ['sim.speed', 0.5, 1],
    ['sim.speed', '2', 4],
    ['sim.speed', 0, 0],
    ['sim.paused', true, 0],
    ['sim.paused', 'true', 0],
    ['sim.paused', 1, 0],
    ['sim.paused', '0', 2],
    ['sim.mode', 'lockstep', 3],
    ['sim.mode', 'stepping', 0],
    ['sim.mode', 'replay', 0],
    ['sim.step', 1, 3],
    ['sim.step', '5', 7],
    ['sim.step', -3, 2],
  ])('%s set to %j: an advance by two quanta runs %d', (key, value, expected) => {
    const { tree, steps } = bound({ lockstepSteps: 3 });
    tree.set(key, value);
    expect([steps(), tree.get(key)]).toEqual([expected, value]);
  });

  test.each<[string, StateValue]>([
    ['sim.speed', Number.NaN],
    ['sim.speed', 'fast'],
    ['sim.speed', -1],
    ['sim.speed', Infinity],
    ['sim.speed', 1001],
    ['sim.speed', ''],
    ['sim.speed', '0x2'],
    ['sim.speed', true],
    ['sim.paused', 'yes'],
    ['sim.paused', 2],
    ['sim.paused', ''],
    ['sim.mode', 'warp'],
    ['sim.mode', 'LOCKSTEP'],
    ['sim.mode', 2],
    ['sim.lockstep_steps', 0],
    ['sim.lockstep_steps', 1.5],
    ['sim.lockstep_steps', 2 ** 31],
    ['sim.step', 1.5],
    ['sim.step', 'next'],
    ['sim.step', Number.NaN],
  ])('%s set to %j changes nothing, throws nothing and stays as it was written', (key, value) => {
    const { tree, driver, steps } = bound({ lockstepSteps: 2 });
    tree.set(key, value);
    expect([steps(), steps(), driver.speed, driver.mode, driver.lockstepSteps]).toEqual([
      2,
      2,
      1,
      'live',
      2,
    ]);
    expect(tree.get(key)).toEqual(value);
  });

  test('a speed that the quantum does not allow is refused and put back', () => {
    const { tree, driver, steps } = bound({ fixedDt: 0.001 });
    tree.set('sim.speed', 401);
    expect([steps(0.002), driver.speed, tree.get('sim.speed')]).toEqual([2, 1, 1]);
  });

  test('paused wins over live and lockstep, not over stepping and replay', () => {
    const { tree, driver, steps } = bound();
    tree.set('sim.paused', true);
    const modes: string[] = [];
    for (const mode of ['live', 'lockstep', 'stepping', 'replay', 'live']) {
      tree.set('sim.mode', mode);
      steps();
      modes.push(driver.mode);
    }
    expect(modes).toEqual(['paused', 'paused', 'stepping', 'replay', 'paused']);
    tree.set('sim.paused', false);
    expect([steps(), driver.mode]).toEqual([2, 'live']);
  });

  test('follow what the clock is told directly, also from inside a tick', () => {
    const { tree, driver, steps } = bound({
      onTick: (tick) => {
        if (tick === 3 && driver.epoch === 1) driver.pause();
      },
    });
    steps();
    expect([steps(), tree.get('sim.paused'), tree.get('sim.mode')]).toEqual([1, true, 'live']);
    driver.setMode('stepping');
    driver.setSpeed(0.5);
    driver.setLockstepSteps(9);
    steps();
    expect(tree.get('sim.mode')).toBe('stepping');
    expect([tree.get('sim.speed'), tree.get('sim.lockstep_steps')]).toEqual([0.5, 9]);
    driver.resume();
    expect([steps(), tree.get('sim.mode'), tree.get('sim.paused')]).toEqual([2, 'live', false]);
    driver.configure({ fixedDt: 0.02, speed: 2, mode: 'lockstep' });
    expect([steps(), tree.get('sim.mode'), tree.get('sim.speed')]).toEqual([9, 'lockstep', 2]);
    expect([tree.get('sim.fixed_dt'), tree.get('sim.tick')]).toEqual([0.02, 9]);
  });

  test('a key that changed wins over what the clock was told since', () => {
    const { tree, driver, steps } = bound();
    driver.setSpeed(0.5);
    tree.set('sim.speed', 2);
    expect([steps(), driver.speed, tree.get('sim.speed')]).toEqual([4, 2, 2]);
    driver.pause();
    tree.set('sim.mode', 'lockstep');
    expect([steps(), driver.mode, tree.get('sim.paused')]).toEqual([0, 'paused', true]);
  });

  test('named one by one work wherever they are, and an empty one is off', () => {
    const keys = { ...keysBeside('coast.clock.scale'), paused: 'ui.halt', step: '', time: '' };
    const { tree, driver, steps } = bound({}, keys);
    expect(tree.keys()).not.toContain('');
    expect([tree.has('coast.clock.step'), tree.has('coast.clock.time')]).toEqual([false, false]);
    tree.set('coast.clock.scale', 2);
    tree.set('coast.clock.step', 5);
    expect([steps(), tree.get('coast.clock.tick')]).toEqual([4, 4]);
    tree.set('ui.halt', true);
    expect([steps(), driver.mode]).toEqual([0, 'paused']);
  });

  test('all switched off leave the clock and the tree alone', () => {
    const off = Object.fromEntries(Object.keys(KEYS).map((lane) => [lane, '']));
    const { tree, driver, binding, steps } = bound({}, off as unknown as ClockKeys);
    driver.pause();
    binding.requestSteps(2);
    expect([steps(), tree.keys(), tree.version]).toEqual([2, [], 0]);
    driver.setMode('lockstep');
    expect([steps(), driver.mode]).toEqual([1, 'lockstep']);
  });

  test('refuse two lanes on one path', () => {
    const keys = { ...KEYS, time: KEYS.speed };
    expect(outcome(() => bound({}, keys))).toBe('OPTION_INVALID');
  });
});

describe('requested steps', () => {
  test('run in any mode, after the advance; the result counts both', () => {
    for (const mode of ['live', 'lockstep', 'stepping', 'replay', 'paused'] as const) {
      const { tree, driver, binding } = bound({ mode, lockstepSteps: 3 });
      binding.requestSteps(2);
      tree.set('sim.step', 4);
      const advanced = { live: 2, lockstep: 3, stepping: 0, replay: 0, paused: 0 }[mode];
      expect(binding.drive(0.02)).toMatchObject({ firstTick: 0, steps: advanced + 6, dropped: 0 });
      expect([driver.tick, tree.get('sim.tick')]).toEqual([advanced + 6, advanced + 6]);
    }
  });

  test('are a counter’s increments: a decrease and a readable value after a bad one rebase', () => {
    const { tree, steps } = bound({ mode: 'stepping' });
    const ran = [2, 2, 1, 3, 'x', 4, 4].map((value) => {
      tree.set('sim.step', value);
      return steps();
    });
    expect(ran).toEqual([2, 0, 0, 2, 0, 1, 0]);
    tree.delete('sim.step');
    expect([steps(), tree.get('sim.step')]).toEqual([0, 4]);
  });

  test('more than a million at once run over several drives, none is lost', () => {
    const { tree, steps } = bound({ mode: 'stepping' });
    tree.set('sim.step', 2_000_001);
    expect([steps(), steps(), steps(), steps()]).toEqual([1_000_000, 1_000_000, 1, 0]);
  });

  test('that a tick keeps from running stay requested', () => {
    const fault = { at: 3 };
    const { tree, binding, steps } = bound({
      mode: 'stepping',
      onTick: (tick) => {
        if (tick === fault.at) throw new Error('a fault');
      },
    });
    binding.requestSteps(5);
    expect(() => steps()).toThrow('a fault');
    expect(tree.get('sim.tick')).toBe(2);
    fault.at = 0;
    expect(steps()).toBe(3);
    expect(outcome(() => binding.requestSteps(-1))).toBe('VALUE_INVALID');
  });

  test('CLK 16: two requests in one frame are two quanta', () => {
    const { tree, steps } = bound();
    tree.set('sim.paused', true);
    tree.set('sim.step', 1);
    tree.set('sim.step', 2);
    expect([steps(), steps()]).toEqual([2, 0]);
  });
});

describe('a drive', () => {
  test('without a delta measures, as often as it would be given one', () => {
    const clock = new HandClock();
    const { tree, binding } = bound({ clock });
    const at = (ms: number): number => {
      clock.ns = ms * 1e6;
      return binding.drive().steps;
    };
    expect([at(0), at(25), clock.reads]).toEqual([0, 2, 2]);
    tree.set('sim.speed', 2);
    expect([at(40), clock.reads]).toEqual([3, 3]);
    tree.set('sim.paused', true);
    expect([at(100), at(5000)]).toEqual([0, 0]);
    tree.set('sim.paused', false);
    expect([at(9000), at(9002.5), tree.get('sim.dropped')]).toEqual([0, 1, 0]);
  });

  test('shows the realized speed once there is one, and none after a configure', () => {
    const { tree, driver, steps } = bound({ maxTicksPerAdvance: 100 });
    expect([steps(0.4), tree.has('sim.realized_speed')]).toEqual([40, false]);
    expect([steps(0.4), tree.get('sim.realized_speed')]).toEqual([40, 1]);
    driver.configure({});
    expect([steps(0), tree.has('sim.realized_speed')]).toEqual([0, false]);
  });

  test('is refused from inside a tick or a listener, and works again after it', () => {
    const codes: unknown[] = [];
    const { tree, binding, steps } = bound({
      onTick: () => codes.push(outcome(() => binding.drive(1))),
    });
    tree.observe('sim.tick', () => codes.push(outcome(() => binding.drive(1))));
    expect([steps(), codes]).toEqual([2, ['STATE_INVALID', 'STATE_INVALID', 'STATE_INVALID']]);
    expect(steps()).toBe(2);
  });

  test('by what is no delta is refused before it obeys any key', () => {
    const { tree, driver, binding, steps } = bound();
    tree.set('sim.speed', 2);
    expect(outcome(() => binding.drive(-1))).toBe('VALUE_INVALID');
    expect([driver.speed, steps()]).toEqual([1, 4]);
  });

  test('returns one object', () => {
    const { binding } = bound();
    expect(binding.drive(0)).toBe(binding.drive(0));
  });
});
