/*
 * What is run in every engine: the scenes, the ways in which each one runs, and the ticks at which
 * its state is hashed. Plain data: the script that starts the engines reads it too.
 */

/** The scenes, in the order in which they run. */
export const SCENE_NAMES = ['bounce', 'storm', 'flock', 'fixed', 'cubes'] as const;
export type SceneName = (typeof SCENE_NAMES)[number];

/** What goes on by some ticks; `paces.ts` says how. */
export type PaceName =
  | 'batch'
  | 'single steps'
  | 'lockstep'
  | 'lockstep by 7'
  | 'live, given deltas'
  | 'live at 30x'
  | 'stalls'
  | 'modes in turn';

/** One way to run a scene. */
export interface Way {
  readonly name: string;
  /** `calling-thread`: no worker at all. */
  readonly tier: 'calling-thread' | 'shared' | 'transfer';
  /** What advances it; `own clock`: nobody, it runs by the clock of its own thread. */
  readonly pace: PaceName | 'own clock' | 'led';
  /** Threads beside it that follow it and draw from it. Default 0. */
  readonly readers?: number;
  /** Runs it in a simulation that has run, under another seed, and is restarted. */
  readonly restarted?: boolean;
  /**
   * `replay`: it is recorded first, and what is hashed is the replay. `saved`: time and again it is
   * saved and goes on as another run, from what was saved.
   */
  readonly from?: 'replay' | 'saved';
}

const thread = 'calling-thread';

/** The ways, the reference first. */
export const WAYS: readonly Way[] = [
  { name: 'one thread, batch', tier: thread, pace: 'batch' },
  { name: 'one thread, single steps', tier: thread, pace: 'single steps' },
  { name: 'one thread, lockstep', tier: thread, pace: 'lockstep' },
  { name: 'one thread, lockstep by 7', tier: thread, pace: 'lockstep by 7' },
  { name: 'one thread, live, given deltas', tier: thread, pace: 'live, given deltas' },
  { name: 'one thread, live at 30x', tier: thread, pace: 'live at 30x' },
  { name: 'one thread, stalls', tier: thread, pace: 'stalls' },
  { name: 'one thread, modes in turn', tier: thread, pace: 'modes in turn' },
  { name: 'one thread, own clock', tier: thread, pace: 'own clock' },
  { name: 'one thread, restarted', tier: thread, pace: 'batch', restarted: true },
  { name: 'one thread, replayed', tier: thread, pace: 'batch', from: 'replay' },
  { name: 'one thread, saved and restored', tier: thread, pace: 'batch', from: 'saved' },
  { name: 'worker, batch', tier: 'shared', pace: 'batch' },
  { name: 'worker, single steps', tier: 'shared', pace: 'single steps' },
  { name: 'worker, lockstep by 7', tier: 'shared', pace: 'lockstep by 7' },
  { name: 'worker, live, given deltas', tier: 'shared', pace: 'live, given deltas' },
  { name: 'worker, stalls', tier: 'shared', pace: 'stalls' },
  { name: 'worker, modes in turn', tier: 'shared', pace: 'modes in turn' },
  { name: 'worker, own clock', tier: 'shared', pace: 'own clock' },
  { name: 'worker, led by another', tier: 'shared', pace: 'led' },
  { name: 'worker, restarted', tier: 'shared', pace: 'batch', restarted: true },
  { name: 'worker, replayed', tier: 'shared', pace: 'live, given deltas', from: 'replay' },
  { name: 'worker, saved and restored', tier: 'shared', pace: 'batch', from: 'saved' },
  { name: 'worker, 1 reading thread', tier: 'shared', pace: 'live, given deltas', readers: 1 },
  { name: 'worker, 2 reading threads', tier: 'shared', pace: 'live, given deltas', readers: 2 },
  { name: 'worker, 4 reading threads', tier: 'shared', pace: 'live, given deltas', readers: 4 },
  { name: 'worker by messages, batch', tier: 'transfer', pace: 'batch' },
  { name: 'worker by messages, given deltas', tier: 'transfer', pace: 'live, given deltas' },
  { name: 'worker by messages, replayed', tier: 'transfer', pace: 'batch', from: 'replay' },
  { name: 'worker by messages, own clock', tier: 'transfer', pace: 'own clock' },
];

/** Ways in which every scene runs, whatever the size. */
const ALWAYS: readonly string[] = ['one thread, batch', 'worker, batch'];

/** Inputs are sent each time that so many ticks are complete. */
export const INPUT_EVERY_TICKS = 50;

/** A run of a scene. */
export interface RunJob {
  readonly kind: 'run';
  readonly scene: SceneName;
  readonly way: string;
  readonly ticks: number;
  /** Without its inputs: a run by its own clock cannot be given one in a tick of one's choice. */
  readonly silent: boolean;
}

/** One thing for an engine to do. */
export type Job = RunJob | { readonly kind: 'maths' } | { readonly kind: 'control' };

/** The hashes of a run by tick, or of a table by function. */
export type Hashes = Readonly<Record<string, string>>;

/** What came of a job. */
export interface Outcome {
  readonly hashes: Hashes;
  readonly ms: number;
  /** Why the engine cannot do it at all. */
  readonly unavailable?: string;
  /** What went wrong, unless nothing did. */
  readonly error?: string;
}

/** What an engine says of itself. */
export interface EngineHello {
  readonly agent: string;
  readonly isolated: boolean;
  readonly waitAsync: boolean;
  readonly threads: number;
}

/** Returns the ticks up to `ticks` at which the state is hashed: closer together at first. */
export function hashTicks(ticks: number): readonly number[] {
  const all = [0, 1, 10, 60];
  for (let tick = 100; tick < 1000; tick += 100) all.push(tick);
  for (let tick = 1000; tick <= ticks; tick += 1000) all.push(tick);
  return all.filter((tick) => tick <= ticks);
}

/** Returns a way by its name. */
export function findWay(name: string): Way {
  const found = WAYS.find((way) => way.name === name);
  if (found === undefined) throw new Error(`there is no way '${name}'`);
  return found;
}

/**
 * Lists the jobs of a run of this size: both tables, then each scene. `full` runs each scene in
 * every way; `normal` one scene, and the others in those that are the turn of each; `tiny` has each
 * way once. All scenes run in the reference and in a worker.
 */
export function planJobs(size: 'tiny' | 'normal' | 'full', ticks: number): readonly Job[] {
  const jobs: Job[] = [{ kind: 'maths' }, { kind: 'control' }];
  SCENE_NAMES.forEach((scene, turn) => {
    const isWhole = size === 'full' || (size === 'normal' && scene === 'fixed');
    WAYS.forEach((way, place) => {
      const isTurn = place % SCENE_NAMES.length === turn;
      if (isWhole || isTurn || ALWAYS.includes(way.name)) jobs.push(runOf(scene, way, ticks));
    });
  });
  return jobs;
}

/** Lists the jobs whose outcomes are the golden hashes. */
export function goldenJobs(ticks: number): readonly Job[] {
  const reference = WAYS[0] as Way;
  const runs = SCENE_NAMES.flatMap((scene) => {
    const run = runOf(scene, reference, ticks);
    return [run, { ...run, silent: true }];
  });
  return [{ kind: 'maths' }, ...runs];
}

function runOf(scene: SceneName, way: Way, ticks: number): RunJob {
  return { kind: 'run', scene, way: way.name, ticks, silent: way.pace === 'own clock' };
}
