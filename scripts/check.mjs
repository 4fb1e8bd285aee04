import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { bootstrap } from './lib/bootstrap.mjs';
import { compile } from './lib/build.mjs';
import { runEngines } from './lib/engines/step.mjs';
import { inRoot } from './lib/paths.mjs';
import { run, runBin, runNode } from './lib/process.mjs';
import { Steps } from './lib/steps.mjs';
import { runProject } from './lib/vitest.mjs';

const CAPTURE = /** @type {const} */ ({ output: 'capture', timeoutMs: 300_000 });

/**
 * `npm run check`: everything a change must pass, in under ten minutes: format, lint, types, tests
 * and benches at tiny sizes, the same short run in Node and Chromium, the package as it would be
 * published, the kernels' bytes, and the API report. The browser tests are `npm test`'s.
 */
async function main() {
  await bootstrap();
  const steps = new Steps('check');
  const tiny = /** @type {const} */ ({ size: 'tiny', output: 'capture' });
  await steps.run('format', () => tool('@biomejs/biome', 'biome', ['format', '.']));
  await steps.run('lint', () => tool('oxlint', 'oxlint', ['--type-aware', '--deny-warnings']));
  await steps.run('types', () => judge(compile({ output: 'capture' })));
  await steps.run('unit', () => runProject('unit', tiny));
  await steps.run('threads', () => runProject('threads', tiny));
  await steps.run('engines', () => runEngines('tiny', 'capture'));
  await steps.run('benches', () => script('bench.mjs', '--all', '--json', '--tiny'));
  // What measures no time runs two at a time.
  await Promise.all([checkPackage(steps), checkSources(steps)]);
  return steps.finish();
}

/**
 * What is published, and its public surface.
 * @param {Steps} steps
 */
async function checkPackage(steps) {
  const packed = pack();
  await steps.run('publint', async () => tool('publint', 'publint', [await packed]));
  await steps.run('types as published', async () =>
    tool('@arethetypeswrong/cli', 'attw', ['--profile', 'esm-only', await packed]),
  );
  await steps.run('API report', () => script('api.mjs', '--built'));
}

/**
 * What else is made from the sources.
 * @param {Steps} steps
 */
async function checkSources(steps) {
  await steps.run('demo bundle', () => tool('vite', 'vite', ['build', '--logLevel', 'warn']));
  await steps.run('unused code', () => tool('knip', 'knip', ['--no-progress']));
  await steps.run('kernels', () => script('kernels.mjs', '--check'));
}

/**
 * @param {string} packageName
 * @param {string} binName
 * @param {readonly string[]} args
 */
function tool(packageName, binName, args) {
  return judge(runBin(packageName, binName, args, CAPTURE));
}

/**
 * @param {string} name
 * @param {readonly string[]} args
 */
function script(name, ...args) {
  return judge(runNode([`scripts/${name}`, ...args], CAPTURE));
}

/** @param {Promise<import('./lib/process.mjs').Ended>} running */
async function judge(running) {
  const { code, output } = await running;
  return { ok: code === 0, output };
}

/** Packs the package as it would be published and returns the tarball's path. */
async function pack() {
  const directory = inRoot('build', 'pack');
  if (existsSync(directory)) rmSync(directory, { recursive: true });
  mkdirSync(directory, { recursive: true });
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory];
  const { code, output } = await run('npm', args, {
    output: 'capture',
    shell: process.platform === 'win32',
  });
  const tarball = readdirSync(directory).find((file) => file.endsWith('.tgz'));
  if (code !== 0 || tarball === undefined) throw new Error(`npm pack failed:\n${output}`);
  return inRoot('build', 'pack', tarball);
}

process.exitCode = await main();
