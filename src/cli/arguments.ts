import { parseArgs, type ParseArgsConfig } from 'node:util';
import { EscapementError } from '../shared/error.ts';
import { quantumOf } from '../shared/rational.ts';
import { UsageError } from './usage-error.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** What a command line holds. */
export type Parsed<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true }>
>;

/** Splits the arguments of a command into options and the rest. Throws {@link UsageError}. */
export function parseCommand<const O extends Options>(
  command: string,
  argv: readonly string[],
  options: O,
): Parsed<O> {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (cause) {
    throw new UsageError('OPTION_INVALID', 'The command line cannot be read.', {
      given: (cause instanceof Error ? cause.message : String(cause)).replaceAll('\n', ' '),
      allowed: Object.keys(options)
        .map((name) => `--${name}`)
        .join(', '),
      fix: helpHint(command),
    });
  }
}

/** Returns the files that a command is given. Throws {@link UsageError} for another number. */
export function readFiles(
  command: string,
  positionals: readonly string[],
  names: readonly string[],
): readonly string[] {
  if (positionals.length === names.length && !positionals.includes('')) return positionals;
  throw new UsageError('OPTION_INVALID', `escapement ${command} takes ${names.join(' and ')}.`, {
    given: positionals.join(' ') || 'none',
    allowed: names.join(' '),
    fix: helpHint(command),
  });
}

/** Reads parameters, `NAME=VALUE` each. */
export function readParams(assignments: readonly string[]): ReadonlyMap<string, string> {
  const params = new Map<string, string>();
  for (const assignment of assignments) {
    const equals = assignment.indexOf('=');
    const name = assignment.slice(0, Math.max(0, equals));
    if (name === '' || params.has(name)) {
      throw new UsageError('OPTION_INVALID', '`--param` cannot be that.', {
        given: assignment,
        allowed: 'NAME=VALUE, each name once',
        fix: 'Write --param population=5000.',
      });
    }
    params.set(name, assignment.slice(equals + 1));
  }
  return params;
}

/** Reads an option that is a number. Throws {@link UsageError}. */
export function readNumber(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= least && value <= most) return value;
  throw badOption(name, text, `a number from ${least} to ${most}`);
}

/** Reads an option that is a whole number. Throws {@link UsageError}. */
export function readWhole(
  name: string,
  text: string,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw badOption(name, text, `a whole number from ${least} to ${most}`);
}

/** Reads ticks a second. Throws {@link UsageError} for a rate that no clock keeps exactly. */
export function readRate(text: string): number {
  const rateHz = readNumber('rate', text, 0.1, 1000);
  try {
    quantumOf({ tickRateHz: rateHz });
  } catch (cause) {
    throw cause instanceof EscapementError ? UsageError.from(cause) : cause;
  }
  return rateHz;
}

/** Reads an option that is one of some words. Throws {@link UsageError}. */
export function readChoice<N extends string>(name: string, text: string, choices: readonly N[]): N {
  const value = choices.find((known) => known === text);
  if (value !== undefined) return value;
  throw badOption(name, text, choices.join(', '));
}

/** Throws {@link UsageError} when two options are given that exclude each other. */
export function refuseBoth(values: object, one: string, other: string): void {
  const given = values as Readonly<Record<string, unknown>>;
  if (given[one] === undefined || given[other] === undefined) return;
  throw new UsageError('OPTION_INVALID', `\`--${one}\` and \`--${other}\` exclude each other.`, {
    given: `--${one} and --${other}`,
    allowed: 'one of them',
    fix: 'Leave one of them out.',
  });
}

/** Says where a command is explained. */
function helpHint(command: string): string {
  return `See escapement ${command} --help.`;
}

/** Returns the fault of an option that cannot be what it is. */
export function badOption(name: string, given: string, allowed: string): UsageError {
  return new UsageError('OPTION_INVALID', `\`--${name}\` cannot be that.`, {
    given,
    allowed,
    fix: 'See --help of the command.',
  });
}
