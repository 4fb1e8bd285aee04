import { existsSync, readdirSync } from 'node:fs';
import { inRoot } from './paths.mjs';

/**
 * Names every bench: each program directly in bench/. What benches share lies in folders below it.
 */
export function benchNames() {
  if (!existsSync(inRoot('bench'))) return [];
  return readdirSync(inRoot('bench'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => file.slice(0, -'.ts'.length))
    .sort();
}
