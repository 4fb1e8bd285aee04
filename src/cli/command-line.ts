import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';
import { formatErrorBlock } from './error-block.ts';
import { formatHelp } from './help.ts';
import { VERSION } from '../shared/version.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/**
 * Carries out a command line, without the program's own name. Resolves with the exit code: 0 done,
 * 1 failed or different, 2 wrong usage; what was thrown has been printed.
 */
export async function runCommandLine(
  argv: readonly string[],
  terminal: Terminal,
): Promise<0 | 1 | 2> {
  try {
    return await dispatch(argv, terminal);
  } catch (thrown) {
    terminal.err(formatErrorBlock(thrown));
    return thrown instanceof UsageError ? 2 : 1;
  }
}

async function dispatch([name, ...rest]: readonly string[], terminal: Terminal): Promise<0 | 1> {
  const asked = name === 'help' ? rest[0] : name;
  if (asked === undefined && name === 'help') return say(terminal, formatHelp(COMMANDS));
  if (name === '--help' || name === '-h') return say(terminal, formatHelp(COMMANDS));
  if (name === '--version') return say(terminal, `${VERSION}\n`);
  const command = findCommand(asked);
  if (name === 'help' || asksForHelp(rest)) return say(terminal, command.help);
  return command.run(rest, terminal);
}

function say(terminal: Terminal, text: string): 0 {
  terminal.out(text);
  return 0;
}

function findCommand(name: string | undefined): Command {
  const command = COMMANDS.find((known) => known.name === name);
  if (command !== undefined) return command;
  throw new UsageError('OPTION_INVALID', 'There is no such command.', {
    given: name ?? 'none',
    allowed: [...COMMANDS.map((known) => known.name), 'help', '--version'].join(', '),
    fix: 'escapement run build/flock.sim.js',
  });
}

/** Whether help is among the arguments, before the end of options. */
function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const options = end < 0 ? argv : argv.slice(0, end);
  return options.includes('--help') || options.includes('-h');
}
