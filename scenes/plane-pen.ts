/** What pictures of the plane use of a canvas's 2D context, in a page or on Node. */
export interface PlanePen {
  fillStyle: unknown;
  globalAlpha: number;
  globalCompositeOperation: string;
  fillRect(x: number, y: number, width: number, height: number): void;
  createLinearGradient(x0: number, y0: number, x1: number, y1: number): Gradient;
  createRadialGradient(
    x0: number,
    y0: number,
    r0: number,
    x1: number,
    y1: number,
    r1: number,
  ): Gradient;
  setTransform(a: number, b: number, c: number, d: number, e: number, f: number): void;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  closePath(): void;
  arc(x: number, y: number, radius: number, begin: number, end: number): void;
  fill(): void;
}

interface Gradient {
  addColorStop(at: number, colour: string): void;
}

/** Where the plane lies in a picture: pixels a unit, and the pixel of its middle. */
export interface PlaneFit {
  readonly scale: number;
  readonly middleX: number;
  readonly middleY: number;
}

/** Fits a plane of so many units to either side of its middle into a picture, with a margin. */
export function fitPlane(
  halfWidth: number,
  halfHeight: number,
  width: number,
  height: number,
): PlaneFit {
  const scale = 0.96 * Math.min(width / (2 * halfWidth), height / (2 * halfHeight));
  return { scale, middleX: width / 2, middleY: height / 2 };
}

/** Fills a picture with the dark that the demo has: lighter above the left of its middle. */
export function drawDark(pen: PlanePen, width: number, height: number): void {
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.globalAlpha = 1;
  pen.globalCompositeOperation = 'source-over';
  const [x, y] = [0.42 * width, 0.38 * height];
  const light = pen.createRadialGradient(x, y, 0, x, y, 1.1 * Math.max(width, height));
  light.addColorStop(0, '#0e1424');
  light.addColorStop(0.45, '#080b15');
  light.addColorStop(1, '#030407');
  pen.fillStyle = light;
  pen.fillRect(0, 0, width, height);
}
