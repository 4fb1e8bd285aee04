import { mkdir, open, stat } from 'node:fs/promises';
import { type CaptureManifest, createManifest, formatManifest } from '../main/capture/manifest.ts';
import type { CapturedShot } from '../main/capture/capture-frames.ts';
import { EscapementError } from '../shared/error.ts';
import type { CaptureArguments } from './capture-arguments.ts';
import { CapturePool } from './capture-pool.ts';
import { type Still, StillCamera, type StillTask, type TakenOf } from './capture-stills.ts';
import { type FilmLength, filmLength } from './film-length.ts';
import { type FilmRecording, readFilmRecording, recordFilm } from './film-recording.ts';
import { FfmpegFilm } from './film/ffmpeg-film.ts';
import type { Film, FilmShape } from './film/film.ts';
import { GifFilm } from './film/gif-film.ts';
import { PngFolder } from './film/png-folder.ts';
import { WebpFilm } from './film/webp-film.ts';
import { PendingOutput } from './pending-output.ts';
import { findPicture } from './picture-module.ts';
import { formatProgress, ProgressMeter } from './progress-line.ts';
import type { Terminal } from './terminal.ts';

const REPORT_MS = 250;

/** What stills come from: this thread, or several. */
interface StillSource {
  readonly of: TakenOf;
  take(): AsyncGenerator<Still, void, undefined>;
  close(): Promise<void>;
}

/**
 * Takes a film of a simulation and writes it with its manifest. Nothing has a name before all of it
 * is whole. Throws what made that fail; STOPPED when a signal ended it.
 */
export async function captureFilm(args: CaptureArguments, terminal: Terminal): Promise<void> {
  const { kind } = args;
  if (kind === 'mp4' || kind === 'webm') FfmpegFilm.check(args.ffmpeg, kind);
  const picturePath = findPicture(args.path, args.picturePath);
  const { replayPath } = args;
  const recording = replayPath === undefined ? undefined : await readFilmRecording(replayPath);
  const length = filmLength(args, recording?.replay);
  const output = await PendingOutput.open({ ...args, isFolder: kind === 'frames' });
  const capture = new Capture({ args, length, recording, terminal, output });
  try {
    await capture.run(picturePath);
  } finally {
    await capture.close();
  }
}

/** What a film is made of. */
interface CaptureParts {
  readonly args: CaptureArguments;
  readonly length: FilmLength;
  readonly recording: FilmRecording | undefined;
  readonly terminal: Terminal;
  readonly output: PendingOutput;
}

/** One film on its way. */
class Capture {
  readonly #args: CaptureArguments;
  readonly #length: FilmLength;
  readonly #recording: FilmRecording | undefined;
  readonly #terminal: Terminal;
  readonly #output: PendingOutput;
  /** Threads that draw: none of them without a frame. */
  readonly #jobs: number;
  readonly #meter: ProgressMeter;
  readonly #shots: CapturedShot[] = [];
  readonly #interruption: AbortController = new AbortController();
  #source: StillSource | undefined;
  #film: Film | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor({ args, length, recording, terminal, output }: CaptureParts) {
    this.#args = args;
    this.#length = length;
    this.#recording = recording;
    this.#terminal = terminal;
    this.#output = output;
    this.#jobs = Math.min(args.jobs, length.count);
    this.#meter = new ProgressMeter(length.count, () => performance.now());
  }

  async run(picturePath: string): Promise<void> {
    const { signal } = this.#interruption;
    this.#terminal.onEnd(() => {
      this.#interruption.abort();
      void this.#source?.close();
    });
    try {
      await this.#write(picturePath);
    } catch (cause) {
      throw signal.aborted ? interruption() : cause;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#source?.close();
    await this.#film?.close();
    await this.#output.discard();
  }

  async #write(picturePath: string): Promise<void> {
    const { signal } = this.#interruption;
    this.#timer = setInterval(() => this.#report(), REPORT_MS);
    const source = await this.#openSource(this.#task(picturePath));
    this.#source = source;
    for await (const { shot, bytes } of source.take()) {
      if (signal.aborted) throw interruption();
      this.#film ??= await this.#openFilm(source.of);
      await this.#film.add(bytes, shot.index);
      this.#shots.push(shot);
      if (this.#jobs === 1) this.#meter.step();
    }
    if (signal.aborted) throw interruption();
    await this.#film?.finish();
    await this.#film?.close();
    const { size } = await stat(this.#output.film);
    await this.#output.commit(formatManifest(this.#manifest(source.of)));
    this.#tellEnd(size);
  }

  #manifest(of: TakenOf): CaptureManifest {
    const { fps } = this.#args;
    const seed = this.#recording === undefined ? this.#args.seed : seedOf(this.#recording);
    return createManifest(
      { ...of, fps, fromTick: this.#length.fromTick, ...(seed === undefined ? {} : { seed }) },
      this.#shots,
    );
  }

  #task(picturePath: string): StillTask {
    const { kind, json, ...args } = this.#args;
    return {
      ...this.#length,
      path: args.path,
      picturePath,
      params: args.params,
      seed: args.seed,
      rateHz: args.rateHz,
      replay: this.#recording?.bytes,
      fps: args.fps,
      width: args.width,
      height: args.height,
      kind: kind === 'gif' || kind === 'webp' ? kind : 'png',
      quality: args.quality,
      logLevel: args.logLevel,
      startTimeoutMs: args.startTimeoutMs,
      quiet: json || this.#terminal.isTty,
      isEcho: false,
    };
  }

  async #openSource(task: StillTask): Promise<StillSource> {
    const jobs = this.#jobs;
    const err = (text: string): void => this.#terminal.err(text);
    if (jobs === 1) return StillCamera.open(task, err);
    // Each thread begins where its frames do: at a tick of a run that is over by then.
    const isEcho = this.#recording === undefined;
    const replay = task.replay ?? (await recordFilm(task, jobs, err, this.#interruption.signal));
    await mkdir(this.#output.spool);
    const taken = (): void => this.#meter.step();
    return new CapturePool({ ...task, replay, isEcho }, jobs, this.#output.spool, { taken, err });
  }

  async #openFilm({ width, height }: TakenOf): Promise<Film> {
    const { kind, fps, ffmpeg, quality } = this.#args;
    const { first } = this.#length;
    const { film } = this.#output;
    if (kind === 'frames') {
      await mkdir(film);
      return new PngFolder(film);
    }
    const shape: FilmShape = { width, height, fps, first };
    if (kind === 'gif') return new GifFilm(await open(film, 'w'), shape);
    if (kind === 'webp') return new WebpFilm(await open(film, 'w'), shape);
    return new FfmpegFilm(ffmpeg, film, kind, quality, shape);
  }

  #report(): void {
    const progress = this.#meter.read();
    const { done, total, secondsLeft } = progress;
    if (this.#args.json) {
      const left = secondsLeft ?? null;
      this.#tell({ event: 'progress', frame: done, frames: total, secondsLeft: left });
    } else if (this.#terminal.isTty) {
      this.#terminal.out(`\r\u001B[K${formatProgress(progress)}`);
    }
  }

  #tellEnd(bytes: number): void {
    const { json, out } = this.#args;
    const { count } = this.#length;
    const { manifest } = this.#output;
    this.#report();
    if (json) this.#tell({ event: 'done', out, manifest, frames: count, bytes });
    else {
      if (this.#terminal.isTty) this.#terminal.out('\r\u001B[K');
      this.#terminal.out(`${out}: ${count} frames; ${manifest}\n`);
    }
  }

  #tell(event: object): void {
    this.#terminal.out(`${JSON.stringify(event)}\n`);
  }
}

/** The seed that a recorded run was started with. */
function seedOf({ replay }: FilmRecording): number {
  const [high, low] = replay.header.seed;
  return high * 2 ** 32 + low;
}

function interruption(): EscapementError {
  return new EscapementError('STOPPED', 'The capture was interrupted.', {
    given: 'a signal, or an output that nobody reads',
    fix: 'Nothing was written; run it again.',
  });
}
