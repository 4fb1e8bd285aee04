import { findElement, setText } from '../element.ts';
import type { RunFile } from './run-file.ts';
import { TrackMarks } from './track-marks.ts';

/** How far from each end the middle of the thumb stops, in CSS pixels. */
const THUMB_RADIUS = 8;

const COUNT = new Intl.NumberFormat('en');

/** Says what the hand does on a scrubber. */
export interface ScrubListener {
  /** It has taken hold of the thumb, and let it go. */
  held(isHeld: boolean): void;
  /** It is at a tick. */
  at(tick: number): void;
}

/** The slider over the ticks of a recording; where it points to, it says tick and time. */
export class Scrubber {
  readonly #slider: HTMLInputElement = findElement('#scrubber', HTMLInputElement);
  readonly #tip: HTMLElement = findElement('#scrub-tip', HTMLElement);
  readonly #marks: TrackMarks = new TrackMarks(findElement('#scrub-marks', HTMLCanvasElement));
  #file: RunFile | undefined;
  #isHeld = false;

  constructor(listener: ScrubListener) {
    const slider = this.#slider;
    const hold = (isHeld: boolean): void => {
      if (isHeld === this.#isHeld) return;
      this.#isHeld = isHeld;
      listener.held(isHeld);
    };
    slider.addEventListener('pointerdown', () => hold(true));
    slider.addEventListener('input', () => {
      this.#fill();
      listener.at(slider.valueAsNumber);
    });
    for (const end of ['change', 'pointerup', 'pointercancel'] as const) {
      slider.addEventListener(end, () => hold(false));
    }
    slider.addEventListener('pointermove', (event) => this.#pointAt(event.offsetX));
    slider.addEventListener('pointerleave', () => {
      this.#tip.hidden = true;
    });
  }

  /** Goes over the ticks of a recording from now on. */
  turnTo(file: RunFile): void {
    if (file === this.#file) return;
    const slider = this.#slider;
    const { lastTick, header } = file.replay;
    this.#file = file;
    slider.min = String(header.firstTick);
    slider.max = String(lastTick);
    this.#tip.hidden = true;
  }

  /** Shows a tick of the recording; a thumb that is held stays with the hand. */
  show(file: RunFile, tick: number, divergedAt: number | undefined): void {
    this.turnTo(file);
    const slider = this.#slider;
    if (!this.#isHeld && slider.valueAsNumber !== tick) slider.valueAsNumber = tick;
    this.#fill();
    this.#marks.show(file.replay, divergedAt);
  }

  /** Colours the track up to the thumb. */
  #fill(): void {
    const slider = this.#slider;
    const [least, most] = [Number(slider.min), Number(slider.max)];
    const part = most > least ? (slider.valueAsNumber - least) / (most - least) : 1;
    const filled = `${(part * 100).toFixed(2)}%`;
    if (slider.style.getPropertyValue('--filled') === filled) return;
    slider.style.setProperty('--filled', filled);
    slider.setAttribute('aria-valuetext', this.#describe(slider.valueAsNumber));
  }

  #pointAt(x: number): void {
    const slider = this.#slider;
    const [least, most] = [Number(slider.min), Number(slider.max)];
    const way = Math.max(1, slider.clientWidth - 2 * THUMB_RADIUS);
    const part = Math.min(1, Math.max(0, (x - THUMB_RADIUS) / way));
    setText(this.#tip, this.#describe(Math.round(least + part * (most - least))));
    this.#tip.hidden = false;
    this.#tip.style.left = `${(THUMB_RADIUS + part * way).toFixed(1)}px`;
  }

  #describe(tick: number): string {
    return `Tick ${COUNT.format(tick)}, ${(tick / (this.#file?.tickRateHz ?? 1)).toFixed(2)} s`;
  }
}
