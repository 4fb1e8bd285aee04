import type { SimulationTypes } from 'escapement';
import type { View } from 'escapement/render';
import { useEffect, useState } from 'react';

/** A simulation that runs, as a component needs it. */
export interface Shown<T extends SimulationTypes> {
  readonly view: View<T>;
  readonly stop: () => Promise<unknown>;
}

/**
 * Runs a simulation for as long as the component is mounted. Returns a view of it once it runs.
 * What goes wrong is thrown to the next error boundary. `start` is the same function every time;
 * another one starts another simulation.
 */
export function useView<T extends SimulationTypes>(
  start: () => Promise<Shown<T>>,
): View<T> | undefined {
  const [view, setView] = useState<View<T>>();
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    const leaving = new AbortController();
    run(start, leaving.signal, setView).catch(setFailure);
    return () => leaving.abort();
  }, [start]);
  if (failure !== undefined) throw failure;
  return view;
}

/**
 * Shows a simulation until the signal, and stops it. Where React mounts twice, as it does in strict
 * mode, the first signal comes before its simulation has started, which is then stopped unseen.
 */
async function run<T extends SimulationTypes>(
  start: () => Promise<Shown<T>>,
  signal: AbortSignal,
  show: (view: View<T> | undefined) => void,
): Promise<void> {
  const { view, stop } = await start();
  if (!signal.aborted) {
    show(view);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    show(undefined);
  }
  view.close();
  await stop();
}
