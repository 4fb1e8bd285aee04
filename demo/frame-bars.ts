import type { FrameRecord } from 'escapement';
import { Surface } from './surface.ts';

/** Columns of the plot: as many frames as a report holds. */
const FRAMES = 32;

/** Plots what the last frames of the simulation took, those that failed the report in red. */
export class FrameBars {
  readonly #surface: Surface;
  readonly #badColour: string;

  constructor(canvas: HTMLCanvasElement) {
    this.#surface = new Surface(canvas);
    this.#badColour = getComputedStyle(canvas).getPropertyValue('--bad').trim();
  }

  /** Draws the frames, the newest at the right; `budgetMs` is a level to compare with. */
  show(frames: readonly FrameRecord[], budgetMs: number): void {
    const { width, height } = this.#surface.fit();
    const { context, colour } = this.#surface;
    context.clearRect(0, 0, width, height);
    const longest = frames.reduce((most, { ms }) => Math.max(most, ms), 0);
    const top = Math.max(longest * 1.15, budgetMs * 0.25, 0.1);
    const step = width / FRAMES;
    frames.forEach(({ ms, verdict }, index) => {
      const high = Math.max(devicePixelRatio, (ms / top) * height);
      const left = width - (frames.length - index) * step;
      context.globalAlpha = 0.8;
      context.fillStyle = verdict === 'FAIL' ? this.#badColour : colour;
      context.fillRect(left + step * 0.15, height - high, step * 0.7, high);
    });
    context.globalAlpha = 1;
    this.#surface.level(budgetMs, top);
  }
}
