import type { Camera } from './camera.ts';
import type { Halo } from './dart-renderer.ts';

/** Follows the pointer over the canvas; what moved is handed on once a frame. */
export class Pointer {
  /** Where the light around the pointer is drawn. */
  readonly halo: Halo = { x: 0, y: 0, strength: 0 };
  /** Called once, when the pointer first moves. */
  onFirstMove: () => void = () => undefined;
  /** Called when the button goes down or up. */
  onButton: () => void = () => undefined;
  /** Whether the simulation takes in what the pointer does; the light around it says so. */
  isHeeded = true;
  readonly #camera: Camera;
  #x = 0;
  #y = 0;
  #down = false;
  #present = false;
  #moved = false;
  #everMoved = false;

  constructor(canvases: readonly HTMLCanvasElement[], camera: Camera) {
    this.#camera = camera;
    const follow = (event: PointerEvent): void => {
      this.#x = event.offsetX;
      this.#y = event.offsetY;
      const wasDown = this.#down;
      this.#down = (event.buttons & 1) !== 0;
      this.#present = true;
      this.#moved = true;
      if (this.#down !== wasDown) this.onButton();
      if (this.#everMoved) return;
      this.#everMoved = true;
      this.onFirstMove();
    };
    const leave = (): void => {
      this.#down = false;
      this.#present = false;
      this.#moved = true;
    };
    for (const canvas of canvases) {
      canvas.addEventListener('pointerdown', (event) => {
        canvas.setPointerCapture(event.pointerId);
        follow(event);
      });
      canvas.addEventListener('pointermove', follow);
      canvas.addEventListener('pointerup', (event) => {
        follow(event);
        if (event.pointerType === 'touch') leave();
      });
      canvas.addEventListener('pointerleave', leave);
      canvas.addEventListener('pointercancel', leave);
    }
  }

  /** Returns whether anything changed since the last call, with the halo brought up to it. */
  takeMove(): boolean {
    if (!this.#moved) return false;
    this.#moved = false;
    const { pixelRatio, height } = this.#camera;
    this.halo.x = this.#x * pixelRatio;
    this.halo.y = (height - this.#y) * pixelRatio;
    this.halo.strength = this.#present && this.isHeeded ? (this.#down ? 1.6 : 1) : 0;
    return true;
  }

  /** Hands on once more what a restarted simulation has not heard. */
  repeat(): void {
    this.#moved = this.#everMoved;
  }

  /** CSS pixels from the canvas's left edge. */
  get x(): number {
    return this.#x;
  }

  /** CSS pixels from the canvas's upper edge. */
  get y(): number {
    return this.#y;
  }

  /** Whether the main button, or a finger, is down. */
  get down(): boolean {
    return this.#down;
  }

  /** Whether the pointer is over the canvas. */
  get present(): boolean {
    return this.#present;
  }
}
