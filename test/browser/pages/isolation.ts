/** Shares memory with a worker; the page's title becomes what came of it. */
const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
const worker = new Worker(new URL('./isolation-worker.js', import.meta.url), { type: 'module' });

worker.addEventListener('error', () => {
  document.title = 'worker refused';
});
worker.addEventListener('message', ({ data: isolated }) => {
  const stored = Atomics.load(new Int32Array(memory.buffer), 0);
  document.title = `worker isolated ${String(isolated)}, stored ${stored}`;
  worker.terminate();
});
worker.postMessage(memory);

export {};
