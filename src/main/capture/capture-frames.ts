import { readEpoch } from '../../shared/clock-status.ts';
import { EscapementError } from '../../shared/error.ts';
import type { RegionHandle } from '../../shared/handle.ts';
import { computeLayout } from '../../shared/layout.ts';
import type { Rational } from '../../shared/rational.ts';
import { openRegion } from '../../shared/region.ts';
import type { SimulationTypes } from '../../shared/simulation-types.ts';
import type { RunningSimulation } from '../running-simulation.ts';
import { checkTick, FilmRun } from './film-run.ts';
import { type FramePlace, FrameSchedule } from './frame-schedule.ts';
import { type FrameRate, framesWithin, frameRateOf } from './frame-rate.ts';
import { hashPixels, type Pixels } from './pixel-hash.ts';

/** What a capture needs of a view's frame. */
export interface CapturedFrame {
  readonly status: string;
  readonly tick: number;
  release(): void;
}

/** What a capture needs of a view; `openView` makes one. */
export interface CaptureView<F extends CapturedFrame = CapturedFrame> {
  frameAt(alpha: number): F;
}

/** What a frame of a film is, before anything is drawn. */
export interface Shot {
  /** Frames of a film are counted from 0. */
  readonly index: number;
  /** When it is shown, in seconds of the film: index / rate. */
  readonly time: number;
  /** How long it is shown, in seconds. */
  readonly duration: number;
  /** It shows the world (tick + alpha) quanta after its beginning: exact, alpha below 1. */
  readonly tick: number;
  readonly alpha: Rational;
  /** The newest tick that it is blended from. */
  readonly stateTick: number;
}

/** A frame of a film that was drawn. */
export interface CapturedShot extends Shot {
  /** The hash of the state after `stateTick`: 16 hexadecimal digits, or '' where not asked for. */
  readonly stateHash: string;
  /** The hash of what `draw` returned, see `hashPixels`; '' when it returned nothing. */
  readonly pixelHash: string;
}

/** Options of {@link captureFrames}. */
export interface CaptureOptions<F extends CapturedFrame = CapturedFrame> {
  /** Frames a second, exactly: 60, `24000/1001`, a fraction. */
  readonly fps: FrameRate;
  /** How long the film is, in seconds; or see `frames`. */
  readonly seconds?: number;
  /**
   * How many frames the film has, or which ones to take, ascending: [0, 30, 60]. In a replay they
   * may come in any order.
   */
  readonly frames?: number | readonly number[];
  /** The tick that frame 0 shows. Default: the one in force. */
  readonly fromTick?: number;
  /** A view of the simulation. It may show something else between two frames, but none is open. */
  readonly view: CaptureView<F>;
  /**
   * Draws a frame, however long that takes. May return the picture's bytes (RGBA, from the top row)
   * to have them hashed; they are done with once the frame is yielded. The frame is released then.
   */
  readonly draw: (frame: F, shot: Shot) => Pixels | void | Promise<Pixels | void>;
  /** Whether the state is hashed: a message and a pass over the state a frame. Default true. */
  readonly hashState?: boolean;
  /** Milliseconds that followers may take for the steps of a frame. Default 60,000. */
  readonly timeoutMs?: number;
}

/**
 * Takes a film of a simulation, frame after frame: advances it to exactly the ticks that a frame
 * needs, waits until its followers have published theirs, draws, and yields what the frame was.
 * Frame k shows k / fps seconds of world time, blended between its two ticks; where that falls on a
 * tick, that tick as it is. No clock is read, and how long drawing takes changes nothing: two runs
 * give the same frames.
 *
 * The simulation must not run by itself: start it with `drivenBy: 'host'`, or pause it. One that is
 * replayed seeks, forward and backward; its frames are those of the recorded run. Stop by leaving
 * the loop. Throws OPTION_INVALID for options that are not possible and for frames that a recording
 * does not have, STATE_INVALID for a simulation that runs by itself, is past the first frame, or is
 * advanced by somebody else, TRAJECTORY_DIFFERS for a replay whose states are not the recorded
 * ones, TIMED_OUT when followers are late, and what ends the simulation or what `draw` throws.
 */
export async function* captureFrames<T extends SimulationTypes, F extends CapturedFrame>(
  simulation: RunningSimulation<T>,
  options: CaptureOptions<F>,
): AsyncGenerator<CapturedShot, void, undefined> {
  const film = await openFilm(simulation as unknown as RunningSimulation, options);
  const { run } = film;
  for (const index of film.indices) {
    const place = film.schedule.place(index);
    const shot = describeShot(index, place, film.schedule);
    await run.goTo(place.stateTick);
    const reading = options.hashState === false ? undefined : await run.simulation.stateHash();
    if (reading !== undefined) checkTick(reading.tick, place.stateTick);
    await run.checkStates(place.stateTick);
    yield {
      ...shot,
      stateHash: reading?.hash ?? '',
      pixelHash: await drawFrame(options, place, shot),
    };
  }
}

interface Film {
  readonly run: FilmRun;
  readonly schedule: FrameSchedule;
  readonly indices: Iterable<number>;
}

async function openFilm<F extends CapturedFrame>(
  simulation: RunningSimulation,
  { fps, seconds, frames, fromTick, timeoutMs }: CaptureOptions<F>,
): Promise<Film> {
  const rate = frameRateOf(fps);
  if ((seconds === undefined) === (frames === undefined)) {
    throw new EscapementError('OPTION_INVALID', 'A film’s length is given in exactly one way.', {
      given: seconds === undefined ? 'none' : 'both',
      allowed: 'one of `seconds` and `frames`',
    });
  }
  const run = await FilmRun.open(simulation, timeoutMs);
  const begin = fromTick ?? simulation.clock.status().tick;
  if (!(Number.isSafeInteger(begin) && begin >= 0)) {
    throw invalid('fromTick', begin, 'a tick: an integer of at least 0');
  }
  const taken = frames ?? framesWithin(seconds as number, rate);
  checkFrames(taken, run.replay !== undefined);
  const schedule = new FrameSchedule(rate, quantumOf(simulation), begin);
  const ends = typeof taken === 'number' ? [0, taken - 1] : taken;
  for (const index of ends) run.checkFrame(schedule, index);
  return { run, schedule, indices: typeof taken === 'number' ? upTo(taken) : taken };
}

/** The quantum in force: a configure may have changed the one it was started with. */
function quantumOf(simulation: RunningSimulation): FrameSchedule['quantum'] {
  const { memory, schema, options } = simulation.share() as unknown as RegionHandle;
  return readEpoch(openRegion(memory, computeLayout(schema, options)))?.quantum ?? schema.quantum;
}

function checkFrames(frames: number | readonly number[], inAnyOrder: boolean): void {
  const isIndex = (value: number): boolean => Number.isInteger(value) && value >= 0;
  if (typeof frames === 'number') {
    if (isIndex(frames) && frames >= 1 && frames <= 2 ** 32) return;
    throw invalid('frames', frames, 'a number of frames from 1 to 2^32, or a list');
  }
  const isOrdered =
    inAnyOrder || frames.every((index, k) => k === 0 || index > (frames[k - 1] as number));
  if (isOrdered && frames.every(isIndex)) return;
  const order = inAnyOrder ? '' : ', ascending';
  throw invalid('frames', frames.join(', '), `numbers of frames from 0 on${order}`);
}

function* upTo(count: number): Iterable<number> {
  for (let index = 0; index < count; index++) yield index;
}

function describeShot(index: number, place: FramePlace, schedule: FrameSchedule): Shot {
  const { tick, alpha, stateTick } = place;
  return {
    index,
    time: schedule.timestamp(index),
    duration: schedule.timestamp(1),
    tick,
    alpha,
    stateTick,
  };
}

async function drawFrame<F extends CapturedFrame>(
  { view, draw }: CaptureOptions<F>,
  { share, stateTick }: FramePlace,
  shot: Shot,
): Promise<string> {
  const frame = view.frameAt(share);
  try {
    if (frame.status !== 'ok') {
      throw new EscapementError('STATE_INVALID', 'There is nothing to capture.', {
        given: `a frame that is ${frame.status}`,
        allowed: 'a view of the simulation that is captured, while it runs',
      });
    }
    checkTick(frame.tick, stateTick);
    const pixels = await draw(frame, shot);
    return pixels === undefined ? '' : await hashPixels(pixels);
  } finally {
    frame.release();
  }
}

function invalid(name: string, given: unknown, allowed: string): EscapementError {
  return new EscapementError('OPTION_INVALID', `\`${name}\` is not possible.`, {
    given: String(given),
    allowed,
  });
}
