import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CaptureManifest } from 'escapement';

/** `escapement capture` as a process of its own. */

/** Returns the path of a file of this project. */
export const root = (path: string): string =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url));

const MAIN = root('dist/cli/main.js');

export const FLOCK: string = root('build/scenes/flock.sim.js');

/** How a capture ended, and what it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Starts a capture. */
export function begin(args: readonly string[], cwd: string = root('')): ChildProcess {
  const env = { ...process.env, NODE_OPTIONS: '' };
  return spawn(process.execPath, [MAIN, 'capture', ...args], { cwd, env });
}

/** Resolves when a capture has ended. */
export async function end(child: ChildProcess): Promise<Ended> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (bytes: Buffer) => {
    out += bytes.toString();
  });
  child.stderr?.on('data', (bytes: Buffer) => {
    err += bytes.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

/** Reads a film's manifest. */
export const manifestOf = (path: string): CaptureManifest =>
  JSON.parse(readFileSync(path, 'utf8')) as CaptureManifest;
