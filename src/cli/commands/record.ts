import type { Hello } from '../../shared/protocol.ts';
import type { RecordingResult } from '../../shared/replay/memory-sink.ts';
import type { RecordOptions } from '../../shared/replay/record-options.ts';
import { quantumOf } from '../../shared/rational.ts';
import { type Parsed, parseCommand, readNumber, readWhole, refuseBoth } from '../arguments.ts';
import type { Command, ExitCode } from '../command.ts';
import { checkNew, FileSink } from '../file-sink.ts';
import { readRun, RUN_OPTIONS, type RunArguments } from '../run-arguments.ts';
import { runSimulationModule } from '../run-command.ts';
import { formatBytes } from '../status-report.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { RUN_HELP } from './run.ts';

const HELP = `escapement record SIM --out FILE [options]

Runs a simulation as escapement run does, and records it from its first tick on. The file is written
as it goes: if the process dies, all of it but the last moments can be read. Ctrl-C ends the
recording cleanly.

What is recorded:
  --out FILE             the recording, such as bug.replay
  --force                replace a file of that name
  --seconds S            stop after so many world seconds, in place of --ticks
  --hash-every N         ticks between two hashes of the state (60); 1 finds any difference's tick
  --keyframe-every N     ticks between two copies of the state (600), to seek by and to compare
  --max-bytes N          the most bytes of the file, in which it ends cleanly (128 MiB)

${RUN_HELP.what}

${RUN_HELP.time}

${RUN_HELP.control}

${RUN_HELP.printed}

Exit codes: 0 recorded, 1 the start, the simulation or the recording failed, 2 wrong usage.

Example:
  escapement record build/flock.sim.js --out bug.replay --seconds 10 --seed 7
`;

const OPTIONS = {
  ...RUN_OPTIONS,
  out: { type: 'string' },
  force: { type: 'boolean' },
  seconds: { type: 'string' },
  'hash-every': { type: 'string' },
  'keyframe-every': { type: 'string' },
  'max-bytes': { type: 'string' },
} as const;

const PERIOD_MAX = 1_000_000;
const SECONDS_MAX = 1e9;

/** What `escapement record` was told. */
export interface RecordArguments {
  readonly run: RunArguments;
  readonly out: string;
  readonly force: boolean;
  readonly seconds: number | undefined;
  readonly options: RecordOptions;
}

/** Reads the arguments behind `escapement record`. Throws {@link UsageError}. */
export function readRecordArguments(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): RecordArguments {
  const { values, positionals } = parseCommand('record', argv, OPTIONS);
  refuseBoth(values, 'ticks', 'seconds');
  const seconds =
    values.seconds === undefined
      ? undefined
      : readNumber('seconds', values.seconds, 0.001, SECONDS_MAX);
  const run = readRun('record', values, positionals, env, seconds !== undefined);
  if (values.out === undefined || values.out === '') {
    throw new UsageError('OPTION_INVALID', 'The recording needs a file.', {
      given: 'no --out',
      allowed: '--out FILE',
      fix: 'Add --out run.replay.',
    });
  }
  return { run, out: values.out, force: values.force ?? false, seconds, options: periods(values) };
}

function periods(values: Parsed<typeof OPTIONS>['values']): RecordOptions {
  const whole = (name: keyof typeof values, most: number): number | undefined => {
    const text = values[name];
    return typeof text === 'string' ? readWhole(name, text, 1, most) : undefined;
  };
  return {
    hashEveryTicks: whole('hash-every', PERIOD_MAX),
    keyframeEveryTicks: whole('keyframe-every', PERIOD_MAX),
    maxBytes: whole('max-bytes', Number.MAX_SAFE_INTEGER),
  };
}

/** `escapement record`: runs a simulation and records it. */
export const record: Command = {
  name: 'record',
  usage: 'record SIM --out FILE',
  summary: 'run a simulation and record it',
  help: HELP,
  async run(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
    const args = readRecordArguments(argv, terminal.env);
    checkNew(args.out, args.force);
    let sink: FileSink | undefined;
    let result: RecordingResult | undefined;
    const prepare = async (hello: Hello) => {
      sink = await FileSink.open(args.out, args.force);
      return {
        start: { record: { ...args.options, to: sink } },
        ticks: args.seconds === undefined ? undefined : ticksOf(args, hello, args.seconds),
        onRecorded: (recorded: RecordingResult) => {
          result = recorded;
          tell(args, recorded, terminal);
        },
      };
    };
    try {
      await runSimulationModule(args.run, terminal, prepare);
    } finally {
      await sink?.discard();
    }
    return result?.reason === 'lost' ? 1 : 0;
  },
};

/** Returns the ticks that so many world seconds take, at least one. */
function ticksOf({ run }: RecordArguments, { schema }: Hello, seconds: number): number {
  const { rateHz } = run;
  const { numerator, denominator } =
    rateHz === undefined ? schema.quantum : quantumOf({ tickRateHz: rateHz });
  return Math.max(1, Math.round((seconds * denominator) / numerator));
}

const REASONS: Readonly<Record<RecordingResult['reason'], string>> = {
  stopped: '',
  full: '; it ended there because the file has its --max-bytes',
  lost: '; what came later was lost because writing could not keep up',
  failed: '; the simulation failed then',
};

function tell({ run, out }: RecordArguments, result: RecordingResult, terminal: Terminal): void {
  const { firstTick, lastTick, bytesWritten, reason } = result;
  if (run.json) {
    const event = { event: 'recorded', file: out, firstTick, lastTick, bytesWritten, reason };
    terminal.out(`${JSON.stringify(event)}\n`);
    return;
  }
  const ticks = `ticks ${firstTick} to ${lastTick}`;
  terminal.out(`${out}: ${ticks}, ${formatBytes(bytesWritten)}${REASONS[reason]}\n`);
}
