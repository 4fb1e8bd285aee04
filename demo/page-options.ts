import { type BlendPath, isBlendPath } from './blend-path.ts';
import type { TierChoice } from './launch.ts';
import { isSceneName, type SceneName } from './scene-list.ts';

/** What the address and the system ask of the page. */
export interface PageOptions {
  readonly tier: TierChoice;
  readonly scene: SceneName;
  readonly path: BlendPath;
  readonly isSplit: boolean;
  /** The system asks for little motion: nothing moves until somebody presses play. */
  readonly startPaused: boolean;
}

const TIERS: readonly string[] = ['shared', 'transfer', 'calling-thread'];

/**
 * Reads `?tier=shared|transfer|calling-thread`, `?scene=NAME`, `?blend=entity|javascript|simd|gpu`
 * and `?split`; anything else is passed over.
 */
export function readPageOptions(): PageOptions {
  const asked = new URLSearchParams(location.search);
  const tier = asked.get('tier') ?? 'auto';
  const scene = asked.get('scene') ?? 'flock';
  const path = asked.get('blend') ?? 'simd';
  return {
    tier: TIERS.includes(tier) ? (tier as TierChoice) : 'auto',
    scene: isSceneName(scene) ? scene : 'flock',
    path: isBlendPath(path) ? path : 'simd',
    isSplit: asked.has('split'),
    startPaused: matchMedia('(prefers-reduced-motion: reduce)').matches,
  };
}
