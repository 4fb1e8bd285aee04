import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises';
import type { ReplaySink } from '../shared/replay/replay.ts';
import { UsageError } from './usage-error.ts';

/**
 * Appends a recording to a file. The file has its name from the moment its first bytes are written,
 * and never fewer: whoever opens it finds at least a header.
 */
export class FileSink implements ReplaySink {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #begun: string;
  #hasName = false;

  private constructor(path: string, begun: string, file: FileHandle) {
    this.path = path;
    this.#begun = begun;
    this.#file = file;
  }

  /** Opens a new file. Throws {@link UsageError} if there is one, unless `force` replaces it. */
  static async open(path: string, force: boolean): Promise<FileSink> {
    checkNew(path, force);
    const begun = beginningOf(path);
    return new FileSink(path, begun, await openNew(begun));
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#file.appendFile(bytes);
    if (this.#hasName) return;
    await rename(this.#begun, this.path);
    this.#hasName = true;
  }

  async close(): Promise<void> {
    if (this.#hasName) await this.#file.sync();
    await this.#file.close();
  }

  /** Closes a file that nothing was written to, and leaves nothing of it. */
  async discard(): Promise<void> {
    if (this.#hasName) return;
    await this.#file.close().catch(() => undefined);
    await rm(this.#begun, { force: true });
  }
}

/**
 * Writes a whole file under another name and renames it. Throws {@link UsageError} if there is one
 * of its name, unless `force` replaces it.
 */
export async function writeWhole(path: string, bytes: Uint8Array, force: boolean): Promise<void> {
  checkNew(path, force);
  const begun = beginningOf(path);
  try {
    await writeFile(begun, bytes);
    await rename(begun, path);
  } catch (cause) {
    await rm(begun, { force: true });
    throw cause;
  }
}

/** Throws {@link UsageError} if there is a file of this name, unless it may be replaced. */
export function checkNew(path: string, force: boolean): void {
  if (force || !existsSync(path)) return;
  throw new UsageError('OPTION_INVALID', 'There is a file of that name already.', {
    given: path,
    allowed: 'a name that is free, or --force',
    fix: 'Give another name, or --force to replace the file.',
  });
}

function beginningOf(path: string): string {
  return `${path}.${process.pid}.part`;
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'w');
  } catch (cause) {
    throw new UsageError('OPTION_INVALID', 'The file cannot be made.', {
      given: path,
      allowed: 'a path in a directory that exists and can be written to',
      fix: 'Check the directory.',
      cause,
    });
  }
}
