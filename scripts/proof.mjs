import { existsSync } from 'node:fs';
import { canInstallPackages, installPackages } from './lib/debian.mjs';
import { inRoot } from './lib/paths.mjs';
import { runNode, which } from './lib/process.mjs';

const COMPILERS = ['cc', 'gcc', 'clang'];

/**
 * `npm run proof [-- --quick]`: lets SPIN search every interleaving of the models in proof/, whole
 * and with each guard removed. Installs SPIN where it can; arguments go to proof/run.mjs.
 */
async function main() {
  const missing = findMissing();
  if (missing.length > 0) {
    const trouble = canInstallPackages() ? await installPackages(missing) : '';
    const still = findMissing();
    if (still.length > 0) {
      process.stderr.write(
        `${trouble}The proof needs ${still.join(' and ')}: not found. Install them and run the ` +
          "same command again (Debian: 'apt-get install spin gcc libc6-dev'; macOS: 'brew " +
          "install spin', and the command line tools).\n",
      );
      return 1;
    }
  }
  if (!existsSync(inRoot('proof', 'run.mjs'))) {
    process.stderr.write('proof/run.mjs is missing: there is nothing to run.\n');
    return 1;
  }
  const { code } = await runNode(['proof/run.mjs', ...process.argv.slice(2)]);
  return code;
}

function findMissing() {
  const missing = [];
  if (which('spin') === undefined) missing.push('spin');
  if (COMPILERS.every((name) => which(name) === undefined)) missing.push('gcc', 'libc6-dev');
  return missing;
}

process.exitCode = await main();
