import type { Camera } from './camera.ts';
import type { FrameMeter } from './frame-meter.ts';
import type { Panel } from './panel.ts';
import type { Player } from './player.ts';
import type { Pointer } from './pointer.ts';
import type { Stage } from './stage.ts';
import type { Timeline } from './timeline/timeline.ts';

/** What a loop brings together. */
export interface LoopParts {
  /** Of flat scenes, and of scenes in space: both fill the page, one of them is seen. */
  readonly canvas: HTMLCanvasElement;
  readonly spaceCanvas: HTMLCanvasElement;
  readonly camera: Camera;
  readonly pointer: Pointer;
  readonly player: Player;
  readonly meter: FrameMeter;
  readonly panel: Panel;
  readonly timeline: Timeline;
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
 * simulation; draws nothing while nothing differs; allocates only for the panel and the timeline.
 */
export class PageLoop {
  readonly #parts: LoopParts;
  #stage: Stage | undefined;
  #subject: Stage['subject'] | undefined;
  #isSplit = false;
  #isStale = true;
  #isFirst = true;
  #panelAt = 0;
  #isAsking = false;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    new ResizeObserver(() => this.#resize()).observe(document.documentElement);
    this.#resize();
    for (const canvas of [parts.canvas, parts.spaceCanvas]) {
      canvas.addEventListener('webglcontextrestored', () => {
        this.#isStale = true;
        parts.player.stage?.forget();
      });
    }
  }

  /** Draws from the next animation frame on, for the page's life. */
  start(): void {
    requestAnimationFrame(this.#draw);
  }

  readonly #draw = (now: number): void => {
    requestAnimationFrame(this.#draw);
    const begin = performance.now();
    const { camera, player, pointer, meter, timeline } = this.#parts;
    const { stage } = player;
    if (stage === undefined) return;
    if (stage !== this.#stage) this.#turnTo(stage);
    if (pointer.takeMove()) {
      const [x, y] = stage.subject.toWorld(camera, pointer.x, pointer.y);
      stage.point(x, y, pointer.present, pointer.down);
      this.#isStale = true;
    }
    if (player.showing.isSplit !== this.#isSplit) this.#split(player.showing.isSplit);
    if (stage.look(now, player.showing)) this.#isStale = true;
    if (stage.subject !== this.#subject) this.#aim(stage);
    if (this.#isStale) this.#paint(stage);
    timeline.frame(stage, now);
    meter.note(performance.now() - begin);
    if (now - this.#panelAt >= PANEL_INTERVAL_MS) this.#report(stage, now);
  };

  #paint(stage: Stage): void {
    const { camera, pointer, player, onFirstPicture } = this.#parts;
    stage.subject.paint(camera, pointer.halo, player.showing);
    this.#isStale = false;
    if (stage.last.count === 0 || !this.#isFirst) return;
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
    const { canvas, spaceCanvas } = this.#parts;
    const isSpace = stage.subject.kind === 'space';
    canvas.hidden = isSpace;
    spaceCanvas.hidden = !isSpace;
    this.#aim(stage);
  }

  #aim(stage: Stage): void {
    this.#subject = stage.subject;
    this.#isStale = true;
    stage.subject.aim(this.#parts.camera);
  }

  #split(isSplit: boolean): void {
    this.#isSplit = isSplit;
    this.#isStale = true;
    this.#parts.camera.split(isSplit ? 2 : 1);
    document.body.classList.toggle('is-split', isSplit);
  }

  #resize(): void {
    const { canvas, spaceCanvas, camera } = this.#parts;
    const pixelRatio = Math.min(devicePixelRatio, PIXEL_RATIO_MAX);
    const { clientWidth, clientHeight } = document.documentElement;
    const inset = clientWidth > PHONE_WIDTH_MAX ? PANEL_WIDTH : 0;
    camera.resize(clientWidth, clientHeight, pixelRatio, inset);
    for (const each of [canvas, spaceCanvas]) {
      each.width = Math.round(clientWidth * pixelRatio);
      each.height = Math.round(clientHeight * pixelRatio);
    }
    this.#isStale = true;
  }
}
