/** Stores a word into the memory it is sent, and answers with whether this thread is isolated. */
addEventListener('message', ({ data }: MessageEvent<WebAssembly.Memory>) => {
  Atomics.store(new Int32Array(data.buffer), 0, 42);
  postMessage(crossOriginIsolated);
});

export {};
