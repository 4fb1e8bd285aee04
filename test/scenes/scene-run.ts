import { type RunningSimulation, startSimulation, type StartOptions } from 'escapement';
import { openView, type View } from 'escapement/render';
import { inline, type SimulationDefinition, type SimulationTypes } from 'escapement/sim';
import { Fnv64 } from '../../src/shared/hash.ts';
import { VirtualClock } from '../render/stage.ts';

/** A scene on this thread, in virtual time, driven by hand. */
export interface SceneRun<T extends SimulationTypes> {
  readonly sim: RunningSimulation<T>;
  readonly view: View<T>;
  /** Goes to `ns` after the start and runs what is due. */
  frameAt(ns: number): void;
  close(): Promise<void>;
}

/** Starts a scene at virtual time 0. */
export async function runScene<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
  options: StartOptions<T> = {},
): Promise<SceneRun<T>> {
  const clock = new VirtualClock();
  const manual = inline(definition, { pacing: 'manual', clock });
  const sim = await startSimulation(manual, { logLevel: 'off', ...options });
  const view = openView(sim.share());
  return {
    sim,
    view,
    frameAt(ns) {
      clock.ns = Math.round(ns);
      manual.runDue();
    },
    async close() {
      view.close();
      await sim.stop();
    },
  };
}

/** Hashes what a frame shows now: its tick, who is alive, and the channels' columns. */
export function hashChannels<T extends SimulationTypes>(
  run: SceneRun<T>,
  channels: readonly (T['published'] & string)[],
): string {
  const hash = new Fnv64();
  const frame = run.view.frame();
  hash.u32(frame.tick);
  for (const handle of frame.entities) hash.u32(handle);
  for (const channel of channels) {
    const column: { buffer: ArrayBufferLike; byteOffset: number; byteLength: number } =
      frame.blend(channel);
    hash.bytes(new Uint8Array(column.buffer, column.byteOffset, column.byteLength).slice());
  }
  frame.release();
  return hash.hex();
}
