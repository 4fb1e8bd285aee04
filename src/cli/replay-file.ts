import { readFile } from 'node:fs/promises';
import { EscapementError } from '../shared/error.ts';
import { readReplay } from '../shared/replay/replay-reader.ts';
import type { Replay } from '../shared/replay/replay.ts';
import { UsageError } from './usage-error.ts';

/** Reads the bytes of a recording. Throws {@link UsageError} when there is no such file. */
export async function readReplayBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new UsageError('OPTION_INVALID', 'There is no such recording.', {
      given: path,
      allowed: 'a file that escapement record has written',
      fix: 'Check the path.',
      cause: cause instanceof Error ? cause.message : cause,
    });
  }
}

/**
 * Reads a recording. Throws {@link UsageError} when there is no such file, REPLAY_INVALID, naming
 * it, for what is no recording.
 */
export async function readReplayFile(path: string): Promise<Replay> {
  const bytes = await readReplayBytes(path);
  try {
    return readReplay(bytes);
  } catch (cause) {
    if (!(cause instanceof EscapementError)) throw cause;
    const { given, ...detail } = cause.detail;
    const named = given === undefined ? path : `${path}: ${given}`;
    throw new EscapementError(cause.code, cause.headline, { ...detail, given: named });
  }
}

/** Says how much of a recording there is, and where and why it is cut off if it is. */
export function rangeText({ header, lastTick, truncated }: Replay): string {
  const cut = truncated === undefined ? '' : `, cut off at byte ${truncated.offset}`;
  return `ticks ${header.firstTick} to ${lastTick}${cut}`;
}
