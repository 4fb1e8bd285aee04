import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Rollup } from 'vite';
import { report } from './lib/report.ts';

/**
 * What a page downloads for `escapement` and `escapement/render`, minified and gzipped. Once what a
 * usual page imports, once all that there is.
 */
const AIM_BYTES = 15_000;

const WAYS = {
  usual: `import { startSimulation } from 'escapement';
import { openView } from 'escapement/render';
globalThis.page = { startSimulation, openView };`,
  everything: `import * as host from 'escapement';
import * as render from 'escapement/render';
globalThis.page = { host, render };`,
};

const ENTRY = 'virtual:page';
const root = fileURLToPath(new URL('../..', import.meta.url));

async function bundle(source: string): Promise<string> {
  const page = {
    name: 'page',
    resolveId: (id: string) => (id === ENTRY ? `\0${ENTRY}` : undefined),
    load: (id: string) => (id === `\0${ENTRY}` ? source : undefined),
  };
  const made = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [page],
    build: { write: false, target: 'es2023', minify: true, rollupOptions: { input: ENTRY } },
  });
  const { output } = made as Rollup.RollupOutput;
  return output.map((part) => (part.type === 'chunk' ? part.code : '')).join('\n');
}

for (const [page, source] of Object.entries(WAYS)) {
  const code = await bundle(source);
  const gzipBytes = gzipSync(code, { level: 9 }).length;
  const minBytes = Buffer.byteLength(code);
  report('bundle', { page, minBytes, gzipBytes, aim: AIM_BYTES, ok: code.includes('globalThis') });
}
