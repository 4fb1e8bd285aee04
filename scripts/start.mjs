import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { bootstrap } from './lib/bootstrap.mjs';
import { bundleDemo, compileOrExit } from './lib/build.mjs';
import { inRoot } from './lib/paths.mjs';
import { runNode } from './lib/process.mjs';
import { ISOLATION_HEADERS, serve } from './lib/serve.mjs';

const USAGE = `npm start -- [--port N] [--no-open] [--no-isolation]
  builds the demo page, serves it and opens it in a browser where there is one
  --port N         listens there (default 5173, or any free port where that is taken)
  --no-open        prints the address only
  --no-isolation   leaves the isolation headers out: the page then cannot share memory
npm start -- --headless [...]
  runs the scene on Node's worker threads; every other argument is that program's own
`;

const DEFAULT_PORT = 5173;

async function main() {
  const args = process.argv.slice(2);
  if (args.includes('--headless')) return runHeadless(args.filter((it) => it !== '--headless'));
  if (args.includes('--help')) {
    process.stdout.write(USAGE);
    return 0;
  }
  const options = readOptions(args);
  if (options === undefined) return 2;
  await bootstrap();
  await compileOrExit();
  if ((await bundleDemo()).code !== 0) return 1;
  const headers = options.isolated ? ISOLATION_HEADERS : {};
  const served = await listen(headers, options.port);
  if (served === undefined) {
    process.stderr.write(`Port ${options.port} is taken. Leave --port out for any free one.\n`);
    return 1;
  }
  process.stdout.write(`\n  The demo is at ${served.origin}/  (Ctrl-C ends it)\n\n`);
  if (options.open) openInBrowser(`${served.origin}/`);
  return 0;
}

/** @param {readonly string[]} args */
async function runHeadless(args) {
  await bootstrap();
  await compileOrExit();
  // The terminal sends Ctrl-C to the child as well: it ends in its own way, and we end with it.
  process.on('SIGINT', () => {});
  const { code } = await runNode([inRoot('build', 'demo-headless', 'headless.js'), ...args]);
  return code;
}

/** @param {string[]} args */
function readOptions(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        port: { type: 'string' },
        'no-open': { type: 'boolean' },
        'no-isolation': { type: 'boolean' },
      },
    });
    const port = values.port === undefined ? undefined : Number(values.port);
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65_536)) {
      throw new Error(`--port takes a whole number from 0 to 65535, not '${values.port}'`);
    }
    return { port, open: values['no-open'] !== true, isolated: values['no-isolation'] !== true };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    return undefined;
  }
}

/**
 * Listens on the port that was asked for, else on the default or any free one. Returns undefined
 * where the port that was asked for is taken.
 * @param {Record<string, string>} headers
 * @param {number | undefined} port
 */
async function listen(headers, port) {
  const options = { root: inRoot('build', 'demo'), headersFor: () => headers };
  try {
    return await serve({ ...options, port: port ?? DEFAULT_PORT });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EADDRINUSE') throw error;
    return port === undefined ? serve(options) : undefined;
  }
}

/**
 * Asks the desktop to show an address; where there is no desktop, the printed address must do.
 * @param {string} address
 */
function openInBrowser(address) {
  const command = findOpener();
  if (command === undefined) return;
  const [program, ...args] = command;
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}

/** @returns {[string, ...string[]] | undefined} */
function findOpener() {
  const { CI, DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (CI !== undefined && CI !== '' && CI !== 'false') return undefined;
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['cmd', '/c', 'start', ''];
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

process.exitCode = await main();
