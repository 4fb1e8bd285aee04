import { extname } from 'node:path';
import { frameRateOf, framesWithin } from '../main/capture/frame-rate.ts';
import { EscapementError } from '../shared/error.ts';
import { LOG_LEVELS, type LogLevel } from '../shared/log.ts';
import type { Rational } from '../shared/rational.ts';
import { GIF_FPS_MAX } from './film/gif-film.ts';
import {
  badOption,
  type Parsed,
  parseCommand,
  readChoice,
  readNumber,
  readParams,
  readRate,
  readWhole,
} from './arguments.ts';
import { UsageError } from './usage-error.ts';

/** What a film is written as. */
export type FilmKind = 'frames' | 'gif' | 'webp' | 'mp4' | 'webm';

/** What `escapement capture` was told, checked as far as it can be before anything is loaded. */
export interface CaptureArguments {
  /** The simulation's module, and the one that draws it if that is named. */
  readonly path: string;
  readonly picturePath: string | undefined;
  readonly out: string;
  readonly kind: FilmKind;
  readonly manifestPath: string | undefined;
  readonly force: boolean;
  readonly fps: Rational;
  /** The recording that is filmed, if one is named. */
  readonly replayPath: string | undefined;
  /** The tick that frame 0 shows: by default the first one there is. */
  readonly fromTick: number | undefined;
  /** The number of the first frame, and how many are taken: by default all of a recording. */
  readonly first: number;
  readonly count: number | undefined;
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** From 1 to 100. */
  readonly quality: number;
  readonly ffmpeg: string;
  readonly jobs: number;
  readonly params: ReadonlyMap<string, string>;
  readonly seed: number | undefined;
  readonly rateHz: number | undefined;
  readonly logLevel: LogLevel;
  readonly startTimeoutMs: number;
  readonly json: boolean;
}

const OPTIONS = {
  out: { type: 'string', short: 'o' },
  replay: { type: 'string' },
  draw: { type: 'string' },
  fps: { type: 'string' },
  seconds: { type: 'string' },
  frames: { type: 'string' },
  first: { type: 'string' },
  from: { type: 'string' },
  width: { type: 'string' },
  height: { type: 'string' },
  quality: { type: 'string' },
  ffmpeg: { type: 'string' },
  jobs: { type: 'string' },
  manifest: { type: 'string' },
  force: { type: 'boolean' },
  param: { type: 'string', multiple: true },
  seed: { type: 'string' },
  rate: { type: 'string' },
  'log-level': { type: 'string' },
  'start-timeout': { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Values = Parsed<typeof OPTIONS>['values'];

/** Seconds of a film of which nothing else is said. */
const SECONDS = 5;

const SIDE_MAX = 16_384;
/** The most frames that a film has. */
export const FRAMES_MAX = 10_000_000;
const JOBS_MAX = 64;

/** Reads the arguments behind `escapement capture`. Throws {@link UsageError}. */
export function readCaptureArguments(argv: readonly string[]): CaptureArguments {
  const { values, positionals } = parseCommand('capture', argv, OPTIONS);
  if (positionals.length !== 1 || positionals[0] === '') {
    throw new UsageError('OPTION_INVALID', 'escapement capture takes one module.', {
      given: positionals.join(' ') || 'none',
      allowed: 'the path of one module that calls runSimulation(definition)',
      fix: 'escapement capture flock.sim.ts --out flock.gif',
    });
  }
  const out = values.out ?? '';
  const kind = kindOf(out);
  const fps = readFps(values.fps ?? (kind === 'gif' ? String(GIF_FPS_MAX) : '60'));
  if (kind === 'gif' && fps.numerator > GIF_FPS_MAX * fps.denominator) {
    throw badOption('fps', values.fps as string, `up to ${GIF_FPS_MAX}, which is all GIF can do`);
  }
  const optional = (name: 'width' | 'height' | 'seed' | 'from', least: number, most: number) =>
    values[name] === undefined ? undefined : readWhole(name, values[name], least, most);
  return {
    path: positionals[0] ?? '',
    picturePath: values.draw,
    out,
    kind,
    manifestPath: values.manifest,
    force: values.force ?? false,
    fps,
    replayPath: values.replay,
    fromTick: optional('from', 0, Number.MAX_SAFE_INTEGER),
    first: readWhole('first', values.first ?? '0', 0, FRAMES_MAX),
    count: readCount(values, fps),
    width: optional('width', 1, SIDE_MAX),
    height: optional('height', 1, SIDE_MAX),
    quality: readWhole('quality', values.quality ?? '90', 1, 100),
    ffmpeg: values.ffmpeg ?? 'ffmpeg',
    jobs: readWhole('jobs', values.jobs ?? '1', 1, JOBS_MAX),
    params: readParams(values.param ?? []),
    seed: optional('seed', 0, Number.MAX_SAFE_INTEGER),
    rateHz: values.rate === undefined ? undefined : readRate(values.rate),
    logLevel: readChoice('log-level', values['log-level'] ?? 'warn', LOG_LEVELS),
    startTimeoutMs: 1000 * readNumber('start-timeout', values['start-timeout'] ?? '10', 0.01, 3600),
    json: values.json ?? false,
  };
}

function kindOf(out: string): FilmKind {
  if (/[/\\]$/.test(out)) return 'frames';
  const extension = extname(out).toLowerCase();
  const kind = (['gif', 'webp', 'mp4', 'webm'] as const).find((known) => extension === `.${known}`);
  if (kind !== undefined) return kind;
  throw new UsageError('OPTION_INVALID', '`--out` says what kind of film is written.', {
    given: out === '' ? 'none' : out,
    allowed: 'a name that ends in .mp4, .webm, .webp or .gif, or a folder for PNGs that ends in /',
    fix: 'See escapement capture --help.',
  });
}

function readFps(text: string): Rational {
  return asUsage(() => frameRateOf(text));
}

function readCount(values: Values, fps: Rational): number | undefined {
  if (values.frames !== undefined && values.seconds !== undefined) {
    throw badOption('frames', '--frames and --seconds', 'one of them');
  }
  if (values.frames !== undefined) return readWhole('frames', values.frames, 1, FRAMES_MAX);
  if (values.seconds === undefined && values.replay !== undefined) return undefined;
  const seconds = readNumber('seconds', values.seconds ?? String(SECONDS), 0.001, 1e6);
  const count = asUsage(() => framesWithin(seconds, fps));
  if (count <= FRAMES_MAX) return count;
  throw badOption('seconds', String(seconds), `up to ${FRAMES_MAX} frames`);
}

function asUsage<R>(read: () => R): R {
  try {
    return read();
  } catch (cause) {
    throw cause instanceof EscapementError ? UsageError.from(cause) : cause;
  }
}
