/**
 * Compresses in the page and in a worker: the body becomes the envelopes, one a line, and then the
 * title `ready`, or what came in the way.
 */
import { packUpdate } from './zstd-pack.ts';

function packInWorker(): Promise<string> {
  const worker = new Worker(new URL('./zstd-worker.js', import.meta.url), { type: 'module' });
  return new Promise<string>((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<string>) => resolve(data));
    worker.addEventListener('error', ({ message }) => reject(new Error(message)));
  });
}

try {
  document.body.textContent = `${await packUpdate()}\n${await packInWorker()}`;
  document.title = 'ready';
} catch (error) {
  document.title = String((error as { code?: string }).code ?? error);
}
