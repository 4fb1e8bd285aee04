import { parentPort } from 'node:worker_threads';
import type { SimulationHandle } from 'escapement';
import { openView } from 'escapement/render';
import type { TypesOf } from 'escapement/sim';
import type { Probe } from './probe.sim.ts';

/** What the watcher is sent: a handle to open, or the word to end. */
export type ToWatcher =
  | { readonly handle: SimulationHandle<TypesOf<Probe>>; readonly freight: ArrayBuffer }
  | 'close';

/** One frame as the watcher saw it. */
export interface Sighting {
  readonly status: string;
  readonly tick: number;
  readonly count: number;
  readonly left: number;
  readonly firstX: number;
  readonly clockOffsetNs: number;
  readonly clockErrorNs: number;
  /** Bytes of the buffer that came with the handle. */
  readonly freightBytes: number;
}

/* Draws a simulation of another thread some hundred times a second and reports every frame. */
parentPort?.once('message', (message: ToWatcher) => {
  if (message === 'close') return;
  const view = openView(message.handle);
  const timer = setInterval(() => {
    const frame = view.frame(performance.now());
    const { clockOffsetNs, clockErrorNs } = view.stats();
    const sighting: Sighting = {
      status: frame.status,
      tick: frame.tick,
      count: frame.count,
      left: frame.left.length,
      firstX: frame.blend('position')[0] ?? Number.NaN,
      clockOffsetNs,
      clockErrorNs,
      freightBytes: message.freight.byteLength,
    };
    frame.release();
    parentPort?.postMessage(sighting);
  }, 5);
  parentPort?.once('message', () => {
    clearInterval(timer);
    view.close();
    parentPort?.close();
  });
});
