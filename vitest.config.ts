import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const MINUTE_MS = 60_000;

/** A full run holds tests that take minutes by intent. */
const patience = process.env.ESCAPEMENT_SIZE === 'full' ? 30 : 1;

const fromHere = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const source = (path: string): string => fromHere(`src/${path}`);

/** Lists the test files below a folder of test/ whose text holds what is looked for. */
function testsWith(pattern: RegExp, folder = ''): string[] {
  return readdirSync(fromHere(`test/${folder}`), { recursive: true, encoding: 'utf8' })
    .map((path) => `test/${folder}${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => pattern.test(readFileSync(fromHere(path), 'utf8')));
}

/** The folders whose tests need the built output, and have projects of their own. */
const ON_BUILT = ['test/threads/**', 'test/browser/**'];

/** The tests that look at the heap, or have the product look. */
const heapTests = testsWith(
  /heap-growth|-allocation\.ts'|allocation-|\bgc\b|memoryUsage|development: true/,
);

/**
 * The tests of threads that bound no time: those whose work other processes do, and some whose
 * ticks come when they are asked for.
 */
const untimedTests = [
  ...testsWith(/command-process|capture-process|spawnSync/, 'threads/'),
  ...['capture-cases', 'clock-model', 'recording', 'replay'].map(
    (name) => `test/threads/${name}.test.ts`,
  ),
];

/** On the sources: no build is needed. */
const resolve = {
  alias: [
    { find: /^escapement$/, replacement: source('main/index.ts') },
    { find: /^escapement\/sim$/, replacement: source('sim-worker/index.ts') },
    { find: /^escapement\/render$/, replacement: source('render/index.ts') },
    { find: /^escapement\/net$/, replacement: source('net/index.ts') },
    { find: /^escapement\/three$/, replacement: source('render/three/index.ts') },
  ],
};

/** On the built output. */
const server = { deps: { external: [/\/(?:dist|build)\//] } };

export default defineConfig({
  test: {
    projects: [
      {
        // One thread, virtual time. The files share processes, and what they import is loaded once.
        // Without --expose-gc: a measure of the heap that strays in here fails, and says so.
        resolve,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...ON_BUILT, ...heapTests],
          isolate: false,
          maxWorkers: '100%',
          testTimeout: patience * MINUTE_MS,
        },
      },
      {
        // The same, each file in a process of its own: what others left on the heap would show,
        // and so would what the engine has made of the code under them.
        resolve,
        test: {
          name: 'heap',
          include: heapTests,
          exclude: ON_BUILT,
          execArgv: ['--expose-gc'],
          maxWorkers: '100%',
          sequence: { groupOrder: 1 },
          testTimeout: patience * MINUTE_MS,
        },
      },
      {
        // Real workers on the built output. One file at a time: they compete for the cores.
        test: {
          name: 'threads',
          include: ['test/threads/**/*.test.ts'],
          exclude: untimedTests,
          fileParallelism: false,
          execArgv: ['--expose-gc'],
          server,
          testTimeout: patience * MINUTE_MS,
          hookTimeout: MINUTE_MS,
        },
      },
      {
        // The same where it matters little how busy the cores are: several files at a time.
        test: {
          name: 'untimed',
          include: untimedTests,
          maxWorkers: '100%',
          sequence: { groupOrder: 1 },
          server,
          testTimeout: patience * MINUTE_MS,
          hookTimeout: MINUTE_MS,
        },
      },
      {
        // Node drives a real browser, which loads the built output from a server of ours.
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: patience * 2 * MINUTE_MS,
          hookTimeout: MINUTE_MS,
        },
      },
    ],
  },
});
