import type { Replay } from 'escapement';
import { Surface } from '../surface.ts';

/** More columns than this are not told apart. */
const COLUMNS = 512;

/** Draws what a recording holds along its ticks: inputs as bars, keyframes as dots. */
export class TrackMarks {
  readonly #surface: Surface;
  readonly #badColour: string;
  readonly #loads: Float32Array = new Float32Array(COLUMNS);
  #replay: Replay | undefined;
  #divergedAt: number | undefined;
  #shownWidth = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.#surface = new Surface(canvas);
    this.#badColour = getComputedStyle(canvas).getPropertyValue('--bad').trim();
  }

  /** Draws what differs from before: the recording, its divergence, or the width. */
  show(replay: Replay, divergedAt: number | undefined): void {
    const { width } = this.#surface.fit();
    const isSame = replay === this.#replay && divergedAt === this.#divergedAt;
    if (isSame && width === this.#shownWidth) return;
    if (replay !== this.#replay) this.#count(replay);
    this.#replay = replay;
    this.#divergedAt = divergedAt;
    this.#shownWidth = width;
    this.#draw(replay);
  }

  /** Sums up the inputs of each column. */
  #count(replay: Replay): void {
    const { firstTick } = replay.header;
    const ticks = Math.max(1, replay.lastTick - firstTick);
    this.#loads.fill(0);
    for (let tick = firstTick + 1; tick <= replay.lastTick; tick++) {
      const column = Math.floor(((tick - firstTick - 1) / ticks) * COLUMNS);
      const inputs = replay.inputsOf(tick, () => undefined);
      this.#loads[column] = (this.#loads[column] as number) + inputs;
    }
  }

  #draw({ header, lastTick, keyframes }: Replay): void {
    const { context, colour } = this.#surface;
    const { width, height } = this.#surface.fit();
    const ticks = Math.max(1, lastTick - header.firstTick);
    const most = this.#loads.reduce((a, b) => Math.max(a, b), 1);
    context.clearRect(0, 0, width, height);
    context.fillStyle = colour;
    context.globalAlpha = 0.75;
    const column = width / Math.min(COLUMNS, ticks);
    this.#loads.forEach((load, at) => {
      const high = (height * 0.6 * load) / most;
      context.fillRect((at / COLUMNS) * width, height - high, Math.max(1, column * 0.7), high);
    });
    context.globalAlpha = 0.45;
    for (const { tick } of keyframes) {
      context.beginPath();
      const x = ((tick - header.firstTick) / ticks) * width;
      context.arc(x, height * 0.2, 1.4 * devicePixelRatio, 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
    if (this.#divergedAt === undefined) return;
    context.fillStyle = this.#badColour;
    const x = ((this.#divergedAt - header.firstTick) / ticks) * width;
    context.fillRect(x, 0, width - x, 2 * devicePixelRatio);
    context.fillRect(x, 0, 2 * devicePixelRatio, height);
  }
}
