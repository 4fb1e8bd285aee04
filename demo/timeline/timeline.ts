import type { EscapementError } from 'escapement';
import { findElement, setText } from '../element.ts';
import { formatSpeed } from '../panel.ts';
import type { Player } from '../player.ts';
import type { Stage } from '../stage.ts';
import { LatestSeek } from './latest-seek.ts';
import { Recorder } from './recorder.ts';
import { ReplayFacts } from './replay-facts.ts';
import { download, openRunFile, type RunFile } from './run-file.ts';
import { Scrubber } from './scrubber.ts';
import { timelineKeys } from './timeline-keys.ts';
import type { Toast } from './toast.ts';

const COUNT = new Intl.NumberFormat('en');
const IDLE_TEXT = 'Record this run, or drop a .replay file anywhere.';

/** The bar at the bottom: records the run that is seen, and goes through a recording. */
export class Timeline {
  readonly #player: Player;
  readonly #toast: Toast;
  readonly #recorder: Recorder = new Recorder();
  readonly #facts: ReplayFacts = new ReplayFacts();
  readonly #scrubber: Scrubber;
  readonly #seek: LatestSeek = new LatestSeek((tick) => this.#goTo(tick));
  readonly #root: HTMLElement = findElement('#timeline', HTMLElement);
  readonly #text: HTMLElement = findElement('#timeline-text', HTMLElement);
  readonly #again: HTMLElement = findElement('#replay-again', HTMLElement);
  readonly #download: HTMLElement = findElement('#replay-download', HTMLElement);
  readonly #speed: HTMLSelectElement = findElement('#replay-speed', HTMLSelectElement);
  readonly #play: HTMLButtonElement = findElement('#replay-play', HTMLButtonElement);
  /** The recording that was made or opened last. */
  #file: RunFile | undefined;
  /** Whether it plays on once the thumb is let go. */
  #playsOn = false;

  constructor(player: Player, toast: Toast) {
    this.#player = player;
    this.#toast = toast;
    this.#scrubber = new Scrubber({
      held: (isHeld) => void this.#hold(isHeld),
      at: (tick) => this.#seek.ask(tick),
    });
    this.#listen();
    new ResizeObserver(() => {
      const height = `${this.#root.offsetHeight}px`;
      document.documentElement.style.setProperty('--timeline', height);
    }).observe(this.#root);
    this.show();
  }

  /** Brings the buttons up to what the player does. */
  show(): void {
    const { replay, playing, speed } = this.#player;
    if (replay === undefined) this.#seek.cancel();
    else this.#scrubber.turnTo(replay);
    const isRecording = replay === undefined && this.#recorder.isActive;
    this.#root.dataset['state'] =
      replay !== undefined ? 'replay' : isRecording ? 'recording' : 'live';
    this.#root.dataset['playing'] = String(playing);
    document.body.classList.toggle('is-replaying', replay !== undefined);
    this.#play.setAttribute('aria-label', playing ? 'Pause' : 'Play');
    this.#again.hidden = this.#file === undefined || replay !== undefined;
    this.#download.hidden = this.#file === undefined;
    if (!isRecording) setText(this.#text, this.#idleText());
    this.#showSpeed(speed);
  }

  /** Follows a frame: called once a frame, cheap while nothing is recorded or replayed. */
  frame(stage: Stage, now: number): void {
    const { replay } = this.#player;
    if (this.#recorder.isActive) this.#followRecording(stage);
    if (replay === undefined) return;
    const tick = this.#seek.target ?? stage.last.tick;
    this.#player.noteEnd(replay.replay.lastTick);
    this.#scrubber.show(replay, tick, this.#facts.divergedAt);
    this.#facts.show(replay, stage, stage.last.tick, now);
  }

  /** Replays the bytes of a file, in the scene that it is of; says so, or why not. */
  async open(name: string, bytes: Uint8Array): Promise<void> {
    let file: RunFile;
    try {
      file = openRunFile(bytes);
    } catch (cause) {
      this.#toast.showCause(`${name} cannot be replayed.`, cause);
      return;
    }
    const { truncated, lastTick, header } = file.replay;
    if (!(await this.#replay(file, name))) return;
    const ticks = COUNT.format(lastTick - header.firstTick);
    const cut = truncated === undefined ? '' : ` It was cut off: ${truncated.why}.`;
    this.#toast.show(`${name}: ${ticks} ticks of ${this.#player.scene.title}.${cut}`);
  }

  async #replay(file: RunFile, name: string): Promise<boolean> {
    if (file.sceneName === 'crowd' && this.#player.recording === undefined) {
      this.#toast.show(`${name} cannot be replayed.`, 'Drop the recorded people it shows first.');
      return false;
    }
    if (this.#recorder.isActive) await this.#keep();
    const refusal: EscapementError | undefined = await this.#player.openReplay(file);
    if (refusal !== undefined) {
      this.#toast.showCause(`${name} cannot be replayed.`, refusal);
      return false;
    }
    this.#file = file;
    this.show();
    return true;
  }

  async #record(): Promise<void> {
    const { stage, replay } = this.#player;
    if (stage === undefined || replay !== undefined || this.#recorder.isActive) return;
    setText(this.#text, 'Recording');
    try {
      const starting = this.#recorder.start(stage);
      this.show();
      await starting;
    } catch (cause) {
      this.#toast.showCause('This run cannot be recorded.', cause);
    }
    this.show();
  }

  /** Ends the recording and replays it. */
  async #stop(): Promise<void> {
    await this.#keep();
    if (this.#file !== undefined) await this.#replay(this.#file, 'The recording');
  }

  /** Ends the recording and keeps what it holds. */
  async #keep(): Promise<void> {
    try {
      const result = await this.#recorder.take();
      if (result?.bytes !== undefined) this.#file = openRunFile(result.bytes);
    } catch (cause) {
      this.#toast.showCause('The recording failed.', cause);
    }
    this.show();
  }

  #followRecording(stage: Stage): void {
    const { recording, hasEnded } = this.#recorder;
    if (recording === undefined) return;
    const ticks = recording.lastTick - recording.firstTick;
    const seconds = (ticks / stage.stats().tickRateHz).toFixed(1);
    const size = formatBytes(recording.bytesWritten);
    setText(this.#text, `Recording: ${COUNT.format(ticks)} ticks, ${seconds} s, ${size}`);
    if (!hasEnded) return;
    const reason = recording.end === 'stopped' ? 'its run is over' : `it is ${recording.end}`;
    this.#toast.show(`The recording has ended: ${reason}.`, 'Press Replay to see it.');
    void this.#keep();
  }

  async #hold(isHeld: boolean): Promise<void> {
    const player = this.#player;
    if (isHeld) this.#playsOn = player.playing;
    if (player.playing === isHeld && this.#playsOn) await player.toggle();
  }

  /** Goes so many ticks on or back, and stands there. */
  async #step(ticks: number): Promise<void> {
    const { replay, stage, playing } = this.#player;
    if (replay === undefined || stage === undefined) return;
    if (playing) await this.#player.toggle();
    const { firstTick } = replay.replay.header;
    const tick = (this.#seek.target ?? stage.last.tick) + ticks;
    this.#seek.ask(Math.min(replay.replay.lastTick, Math.max(firstTick, tick)));
  }

  async #goTo(tick: number): Promise<void> {
    const { stage, replay } = this.#player;
    if (stage === undefined || replay === undefined) return;
    try {
      await stage.clock.seekTick(tick);
    } catch (cause) {
      // A run that was replaced meanwhile has nothing to go through any more.
      if (this.#player.replay === replay) this.#toast.showCause('That tick is not there.', cause);
    }
  }

  #listen(): void {
    const player = this.#player;
    const on = (selector: string, act: () => unknown): void =>
      findElement(selector, HTMLButtonElement).addEventListener('click', () => void act());
    on('#record', () => this.#record());
    on('#record-stop', () => this.#stop());
    on('#replay-play', () => player.toggle());
    on('#replay-back', () => this.#step(-1));
    on('#replay-forth', () => this.#step(1));
    on('#replay-leave', () => player.goLive());
    on('#replay-close', () => player.backToLive());
    on('#replay-again', () => this.#file && this.#replay(this.#file, 'The recording'));
    on('#replay-download', () => this.#file && download(this.#file));
    const chosen = findElement('#replay-open', HTMLInputElement);
    chosen.addEventListener('change', () => {
      const file = chosen.files?.[0];
      if (file !== undefined) void this.openFile(file);
      chosen.value = '';
    });
    this.#speed.addEventListener('change', () => void player.setSpeed(Number(this.#speed.value)));
    timelineKeys((ticks) => {
      if (player.replay === undefined) return false;
      void this.#step(ticks);
      return true;
    });
  }

  /** Replays a file that was dropped or chosen. */
  async openFile(file: File): Promise<void> {
    await this.open(file.name, new Uint8Array(await file.arrayBuffer()));
  }

  #showSpeed(speed: number): void {
    const select = this.#speed;
    const own = findElement('#replay-speed-own', HTMLOptionElement);
    const isListed = [...select.options].some(
      (option) => option !== own && Number(option.value) === speed,
    );
    own.hidden = isListed;
    own.value = isListed ? '' : String(speed);
    setText(own, isListed ? '' : formatSpeed(speed));
    select.value = String(speed);
  }

  #idleText(): string {
    if (this.#file === undefined) return IDLE_TEXT;
    const { replay, fileName } = this.#file;
    const ticks = COUNT.format(replay.lastTick - replay.header.firstTick);
    return `${fileName}: ${ticks} ticks, ${formatBytes(replay.byteLength)}`;
  }
}

function formatBytes(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
