import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
export default defineConfig({
  root: fileURLToPath(new URL('demo', import.meta.url)),
  base: './',
  worker: { format: 'es' },
  build: {
    outDir: fileURLToPath(new URL('build/demo', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    sourcemap: true,
    // The physics engine carries its own WebAssembly, and only the scene that needs it loads it.
    chunkSizeWarningLimit: 8000,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: { headers: isolation },
});
