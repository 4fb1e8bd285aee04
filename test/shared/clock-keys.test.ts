import { describe, expect, test } from 'vitest';
import { ClockKeys, checkClockKeys, keysBeside } from '../../src/shared/clock-keys.ts';
import { errorOf } from '../sim-worker/outcome.ts';

const messageOf = (act: () => unknown): string => errorOf(act).message;

describe('keys under a prefix', () => {
  test('are spelled as scripts bind them', () => {
    expect(ClockKeys.under()).toEqual({
      speed: 'sim.speed',
      paused: 'sim.paused',
      mode: 'sim.mode',
      lockstepSteps: 'sim.lockstep_steps',
      step: 'sim.step',
      time: 'sim.time',
      tick: 'sim.tick',
      fixedDt: 'sim.fixed_dt',
      realizedSpeed: 'sim.realized_speed',
      dropped: 'sim.dropped',
    });
    expect(ClockKeys.under('sim')).toEqual(ClockKeys.under());
    expect(ClockKeys.under('coast.clock').lockstepSteps).toBe('coast.clock.lockstep_steps');
    expect(ClockKeys.under('').fixedDt).toBe('fixed_dt');
  });

  test('can be renamed one by one, and switched off', () => {
    const keys = { ...ClockKeys.under('coast.clock'), speed: 'coast.clock.scale', step: '' };
    expect(checkClockKeys(keys)).toEqual(keys);
    expect(Object.isFrozen(checkClockKeys(keys))).toBe(true);
  });

  test('may all be switched off', () => {
    const off = Object.fromEntries(Object.keys(ClockKeys.under()).map((lane) => [lane, '']));
    expect(checkClockKeys(off as unknown as ClockKeys)).toEqual(off);
  });

  test.each(['sim.', '.sim', 'a b', 'sim..x'])('refuse the prefix %j', (prefix) => {
    expect(messageOf(() => ClockKeys.under(prefix))).toMatch(/^OPTION_INVALID: .*dotted path/);
  });
});

describe('keys beside a scene’s own', () => {
  test('stand beside its speed key', () => {
    expect(keysBeside('clk.sim.speed')).toEqual(ClockKeys.under('clk.sim'));
    expect(keysBeside('clk.sim.scale')).toEqual({
      ...ClockKeys.under('clk.sim'),
      speed: 'clk.sim.scale',
    });
    expect(keysBeside('rate')).toEqual({ ...ClockKeys.under(''), speed: 'rate' });
  });

  test('take the paths the scene names, wherever they are; an empty one is off', () => {
    const own = { speed: 'clk.sim.speed', paused: 'ui.halt', time: 'clk.t', tick: '' };
    expect(keysBeside(own)).toEqual({ ...ClockKeys.under('clk.sim'), ...own });
    expect(keysBeside({ speed: '', time: 'demo.t' })).toEqual({
      ...ClockKeys.under('demo'),
      speed: '',
      time: 'demo.t',
    });
  });

  test('need one that is named', () => {
    expect(messageOf(() => keysBeside(''))).toMatch(/^OPTION_INVALID: A scene must name/);
    expect(messageOf(() => keysBeside({}))).toMatch(/^OPTION_INVALID: A scene must name/);
  });

  test('refuse a lane that is not the scene’s, and a path twice', () => {
    const other = { speed: 'a.speed', mode: 'a.m' } as { speed: string };
    expect(messageOf(() => keysBeside(other))).toMatch(/`mode`.*speed, paused, time, tick/);
    expect(messageOf(() => keysBeside({ speed: 'a.x', time: 'a.x' }))).toMatch(
      /`speed` and `time` at 'a.x'/,
    );
    // The scene's own word may be the usual one of another lane.
    expect(messageOf(() => keysBeside('a.step'))).toMatch(/`speed` and `step` at 'a.step'/);
  });
});

describe('checked keys', () => {
  test('name the two lanes that share a path', () => {
    const keys = { ...ClockKeys.under(), time: 'sim.speed' };
    expect(messageOf(() => checkClockKeys(keys))).toMatch(/`speed` and `time` at 'sim.speed'/);
  });

  test('name the lane that is unknown, missing or no path', () => {
    const unknown = { ...ClockKeys.under(), sped: 'x' };
    expect(messageOf(() => checkClockKeys(unknown))).toMatch(/`sped`.*speed, paused, mode/);
    const { tick: _tick, ...missing } = ClockKeys.under();
    expect(messageOf(() => checkClockKeys(missing as ClockKeys))).toMatch(/`tick`.*undefined/);
    const spaced = { ...ClockKeys.under(), mode: 'a b' };
    expect(messageOf(() => checkClockKeys(spaced))).toMatch(/`mode`.*'a b'/);
    expect(messageOf(() => checkClockKeys(undefined as unknown as ClockKeys))).toMatch(/`speed`/);
  });
});
