import { existsSync } from 'node:fs';
import { canInstallPackages, installPackages } from './debian.mjs';
import { run, which } from './process.mjs';

/**
 * Sees to a Python that can run the example of the control protocol, where that can be had without
 * asking: as root on Debian. Elsewhere the test of it prints why it did not run.
 */
export async function providePythonWebSocket() {
  if (await canImport()) return;
  if (canInstallPackages()) await installPackages(['python3', 'python3-websocket']);
}

/** The first on PATH need not be the one that Debian's packages are for. */
const PYTHONS = ['python3', '/usr/bin/python3'];

async function canImport() {
  for (const python of PYTHONS) {
    if (which(python) === undefined && !existsSync(python)) continue;
    const { code } = await run(python, ['-c', 'import websocket'], { output: 'capture' });
    if (code === 0) return true;
  }
  return false;
}
