import { readFile } from 'node:fs/promises';
import { FrameSchedule } from '../main/capture/frame-schedule.ts';
import type { RunningSimulation } from '../main/running-simulation.ts';
import { EscapementError } from '../shared/error.ts';
import { readReplay } from '../shared/replay/replay-reader.ts';
import type { Replay } from '../shared/replay/replay.ts';
import type { StillTask } from './capture-stills.ts';
import { startFilmed } from './filmed-simulation.ts';
import { splitFrames } from './frame-range.ts';
import { UsageError } from './usage-error.ts';

/** A recording that a film is taken of. */
export interface FilmRecording {
  /** All of it, in memory that threads share. */
  readonly bytes: Uint8Array;
  readonly replay: Replay;
}

/** Ticks of one command: a recording is fetched, and a signal obeyed, between two of them. */
const ADVANCE_TICKS = 600;

/** Ticks between two hashes, unless keyframes are nearer to each other. */
const HASH_TICKS = 60;

/** How many spans between keyframes are tried. */
const TRIES = 1000;
const PERIOD_MAX = 1_000_000;

/** Reads a recording. Throws {@link UsageError} when there is no such file, REPLAY_INVALID. */
export async function readFilmRecording(path: string): Promise<FilmRecording> {
  let file: Uint8Array;
  try {
    file = await readFile(path);
  } catch (cause) {
    throw new UsageError('OPTION_INVALID', 'That recording cannot be read.', {
      given: cause instanceof Error ? cause.message : String(cause),
      allowed: 'the path of a file that a run was recorded to',
      fix: 'Correct the path behind --replay.',
    });
  }
  const bytes = sharedCopy(file);
  return { bytes, replay: readReplay(bytes) };
}

/**
 * Runs a film's simulation ahead, as fast as it goes, and records it, with a keyframe near the
 * first tick of each job's frames. Returns the recording in memory that threads share. `signal`
 * ends it. Rejects with what makes the run fail.
 */
export async function recordFilm(
  task: StillTask,
  jobs: number,
  err: (text: string) => void,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { simulation, of } = await startFilmed(task, err);
  const stop = (): void => void simulation.stop();
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    const schedule = new FrameSchedule(task.fps, of.quantum, task.fromTick);
    const need = (frame: number): number => schedule.place(frame).stateTick;
    const begins = splitFrames(task, jobs).map(({ first }) => Math.max(0, need(first) - 1));
    const begin = begins[0] as number;
    const end = need(task.first + task.count - 1);
    await advance(simulation, begin);
    const keyframeEveryTicks = keyframePeriod(begins, end);
    const recording = await simulation.record({
      keyframeEveryTicks,
      hashEveryTicks: Math.min(HASH_TICKS, keyframeEveryTicks),
      maxBytes: Number.MAX_SAFE_INTEGER,
    });
    await advance(simulation, end - begin);
    const { bytes, lastTick, reason } = await recording.stop();
    if (bytes !== undefined && lastTick === end) return sharedCopy(bytes);
    throw new EscapementError('RECORDING_FAILED', 'The run could not be recorded for the film.', {
      given: `a recording that ended at tick ${lastTick} of ${end}: ${reason}`,
      fix: 'Take the film on one thread: --jobs 1.',
    });
  } finally {
    signal.removeEventListener('abort', stop);
    await simulation.stop();
  }
}

/**
 * Returns how many ticks keyframes lie apart so that few ticks lie between them and what `begins`
 * at them: no more keyframes than four for each. A recording has one at its own first tick.
 */
export function keyframePeriod(begins: readonly number[], end: number): number {
  const [begin = 0] = begins;
  const span = Math.max(1, end - begin);
  const most = Math.min(PERIOD_MAX, Math.ceil(span / begins.length));
  const least = Math.min(most, Math.ceil(span / (4 * begins.length)));
  const stride = Math.max(1, Math.ceil((most - least) / TRIES));
  let [best, bestWaste] = [most, Number.POSITIVE_INFINITY];
  for (let period = most; period >= least; period -= stride) {
    let waste = 0;
    for (const at of begins) waste += at - Math.max(begin, at - (at % period));
    if (waste < bestWaste) [best, bestWaste] = [period, waste];
  }
  return best;
}

async function advance(simulation: RunningSimulation, ticks: number): Promise<void> {
  for (let left = ticks; left > 0; left -= ADVANCE_TICKS) {
    await simulation.clock.advanceTicks(Math.min(left, ADVANCE_TICKS));
  }
}

function sharedCopy(bytes: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}
