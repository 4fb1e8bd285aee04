import { rmSync } from 'node:fs';
import { inRoot } from './paths.mjs';
import { runBin } from './process.mjs';

/**
 * Compiles every project of tsconfig.json: the library to dist/, everything else to build/. The
 * type tests and the tests' own types are checked by the same run.
 * @param {{ output?: import('./process.mjs').Output, clean?: boolean }} options
 */
export function compile({ output = 'stderr', clean = false } = {}) {
  if (clean) rmSync(inRoot('dist'), { recursive: true, force: true });
  return runBin('typescript', 'tsc', ['-b', '--pretty', 'false'], { output });
}

/**
 * Compiles everything, or ends the process with the compiler's message and code 1.
 */
export async function compileOrExit() {
  const { code } = await compile();
  if (code === 0) return;
  process.stderr.write('The build failed: the compiler says why above.\n');
  process.exit(1);
}

/**
 * Bundles the demo page into build/demo.
 * @param {import('./process.mjs').Output} output
 */
export function bundleDemo(output = 'stderr') {
  return runBin('vite', 'vite', ['build', '--logLevel', 'warn'], { output });
}
