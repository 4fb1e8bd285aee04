import { parseArgs } from 'node:util';

/** The scenes that can be run. */
export const SCENE_NAMES = ['flock', 'bounce', 'storm', 'crowd', 'cubes', 'skeletons'] as const;
export type SceneName = (typeof SCENE_NAMES)[number];

/** How many each scene has room for. */
const ENTITIES_MAX: Readonly<Record<SceneName, number>> = {
  flock: 100_000,
  bounce: 10_000,
  storm: 20_000,
  crowd: 0,
  cubes: 3000,
  skeletons: 4000,
};

/** What the command line asks for. */
export interface HeadlessOptions {
  readonly scene: SceneName;
  readonly seconds: number;
  readonly entities: number | undefined;
  readonly data: string | undefined;
  readonly seed: number;
  readonly json: boolean;
}

export const USAGE = `npm start -- --headless [options]
  --scene NAME     ${SCENE_NAMES.join(', ')} (flock)
  --seconds N      how long to run (10)
  --entities N     how many at first (the scene's own number)
  --data FILE      recorded movement for the scene crowd: NAME.f32 or NAME.f32.gz beside NAME.json
  --seed N         seed of the generator (0)
  --json           print the figures as one JSON object
`;

/** A fault of the command line: said without a stack, with the usage behind it. */
export class UsageError extends Error {}

/** Reads the command line. Throws {@link UsageError} saying what was given and what is allowed. */
export function readOptions(argv: readonly string[]): HeadlessOptions {
  const { values } = parse(argv);
  const scene = values.scene ?? 'flock';
  if (!isSceneName(scene)) {
    throw new UsageError(`--scene ${scene}: there is ${SCENE_NAMES.join(', ')}.`);
  }
  const data = values.data;
  if (scene === 'crowd' && data === undefined) {
    throw new UsageError('--scene crowd needs a recording: --data FILE.');
  }
  if (scene !== 'crowd' && data !== undefined) {
    throw new UsageError(`--data is for the scene crowd, not for ${scene}.`);
  }
  if (scene === 'crowd' && values.entities !== undefined) {
    throw new UsageError('--entities: the recording says who is there in the scene crowd.');
  }
  return {
    scene,
    seconds: number('seconds', values.seconds ?? '10', 0.1, 86_400),
    entities:
      values.entities === undefined
        ? undefined
        : whole('entities', values.entities, 1, ENTITIES_MAX[scene]),
    data,
    seed: whole('seed', values.seed ?? '0', 0, Number.MAX_SAFE_INTEGER),
    json: values.json ?? false,
  };
}

function parse(argv: readonly string[]): {
  readonly values: {
    readonly scene?: string;
    readonly seconds?: string;
    readonly entities?: string;
    readonly data?: string;
    readonly seed?: string;
    readonly json?: boolean;
  };
} {
  try {
    return parseArgs({
      args: argv.filter((argument) => argument !== '--headless'),
      options: {
        scene: { type: 'string' },
        seconds: { type: 'string' },
        entities: { type: 'string' },
        data: { type: 'string' },
        seed: { type: 'string' },
        json: { type: 'boolean' },
      },
    });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause));
  }
}

function isSceneName(name: string): name is SceneName {
  return (SCENE_NAMES as readonly string[]).includes(name);
}

function number(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= least && value <= most) return value;
  throw new UsageError(`--${name} ${text}: a number from ${least} to ${most}.`);
}

function whole(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) {
    return value;
  }
  throw new UsageError(`--${name} ${text}: a whole number from ${least} to ${most}.`);
}
