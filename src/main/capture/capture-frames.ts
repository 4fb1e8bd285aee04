import { readEpoch } from '../../shared/clock-status.ts';
import { STEP_TICKS_MAX } from '../../shared/command.ts';
import { EscapementError } from '../../shared/error.ts';
import type { RegionHandle } from '../../shared/handle.ts';
import { computeLayout } from '../../shared/layout.ts';
import type { Rational } from '../../shared/rational.ts';
import { openRegion } from '../../shared/region.ts';
import type { SimulationTypes } from '../../shared/simulation-types.ts';
import type { RunningSimulation } from '../running-simulation.ts';
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
  /** How many frames the film has, or which ones to take, ascending: [0, 30, 60]. */
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
 * The simulation must not run by itself: start it with `drivenBy: 'host'`, or pause it. Stop by
 * leaving the loop. Throws OPTION_INVALID for options that are not possible, STATE_INVALID for a
 * simulation that runs by itself, is past the first frame, or is advanced by somebody else,
 * TIMED_OUT when followers are late, and what ends the simulation or what `draw` throws.
 */
export async function* captureFrames<T extends SimulationTypes, F extends CapturedFrame>(
  simulation: RunningSimulation<T>,
  options: CaptureOptions<F>,
): AsyncGenerator<CapturedShot, void, undefined> {
  const film = openFilm(simulation as unknown as RunningSimulation, options);
  for (const index of film.indices) {
    const place = film.schedule.place(index);
    const shot = describeShot(index, place, film.schedule);
    await advanceTo(film.simulation, place.stateTick, options.timeoutMs);
    const reading = options.hashState === false ? undefined : await film.simulation.stateHash();
    if (reading !== undefined) checkTick(reading.tick, place.stateTick);
    yield {
      ...shot,
      stateHash: reading?.hash ?? '',
      pixelHash: await drawFrame(options, place, shot),
    };
  }
}

interface Film {
  readonly simulation: RunningSimulation;
  readonly schedule: FrameSchedule;
  readonly indices: Iterable<number>;
}

function openFilm<F extends CapturedFrame>(
  simulation: RunningSimulation,
  { fps, seconds, frames, fromTick }: CaptureOptions<F>,
): Film {
  const rate = frameRateOf(fps);
  if ((seconds === undefined) === (frames === undefined)) {
    throw new EscapementError('OPTION_INVALID', 'A film’s length is given in exactly one way.', {
      given: seconds === undefined ? 'none' : 'both',
      allowed: 'one of `seconds` and `frames`',
    });
  }
  const { running, tick } = simulation.clock.status();
  if (running) {
    throw new EscapementError('STATE_INVALID', 'The simulation runs by itself.', {
      allowed: 'one that is advanced by the capture alone',
      fix: 'Start it with `drivenBy: "host"`, or call `clock.pause()` first.',
    });
  }
  const begin = fromTick ?? tick;
  if (!(Number.isSafeInteger(begin) && begin >= 0)) {
    throw invalid('fromTick', begin, 'a tick: an integer of at least 0');
  }
  const indices = indicesOf(frames ?? framesWithin(seconds as number, rate));
  return { simulation, schedule: new FrameSchedule(rate, quantumOf(simulation), begin), indices };
}

/** The quantum in force: a configure may have changed the one it was started with. */
function quantumOf(simulation: RunningSimulation): FrameSchedule['quantum'] {
  const { memory, schema, options } = simulation.share() as unknown as RegionHandle;
  return readEpoch(openRegion(memory, computeLayout(schema, options)))?.quantum ?? schema.quantum;
}

function indicesOf(frames: number | readonly number[]): Iterable<number> {
  const isIndex = (value: number): boolean => Number.isInteger(value) && value >= 0;
  if (typeof frames === 'number') {
    if (!(isIndex(frames) && frames >= 1 && frames <= 2 ** 32)) {
      throw invalid('frames', frames, 'a number of frames from 1 to 2^32, or a list');
    }
    return upTo(frames);
  }
  const isAscending = frames.every((index, k) => k === 0 || index > (frames[k - 1] as number));
  if (!isAscending || !frames.every(isIndex)) {
    throw invalid('frames', frames.join(', '), 'numbers of frames from 0 on, ascending');
  }
  return frames;
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

async function advanceTo(
  simulation: RunningSimulation,
  tick: number,
  timeoutMs: number = 60_000,
): Promise<void> {
  const { clock } = simulation;
  const present = clock.status().tick;
  if (present > tick) checkTick(present, tick);
  for (let left = tick - present; left > 0; left -= STEP_TICKS_MAX) {
    await clock.advanceTicks(Math.min(left, STEP_TICKS_MAX));
  }
  const { reason, behind } = await simulation.waitCaughtUp({ timeoutMs });
  if (reason === 'caught-up') return;
  throw new EscapementError('TIMED_OUT', 'A follower did not come as far as the frame.', {
    given: `${reason}; behind: ${behind.map(({ number }) => number).join(', ') || 'none'}`,
    allowed: `steps published within ${timeoutMs} ms`,
    fix: 'Raise `timeoutMs`, or see what holds that follower up.',
  });
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

function checkTick(tick: number, wanted: number): void {
  if (tick === wanted) return;
  throw new EscapementError('STATE_INVALID', 'The simulation is not where the capture left it.', {
    given: `tick ${tick}, where the frame needs ${wanted}`,
    allowed: 'a capture that alone advances the clock, and frames that lie ahead of it',
    fix: 'Restart the simulation to take its film from the beginning.',
  });
}

function invalid(name: string, given: unknown, allowed: string): EscapementError {
  return new EscapementError('OPTION_INVALID', `\`${name}\` is not possible.`, {
    given: String(given),
    allowed,
  });
}
