import { checkRecorded } from '../main/capture/film-run.ts';
import { FrameSchedule } from '../main/capture/frame-schedule.ts';
import { EscapementError } from '../shared/error.ts';
import type { Replay } from '../shared/replay/replay.ts';
import { type CaptureArguments, FRAMES_MAX } from './capture-arguments.ts';
import type { FrameRange } from './frame-range.ts';
import { UsageError } from './usage-error.ts';

/** Which frames a film has, and the tick that its frame 0 shows. */
export interface FilmLength extends FrameRange {
  readonly fromTick: number;
}

/**
 * Returns what a film is long: of a recording all that is left, unless less was asked for. Throws
 * {@link UsageError} for frames that the recording does not have, saying how long it is.
 */
export function filmLength(args: CaptureArguments, replay: Replay | undefined): FilmLength {
  const { fps, first } = args;
  if (replay === undefined)
    return { fromTick: args.fromTick ?? 0, first, count: args.count as number };
  const { firstTick, schema } = replay.header;
  const { lastTick } = replay;
  const fromTick = args.fromTick ?? firstTick;
  const schedule = new FrameSchedule(fps, schema.quantum, fromTick);
  const rest = Math.min(FRAMES_MAX, schedule.framesUntil(lastTick) - first);
  const count = args.count ?? Math.max(1, rest);
  try {
    for (const index of [first, first + count - 1]) {
      checkRecorded({ firstTick, lastTick }, schedule, index);
    }
  } catch (cause) {
    throw cause instanceof EscapementError ? UsageError.from(cause) : cause;
  }
  return { fromTick, first, count };
}
