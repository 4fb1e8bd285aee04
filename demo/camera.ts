/** A rectangle of the world, in its own units; y goes up. */
export interface Bounds {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

/**
 * Maps the world onto the canvas: `cover` fills the canvas and crops what does not fit, `contain`
 * shows all of it beside the panel. One unit is as long across as it is up.
 */
export class Camera {
  /** Scale x, scale y, offset x, offset y from world to clip space. */
  readonly worldToClip: Float32Array = new Float32Array([1, 1, 0, 0]);
  /** Canvas pixels per CSS pixel. */
  pixelRatio = 1;
  /** How many parts of the same size stand side by side; each shows the same world. */
  parts = 1;
  /** CSS pixels of one part. */
  width = 1;
  height = 1;
  /** How much of a single part the panel covers at the right, in CSS pixels; 0 when it is split. */
  inset = 0;
  #panelWidth = 0;
  #wholeWidth = 1;
  #bounds: Bounds = { left: -1, bottom: -1, right: 1, top: 1 };
  #fit: 'cover' | 'contain' = 'cover';

  /** Looks at a part of the world. */
  aim(bounds: Bounds, fit: 'cover' | 'contain'): void {
    this.#bounds = bounds;
    this.#fit = fit;
    this.#update();
  }

  /** Takes the canvas's size and how much of it the panel covers at the right, in CSS pixels. */
  resize(width: number, height: number, pixelRatio: number, inset: number): void {
    this.#wholeWidth = Math.max(1, width);
    this.height = Math.max(1, height);
    this.pixelRatio = pixelRatio;
    this.#panelWidth = inset;
    this.#update();
  }

  /** Puts so many parts side by side, clear of the panel where there is more than one. */
  split(parts: number): void {
    this.parts = parts;
    this.#update();
  }

  /** World x of a point given in CSS pixels from the canvas's left edge. */
  worldX(x: number): number {
    const [scale = 1, , offset = 0] = this.worldToClip;
    const inPart = this.parts > 1 ? x % this.width : x;
    return ((inPart / this.width) * 2 - 1 - offset) / scale;
  }

  /** World y of a point given in CSS pixels from the canvas's upper edge. */
  worldY(y: number): number {
    const [, scale = 1, , offset = 0] = this.worldToClip;
    return (1 - (y / this.height) * 2 - offset) / scale;
  }

  #update(): void {
    const { left, right, bottom, top } = this.#bounds;
    const isWhole = this.#fit === 'contain';
    const isSplit = this.parts > 1;
    const free = isSplit ? this.#wholeWidth - this.#panelWidth : this.#wholeWidth;
    this.width = Math.max(1, free / this.parts);
    this.inset = isSplit ? 0 : this.#panelWidth;
    const inset = isWhole ? this.inset : 0;
    const across = (this.width - inset) / (right - left);
    const up = this.height / (top - bottom);
    const pixels = isWhole || isSplit ? Math.min(across, up) * 0.92 : Math.max(across, up);
    const scaleX = (2 * pixels) / this.width;
    const scaleY = (2 * pixels) / this.height;
    this.worldToClip[0] = scaleX;
    this.worldToClip[1] = scaleY;
    this.worldToClip[2] = (-scaleX * (left + right)) / 2 - inset / this.width;
    this.worldToClip[3] = (-scaleY * (bottom + top)) / 2;
  }
}
