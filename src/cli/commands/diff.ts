import type { Replay } from '../../shared/replay/replay.ts';
import { compareReplays, type ReplayComparison } from '../../sim-worker/compare-replays.ts';
import type { InputDifference, NamedInput } from '../../sim-worker/compare-inputs.ts';
import { writersOf } from '../../sim-worker/component-writers.ts';
import type { SimulationDefinition } from '../../sim-worker/definition.ts';
import { type DivergedState, findDivergence } from '../../sim-worker/find-divergence.ts';
import { narrowDivergence, quantumOf } from '../../sim-worker/narrow-divergence.ts';
import { openReplay } from '../../sim-worker/open-replay.ts';
import type { Divergence } from '../../sim-worker/replay-player.ts';
import { EscapementError } from '../../shared/error.ts';
import { parseCommand, readWhole } from '../arguments.ts';
import type { Command, ExitCode } from '../command.ts';
import { formatDiff } from '../difference-text.ts';
import { formatErrorBlock } from '../error-block.ts';
import { jsonLine } from '../json-line.ts';
import { loadDefinition } from '../load-definition.ts';
import { rangeText, readReplayFile } from '../replay-file.ts';
import { counted } from '../status-report.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

const HELP = `escapement diff A.replay B.replay [SIM] [options]
escapement diff A.replay SIM [options]

Says where two runs part: the tick, the component, the entity, the field, both values, and the
systems that write the component.

With two recordings, A is the first and B the second. Their headers, inputs, hashes and keyframes
are compared at the ticks that both have. With SIM as well, both are run again from the last tick at
which they are equal, which finds the very tick if this build makes them again.

With one recording, A is what was recorded and B this build. The tick is exact where the recording
has a hash of every tick (--hash-every 1); what differs is read from the first keyframe from there
on, so record with --keyframe-every small enough to be near it.

  --limit N              differences listed (20); all are counted
  --export NAME          the definition, where SIM exports several
  --json                 one JSON object on standard output

Exit codes: 0 equal, 1 different, or nothing could be compared, 2 wrong usage.

Example:
  escapement diff bug.replay build/flock.sim.js
`;

const OPTIONS = {
  limit: { type: 'string' },
  export: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const LIMIT_MAX = 1_000_000;
const MODULE = /\.[cm]?[jt]sx?$/;

/** What `escapement diff` was told. */
export interface DiffArguments {
  readonly a: string;
  readonly b: string | undefined;
  readonly module: string | undefined;
  readonly name: string | undefined;
  readonly limit: number;
  readonly json: boolean;
}

/** Reads the arguments behind `escapement diff`. Throws {@link UsageError}. */
export function readDiffArguments(argv: readonly string[]): DiffArguments {
  const { values, positionals } = parseCommand('diff', argv, OPTIONS);
  const files = positionals.filter((path) => !MODULE.test(path));
  const modules = positionals.filter((path) => MODULE.test(path));
  const [a, b] = files;
  const isPossible = files.length + modules.length >= 2 && files.length <= 2 && modules.length <= 1;
  const isModuleLast = modules.length === 0 || positionals.at(-1) === modules[0];
  if (a === undefined || positionals.includes('') || !isPossible || !isModuleLast) {
    throw new UsageError('OPTION_INVALID', 'escapement diff takes two things to compare.', {
      given: positionals.join(' ') || 'none',
      allowed: 'A.replay B.replay, A.replay B.replay SIM, or A.replay SIM',
      fix: 'escapement diff bug.replay build/flock.sim.js',
    });
  }
  return {
    a,
    b,
    module: modules[0],
    name: values.export,
    limit: readWhole('limit', values.limit ?? '20', 0, LIMIT_MAX),
    json: values.json ?? false,
  };
}

/** What was found; `same` decides the exit code. */
interface Found {
  readonly same: boolean;
  /** Whether both are of one shape. */
  readonly isComparable: boolean;
  readonly lastGood: number;
  readonly firstBad: number | undefined;
  readonly state: DivergedState | undefined;
  /** What kept this build from coming to the next keyframe. */
  readonly failure?: EscapementError | undefined;
  readonly json: object;
  readonly lines: readonly string[];
}

/** `escapement diff`: says where two runs part. */
export const diff: Command = {
  name: 'diff',
  usage: 'diff A.replay B.replay|SIM',
  summary: 'say where two runs part, and in what',
  help: HELP,
  async run(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
    const args = readDiffArguments(argv);
    const a = await readReplayFile(args.a);
    const b = args.b === undefined ? undefined : await readReplayFile(args.b);
    let definition: SimulationDefinition | undefined;
    if (args.module !== undefined) {
      definition = await loadDefinition(args.module, args.name, terminal);
    }
    const found =
      b === undefined
        ? await diffWithBuild(args, a, definition as SimulationDefinition)
        : await diffRecordings(args, [a, b], definition, terminal);
    terminal.out(args.json ? toJson(args, found, definition) : toText(found, definition));
    return found.same ? 0 : 1;
  },
};

async function diffWithBuild(
  { a: file, limit }: DiffArguments,
  replay: Replay,
  definition: SimulationDefinition,
): Promise<Found> {
  const run = await openReplay(definition, replay, quantumOf(replay));
  try {
    const found = findDivergence(run, limit);
    if (found === undefined) {
      const compared = replay.hashCount;
      const lines = [`${file}: ${hashesText(compared)} compared, ${rangeText(replay)}`];
      const none = { lastGood: run.tick, firstBad: undefined, state: undefined };
      return { same: compared > 0, isComparable: true, ...none, json: { compared }, lines };
    }
    const { divergence, compared, lastGood, firstBad, state, failure } = found;
    return {
      same: false,
      isComparable: true,
      lastGood,
      firstBad,
      state,
      failure,
      json: { compared, divergence, failure: failure?.toRecord() },
      lines: [
        `A ${file}, B this build: ${hashesText(compared)} compared`,
        ...(divergence === undefined ? [] : [divergenceText(divergence)]),
      ],
    };
  } finally {
    run.close();
  }
}

async function diffRecordings(
  args: DiffArguments,
  recordings: readonly [a: Replay, b: Replay],
  definition: SimulationDefinition | undefined,
  terminal: Terminal,
): Promise<Found> {
  const files = compareReplays(...recordings, args.limit);
  const known = { lastGood: files.lastGood, firstBad: files.firstBad, state: files.state };
  const narrowed = await narrow(args, recordings, files, definition, terminal);
  const isEqual =
    files.headers.length === 0 && files.input === undefined && files.firstBad === undefined;
  const { hashesCompared, keyframesCompared, headers, input, hash } = files;
  return {
    same: isEqual && hashesCompared + keyframesCompared > 0,
    isComparable: files.isComparable,
    ...(narrowed ?? known),
    json: { headers, input, hashesCompared, keyframesCompared, hash, ...narrowedJson(narrowed) },
    lines: [
      `A ${args.a}, ${rangeText(recordings[0])}; B ${args.b}, ${rangeText(recordings[1])}`,
      `${hashesText(hashesCompared)} and ${keyframesText(keyframesCompared)} compared`,
      ...headers,
      ...(input === undefined ? [] : [inputText(input)]),
      ...(hash === undefined ? [] : [`hash of tick ${hash.tick}: A ${hash.a}, B ${hash.b}`]),
      ...(narrowed === undefined ? [] : [reproducesText(narrowed.reproduces)]),
    ],
  };
}

type Narrowed = Awaited<ReturnType<typeof narrowDivergence>>;

/** Runs both again, if that can say more and this build can. */
async function narrow(
  { limit }: DiffArguments,
  recordings: readonly [a: Replay, b: Replay],
  { isComparable, lastGood, firstBad, state }: ReplayComparison,
  definition: SimulationDefinition | undefined,
  terminal: Terminal,
): Promise<Narrowed | undefined> {
  if (definition === undefined || firstBad === undefined || !isComparable) return undefined;
  try {
    const found = await narrowDivergence(definition, recordings, { lastGood, firstBad }, limit);
    return { ...found, state: found.state ?? state };
  } catch (cause) {
    if (!(cause instanceof EscapementError)) throw cause;
    terminal.err(`This build cannot run both again.\n${formatErrorBlock(cause)}`);
    return undefined;
  }
}

function narrowedJson(narrowed: Narrowed | undefined): object {
  return narrowed === undefined ? {} : { reproduces: narrowed.reproduces };
}

function hashesText(count: number): string {
  return counted(count, 'hash', 'hashes');
}

function keyframesText(count: number): string {
  return counted(count, 'keyframe', 'keyframes');
}

function divergenceText({ tick, expected, found }: Divergence): string {
  return `hash of tick ${tick}: A ${expected}, B ${found}`;
}

function reproducesText([a, b]: readonly [a: boolean, b: boolean]): string {
  const which = a && b ? 'A and B' : a ? 'A, but not B' : b ? 'B, but not A' : 'neither A nor B';
  return `this build makes again: ${which}`;
}

function inputText({ tick, place, a, b }: InputDifference): string {
  const say = (input: NamedInput | undefined): string =>
    input === undefined ? 'none' : `${input.name} ${JSON.stringify(input.values)}`;
  return `inputs differ first at tick ${tick}, input ${place + 1}: A ${say(a)}, B ${say(b)}`;
}

function toJson(
  { a, b, module }: DiffArguments,
  { same, lastGood, firstBad, state, json }: Found,
  definition: SimulationDefinition | undefined,
): string {
  const groups = state?.diff.groups.map((group) => ({
    ...group,
    ...(definition === undefined ? {} : { writtenBy: writersOf(definition, group.name) }),
  }));
  const exact = firstBad === undefined ? undefined : firstBad === lastGood + 1;
  const states = state === undefined ? undefined : { tick: state.tick, ...state.diff, groups };
  return jsonLine({
    event: 'diff',
    a,
    b: b ?? module,
    same,
    ...json,
    lastGood,
    firstBad,
    exact,
    state: states,
  });
}

function toText(
  { same, isComparable, lastGood, firstBad, state, failure, lines }: Found,
  definition: SimulationDefinition | undefined,
): string {
  const all = [...lines];
  if (firstBad === undefined) all.push(same ? 'equal' : 'no state that differs was found');
  else all.push(whereText(lastGood, firstBad));
  if (!isComparable) all.push('their states cannot be compared: they are of different shapes');
  else if (failure !== undefined) {
    all.push(`in what, nobody can say: B fails before the next keyframe: ${failure.headline}`);
  } else if (firstBad !== undefined && state === undefined) {
    all.push(
      'in what, nobody can say: no keyframe was recorded from there on; record it again with a ' +
        'smaller --keyframe-every',
    );
  }
  if (state !== undefined) {
    const { tick, diff: found } = state;
    const many = counted(found.total, 'difference', 'differences');
    const later = firstBad !== undefined && tick > firstBad ? ', the next keyframe' : '';
    all.push(`states of tick ${tick}${later}: ${many}`);
    const writers =
      definition === undefined ? undefined : (name: string) => writersOf(definition, name);
    all.push(...formatDiff(found, writers));
  }
  return `${all.join('\n')}\n`;
}

function whereText(lastGood: number, firstBad: number): string {
  if (firstBad === 0) return 'first different tick: 0, as setup left it';
  if (lastGood === firstBad - 1) return `first different tick: ${firstBad}`;
  if (lastGood < 0) return `first different tick: ${firstBad} or before`;
  return `first different tick: ${lastGood + 1} to ${firstBad}; equal at ${lastGood}`;
}
