/** A canvas for a small plot: as many pixels as the display has, and the colour of its style. */
export class Surface {
  readonly context: CanvasRenderingContext2D;
  readonly colour: string;
  readonly #canvas: HTMLCanvasElement;

  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('This browser offers no 2D canvas.');
    this.#canvas = canvas;
    this.context = context;
    this.colour = getComputedStyle(canvas).color;
  }

  /** Takes the size that the page gives it, and returns the canvas. */
  fit(): HTMLCanvasElement {
    const { clientWidth, clientHeight } = this.#canvas;
    const width = Math.round(clientWidth * devicePixelRatio);
    const height = Math.round(clientHeight * devicePixelRatio);
    if (this.#canvas.width !== width) this.#canvas.width = width;
    if (this.#canvas.height !== height) this.#canvas.height = height;
    return this.#canvas;
  }

  /** Draws a dashed line at a value, where the highest value shown is `top`. */
  level(value: number, top: number): void {
    if (value >= top) return;
    const { context } = this;
    const { width, height } = this.#canvas;
    context.globalAlpha = 0.3;
    context.lineWidth = devicePixelRatio;
    context.strokeStyle = this.colour;
    context.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
    context.beginPath();
    const y = height * (1 - value / top);
    context.moveTo(0, y);
    context.lineTo(width, y);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  }
}
