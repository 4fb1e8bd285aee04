import { existsSync } from 'node:fs';
import type { Picture } from '../render/picture.ts';
import { importModule } from './import-module.ts';
import { findModule } from './module-file.ts';
import { UsageError } from './usage-error.ts';

const WANTED = 'a module that exports `picture`: { width, height, draw(context, frame, stage) }';

/**
 * Returns the path of the module that draws a simulation: the one that is named, or the one beside
 * it, `flock.picture.ts` beside `flock.sim.ts`. Throws {@link UsageError} when there is none.
 */
export function findPicture(simulation: string, named: string | undefined): string {
  if (named !== undefined) return findModule(named, WANTED).path;
  const beside = simulation.replace(/(?:\.sim)?(\.[cm]?[jt]s)$/, '.picture$1');
  if (beside !== simulation && existsSync(beside)) return findModule(beside, WANTED).path;
  throw new UsageError('OPTION_INVALID', 'Nothing says how this simulation is drawn.', {
    given: `${simulation}, and no ${beside}`,
    allowed: WANTED,
    fix: 'Put it there, or name it: --draw MODULE.',
  });
}

/** Imports what draws. Throws {@link UsageError} when the module exports no picture. */
export async function loadPicture(path: string): Promise<Picture> {
  const exported = await importModule(findModule(path, WANTED));
  const { picture } = exported as { readonly picture?: unknown };
  const { width, height, draw } = Object(picture) as Partial<Picture>;
  const isSide = (side: unknown): boolean => Number.isInteger(side) && (side as number) > 0;
  if (isSide(width) && isSide(height) && typeof draw === 'function') return picture as Picture;
  throw new UsageError('OPTION_INVALID', 'That module exports no picture.', {
    given: path,
    allowed: WANTED,
    fix: 'See docs/capture.md for one to begin with.',
  });
}
