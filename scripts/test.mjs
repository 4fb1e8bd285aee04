import { bootstrap } from './lib/bootstrap.mjs';
import { compile } from './lib/build.mjs';
import { runEngines } from './lib/engines/step.mjs';
import { runBin, runNode } from './lib/process.mjs';
import { providePythonWebSocket } from './lib/python.mjs';
import { Steps } from './lib/steps.mjs';
import { runProject } from './lib/vitest.mjs';

/**
 * `npm test`: every test there is. With arguments it builds and hands them to vitest, so that
 * `npm test -- test/threads` runs those alone.
 */
async function main() {
  await bootstrap();
  const asked = process.argv.slice(2);
  return asked.length > 0 ? runAsked(asked) : runAll();
}

/** @param {readonly string[]} asked */
async function runAsked(asked) {
  const built = await compile();
  const ended = await runBin('vitest', 'vitest', ['run', ...asked]);
  return built.code || ended.code;
}

async function runAll() {
  const steps = new Steps('test');
  const options = /** @type {const} */ ({ size: 'normal', output: 'inherit' });
  await steps.run('build and types', async () => {
    const { code, output } = await compile({ output: 'capture' });
    return { ok: code === 0, output };
  });
  await providePythonWebSocket();
  await steps.run('unit', () => runProject('unit', options));
  await steps.run('threads', () => runProject('threads', options));
  await steps.run('browser', async () => {
    const { findBrowser } = await import('./lib/browser.mjs');
    const browser = await findBrowser();
    process.stdout.write(`browser: ${browser}\n`);
    return runProject('browser', { ...options, env: { ESCAPEMENT_BROWSER: browser } });
  });
  await steps.run('engines', () => runEngines('normal', 'inherit'));
  await steps.run('proof', async () => {
    const { code } = await runNode(['scripts/proof.mjs', '--quick']);
    return { ok: code === 0 };
  });
  return steps.finish();
}

process.exitCode = await main();
