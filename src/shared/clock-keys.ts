import { EscapementError } from './error.ts';
import { isStatePath } from './state-tree.ts';

/**
 * Names the keys of a state tree that a clock is bound to: one path each. An empty path switches
 * its lane off: such a key is never seeded, read or written.
 */
export interface ClockKeys {
  /** Control: world seconds a wall second; 0 pauses. */
  readonly speed: string;
  /** Control: a bool; it wins over live and lockstep. */
  readonly paused: string;
  /** Control: live, lockstep, stepping or replay. */
  readonly mode: string;
  /** Control: quanta an advance in lockstep. */
  readonly lockstepSteps: string;
  /** Control: a counter of requests; each increment runs one quantum. */
  readonly step: string;
  /** Telemetry: world seconds. */
  readonly time: string;
  /** Telemetry: the last completed tick. */
  readonly tick: string;
  /** Telemetry: seconds of one quantum. */
  readonly fixedDt: string;
  /** Telemetry: world seconds got a wall second; no key before the first window. */
  readonly realizedSpeed: string;
  /** Telemetry: quanta that the stall cap discarded. */
  readonly dropped: string;
}

/** The keys that a scene names itself; see {@link keysBeside}. */
export type SceneClockKeys = Partial<Pick<ClockKeys, 'speed' | 'paused' | 'time' | 'tick'>>;

/** The lanes and the last word of their usual paths, as scripts bind them. */
const LANES: Readonly<Record<keyof ClockKeys, string>> = Object.freeze({
  speed: 'speed',
  paused: 'paused',
  mode: 'mode',
  lockstepSteps: 'lockstep_steps',
  step: 'step',
  time: 'time',
  tick: 'tick',
  fixedDt: 'fixed_dt',
  realizedSpeed: 'realized_speed',
  dropped: 'dropped',
});

const LANE_NAMES = Object.keys(LANES) as (keyof ClockKeys)[];
const SCENE_LANES: readonly (keyof SceneClockKeys)[] = ['speed', 'paused', 'time', 'tick'];

/** Makes sets of keys. */
export const ClockKeys: {
  /**
   * Returns the usual keys under a prefix, `sim.speed` to `sim.dropped`; bare names under an empty
   * one. Throws OPTION_INVALID for what is no path.
   */
  under(prefix?: string): ClockKeys;
} = Object.freeze({
  under: (prefix = 'sim'): ClockKeys => {
    const keys: Record<string, string> = {};
    for (const lane of LANE_NAMES) keys[lane] = join(prefix, LANES[lane]);
    return checkClockKeys(keys as unknown as ClockKeys);
  },
});

/**
 * Returns a scene's own keys with the others beside them. Given one path, that is the speed's:
 * `clk.sim.speed` gives `clk.sim.mode`, `clk.sim.step` and so on. Given several, the others stand
 * beside the first that is named, in the order speed, paused, time, tick. Throws OPTION_INVALID
 * when none is named, for what is no path, and for two lanes on one path.
 */
export function keysBeside(own: string | SceneClockKeys): ClockKeys {
  const scene: SceneClockKeys = typeof own === 'string' ? { speed: own } : own;
  for (const lane of Object.keys(Object(scene))) {
    if (!SCENE_LANES.includes(lane as keyof SceneClockKeys)) throw laneError(lane, SCENE_LANES);
  }
  const first = SCENE_LANES.map((lane) => scene[lane]).find((path) => (path ?? '') !== '');
  if (first === undefined) {
    throw new EscapementError('OPTION_INVALID', 'A scene must name one of its clock keys.', {
      given: 'none',
      allowed: SCENE_LANES.join(', '),
      fix: 'Give the path of its speed, or use `ClockKeys.under(prefix)`.',
    });
  }
  const keys: Record<string, string> = { ...ClockKeys.under(parentOf(String(first))) };
  for (const lane of SCENE_LANES) keys[lane] = scene[lane] ?? (keys[lane] as string);
  return checkClockKeys(keys as unknown as ClockKeys);
}

/**
 * Returns the keys, frozen, if each lane has a path or an empty one. Throws OPTION_INVALID for an
 * unknown or a missing lane, for what is no path, and for two lanes on one path.
 */
export function checkClockKeys(keys: ClockKeys): ClockKeys {
  const given = Object(keys) as Readonly<Record<string, unknown>>;
  for (const lane of Object.keys(given)) if (!(lane in LANES)) throw laneError(lane, LANE_NAMES);
  const lanes = new Map<string, string>();
  for (const lane of LANE_NAMES) {
    const path = given[lane];
    if (path === '') continue;
    if (typeof path !== 'string' || !isStatePath(path)) throw pathError(lane, path);
    const other = lanes.get(path);
    if (other !== undefined) throw sharedError(other, lane, path);
    lanes.set(path, lane);
  }
  return Object.freeze({ ...keys });
}

function join(prefix: string, word: string): string {
  return prefix === '' ? word : `${prefix}.${word}`;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.')));
}

function laneError(lane: string, lanes: readonly string[]): EscapementError {
  return new EscapementError('OPTION_INVALID', 'A clock has no such key.', {
    given: `\`${lane}\``,
    allowed: lanes.join(', '),
    fix: 'Begin with `ClockKeys.under(prefix)` and replace the paths that differ.',
  });
}

function pathError(lane: string, path: unknown): EscapementError {
  return new EscapementError('OPTION_INVALID', `The key \`${lane}\` of a clock has no path.`, {
    given: typeof path === 'string' ? `'${path}'` : typeof path,
    allowed: 'a dotted path, or an empty string to switch the lane off',
    fix: 'Write it like `sim.speed`.',
  });
}

function sharedError(a: string, b: string, path: string): EscapementError {
  return new EscapementError('OPTION_INVALID', 'Two keys of a clock have one path.', {
    given: `\`${a}\` and \`${b}\` at '${path}'`,
    allowed: 'a path for each',
    fix: 'Rename one, or switch it off with an empty string.',
  });
}
