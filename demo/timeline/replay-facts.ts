import type { ReplayStatus, StateReading } from 'escapement';
import { findElement, setText } from '../element.ts';
import type { Stage } from '../stage.ts';
import type { RunFile } from './run-file.ts';

const COUNT = new Intl.NumberFormat('en');

/** Milliseconds between two questions to the simulation while ticks go by, and while it stands. */
const MOVING_MS = 100;
const STANDING_MS = 250;

/** Shows where a replay is, the hash of its state, and what comparing it came to. */
export class ReplayFacts {
  /** The first tick whose state was not the recorded one. */
  divergedAt: number | undefined;
  readonly #tick: HTMLElement = findElement('#fact-tick', HTMLElement);
  readonly #hash: HTMLElement = findElement('#fact-hash', HTMLElement);
  readonly #verdict: HTMLElement = findElement('#fact-verdict', HTMLElement);
  readonly #refused: HTMLElement = findElement('#fact-refused', HTMLElement);
  readonly #recorded: Uint32Array = new Uint32Array(2);
  #file: RunFile | undefined;
  #isAsking = false;
  #askedAt = 0;
  #knownTick = -1;

  /** Brings everything up to a tick of the replay; asks the simulation where that takes it. */
  show(file: RunFile, stage: Stage, tick: number, now: number): void {
    if (file !== this.#file) this.#begin(file);
    const { lastTick } = file.replay;
    setText(this.#tick, `${COUNT.format(tick)} of ${COUNT.format(lastTick)}`);
    const pause = tick === this.#knownTick ? STANDING_MS : MOVING_MS;
    if (!this.#isAsking && now - this.#askedAt >= pause) void this.#ask(file, stage, now);
  }

  #begin(file: RunFile): void {
    this.#file = file;
    this.#knownTick = -1;
    this.divergedAt = undefined;
    setText(this.#hash, '–');
    setText(this.#verdict, '–');
    setText(this.#refused, '0');
  }

  /** One question at a time: a slow answer must not pile up behind a busy simulation. */
  async #ask(file: RunFile, { run }: Stage, now: number): Promise<void> {
    this.#isAsking = true;
    this.#askedAt = now;
    try {
      const [reading, status] = await Promise.all([run.stateHash(), run.replay?.status()]);
      if (file === this.#file && status?.playing === true) this.#tell(file, reading, status);
    } catch {
      // The run has ended; the player says why.
    }
    this.#isAsking = false;
  }

  #tell({ replay }: RunFile, { tick, hash }: StateReading, status: ReplayStatus): void {
    const { compared, divergence, refusedInputs } = status;
    this.#knownTick = tick;
    this.divergedAt = divergence?.tick;
    setText(this.#hash, hash);
    this.#hash.dataset['tick'] = String(tick);
    const isRecorded = replay.findHash(tick, this.#recorded);
    const [high = 0, low = 0] = this.#recorded;
    const isEqual = hash === hexadecimal(high) + hexadecimal(low);
    mark(this.#hash, !isRecorded ? 'ok' : isEqual ? 'good' : 'bad');
    this.#hash.title = !isRecorded
      ? 'No hash of this tick was recorded'
      : isEqual
        ? 'Equal to the recorded hash'
        : `Recorded: ${hexadecimal(high)}${hexadecimal(low)}`;
    setText(
      this.#verdict,
      divergence === undefined
        ? `${COUNT.format(compared)}, all equal`
        : `diverged at tick ${COUNT.format(divergence.tick)}`,
    );
    mark(this.#verdict, divergence === undefined ? 'good' : 'bad');
    setText(this.#refused, COUNT.format(refusedInputs));
  }
}

function mark(element: HTMLElement, state: 'ok' | 'good' | 'bad'): void {
  if (element.dataset['state'] !== state) element.dataset['state'] = state;
}

function hexadecimal(word: number): string {
  return word.toString(16).padStart(8, '0');
}
