import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { PngFolder } from './film/png-folder.ts';
import { UsageError } from './usage-error.ts';

/** What is to be written, and where. */
export interface OutputPlace {
  readonly out: string;
  /** Whether it is a folder of frames. */
  readonly isFolder: boolean;
  /** Where the manifest goes; undefined for beside the film, or into its folder. */
  readonly manifestPath: string | undefined;
  /** Whether a folder of frames may be replaced. */
  readonly force: boolean;
}

/**
 * Files that get their names only once they are whole: until then they lie in a folder beside them,
 * which is gone in either case afterwards.
 */
export class PendingOutput {
  /** Where everything is written. */
  readonly folder: string;
  /** Where the manifest will be. */
  readonly manifest: string;
  readonly #out: string;
  readonly #isFolder: boolean;
  readonly #manifestDraft: string;

  private constructor({ out, isFolder, manifestPath }: OutputPlace) {
    this.#out = resolve(out);
    this.#isFolder = isFolder;
    const tail = `${process.pid}.partial`;
    this.folder = join(dirname(this.#out), `.${basename(this.#out)}.${tail}`);
    if (manifestPath === undefined) {
      this.manifest = isFolder ? join(this.#out, 'manifest.json') : `${this.#out}.json`;
      this.#manifestDraft = join(isFolder ? this.film : this.folder, 'manifest.json');
    } else {
      // It may lie on another disk, where nothing of ours can be moved to.
      this.manifest = resolve(manifestPath);
      this.#manifestDraft = `${this.manifest}.${tail}`;
    }
  }

  /**
   * Prepares to write a film. Throws {@link UsageError} when there is no folder for it, and when
   * something is in the way that is not to be replaced: a folder that holds other things than
   * frames, or any without `force`.
   */
  static async open(place: OutputPlace): Promise<PendingOutput> {
    const output = new PendingOutput(place);
    checkParent(output.#out);
    checkParent(output.manifest, output.#out);
    output.#checkPlace(place.force);
    await mkdir(output.folder, { recursive: true });
    return output;
  }

  /** Where the film is written: a file, or the folder of its frames. */
  get film(): string {
    return join(this.folder, this.#isFolder ? 'frames' : 'film');
  }

  /** Returns the path of a folder for what lies there between two threads. */
  get spool(): string {
    return join(this.folder, 'spool');
  }

  /** Gives everything its name. */
  async commit(manifest: string): Promise<void> {
    await writeFile(this.#manifestDraft, manifest);
    const isInside = dirname(this.#manifestDraft) === this.film;
    if (!isInside) await rename(this.#manifestDraft, this.manifest);
    if (this.#isFolder) await rm(this.#out, { recursive: true, force: true });
    await rename(this.film, this.#out);
  }

  /** Removes what has no name. Idempotent. */
  async discard(): Promise<void> {
    await rm(this.#manifestDraft, { force: true });
    await rm(this.folder, { recursive: true, force: true });
  }

  #checkPlace(force: boolean): void {
    if (!existsSync(this.#out)) return;
    const isFolder = statSync(this.#out).isDirectory();
    if (isFolder !== this.#isFolder) {
      throw new UsageError('OPTION_INVALID', 'Something else has the name of the film.', {
        given: `${this.#out}, a ${isFolder ? 'folder' : 'file'}`,
        allowed: `a ${isFolder ? 'file' : 'folder'}`,
        fix: 'Choose another name; folders end in /.',
      });
    }
    if (!isFolder) return;
    const contents = readdirSync(this.#out);
    const strange = contents.find((name) => !PngFolder.CONTENTS.test(name));
    if (contents.length === 0 || (force && strange === undefined)) return;
    throw new UsageError('OPTION_INVALID', 'The folder of the film is not empty.', {
      given: `${this.#out}, with ${strange ?? `${contents.length} files`}`,
      allowed: 'a folder that is empty or not there, or with --force one of nothing but frames',
      fix: strange === undefined ? 'Add --force to replace them.' : 'Choose another folder.',
    });
  }
}

/** Checks that the folder of a file is there, unless that is `itself` yet to be made. */
function checkParent(path: string, itself?: string): void {
  const parent = dirname(path);
  if (parent === itself || existsSync(parent)) return;
  throw new UsageError('OPTION_INVALID', 'There is no folder for the film.', {
    given: path,
    allowed: 'a name in a folder that is there',
    fix: `mkdir -p ${parent}`,
  });
}
