import type { DartRenderer } from './dart-renderer.ts';
import type { TierChoice } from './launch.ts';

/** What scenes are drawn with. */
export interface Painters {
  /** Draws flat scenes, into a canvas of its own. */
  readonly darts: DartRenderer;
  /** What scenes in space are drawn into. */
  readonly spaceCanvas: HTMLCanvasElement;
}

/** What a scene starts with. */
export interface Start {
  readonly tier: TierChoice;
  readonly painters: Painters;
}
