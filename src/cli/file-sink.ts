import { existsSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EscapementError } from '../shared/error.ts';
import type { ReplaySink } from '../shared/replay/replay.ts';
import { UsageError } from './usage-error.ts';

/**
 * Appends a recording to a file. The file has its name from the moment its first bytes are written,
 * and never fewer: whoever opens it finds at least a header.
 */
export class FileSink implements ReplaySink {
  readonly path: string;
  readonly #begun: string;
  #file: FileHandle | undefined;
  #hasName = false;

  private constructor(path: string, begun: string) {
    this.path = path;
    this.#begun = begun;
  }

  /**
   * Makes sure that a file can be made, and leaves none before it is written to: a process may be
   * ended while a setup takes its time. Throws {@link UsageError} if it cannot, or if there is one,
   * unless `force` replaces it.
   */
  static async open(path: string, force: boolean): Promise<FileSink> {
    checkNew(path, force);
    const begun = beginningOf(path);
    try {
      await (await open(begun, 'w')).close();
      await rm(begun);
      return new FileSink(path, begun);
    } catch (cause) {
      throw cannotMake(path, cause);
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#file ??= await open(this.#begun, 'w');
    await this.#file.appendFile(bytes);
    if (this.#hasName) return;
    await rename(this.#begun, this.path);
    this.#hasName = true;
  }

  async close(): Promise<void> {
    if (this.#hasName) await this.#file?.sync();
    await this.#file?.close();
  }

  /** Closes a file that nothing was written to, and leaves nothing of it. */
  async discard(): Promise<void> {
    if (this.#hasName) return;
    await this.#file?.close().catch(() => undefined);
    await rm(this.#begun, { force: true });
  }
}

/**
 * Writes a whole file under another name and renames it. Throws {@link UsageError} if there is one
 * of its name, unless `force` replaces it; rejects with RECORDING_FAILED if it cannot be written.
 */
export async function writeWhole(path: string, bytes: Uint8Array, force: boolean): Promise<void> {
  checkNew(path, force);
  const begun = beginningOf(path);
  try {
    await writeFile(begun, bytes);
    await rename(begun, path);
  } catch (cause) {
    await rm(begun, { force: true });
    throw new EscapementError('RECORDING_FAILED', 'The file cannot be written.', {
      given: path,
      fix: 'Make room on the disk, or write it elsewhere.',
      cause: cause instanceof Error ? cause.message : cause,
    });
  }
}

/**
 * Throws {@link UsageError} if there is a file of this name, unless it may be replaced, and if the
 * name is none, a folder's, or in a folder that is not there.
 */
export function checkNew(path: string, force: boolean): void {
  const isThere = existsSync(path);
  if (path === '' || !existsSync(dirname(path))) throw cannotMake(path);
  if (isThere && statSync(path).isDirectory()) throw cannotMake(path);
  if (force || !isThere) return;
  throw new UsageError('OPTION_INVALID', 'There is a file of that name already.', {
    given: path,
    allowed: 'a name that is free, or --force',
    fix: 'Give another name, or --force to replace the file.',
  });
}

function beginningOf(path: string): string {
  return `${path}.${process.pid}.part`;
}

function cannotMake(path: string, cause?: unknown): UsageError {
  return new UsageError('OPTION_INVALID', 'The file cannot be made.', {
    given: path || 'no name',
    allowed: 'a name in a folder that is there, can be written to',
    fix: 'Check the folder, or give another name.',
    ...(cause === undefined ? {} : { cause: cause instanceof Error ? cause.message : cause }),
  });
}
