import { EscapementError, type ErrorRecord } from '../shared/error.ts';
import type { Divergence } from '../sim-worker/replay-player.ts';
import { openReplay } from '../sim-worker/open-replay.ts';
import { loadDefinition } from './load-definition.ts';
import { readReplayFile } from './replay-file.ts';

/** A recording to verify, and what to verify it with. */
export interface VerifyTask {
  readonly file: string;
  readonly module: string;
  /** The export that is the definition, if there are several. */
  readonly name: string | undefined;
}

/**
 * `same`: every recorded hash was met; `different`: one was not; `nothing`: there is none;
 * `refused`: the file cannot be read, or is of another simulation; `failed`: setup or a system
 * threw.
 */
export type Verdict = 'same' | 'different' | 'nothing' | 'refused' | 'failed';

/** What the verification of one file came to; plain data. */
export interface FileVerdict {
  readonly file: string;
  readonly verdict: Verdict;
  /** Hashes compared. */
  readonly compared: number;
  readonly firstTick: number;
  /** The last tick that was run. */
  readonly lastTick: number;
  /** The first tick that is not as recorded. */
  readonly divergence: Divergence | undefined;
  /** Where the file is cut off, and why. */
  readonly truncated: { readonly offset: number; readonly why: string } | undefined;
  readonly error: ErrorRecord | undefined;
}

/** Replays a file and compares every hash. Rejects for a module that cannot be used at all. */
export async function verifyFile({ file, module, name }: VerifyTask): Promise<FileVerdict> {
  const definition = await loadDefinition(module, name);
  const none = { file, compared: 0, firstTick: 0, lastTick: 0, divergence: undefined };
  let run: Awaited<ReturnType<typeof openReplay>>;
  try {
    const replay = await readReplayFile(file);
    run = await openReplay(definition, replay, { quantum: replay.header.schema.quantum });
  } catch (cause) {
    const error = recordOf(cause);
    // It is read and is of this simulation: setup threw.
    const verdict: Verdict = error.code === 'SIMULATION_FAILED' ? 'failed' : 'refused';
    return { ...none, verdict, truncated: undefined, error };
  }
  const { truncated, header } = run.replay;
  try {
    const { compared, firstTick, lastTick, divergence } = run.verify();
    const equal: Verdict = compared === 0 ? 'nothing' : 'same';
    const verdict = divergence === undefined ? equal : 'different';
    const ran = { compared, firstTick, lastTick, divergence };
    return { file, verdict, ...ran, truncated, error: undefined };
  } catch (cause) {
    const ran = { compared: run.compared, firstTick: header.firstTick, lastTick: run.tick };
    const error = recordOf(cause);
    return { file, verdict: 'failed', ...ran, divergence: run.divergence, truncated, error };
  } finally {
    run.close();
  }
}

function recordOf(cause: unknown): ErrorRecord {
  if (cause instanceof EscapementError) return cause.toRecord();
  return new EscapementError('REPLAY_INVALID', 'The file cannot be used.', { cause }).toRecord();
}
