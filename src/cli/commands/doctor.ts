import { parseCommand } from '../arguments.ts';
import type { Command, ExitCode } from '../command.ts';
import { formatHealth, type HealthCheck } from '../health.ts';
import { jsonLine } from '../json-line.ts';
import { checkMachine } from '../machine-health.ts';
import { checkPage } from '../page-health.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

const HELP = `escapement doctor [URL] [options]

Says whether this machine can run simulations on threads that share memory: Node, threads, shared
memory, WebAssembly kernels, clock, timers, optional packages; and what to do. With the URL of a
page its headers are judged as well: a browser lets its threads share memory only if they are right.

  --json                 one JSON object on standard output

Exit codes: 0 nothing that is needed is missing, 1 something is, 2 wrong usage.

Example:
  escapement doctor http://localhost:5173/
`;

const OPTIONS = { json: { type: 'boolean' } } as const;

/** Reads the arguments behind `escapement doctor`. Throws {@link UsageError}. */
export function readDoctorArguments(argv: readonly string[]): {
  readonly url: string | undefined;
  readonly json: boolean;
} {
  const { values, positionals } = parseCommand('doctor', argv, OPTIONS);
  const [url] = positionals;
  const isPage = url === undefined || (URL.canParse(url) && /^https?:/.test(url));
  if (positionals.length > 1 || !isPage) {
    throw new UsageError('OPTION_INVALID', 'escapement doctor takes one page at most.', {
      given: positionals.join(' '),
      allowed: 'the address of a page, with http: or https:',
      fix: 'escapement doctor http://localhost:5173/',
    });
  }
  return { url, json: values.json ?? false };
}

/** `escapement doctor`: says what a machine, or a page, lacks. */
export const doctor: Command = {
  name: 'doctor',
  usage: 'doctor [URL]',
  summary: 'say what this machine, or a page, lacks',
  help: HELP,
  async run(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
    const { url, json } = readDoctorArguments(argv);
    const machine = await checkMachine();
    const page = url === undefined ? [] : await checkPage(url);
    const missing = [...machine, ...page].filter((check) => check.needed && !check.ok);
    const ok = missing.length === 0;
    if (json) {
      terminal.out(
        jsonLine({ event: 'health', ok, machine, ...(url === undefined ? {} : { page }) }),
      );
      return ok ? 0 : 1;
    }
    terminal.out(`This machine\n${formatHealth(machine)}`);
    if (url !== undefined) terminal.out(`The page\n${formatHealth(page)}`);
    terminal.out(verdict(missing));
    return ok ? 0 : 1;
  },
};

function verdict(missing: readonly HealthCheck[]): string {
  if (missing.length === 0) return 'Nothing that is needed is missing.\n';
  return `Missing: ${missing.map(({ name }) => name).join(', ')}.\n`;
}
