import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's root directory, absolute. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/**
 * Returns an absolute path inside the project.
 * @param {...string} parts path parts below the root
 */
export function inRoot(...parts) {
  return join(ROOT, ...parts);
}
