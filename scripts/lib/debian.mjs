import { existsSync, readFileSync } from 'node:fs';
import { run, which } from './process.mjs';

/** Says whether packages can be installed here without asking anybody: root on Debian. */
export function canInstallPackages() {
  if (process.getuid?.() !== 0 || which('apt-get') === undefined) return false;
  if (!existsSync('/etc/os-release')) return false;
  return /^ID(?:_LIKE)?=.*\bdebian\b/m.test(readFileSync('/etc/os-release', 'utf8'));
}

/**
 * Installs Debian packages and returns '' or, when that failed, what apt-get printed.
 * @param {readonly string[]} names
 */
export async function installPackages(names) {
  process.stderr.write(`Installing ${names.join(', ')} (apt-get) ...\n`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const update = await run('apt-get', ['update', '-q'], { env, output: 'capture' });
  const args = ['install', '-y', '-q', '--no-install-recommends', ...names];
  const install = await run('apt-get', args, { env, output: 'capture' });
  return install.code === 0 ? '' : update.output + install.output;
}
