import { writeFile } from 'node:fs/promises';
import type { MessagePort } from 'node:worker_threads';
import type { CapturedShot } from '../main/capture/capture-frames.ts';
import { EscapementError, type ErrorRecord } from '../shared/error.ts';
import { StillCamera, type StillTask, type TakenOf } from './capture-stills.ts';
import { spooledStill } from './spooled-still.ts';
import { UsageError } from './usage-error.ts';

/** A part of a film for one thread of a pool. */
export interface SpoolTask {
  readonly task: StillTask;
  /** The folder for what was taken. */
  readonly spool: string;
  /** Is told of each frame once it lies there, and of what the simulation says. */
  readonly port: MessagePort;
}

/** What a thread tells its pool: what it takes, before the first frame; each frame; the end. */
export type SpoolMessage =
  | { readonly of: TakenOf }
  | { readonly shot: CapturedShot }
  | { readonly err: string }
  | { readonly end: SpoolOutcome };

/** What made a part fail: errors would lose their codes on the way. Undefined when nothing did. */
export type SpoolOutcome = { readonly error: ErrorRecord; readonly isUsage: boolean } | undefined;

/**
 * Takes a part of a film into the spool; Piscina calls it. What became of it goes the way of the
 * frames, so that none of them is overtaken.
 */
export default async function spoolStills(part: SpoolTask): Promise<void> {
  const { task, spool, port } = part;
  const tell = (message: SpoolMessage): void => port.postMessage(message);
  try {
    const camera = await StillCamera.open(task, (err) => tell({ err }));
    try {
      tell({ of: camera.of });
      for await (const { shot, bytes } of camera.take()) {
        await writeFile(spooledStill(spool, shot.index), bytes);
        tell({ shot });
      }
    } finally {
      await camera.close();
    }
    tell({ end: undefined });
  } catch (thrown) {
    const error =
      thrown instanceof EscapementError
        ? thrown
        : new EscapementError('SIMULATION_FAILED', 'A part of the film failed.', { cause: thrown });
    tell({ end: { error: error.toRecord(), isUsage: thrown instanceof UsageError } });
  }
}
