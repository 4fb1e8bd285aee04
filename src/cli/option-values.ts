import { EscapementError } from '../shared/error.ts';
import { quantumOf } from '../shared/rational.ts';
import { UsageError } from './usage-error.ts';

/** Reads the values of one command's options; what it refuses points to that command's help. */
export class OptionValues {
  readonly #command: string;

  /** `command` is its name, such as `run`. */
  constructor(command: string) {
    this.#command = command;
  }

  /** Where to read on. */
  get hint(): string {
    return `See escapement ${this.#command} --help.`;
  }

  /** Reads a number between two bounds, both included. */
  number(name: string, text: string, least: number, most: number): number {
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value <= most) return value;
    throw this.invalid(name, text, `a number from ${least} to ${most}`);
  }

  /** Reads a whole number between two bounds, both included. */
  whole(name: string, text: string, least: number, most: number = Number.MAX_SAFE_INTEGER): number {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw this.invalid(name, text, `a whole number from ${least} to ${most}`);
  }

  /** Reads ticks a second. */
  rateHz(text: string): number {
    const rateHz = this.number('rate', text, 0.1, 1000);
    try {
      quantumOf({ tickRateHz: rateHz });
    } catch (cause) {
      throw cause instanceof EscapementError ? UsageError.from(cause) : cause;
    }
    return rateHz;
  }

  /** Reads one word of several. */
  choice<N extends string>(name: string, text: string, choices: readonly N[]): N {
    const value = choices.find((known) => known === text);
    if (value !== undefined) return value;
    throw this.invalid(name, text, choices.join(', '));
  }

  /** Reads NAME=VALUE of each `--param`. */
  params(assignments: readonly string[]): ReadonlyMap<string, string> {
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

  /** Returns the fault that a command line cannot be read, with the options there are. */
  unreadable(cause: unknown, options: readonly string[]): UsageError {
    return new UsageError('OPTION_INVALID', 'The command line cannot be read.', {
      given: (cause instanceof Error ? cause.message : String(cause)).replaceAll('\n', ' '),
      allowed: options.map((name) => `--${name}`).join(', '),
      fix: this.hint,
    });
  }

  /** Returns the fault of one option. */
  invalid(name: string, given: string, allowed: string): UsageError {
    return new UsageError('OPTION_INVALID', `\`--${name}\` cannot be that.`, {
      given,
      allowed,
      fix: this.hint,
    });
  }
}
