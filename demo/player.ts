import { EscapementError } from 'escapement';
import type { PageOptions } from './page-options.ts';
import type { Recording } from './recording.ts';
import type { Painters } from './painters.ts';
import { type SceneName, SCENES } from './scene-list.ts';
import type { Scene } from './scenes/scene.ts';
import type { Showing } from './showing.ts';
import type { RunChoice, Stage } from './stage.ts';
import type { BlendPath } from './blend-path.ts';
import type { RunFile } from './timeline/run-file.ts';

/** What listens to a player. */
export interface PlayerListener {
  /** Something that the controls show is different now. */
  changed(): void;
  /** A command failed, or the simulation ended by itself. */
  failed(cause: unknown): void;
}

/**
 * Keeps one scene running the way the controls ask for. Commands take effect one after the other,
 * in the order they were given; the fields say what was asked for last.
 */
export class Player {
  playing: boolean;
  speed = 1;
  population = 10_000;
  tickRateHz = 60;
  sceneName: SceneName;
  /** How frames are shown: another way needs no other run. */
  readonly showing: Showing;
  /** What the scene `crowd` plays; undefined until one is given. */
  recording: Recording | undefined;
  /** What is replayed; undefined while the scene is live. */
  replay: RunFile | undefined;
  /** The running scene; undefined while there is none. */
  stage: Stage | undefined;
  listener: PlayerListener = { changed: () => undefined, failed: () => undefined };
  readonly #options: PageOptions;
  readonly #painters: Painters;
  #last: Promise<void> = Promise.resolve();
  #pending = 0;

  constructor(options: PageOptions, painters: Painters) {
    this.#options = options;
    this.#painters = painters;
    this.showing = { path: options.path, isSplit: options.isSplit };
    this.sceneName = options.scene;
    this.playing = !options.startPaused;
  }

  get scene(): Scene {
    return SCENES[this.sceneName];
  }

  /** Resolves when every command given so far has taken effect. */
  get settled(): Promise<void> {
    return this.#last;
  }

  /** Starts a scene in place of the one that runs, at the scene's own rate and population. */
  open(sceneName: SceneName): Promise<void> {
    this.sceneName = sceneName;
    this.replay = undefined;
    this.tickRateHz = this.scene.tickRateHz;
    this.population = this.scene.population ?? this.population;
    const { recording } = this;
    const start = { tier: this.#options.tier, painters: this.#painters };
    return this.#then(async () => {
      const before = this.stage;
      this.replay = undefined;
      this.stage = undefined;
      await before?.stop();
      const stage = await SCENES[sceneName].start(start, this.#choice(), recording);
      this.stage = stage;
      void stage.ended.then((cause) => {
        if (cause !== undefined && this.stage === stage) this.listener.failed(cause);
      });
    });
  }

  /** Plays a recording in the scene `crowd`. */
  openRecording(recording: Recording): Promise<void> {
    this.recording = recording;
    return this.open('crowd');
  }

  /**
   * Replays a recording in its scene, from its first tick, where it stands. Resolves to what
   * refused it, if anything did: the scene goes on as it was, or live if it is another one.
   */
  async openReplay(file: RunFile): Promise<EscapementError | undefined> {
    if (file.sceneName !== this.sceneName) void this.open(file.sceneName);
    const { tickRateHz, population = this.population } = file;
    let refusal: EscapementError | undefined;
    await this.#then(async (stage) => {
      const choice = { ...this.#choice(), tickRateHz, population, paused: false };
      try {
        await stage?.restart({ ...choice, replay: file.bytes });
      } catch (cause) {
        if (!isRefusal(cause)) throw cause;
        refusal = cause;
        return;
      }
      this.replay = file;
      this.tickRateHz = tickRateHz;
      this.population = population;
      this.playing = false;
    });
    return refusal;
  }

  /** Goes on live from where the replay is. */
  goLive(): Promise<void> {
    this.replay = undefined;
    this.playing = true;
    return this.#then(async (stage) => {
      this.replay = undefined;
      await stage?.run.replay?.leave();
      await stage?.clock.resume();
    });
  }

  /** Starts the scene again, live and playing. */
  backToLive(): Promise<void> {
    this.playing = true;
    return this.restart();
  }

  /** Takes in that a replay has come to its end and stands there. */
  noteEnd(lastTick: number): void {
    const { stage, playing } = this;
    if (!playing || this.#pending > 0 || stage === undefined) return;
    if (stage.last.tick < lastTick || stage.clock.status().running) return;
    this.playing = false;
    this.listener.changed();
  }

  /** Plays where it is paused, else pauses; a replay that has come to its end begins again. */
  toggle(): Promise<void> {
    this.playing = !this.playing;
    const { playing } = this;
    return this.#then((stage) => (playing ? this.#resume(stage) : stage?.clock.pause()));
  }

  /** Runs one tick; pauses first. */
  async step(): Promise<void> {
    if (this.playing) await this.toggle();
    return this.#then((stage) => stage?.clock.stepOnce());
  }

  /** Changes how fast world time goes by. */
  setSpeed(speed: number): Promise<void> {
    this.speed = speed;
    return this.#then((stage) => stage?.clock.setSpeed(speed));
  }

  /** Blends another way, from the next frame on. */
  setPath(path: BlendPath): void {
    this.showing.path = path;
    this.listener.changed();
  }

  /** Shows the later tick beside the blend, or not. */
  setSplit(isSplit: boolean): void {
    this.showing.isSplit = isSplit;
    this.listener.changed();
  }

  /** Starts the scene again with another population. */
  setPopulation(population: number): Promise<void> {
    this.population = population;
    return this.restart();
  }

  /** Starts the scene again with another tick rate. */
  setTickRate(tickRateHz: number): Promise<void> {
    this.tickRateHz = tickRateHz;
    return this.restart();
  }

  /** Starts the scene again; the view moves over by itself. */
  restart(): Promise<void> {
    this.replay = undefined;
    const choice = this.#choice();
    return this.#then((stage) => {
      // A replay that was asked for before this has begun by now.
      this.replay = undefined;
      return stage?.restart(choice);
    });
  }

  async #resume(stage: Stage | undefined): Promise<void> {
    const recording = this.replay?.replay;
    const isOver = recording !== undefined && stage?.clock.status().tick === recording.lastTick;
    if (isOver) await stage?.clock.seekTick(recording.header.firstTick);
    await stage?.clock.resume();
  }

  #choice(): RunChoice {
    const { population, tickRateHz, speed, playing } = this;
    return { population, tickRateHz, speed, paused: !playing };
  }

  #then(work: (stage: Stage | undefined) => Promise<unknown> | undefined): Promise<void> {
    this.#pending++;
    this.#last = this.#last
      .then(() => work(this.stage))
      .catch((cause: unknown) => this.listener.failed(cause))
      .then(() => {
        this.#pending--;
        this.listener.changed();
      });
    this.listener.changed();
    return this.#last;
  }
}

/** Says whether a recording was refused for what it is. */
function isRefusal(cause: unknown): cause is EscapementError {
  if (!(cause instanceof EscapementError)) return false;
  return cause.code === 'REPLAY_MISMATCH' || cause.code === 'REPLAY_INVALID';
}
