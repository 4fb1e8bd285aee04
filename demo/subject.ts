import type { SimulationTypes } from 'escapement';
import type { Frame } from 'escapement/render';
import type { BlendPath } from './blend-path.ts';
import type { Camera } from './camera.ts';
import type { Halo } from './dart-renderer.ts';
import type { Showing } from './showing.ts';

/** What of a scene is drawn. */
export interface Subject<T extends SimulationTypes = SimulationTypes> {
  /** Which of the page's canvases it is drawn into. */
  readonly kind: 'plane' | 'space';
  /** The ways it can be blended. */
  readonly paths: readonly BlendPath[];
  /** Takes in an open frame, and one of the latest tick as it is where that is shown too. */
  take(frame: Frame<T>, raw: Frame<T> | undefined, showing: Readonly<Showing>): void;
  /** Turns a camera to it. */
  aim(camera: Camera): void;
  /** Draws it: into the whole canvas, or the blend at the left and the later tick at the right. */
  paint(camera: Camera, halo: Halo, showing: Readonly<Showing>): void;
  /** Says which place of the world is under a point, in CSS pixels from the upper left corner. */
  toWorld(camera: Camera, x: number, y: number): readonly [number, number];
  /** x, y of the bodies that were drawn last, one after the other. */
  positions(count: number): number[];
  /** Whether columns go to the GPU from shared memory itself; undefined before the first. */
  readonly uploadsInPlace: boolean | undefined;
  dispose(): void;
}
