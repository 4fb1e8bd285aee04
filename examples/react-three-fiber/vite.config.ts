import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** Without these the page has no shared memory, and ticks are copied to it. */
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  worker: { format: 'es' },
  build: {
    outDir: fileURLToPath(new URL('../../build/examples/react-three-fiber', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
  },
  server: { headers: isolation },
  preview: { headers: isolation },
});
