import type { ParamValue } from '../../shared/schema.ts';
import { hashText } from '../../shared/replay/replay-position.ts';
import type { Replay } from '../../shared/replay/replay.ts';
import { inputsAt } from '../../sim-worker/compare-inputs.ts';
import { parseCommand, readFiles } from '../arguments.ts';
import type { Command, ExitCode } from '../command.ts';
import { jsonLine } from '../json-line.ts';
import { printableText } from '../printable-text.ts';
import { readReplayFile } from '../replay-file.ts';
import { formatBytes } from '../status-report.ts';
import type { Terminal } from '../terminal.ts';

const HELP = `escapement inspect FILE [options]

Says what is in a recording: of what run it is, how long, how large, and where it is cut off if it
is. Needs no simulation.

  --inputs               list the inputs by tick
  --hashes               list the hashes
  --keyframes            list the keyframes with their sizes
  --json                 one JSON object a line on standard output

Exit codes: 0 it can be read, though it may be cut off, 1 it is no recording, 2 wrong usage.

Example:
  escapement inspect bug.replay --inputs
`;

const OPTIONS = {
  inputs: { type: 'boolean' },
  hashes: { type: 'boolean' },
  keyframes: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

/** `escapement inspect`: says what is in a recording. */
export const inspect: Command = {
  name: 'inspect',
  usage: 'inspect FILE',
  summary: 'say what is in a recording',
  help: HELP,
  async run(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
    const { values, positionals } = parseCommand('inspect', argv, OPTIONS);
    const [file] = readFiles('inspect', positionals, ['FILE']) as [string];
    const { json = false } = values;
    const replay = await readReplayFile(file);
    const about = summarise(file, replay);
    terminal.out(json ? jsonLine({ event: 'recording', ...about }) : formatSummary(about));
    const list = (event: string, rows: Iterable<readonly [object, string]>): void => {
      for (const [row, text] of rows) terminal.out(json ? jsonLine({ event, ...row }) : text);
    };
    if (values.keyframes === true) list('keyframe', keyframeRows(replay));
    if (values.hashes === true) list('hash', hashRows(replay));
    if (values.inputs === true) list('input', inputRows(replay));
    return 0;
  },
};

/** What a recording is, as plain data. */
interface Summary {
  readonly file: string;
  readonly bytes: number;
  readonly library: string;
  readonly name: string;
  readonly identity: string;
  /** 64 bits, in hexadecimal. */
  readonly seed: string;
  readonly params: Readonly<Record<string, ParamValue>>;
  readonly tickRateHz: number;
  readonly capacity: number;
  readonly components: readonly string[];
  readonly systems: readonly string[];
  readonly inputNames: readonly string[];
  readonly firstTick: number;
  readonly lastTick: number;
  readonly seconds: number;
  readonly inputs: number;
  readonly hashes: number;
  readonly hashEveryTicks: number;
  readonly keyframes: number;
  readonly keyframeEveryTicks: number;
  readonly keyframeBytes: number;
  readonly end: Replay['end'];
  readonly truncated: Replay['truncated'];
}

function summarise(file: string, replay: Replay): Summary {
  const { header, lastTick, keyframes } = replay;
  const { schema, seed, firstTick } = header;
  const { numerator, denominator } = schema.quantum;
  return {
    file,
    bytes: replay.byteLength,
    library: header.library,
    name: schema.name,
    identity: header.identity,
    seed: hashText(...seed),
    params: header.params,
    tickRateHz: denominator / numerator,
    capacity: schema.capacity,
    components: schema.components.map(({ name }) => name),
    systems: schema.systems,
    inputNames: schema.inputs.map(({ name }) => name),
    firstTick,
    lastTick,
    seconds: ((lastTick - firstTick) * numerator) / denominator,
    inputs: replay.inputCount,
    hashes: replay.hashCount,
    hashEveryTicks: header.hashEveryTicks,
    keyframes: keyframes.length,
    keyframeEveryTicks: header.keyframeEveryTicks,
    keyframeBytes: keyframes.reduce((sum, { storedBytes }) => sum + storedBytes, 0),
    end: replay.end,
    truncated: replay.truncated,
  };
}

function formatSummary(about: Summary): string {
  const { end, truncated } = about;
  const params = Object.entries(about.params).map(([name, value]) => `${name} ${value}`);
  const version = about.identity === '' ? 'no version' : `version ${about.identity}`;
  const rows: readonly (readonly [string, string])[] = [
    ['file', `${about.file}, ${formatBytes(about.bytes)}, by escapement ${about.library}`],
    ['simulation', `${about.name}, ${version}, ${about.tickRateHz} ticks a second`],
    ['world', `${about.capacity} entities at most; ${about.components.join(', ')}`],
    ['systems', about.systems.join(', ') || 'none'],
    ['seed', about.seed],
    ['params', params.join(', ') || 'none'],
    ['ticks', `${about.firstTick} to ${about.lastTick}, ${about.seconds.toFixed(2)} s`],
    ['inputs', `${about.inputs}${about.inputs > 0 ? ` of ${about.inputNames.join(', ')}` : ''}`],
    ['hashes', `${about.hashes}, every ${about.hashEveryTicks} ticks`],
    [
      'keyframes',
      `${about.keyframes}, every ${about.keyframeEveryTicks} ticks, ` +
        formatBytes(about.keyframeBytes),
    ],
    ['end', end === undefined ? 'none: it was not closed' : `${end.reason} at tick ${end.tick}`],
    ...(truncated === undefined
      ? []
      : [['cut off', `at byte ${truncated.offset}: ${truncated.why}`] as const]),
  ];
  return rows.map(([name, text]) => `${`${name}:`.padEnd(12)}${printableText(text)}\n`).join('');
}

function* keyframeRows({ keyframes }: Replay): Generator<readonly [object, string]> {
  for (const { tick, storedBytes, rawBytes } of keyframes) {
    const text = `keyframe ${tick}: ${storedBytes} bytes of ${rawBytes}\n`;
    yield [{ tick, storedBytes, rawBytes }, text];
  }
}

function* hashRows(replay: Replay): Generator<readonly [object, string]> {
  for (let k = 0; k < replay.hashCount; k++) {
    const { tick, high, low } = replay.hashAt(k);
    const hash = hashText(high, low);
    yield [{ tick, hash }, `hash ${tick}: ${hash}\n`];
  }
}

function* inputRows(replay: Replay): Generator<readonly [object, string]> {
  let tick = replay.nextInputTick(0);
  for (; tick >= 0; tick = replay.nextInputTick(tick + 1)) {
    for (const { name, values } of inputsAt(replay, tick)) {
      yield [{ tick, name, values }, `input ${tick}: ${name} ${JSON.stringify(values)}\n`];
    }
  }
}
