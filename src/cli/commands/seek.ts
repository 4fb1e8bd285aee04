import { MemorySink } from '../../shared/replay/memory-sink.ts';
import { ReplayWriter } from '../../shared/replay/replay-writer.ts';
import { hashText } from '../../shared/replay/replay-position.ts';
import type { Keyframe, Replay } from '../../shared/replay/replay.ts';
import { VERSION } from '../../shared/version.ts';
import { quantumOf } from '../../sim-worker/narrow-divergence.ts';
import { openReplay } from '../../sim-worker/open-replay.ts';
import { parseCommand, readFiles, readWhole } from '../arguments.ts';
import type { Command, ExitCode } from '../command.ts';
import { checkNew, writeWhole } from '../file-sink.ts';
import { jsonLine } from '../json-line.ts';
import { loadDefinition } from '../load-definition.ts';
import { rangeText, readReplayFile } from '../replay-file.ts';
import { formatTable, tabulate } from '../state-table.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

const HELP = `escapement seek FILE SIM --tick T [options]

Goes to the state of a recording after tick T, from the keyframe before it, and prints its hash.

  --tick T               a tick that was recorded
  --print                print globals and entities
  --limit N              entities printed (20)
  --out FILE             save the state, to go on from: startSimulation(..., { restore: bytes })
  --force                replace a file of that name
  --export NAME          the definition, where SIM exports several
  --json                 one JSON object on standard output

Exit codes: 0 there, 1 failed, or a hash on the way was not as recorded, 2 wrong usage.

Example:
  escapement seek bug.replay build/flock.sim.js --tick 300 --print
`;

const OPTIONS = {
  tick: { type: 'string' },
  print: { type: 'boolean' },
  limit: { type: 'string' },
  out: { type: 'string' },
  force: { type: 'boolean' },
  export: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const LIMIT_MAX = 2 ** 20;

/** What `escapement seek` was told. */
export interface SeekArguments {
  readonly file: string;
  readonly module: string;
  readonly name: string | undefined;
  readonly tick: number;
  readonly print: boolean;
  readonly limit: number;
  readonly out: string | undefined;
  readonly force: boolean;
  readonly json: boolean;
}

/** Reads the arguments behind `escapement seek`. Throws {@link UsageError}. */
export function readSeekArguments(argv: readonly string[]): SeekArguments {
  const { values, positionals } = parseCommand('seek', argv, OPTIONS);
  const [file, module] = readFiles('seek', positionals, ['FILE', 'SIM']) as [string, string];
  if (values.tick === undefined) {
    throw new UsageError('OPTION_INVALID', 'There is no tick to go to.', {
      given: 'no --tick',
      allowed: '--tick T',
      fix: 'Add --tick 300. escapement inspect FILE says which ticks there are.',
    });
  }
  return {
    file,
    module,
    name: values.export,
    tick: readWhole('tick', values.tick, 0),
    print: values.print ?? false,
    limit: readWhole('limit', values.limit ?? '20', 0, LIMIT_MAX),
    out: values.out,
    force: values.force ?? false,
    json: values.json ?? false,
  };
}

/** `escapement seek`: goes to a tick of a recording. */
export const seek: Command = {
  name: 'seek',
  usage: 'seek FILE SIM --tick T',
  summary: 'go to a tick, print its hash and state, save it',
  help: HELP,
  async run(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
    const args = readSeekArguments(argv);
    const { file, module, name, tick, print, limit, out, force, json } = args;
    if (out !== undefined) checkNew(out, force);
    const recording = await readReplayFile(file);
    checkTick(file, recording, tick);
    const definition = await loadDefinition(module, name, terminal);
    const run = await openReplay(definition, recording, quantumOf(recording));
    try {
      run.seek(tick);
      const hash = run.stateHash();
      const state = run.save();
      const { divergence } = run;
      if (out !== undefined) await writeWhole(out, await savedState(recording, state), force);
      const table = print ? tabulate(recording.header.schema, state.world, limit) : undefined;
      const recorded = recordedHash(recording, tick);
      if (json) {
        terminal.out(
          jsonLine({ event: 'sought', file, tick, hash, recorded, divergence, out, ...table }),
        );
      } else {
        const known = recorded === undefined ? 'no hash was recorded' : `recorded ${recorded}`;
        terminal.out(`tick ${tick}: hash ${hash}, ${known}\n`);
        if (divergence !== undefined) {
          terminal.out(`not as recorded: the hash of tick ${divergence.tick} was not met\n`);
        }
        if (table !== undefined) terminal.out(formatTable(table));
        if (out !== undefined) terminal.out(`${out}: the state of tick ${tick}\n`);
      }
      return divergence === undefined ? 0 : 1;
    } finally {
      run.close();
    }
  },
};

function checkTick(file: string, recording: Replay, tick: number): void {
  if (tick >= recording.header.firstTick && tick <= recording.lastTick) return;
  throw new UsageError('VALUE_INVALID', 'That tick was not recorded.', {
    given: `--tick ${tick}`,
    allowed: `${file} has ${rangeText(recording)}`,
    fix: 'Name one of those ticks.',
  });
}

function recordedHash(recording: Replay, tick: number): string | undefined {
  const words = new Uint32Array(2);
  if (!recording.findHash(tick, words)) return undefined;
  return hashText(words[0] as number, words[1] as number);
}

/** Returns a state as a recording of no tick, as `save` of a running simulation does. */
async function savedState({ header }: Replay, state: Keyframe): Promise<Uint8Array> {
  const sink = new MemorySink();
  const writer = new ReplayWriter(
    sink,
    {
      ...header,
      library: VERSION,
      firstTick: state.tick,
      hashEveryTicks: 1,
      keyframeEveryTicks: 1,
    },
    { maxBytes: Number.MAX_SAFE_INTEGER },
  );
  writer.addKeyframe(state);
  await writer.close(state.tick, 'stopped');
  return sink.bytes();
}
