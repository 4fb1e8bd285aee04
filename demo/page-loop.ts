import type { Camera } from './camera.ts';
import type { DartRenderer } from './dart-renderer.ts';
import type { FrameMeter } from './frame-meter.ts';
import type { Panel } from './panel.ts';
import type { Player } from './player.ts';
import type { Pointer } from './pointer.ts';
import type { Stage } from './stage.ts';

/** What a loop brings together. */
export interface LoopParts {
  readonly canvas: HTMLCanvasElement;
  readonly camera: Camera;
  readonly renderer: DartRenderer;
  readonly pointer: Pointer;
  readonly player: Player;
  readonly meter: FrameMeter;
  readonly panel: Panel;
  /** Called when bodies were drawn for the first time. */
  readonly onFirstPicture: () => void;
}

/** Milliseconds between two updates of the panel: four a second can still be read. */
const PANEL_INTERVAL_MS = 250;
/** More canvas pixels to a CSS pixel would cost much and show little. */
const PIXEL_RATIO_MAX = 2;
/** As in the style sheets: up to here the panel is a sheet at the bottom, else at the right. */
const PHONE_WIDTH_MAX = 640;
const PANEL_WIDTH = 308;

/**
 * Draws one picture an animation frame, at whatever rate the display has. Never waits for the
 * simulation; draws nothing while nothing differs; allocates only for the panel.
 */
export class PageLoop {
  readonly #parts: LoopParts;
  #stage: Stage | undefined;
  #isStale = true;
  #isFirst = true;
  #panelAt = 0;
  #isAsking = false;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    new ResizeObserver(() => this.#resize()).observe(parts.canvas);
    this.#resize();
    parts.canvas.addEventListener('webglcontextrestored', () => {
      this.#isStale = true;
    });
  }

  /** Draws from the next animation frame on, for the page's life. */
  start(): void {
    requestAnimationFrame(this.#draw);
  }

  readonly #draw = (now: number): void => {
    requestAnimationFrame(this.#draw);
    const begin = performance.now();
    const { player, pointer, meter } = this.#parts;
    const { stage } = player;
    if (stage === undefined) return;
    if (stage !== this.#stage) this.#turnTo(stage);
    if (pointer.takeMove()) {
      stage.point(pointer.worldX, pointer.worldY, pointer.present, pointer.down);
      this.#isStale = true;
    }
    if (stage.look(now)) this.#isStale = true;
    if (this.#isStale) this.#paint(stage);
    meter.note(performance.now() - begin);
    if (now - this.#panelAt >= PANEL_INTERVAL_MS) this.#report(stage, now);
  };

  #paint(stage: Stage): void {
    const { renderer, camera, pointer, onFirstPicture } = this.#parts;
    renderer.draw(stage.picture, camera, pointer.halo);
    this.#isStale = false;
    if (stage.picture.count === 0 || !this.#isFirst) return;
    this.#isFirst = false;
    onFirstPicture();
  }

  #report(stage: Stage, now: number): void {
    const { meter, panel } = this.#parts;
    this.#panelAt = now;
    meter.sum(now);
    const stats = stage.stats();
    panel.show(stage, stats, meter);
    if (!this.#isAsking) void this.#askProfile(stage, 1000 / stats.tickRateHz);
  }

  /** One question at a time: a slow answer must not pile up behind a busy simulation. */
  async #askProfile(stage: Stage, quantumMs: number): Promise<void> {
    this.#isAsking = true;
    try {
      const report = await stage.profile();
      if (stage === this.#stage) this.#parts.panel.showProfile(report, quantumMs);
    } catch {
      // The scene has ended; the player says why.
    }
    this.#isAsking = false;
  }

  #turnTo(stage: Stage): void {
    this.#stage = stage;
    this.#isStale = true;
    this.#parts.camera.aim(stage.bounds, stage.fit);
  }

  #resize(): void {
    const { canvas, camera } = this.#parts;
    const pixelRatio = Math.min(devicePixelRatio, PIXEL_RATIO_MAX);
    const { clientWidth, clientHeight } = canvas;
    const inset = clientWidth > PHONE_WIDTH_MAX ? PANEL_WIDTH : 0;
    camera.resize(clientWidth, clientHeight, pixelRatio, inset);
    canvas.width = Math.round(camera.width * pixelRatio);
    canvas.height = Math.round(camera.height * pixelRatio);
    this.#isStale = true;
  }
}
