import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { ClockMode } from '../shared/clock-options.ts';
import { LOG_LEVELS, type LogLevel } from '../shared/log.ts';
import { SPEED_MAX } from '../shared/speed.ts';
import { createToken, isLoopback } from './access.ts';
import { OptionValues } from './option-values.ts';
import { UsageError } from './usage-error.ts';

/** What `escapement run` was told, checked as far as it can be before the module is loaded. */
export interface RunArguments {
  readonly help: boolean;
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

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
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
} as const satisfies ParseArgsConfig['options'];

type Values = ReturnType<typeof parse>['values'];

const MODES: readonly ClockMode[] = ['live', 'lockstep', 'paused', 'stepping', 'replay'];
const READ = new OptionValues('run');

/** Reads the arguments behind `escapement run`. Throws {@link UsageError}. */
export function readRunArguments(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): RunArguments {
  const { values, positionals } = parse(argv);
  const help = values.help ?? false;
  if (!help && (positionals.length !== 1 || positionals[0] === '')) {
    throw new UsageError('OPTION_INVALID', 'escapement run takes one module.', {
      given: positionals.join(' ') || 'none',
      allowed: 'the path of one built module that calls runSimulation(definition)',
      fix: 'escapement run build/flock.sim.js',
    });
  }
  const control = readControl(values, env);
  const ticks = values.ticks === undefined ? undefined : READ.whole('ticks', values.ticks, 1);
  return {
    help,
    path: positionals[0] ?? '',
    params: READ.params(values.param ?? []),
    seed: values.seed === undefined ? undefined : READ.whole('seed', values.seed, 0),
    rateHz: values.rate === undefined ? undefined : READ.rateHz(values.rate),
    speed:
      values.speed === undefined ? undefined : READ.number('speed', values.speed, 0, SPEED_MAX),
    mode: readMode(values),
    ticks,
    drivenBy: readDriver(values, control !== undefined || ticks !== undefined),
    control,
    logLevel: READ.choice('log-level', values['log-level'] ?? 'warn', LOG_LEVELS),
    startTimeoutMs:
      1000 * READ.number('start-timeout', values['start-timeout'] ?? '10', 0.01, 3600),
    json: values.json ?? false,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (cause) {
    throw READ.unreadable(cause, Object.keys(OPTIONS));
  }
}

function readMode(values: Values): ClockMode {
  if (values.mode !== undefined && values.paused) {
    throw new UsageError('OPTION_INVALID', '`--mode` and `--paused` exclude each other.', {
      given: `--mode ${values.mode} --paused`,
      allowed: 'one of them',
      fix: '--paused is short for --mode paused.',
    });
  }
  return values.paused ? 'paused' : READ.choice('mode', values.mode ?? 'live', MODES);
}

function readDriver(values: Values, isDriven: boolean): 'clock' | 'host' {
  const drivenBy = READ.choice('driven-by', values['driven-by'] ?? 'clock', [
    'clock',
    'host',
  ] as const);
  if (drivenBy === 'clock' || isDriven || values.help) return drivenBy;
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
    port: READ.whole('control', values.control, 0, 65_535),
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
