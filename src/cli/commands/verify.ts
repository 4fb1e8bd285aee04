import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { EscapementError } from '../../shared/error.ts';
import { parseCommand, readWhole } from '../arguments.ts';
import type { Command, ExitCode } from '../command.ts';
import { formatErrorBlock } from '../error-block.ts';
import { jsonLine } from '../json-line.ts';
import { loadDefinition } from '../load-definition.ts';
import { counted } from '../status-report.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { type FileVerdict, type VerifyTask, verifyFile } from '../verify-file.ts';

const HELP = `escapement verify FILE... SIM [options]

Replays recordings as fast as they run and compares every recorded hash of the state. A file is left
at its first tick that is not as recorded, which is named. Put it into your tests: a recording is a
golden file. What differs there, escapement diff FILE SIM says.

  --jobs N               files at once, each on a thread of its own (1); 0 takes all cores
  --export NAME          the definition, where SIM exports several
  --json                 one JSON object a file on standard output, then one that sums up

The verdict of a file is one of
  same                   every hash was met
  different              one was not
  nothing                there was no hash to compare
  refused                it cannot be read, or is of another simulation
  failed                 setup or a system threw

Exit codes: 0 all are the same, 1 any other verdict, 2 wrong usage.

Example:
  escapement verify test/golden/*.replay build/flock.sim.js --jobs 0
`;

const OPTIONS = {
  jobs: { type: 'string' },
  export: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const JOBS_MAX = 256;

/** What `escapement verify` was told. */
export interface VerifyArguments {
  readonly files: readonly string[];
  readonly module: string;
  readonly name: string | undefined;
  readonly jobs: number;
  readonly json: boolean;
}

/** Reads the arguments behind `escapement verify`. Throws {@link UsageError}. */
export function readVerifyArguments(argv: readonly string[]): VerifyArguments {
  const { values, positionals } = parseCommand('verify', argv, OPTIONS);
  const module = positionals.at(-1);
  if (module === undefined || positionals.length < 2 || positionals.includes('')) {
    throw new UsageError('OPTION_INVALID', 'escapement verify takes files and a module.', {
      given: positionals.join(' ') || 'none',
      allowed: 'one recording or more, then the module of the simulation',
      fix: 'escapement verify run.replay build/flock.sim.js',
    });
  }
  const jobs = readWhole('jobs', values.jobs ?? '1', 0, JOBS_MAX);
  return {
    files: positionals.slice(0, -1),
    module,
    name: values.export,
    jobs: jobs === 0 ? availableParallelism() : jobs,
    json: values.json ?? false,
  };
}

/** `escapement verify`: replays recordings and compares their hashes. */
export const verify: Command = {
  name: 'verify',
  usage: 'verify FILE... SIM',
  summary: 'replay recordings and compare every hash',
  help: HELP,
  async run(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
    const args = readVerifyArguments(argv);
    const { files, module, name, jobs, json } = args;
    // A module that cannot be used is found here, not once for each file.
    await loadDefinition(module, name, terminal);
    let same = 0;
    const tell = (verdict: FileVerdict): void => {
      if (verdict.verdict === 'same') same++;
      terminal.out(json ? jsonLine({ event: 'verdict', ...verdict }) : formatVerdict(verdict));
    };
    const tasks = files.map((file): VerifyTask => ({ file, module, name }));
    await verifyAll(tasks, Math.min(jobs, files.length), tell);
    if (json) terminal.out(jsonLine({ event: 'verified', files: files.length, same }));
    else if (files.length > 1) terminal.out(`${same} of ${files.length} are the same\n`);
    return same === files.length ? 0 : 1;
  },
};

/** Verifies files, so many at once, and tells the verdicts in the order of the files. */
async function verifyAll(
  tasks: readonly VerifyTask[],
  jobs: number,
  tell: (verdict: FileVerdict) => void,
): Promise<void> {
  if (jobs <= 1) {
    for (const task of tasks) tell(await verifyFile(task));
    return;
  }
  const pool = new Piscina({
    filename: new URL('../verify-worker.js', import.meta.url).href,
    minThreads: jobs,
    maxThreads: jobs,
  });
  try {
    const running = tasks.map((task) =>
      (pool.run(task) as Promise<FileVerdict>).catch((cause: unknown) => lost(task, cause)),
    );
    for (const each of running) tell(await each);
  } finally {
    await pool.destroy();
  }
}

/** The verdict of a file whose thread ended: the others have theirs all the same. */
function lost({ file }: VerifyTask, cause: unknown): FileVerdict {
  const error = new EscapementError('SIMULATION_FAILED', 'The thread of this file has ended.', {
    fix: 'Verify it alone to see where, with --jobs 1.',
    cause,
  }).toRecord();
  const none = { compared: 0, firstTick: 0, lastTick: 0, divergence: undefined };
  return { file, verdict: 'failed', ...none, truncated: undefined, error };
}

function formatVerdict(given: FileVerdict): string {
  const { file, verdict, compared, firstTick, lastTick, divergence, truncated, error } = given;
  const cut = truncated === undefined ? '' : ` (cut off at byte ${truncated.offset})`;
  const hashes = counted(compared, 'hash', 'hashes');
  const ticks = `${hashes} compared, ticks ${firstTick} to ${lastTick}${cut}`;
  switch (verdict) {
    case 'same':
      return `${file}: same: ${ticks}\n`;
    case 'nothing':
      return `${file}: nothing to compare: it holds no hash\n`;
    case 'different': {
      const { tick, expected, found } = divergence as NonNullable<typeof divergence>;
      return `${file}: different at tick ${tick}: recorded ${expected}, found ${found}; ${ticks}\n`;
    }
    case 'refused':
      return `${file}: refused\n${errorText(error)}`;
    case 'failed':
      return `${file}: failed after tick ${lastTick}: ${ticks}\n${errorText(error)}`;
  }
}

function errorText(error: FileVerdict['error']): string {
  return error === undefined ? '' : formatErrorBlock(EscapementError.fromRecord(error));
}
