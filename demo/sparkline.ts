import { Surface } from './surface.ts';

const SAMPLES_KEPT = 120;

/** Plots the last 30 seconds of a typical and a worst value, four samples a second. */
export class Sparkline {
  readonly #surface: Surface;
  readonly #typical: Float64Array = new Float64Array(SAMPLES_KEPT).fill(Number.NaN);
  readonly #worst: Float64Array = new Float64Array(SAMPLES_KEPT).fill(Number.NaN);
  #written = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.#surface = new Surface(canvas);
  }

  /** Adds a sample; NaN leaves a gap. */
  add(typical: number, worst: number): void {
    const at = this.#written % SAMPLES_KEPT;
    this.#typical[at] = typical;
    this.#worst[at] = worst;
    this.#written++;
  }

  /** Draws what there is, newest at the right; `budget` is a level to compare with. */
  draw(budget: number): void {
    const { width, height } = this.#surface.fit();
    const { context, colour } = this.#surface;
    context.clearRect(0, 0, width, height);
    const top = Math.max(this.#highest() * 1.15, budget * 0.25, 0.1);
    this.#surface.level(budget, top);
    context.lineWidth = devicePixelRatio;
    context.strokeStyle = colour;
    context.fillStyle = colour;
    this.#plot(this.#worst, top, 0.16, 0.4);
    this.#plot(this.#typical, top, 0.22, 1);
    context.globalAlpha = 1;
  }

  #plot(samples: Float64Array, top: number, areaAlpha: number, lineAlpha: number): void {
    const { context } = this.#surface;
    const { width, height } = context.canvas;
    const line = new Path2D();
    const area = new Path2D();
    let from = Number.NaN;
    let to = 0;
    for (let step = 0; step < SAMPLES_KEPT; step++) {
      const value = samples[(this.#written + step) % SAMPLES_KEPT] as number;
      if (Number.isNaN(value)) continue;
      to = (step / (SAMPLES_KEPT - 1)) * width;
      const y = height - (value / top) * (height - 2) - 1;
      if (Number.isNaN(from)) {
        from = to;
        line.moveTo(to, y);
        area.moveTo(to, height);
      } else line.lineTo(to, y);
      area.lineTo(to, y);
    }
    if (Number.isNaN(from)) return;
    area.lineTo(to, height);
    context.globalAlpha = areaAlpha;
    context.fill(area);
    context.globalAlpha = lineAlpha;
    context.stroke(line);
  }

  #highest(): number {
    let highest = 0;
    for (const value of this.#worst) if (value > highest) highest = value;
    return highest;
  }
}
