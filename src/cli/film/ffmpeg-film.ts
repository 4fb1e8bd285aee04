import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { EscapementError } from '../../shared/error.ts';
import type { Film, FilmShape } from './film.ts';

/** Containers of videos that ffmpeg writes here. */
export type VideoKind = 'mp4' | 'webm';

/** How their pictures are encoded. */
const ENCODINGS: Readonly<Record<VideoKind, string>> = {
  mp4: '-c:v libx264 -preset medium -movflags +faststart',
  webm: '-c:v libvpx-vp9 -b:v 0 -deadline good -cpu-used 2 -row-mt 1',
};

/** How much of what ffmpeg complains about is kept. */
const COMPLAINT_CHARACTERS = 2000;

/** A video that the system's ffmpeg encodes, from PNGs that it reads as they come. */
export class FfmpegFilm implements Film {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #complaint = '';
  #failure: Error | undefined;
  #over = false;

  /** `program` is ffmpeg's name or path, `path` the file to write, `quality` from 1 to 100. */
  constructor(program: string, path: string, kind: VideoKind, quality: number, shape: FilmShape) {
    const { numerator, denominator } = shape.fps;
    this.#child = spawn(
      program,
      [
        '-hide_banner -loglevel error -nostdin -y',
        `-f image2pipe -c:v png -framerate ${numerator}/${denominator} -i pipe:0 -an`,
        // Colours are halved in both directions, and a side that is odd gets one more pixel.
        '-vf pad=ceil(iw/2)*2:ceil(ih/2)*2 -pix_fmt yuv420p',
        ENCODINGS[kind],
        `-crf ${rateFactor(kind, quality)}`,
        // No name of the encoder's version and no time in the file: two runs give equal bytes.
        `-map_metadata -1 -fflags +bitexact -flags:v +bitexact -f ${kind}`,
      ]
        .flatMap((part) => part.split(' '))
        .concat(path),
      { stdio: ['pipe', 'ignore', 'pipe'] },
    );
    this.#child.stderr?.on('data', (bytes: Buffer) => {
      this.#complaint = (this.#complaint + bytes.toString()).slice(-COMPLAINT_CHARACTERS);
    });
    // A pipe that breaks is told by the exit code.
    this.#child.stdin?.on('error', () => undefined);
    this.#ended = new Promise((resolve) => {
      const end = (code: number | null): void => {
        this.#over = true;
        resolve(code);
      };
      this.#child.once('error', (cause) => {
        this.#failure = cause;
        end(null);
      });
      this.#child.once('close', end);
    });
  }

  /** Throws PACKAGE_MISSING when there is no such program. */
  static check(program: string, kind: VideoKind): void {
    const { status, error } = spawnSync(program, ['-version'], { stdio: 'ignore' });
    if (status === 0) return;
    throw new EscapementError('PACKAGE_MISSING', `A film in .${kind} needs ffmpeg.`, {
      given: `${program}, which ${error === undefined ? 'fails' : 'is not there'}`,
      allowed: 'ffmpeg on the PATH, or its path as --ffmpeg',
      fix: 'Install it (apt install ffmpeg, brew install ffmpeg), or write .webp, .gif or frames/.',
      cause: error,
    });
  }

  async add(still: Uint8Array): Promise<void> {
    const { stdin } = this.#child;
    if (stdin === null || this.#over) throw await this.#fault();
    if (stdin.write(still)) return;
    await Promise.race([once(stdin, 'drain').catch(() => undefined), this.#ended]);
  }

  async finish(): Promise<void> {
    this.#child.stdin?.end();
    if ((await this.#ended) !== 0) throw await this.#fault();
  }

  async close(): Promise<void> {
    if (!this.#over) this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async #fault(): Promise<EscapementError> {
    const code = await this.#ended;
    return new EscapementError('ENCODER_FAILED', 'ffmpeg did not write the film.', {
      given: this.#complaint.trim() || `exit code ${code}`,
      fix: 'See whether this ffmpeg has the encoder, and whether the disk is full.',
      cause: this.#failure,
    });
  }
}

/** Turns a quality of 1 to 100 into a rate factor: less is better, and 90 is 18, or 24 for VP9. */
function rateFactor(kind: VideoKind, quality: number): number {
  const most = kind === 'mp4' ? 51 : 63;
  const at90 = kind === 'mp4' ? 18 : 24;
  const below = at90 + ((most - at90) * (90 - quality)) / 90;
  const factor = quality >= 90 ? (at90 * (100 - quality)) / 10 : below;
  // 0 is a profile of its own that few players know.
  return Math.max(1, Math.round(factor));
}
