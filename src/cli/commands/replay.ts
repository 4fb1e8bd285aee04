import type { RunningSimulation } from '../../main/running-simulation.ts';
import { startSimulation } from '../../main/start-simulation.ts';
import { EscapementError } from '../../shared/error.ts';
import { LOG_LEVELS, type LogLevel } from '../../shared/log.ts';
import { formatLogLine } from '../../shared/log-line.ts';
import { SPEED_MAX } from '../../shared/speed.ts';
import {
  parseCommand,
  readChoice,
  readFiles,
  readNumber,
  readWhole,
  refuseBoth,
} from '../arguments.ts';
import type { Command, ExitCode } from '../command.ts';
import { rangeText, readReplayBytes, readReplayFile } from '../replay-file.ts';
import { ReplayRun } from '../replay-run.ts';
import { readStatusMs } from '../run-arguments.ts';
import { loadSimulation } from '../simulation-worker.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

const HELP = `escapement replay FILE SIM [options]

Plays a recording in a worker thread, in real time or as fast as it goes, and compares every
recorded hash of the state. Ends at the first that is not met, at --to, or with the recording.

  --speed X              world seconds a wall second, above 0, to 1000 (1)
  --fast                 as fast as it goes
  --to TICK              stop once this tick is reached
  --log-level LEVEL      trace, debug, info, warn (default), error, fatal, off; to standard error
  --json                 one JSON object a line on standard output: a status each second
  --status-every S       seconds between two of them (1)
  --start-timeout S      seconds the module may take to call runSimulation (10)

Exit codes: 0 as recorded, 1 failed, or a hash was not met, 2 wrong usage.

Example:
  escapement replay bug.replay build/flock.sim.js --speed 4
`;

const OPTIONS = {
  speed: { type: 'string' },
  fast: { type: 'boolean' },
  to: { type: 'string' },
  'log-level': { type: 'string' },
  json: { type: 'boolean' },
  'status-every': { type: 'string' },
  'start-timeout': { type: 'string' },
} as const;

const SPEED_MIN = 0.001;

/** What `escapement replay` was told. */
export interface ReplayArguments {
  readonly file: string;
  readonly module: string;
  readonly speed: number;
  readonly fast: boolean;
  readonly to: number | undefined;
  readonly logLevel: LogLevel;
  readonly json: boolean;
  readonly statusMs: number;
  readonly startTimeoutMs: number;
}

/** Reads the arguments behind `escapement replay`. Throws {@link UsageError}. */
export function readReplayArguments(argv: readonly string[]): ReplayArguments {
  const { values, positionals } = parseCommand('replay', argv, OPTIONS);
  refuseBoth(values, 'speed', 'fast');
  const [file, module] = readFiles('replay', positionals, ['FILE', 'SIM']) as [string, string];
  return {
    file,
    module,
    speed: readNumber('speed', values.speed ?? '1', SPEED_MIN, SPEED_MAX),
    fast: values.fast ?? false,
    to: values.to === undefined ? undefined : readWhole('to', values.to, 0),
    logLevel: readChoice('log-level', values['log-level'] ?? 'warn', LOG_LEVELS),
    json: values.json ?? false,
    statusMs: readStatusMs(values['status-every']),
    startTimeoutMs: 1000 * readNumber('start-timeout', values['start-timeout'] ?? '10', 0.01, 3600),
  };
}

/** `escapement replay`: plays a recording. */
export const replay: Command = {
  name: 'replay',
  usage: 'replay FILE SIM',
  summary: 'play a recording, and compare its hashes',
  help: HELP,
  async run(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
    const args = readReplayArguments(argv);
    const recording = await readReplayFile(args.file);
    const { to = recording.lastTick } = args;
    if (to < recording.header.firstTick || to > recording.lastTick) {
      throw new UsageError('VALUE_INVALID', 'That tick was not recorded.', {
        given: `--to ${to}`,
        allowed: `${args.file} has ${rangeText(recording)}`,
        fix: 'Leave --to out to play all of it.',
      });
    }
    const { numerator, denominator } = recording.header.schema.quantum;
    const simulation = await start(args, numerator / denominator, terminal);
    const run = new ReplayRun(simulation, terminal, { ...args, to });
    try {
      return (await run.untilEnd()) === undefined ? 0 : 1;
    } finally {
      await run.close();
    }
  },
};

async function start(
  args: ReplayArguments,
  fixedDt: number,
  terminal: Terminal,
): Promise<RunningSimulation> {
  const { module, startTimeoutMs, json, logLevel, fast, file } = args;
  const { worker } = await loadSimulation(module, startTimeoutMs, { stdout: json });
  if (json) worker.stdout.on('data', (bytes: Buffer) => terminal.err(bytes.toString()));
  try {
    return await startSimulation(() => worker, {
      replay: await readReplayBytes(file),
      fixedDt,
      drivenBy: fast ? 'host' : 'clock',
      logLevel,
      logSink: (record) => terminal.err(`${formatLogLine(record)}\n`),
      startTimeoutMs,
    });
  } catch (cause) {
    await worker.terminate();
    if (cause instanceof EscapementError && cause.code === 'REPLAY_INVALID') {
      throw new EscapementError(cause.code, cause.headline, { ...cause.detail, given: file });
    }
    throw cause;
  }
}
