import { parentPort } from 'node:worker_threads';
import { type AdvanceResult, openControl, type SimulationHandle } from 'escapement';

/** What the controller is told to do. */
export type ToController =
  | { readonly handle: SimulationHandle }
  | { readonly steps: number; readonly times: number }
  | 'close';

/** What it answers: each advance it made, or why it could not. */
export interface ControllerReport {
  readonly advances: readonly AdvanceResult[];
  readonly error?: string;
}

/* Advances the clock of another thread's simulation by counted steps. */
let control: ReturnType<typeof openControl> | undefined;

async function obey(message: ToController): Promise<void> {
  if (message === 'close') {
    control?.close();
    parentPort?.close();
    return;
  }
  const advances: AdvanceResult[] = [];
  try {
    if ('handle' in message) control = openControl(message.handle);
    else {
      for (let i = 0; i < message.times; i++) {
        advances.push(await (control as NonNullable<typeof control>).advanceTicks(message.steps));
      }
    }
    parentPort?.postMessage({ advances } satisfies ControllerReport);
  } catch (cause) {
    const error = (cause as { code?: string }).code ?? String(cause);
    parentPort?.postMessage({ advances, error } satisfies ControllerReport);
  }
}

parentPort?.on('message', (message: ToController) => void obey(message));
