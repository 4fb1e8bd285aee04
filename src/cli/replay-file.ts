import { type FileHandle, open } from 'node:fs/promises';
import { EscapementError } from '../shared/error.ts';
import { MAGIC, PRELUDE_BYTES } from '../shared/replay/format.ts';
import { readReplay } from '../shared/replay/replay-reader.ts';
import type { Replay } from '../shared/replay/replay.ts';
import { UsageError } from './usage-error.ts';

/** What Node reads at once at most. */
const FILE_BYTES_MAX = 2 ** 31 - 1;

/**
 * Reads the bytes of a recording; of a file that begins as none does, no more than the beginning.
 * Throws {@link UsageError} when there is no such file, or none that can be read.
 */
export async function readReplayBytes(path: string): Promise<Uint8Array> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const stat = await file.stat();
    if (stat.isDirectory()) throw unreadable(path, 'a folder');
    if (stat.size > FILE_BYTES_MAX) throw unreadable(path, `a file of ${stat.size} bytes`);
    // A pipe has no size and is read but once.
    if (!stat.isFile()) return await file.readFile();
    const begin = new Uint8Array(PRELUDE_BYTES);
    const { bytesRead } = await file.read(begin, 0, begin.length, 0);
    const isReplay = MAGIC.every((byte, index) => begin[index] === byte);
    return isReplay ? await file.readFile() : begin.subarray(0, bytesRead);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const said = cause instanceof Error ? cause.message : String(cause);
    if ((cause as { readonly code?: unknown }).code !== 'ENOENT') throw unreadable(path, said);
    throw new UsageError('OPTION_INVALID', 'There is no such recording.', {
      given: path,
      allowed: 'a file that escapement record has written',
      fix: 'Check the path.',
      cause: said,
    });
  } finally {
    await file?.close();
  }
}

function unreadable(path: string, what: string): UsageError {
  return new UsageError('OPTION_INVALID', 'The recording cannot be read.', {
    given: `${path}: ${what}`,
    allowed: `a file of ${FILE_BYTES_MAX} bytes at most that may be read`,
    fix: 'Check the path, and whether you may read the file.',
  });
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
