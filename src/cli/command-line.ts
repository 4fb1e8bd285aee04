import { readFileSync } from 'node:fs';
import { readCaptureArguments } from './capture-arguments.ts';
import { captureFilm } from './capture-command.ts';
import { formatErrorBlock } from './error-block.ts';
import { CAPTURE_HELP, HELP, RUN_HELP } from './help.ts';
import { readRunArguments } from './run-arguments.ts';
import { runSimulationModule } from './run-command.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/**
 * Carries out a command line, without the program's own name. Resolves with the exit code: 0 done,
 * 1 failed, 2 wrong usage; the cause of the last two has been printed.
 */
export async function runCommandLine(
  argv: readonly string[],
  terminal: Terminal,
): Promise<0 | 1 | 2> {
  try {
    await dispatch(argv, terminal);
    return 0;
  } catch (thrown) {
    terminal.err(formatErrorBlock(thrown));
    return thrown instanceof UsageError ? 2 : 1;
  }
}

async function dispatch([command, ...rest]: readonly string[], terminal: Terminal): Promise<void> {
  switch (command) {
    case 'run': {
      const args = readRunArguments(rest, terminal.env);
      if (args.help) terminal.out(RUN_HELP);
      else await runSimulationModule(args, terminal);
      break;
    }
    case 'capture': {
      const args = readCaptureArguments(rest);
      if (args.help) terminal.out(CAPTURE_HELP);
      else await captureFilm(args, terminal);
      break;
    }
    case 'help':
    case '--help':
    case '-h':
      terminal.out(HELP);
      break;
    case '--version':
      terminal.out(`${readVersion()}\n`);
      break;
    default:
      throw new UsageError('OPTION_INVALID', 'There is no such command.', {
        given: command ?? 'none',
        allowed: 'run, capture, help, --version',
        fix: 'escapement run build/flock.sim.js',
      });
  }
}

function readVersion(): string {
  const manifest = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version;
}
