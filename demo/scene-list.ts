import { BOUNCE } from './scenes/bounce.ts';
import { CROWD } from './scenes/crowd.ts';
import { CUBES } from './scenes/cubes.ts';
import { FIGURES } from './scenes/figures.ts';
import { FLOCK } from './scenes/flock.ts';
import type { Scene } from './scenes/scene.ts';
import { STORM } from './scenes/storm.ts';

/** Names of scenes, as `?scene=` takes them. */
export type SceneName = 'flock' | 'cubes' | 'figures' | 'bounce' | 'storm' | 'crowd';

/** The scenes by name, in the order in which the page offers them. */
export const SCENES: Readonly<Record<SceneName, Scene>> = {
  flock: FLOCK,
  cubes: CUBES,
  figures: FIGURES,
  bounce: BOUNCE,
  storm: STORM,
  crowd: CROWD,
};

/** Says whether a text names a scene. */
export function isSceneName(name: string): name is SceneName {
  return Object.hasOwn(SCENES, name);
}
