/** How often a test repeats itself, by the size of the run. */
export interface Scale {
  readonly tiny: number;
  readonly normal: number;
  readonly full: number;
}

/** Picks by `ESCAPEMENT_SIZE`: tiny in `npm run check`, full in `npm run full`. */
export function scaled(scale: Scale): number {
  const size = process.env.ESCAPEMENT_SIZE;
  if (size === 'tiny') return scale.tiny;
  return size === 'full' ? scale.full : scale.normal;
}
