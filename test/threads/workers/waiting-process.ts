import { SharedSignal } from '#dist/shared/signal.js';
import { createSystemClock } from '#dist/shared/system-clock.js';
import { waitUntilAsync } from '#dist/shared/wait.js';

/*
 * A process with nothing to do but wait. Its argument says how: `engine`, `polling` (as in an
 * engine without waitAsync) or `bare` (the engine's wait alone: the guard removed).
 */
const how = process.argv[2];
if (how === 'polling') delete (Atomics as { waitAsync?: unknown }).waitAsync;

const words = new Int32Array(new SharedArrayBuffer(4));
const signal = new SharedSignal(words, 0);
process.on('message', (command) => {
  if (command === 'close') signal.close();
  else signal.raise();
});
// The channel to the test must not be what keeps this process alive.
process.channel?.unref();

const wait =
  how === 'bare'
    ? Atomics.waitAsync(words, 0, 0).value
    : waitUntilAsync(
        signal,
        () => (signal.load() === 0 ? undefined : 'raised'),
        Infinity,
        createSystemClock(globalThis),
      );
process.send?.('waiting');
void Promise.resolve(wait).then((end) => process.send?.(end));
