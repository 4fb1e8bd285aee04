import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatErrorBlock } from '../../src/cli/error-block.ts';
import { typeParams } from '../../src/cli/param-values.ts';
import { readRunArguments, type RunArguments } from '../../src/cli/run-arguments.ts';
import { UsageError } from '../../src/cli/usage-error.ts';
import { EscapementError } from '../../src/shared/error.ts';
import { scaled } from '../scaled.ts';

function read(line: string, env: Record<string, string> = {}): RunArguments {
  return readRunArguments(line.split(' '), env);
}

function usageErrorOf(run: () => unknown): UsageError {
  try {
    run();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('a module alone runs live, by the clock, without a server', () => {
  expect(read('a.sim.js')).toEqual({
    path: 'a.sim.js',
    params: new Map(),
    seed: undefined,
    rateHz: undefined,
    speed: undefined,
    mode: 'live',
    ticks: undefined,
    drivenBy: 'clock',
    control: undefined,
    logLevel: 'warn',
    startTimeoutMs: 10_000,
    statusMs: 1000,
    json: false,
  });
});

test('every option is read', () => {
  const line =
    '--param a=1 --param b=x=y --seed 7 --rate 59.94 --speed 0.5 --mode stepping --ticks 9 ' +
    '--driven-by host --control 7070 --host 0.0.0.0 --token 0123456789abcdef --allow-stop ' +
    '--log-level debug --start-timeout 0.5 --status-every 0.25 --json a.sim.js';
  expect(read(line)).toEqual({
    path: 'a.sim.js',
    params: new Map([
      ['a', '1'],
      ['b', 'x=y'],
    ]),
    seed: 7,
    rateHz: 59.94,
    speed: 0.5,
    mode: 'stepping',
    ticks: 9,
    drivenBy: 'host',
    control: {
      port: 7070,
      host: '0.0.0.0',
      token: '0123456789abcdef',
      tokenIsOwn: false,
      allowStop: true,
    },
    logLevel: 'debug',
    startTimeoutMs: 500,
    statusMs: 250,
    json: true,
  });
});

describe('the token', () => {
  test('is one of our own, each time another, unless one is given', () => {
    const [first, second] = [read('a --control 0').control, read('a --control 0').control];
    expect(first?.token).toMatch(/^[\w-]{32}$/);
    expect(first?.token).not.toBe(second?.token);
    expect(first?.tokenIsOwn).toBe(true);
  });

  test('is taken from the environment, and from the command line before that', () => {
    const env = { ESCAPEMENT_TOKEN: 'environment-token' };
    expect(read('a --control 0', env).control?.token).toBe('environment-token');
    const line = 'a --control 0 --token command-line-token';
    expect(read(line, env).control?.token).toBe('command-line-token');
  });

  test.each(['0.0.0.0', '192.168.1.2', '::', 'example.org', '127.example.org'])(
    'has to be given to listen on %s',
    (host) => {
      const line = `a --control 0 --host ${host}`;
      expect(usageErrorOf(() => read(line)).message).toContain('token');
      expect(read(line, { ESCAPEMENT_TOKEN: 'x'.repeat(16) }).control?.host).toBe(host);
    },
  );

  test('is not printed when it cannot be used', () => {
    const error = usageErrorOf(() => read('a --control 0 --token short:secret'));
    expect(formatErrorBlock(error)).not.toContain('secret');
  });
});

test.each([
  ['', 'one module'],
  ['a b', 'one module'],
  ['a --nonsense', '--nonsense'],
  ['a --seed', '--seed'],
  ['a --seed -1', '--seed'],
  ['a --seed 1.5', '--seed'],
  ['a --seed 9007199254740992', '--seed'],
  ['a --rate 0', '--rate'],
  ['a --rate 2000', '--rate'],
  ['a --rate 123.456789', 'tickRateHz'],
  ['a --speed NaN', '--speed'],
  ['a --speed 1e9', '--speed'],
  ['a --mode fast', '--mode'],
  ['a --mode live --paused', '--paused'],
  ['a --ticks 0', '--ticks'],
  ['a --driven-by me', '--driven-by'],
  ['a --driven-by host', 'drive'],
  ['a --control 65536', '--control'],
  ['a --control', '--control'],
  ['a --token 0123456789abcdef', '--token'],
  ['a --host ::1', '--host'],
  ['a --allow-stop', '--allow-stop'],
  ['a --param x', '--param'],
  ['a --param =1', '--param'],
  ['a --param x=1 --param x=2', '--param'],
  ['a --log-level loud', '--log-level'],
  ['a --start-timeout 0', '--start-timeout'],
  ['a --status-every 0', '--status-every'],
  ['a --help', '--help'],
])('`%s` is refused with what was given, what is allowed and what to do', (line, names) => {
  const block = formatErrorBlock(usageErrorOf(() => read(line)));
  expect(block).toContain(names);
  expect(block).toMatch(/^escapement: .+\n {2}given: .+\n {2}allowed: .+\n {2}fix: .+\n {2}code: /);
});

test('any arguments are read, or refused as wrong usage', () => {
  const argument = fc.oneof(
    fc.string(),
    fc.constantFrom('--seed', '--rate', '--speed', '--mode', '--paused', '--ticks', '--control'),
    fc.constantFrom('--host', '--token', '--param', '--json', '--', '-h', '--driven-by', 'a.js'),
    fc.double().map(String),
  );
  fc.assert(
    fc.property(fc.array(argument, { maxLength: 8 }), (argv) => {
      try {
        expect(argv).toContain(readRunArguments(argv, {}).path);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
      }
    }),
    { numRuns: scaled({ tiny: 500, normal: 5000, full: 100_000 }) },
  );
});

describe('parameters', () => {
  const declared = { population: 100, name: 'x', wind: false };

  test('get the types that the simulation declares', () => {
    const given = new Map([
      ['population', '5e3'],
      ['name', '7'],
      ['wind', 'true'],
    ]);
    expect(typeParams(given, declared)).toEqual({ population: 5000, name: '7', wind: true });
    expect(typeParams(new Map([['wind', '0']]), declared)).toEqual({ wind: false });
    expect(typeParams(new Map([['name', '']]), declared)).toEqual({ name: '' });
  });

  test.each([
    ['populace', '1', 'population, name, wind'],
    ['toString', '1', 'population, name, wind'],
    ['population', 'many', 'a number'],
    ['population', '', 'a number'],
    ['population', 'NaN', 'a number'],
    ['wind', 'yes', 'true or false'],
  ])('%s=%s is refused', (name, value, allowed) => {
    const error = usageErrorOf(() => typeParams(new Map([[name, value]]), declared));
    expect(error.detail.allowed).toBe(allowed);
  });
});

test('an error is one block, its cause indented below', () => {
  const cause = new Error('first');
  cause.stack = 'Error: first\n    at here';
  const error = new EscapementError('SIMULATION_FAILED', 'It threw.', { given: 'a', cause });
  expect(formatErrorBlock(error)).toBe(
    'escapement: It threw.\n  given:    a\n  cause:    Error: first\n' +
      '                at here\n  code:     SIMULATION_FAILED\n',
  );
});
