import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const MINUTE_MS = 60_000;

/** A full run holds tests that take minutes by intent. */
const patience = process.env.ESCAPEMENT_SIZE === 'full' ? 30 : 1;

const source = (path: string): string => fileURLToPath(new URL(`src/${path}`, import.meta.url));

export default defineConfig({
  test: {
    projects: [
      {
        // One thread, virtual time, on the sources: no build is needed.
        resolve: {
          alias: [
            { find: /^escapement$/, replacement: source('main/index.ts') },
            { find: /^escapement\/sim$/, replacement: source('sim-worker/index.ts') },
            { find: /^escapement\/render$/, replacement: source('render/index.ts') },
            { find: /^escapement\/net$/, replacement: source('net/index.ts') },
            { find: /^escapement\/three$/, replacement: source('render/three/index.ts') },
          ],
        },
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/threads/**', 'test/browser/**'],
          execArgv: ['--expose-gc'],
          testTimeout: patience * MINUTE_MS,
        },
      },
      {
        // Real workers on the built output. One file at a time: they compete for the cores.
        test: {
          name: 'threads',
          include: ['test/threads/**/*.test.ts'],
          fileParallelism: false,
          execArgv: ['--expose-gc'],
          server: { deps: { external: [/\/(?:dist|build)\//] } },
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
