import type { ClockMode } from '../shared/clock-options.ts';
import { LOG_LEVELS, type LogLevel } from '../shared/log.ts';
import { SPEED_MAX } from '../shared/speed.ts';
import { createToken, isLoopback } from './access.ts';
import {
  type Parsed,
  parseCommand,
  readChoice,
  readNumber,
  readParams,
  readRate,
  readWhole,
} from './arguments.ts';
import { UsageError } from './usage-error.ts';

/** What `escapement run` was told, checked as far as it can be before the module is loaded. */
export interface RunArguments {
  /** The module's path as given. */
  readonly path: string;
  /** Parameters by name, still text: the module's schema types them. */
  readonly params: ReadonlyMap<string, string>;
  readonly seed: number | undefined;
  readonly rateHz: number | undefined;
  readonly speed: number | undefined;
  readonly mode: ClockMode;
  /** The tick at which to stop. */
  readonly ticks: number | undefined;
  readonly drivenBy: 'clock' | 'host';
  readonly control: ControlArguments | undefined;
  readonly logLevel: LogLevel;
  readonly startTimeoutMs: number;
  /** How often a status is printed. */
  readonly statusMs: number;
  readonly json: boolean;
}

/** Where the control server listens, and who may use it. */
export interface ControlArguments {
  readonly port: number;
  readonly host: string;
  readonly token: string;
  /** Whether nobody but this process knows the token, so that it has to be printed. */
  readonly tokenIsOwn: boolean;
  readonly allowStop: boolean;
}

/** The options of every command that runs a simulation. */
export const RUN_OPTIONS = {
  param: { type: 'string', multiple: true },
  seed: { type: 'string' },
  rate: { type: 'string' },
  speed: { type: 'string' },
  mode: { type: 'string' },
  paused: { type: 'boolean' },
  ticks: { type: 'string' },
  'driven-by': { type: 'string' },
  control: { type: 'string' },
  host: { type: 'string' },
  token: { type: 'string' },
  'allow-stop': { type: 'boolean' },
  'log-level': { type: 'string' },
  'start-timeout': { type: 'string' },
  json: { type: 'boolean' },
  'status-every': { type: 'string' },
} as const;

type Values = Parsed<typeof RUN_OPTIONS>['values'];

const MODES: readonly ClockMode[] = ['live', 'lockstep', 'paused', 'stepping', 'replay'];

/** Reads the arguments behind `escapement run`. Throws {@link UsageError}. */
export function readRunArguments(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): RunArguments {
  const { values, positionals } = parseCommand('run', argv, RUN_OPTIONS);
  return readRun('run', values, positionals, env);
}

/** Reads what every command that runs a simulation is told. Throws {@link UsageError}. */
export function readRun(
  command: string,
  values: Values,
  positionals: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  endsByItself = false,
): RunArguments {
  if (positionals.length !== 1 || positionals[0] === '') {
    throw new UsageError('OPTION_INVALID', `escapement ${command} takes one module.`, {
      given: positionals.join(' ') || 'none',
      allowed: 'the path of one module that calls runSimulation(definition)',
      fix: `escapement ${command} scenes/flock.sim.ts`,
    });
  }
  const control = readControl(values, env);
  const ticks = values.ticks === undefined ? undefined : readWhole('ticks', values.ticks, 1);
  const { speed, seed, rate } = values;
  return {
    path: positionals[0] ?? '',
    params: readParams(values.param ?? []),
    seed: seed === undefined ? undefined : readWhole('seed', seed, 0),
    rateHz: rate === undefined ? undefined : readRate(rate),
    speed: speed === undefined ? undefined : readNumber('speed', speed, 0, SPEED_MAX),
    mode: readMode(values),
    ticks,
    drivenBy: readDriver(values, endsByItself || control !== undefined || ticks !== undefined),
    control,
    logLevel: readChoice('log-level', values['log-level'] ?? 'warn', LOG_LEVELS),
    startTimeoutMs: 1000 * readNumber('start-timeout', values['start-timeout'] ?? '10', 0.01, 3600),
    statusMs: readStatusMs(values['status-every']),
    json: values.json ?? false,
  };
}

/** Reads how often a status is printed. */
export function readStatusMs(seconds: string | undefined): number {
  return Math.round(1000 * readNumber('status-every', seconds ?? '1', 0.01, 3600));
}

function readMode(values: Values): ClockMode {
  if (values.mode !== undefined && values.paused) {
    throw new UsageError('OPTION_INVALID', '`--mode` and `--paused` exclude each other.', {
      given: `--mode ${values.mode} --paused`,
      allowed: 'one of them',
      fix: '--paused is short for --mode paused.',
    });
  }
  return values.paused ? 'paused' : readChoice('mode', values.mode ?? 'live', MODES);
}

function readDriver(values: Values, isDriven: boolean): 'clock' | 'host' {
  const drivenBy = readChoice('driven-by', values['driven-by'] ?? 'clock', [
    'clock',
    'host',
  ] as const);
  if (drivenBy === 'clock' || isDriven) return drivenBy;
  throw new UsageError('OPTION_INVALID', 'Nothing would ever drive this simulation.', {
    given: '--driven-by host alone',
    allowed: '--driven-by host with --control or --ticks',
    fix: 'Add --control 0 to drive it over a socket, or --ticks N to run N ticks at once.',
  });
}

function readControl(
  values: Values,
  env: Readonly<Record<string, string | undefined>>,
): ControlArguments | undefined {
  if (values.control === undefined) {
    const stray = (['host', 'token', 'allow-stop'] as const).find((name) => name in values);
    if (stray === undefined) return undefined;
    throw new UsageError('OPTION_INVALID', `\`--${stray}\` is for the control server alone.`, {
      given: `--${stray} without --control`,
      allowed: `--control PORT --${stray}`,
      fix: 'Add --control 0 for any free port.',
    });
  }
  const host = values.host ?? '127.0.0.1';
  const given = values.token ?? (env['ESCAPEMENT_TOKEN'] || undefined);
  if (given === undefined && !isLoopback(host)) {
    throw new UsageError('OPTION_INVALID', 'Beyond this machine, a token of your own is needed.', {
      given: `--host ${host} without a token`,
      allowed: 'an address of loopback, or a token in ESCAPEMENT_TOKEN or --token',
      fix: 'export ESCAPEMENT_TOKEN="$(openssl rand -hex 24)"',
    });
  }
  return {
    port: readWhole('control', values.control, 0, 65_535),
    host,
    token: given === undefined ? createToken() : checkToken(given),
    tokenIsOwn: given === undefined,
    allowStop: values['allow-stop'] ?? false,
  };
}

/** A token stands in a header and in an address, and nobody may guess it. */
function checkToken(token: string): string {
  if (/^[\w.~-]{16,256}$/.test(token)) return token;
  throw new UsageError('OPTION_INVALID', 'That token cannot be used.', {
    given: `${token.length} characters`,
    allowed: '16 to 256 characters out of A-Z a-z 0-9 . _ ~ -',
    fix: 'export ESCAPEMENT_TOKEN="$(openssl rand -hex 24)"',
  });
}
