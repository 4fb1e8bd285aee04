import { readReplay, type Replay } from 'escapement';
import { isSceneName, type SceneName, SCENES } from '../scene-list.ts';

/** A recording of a run, and the scene that it is of. */
export interface RunFile {
  readonly bytes: Uint8Array;
  readonly replay: Replay;
  readonly sceneName: SceneName;
  /** What it is called when it is saved. */
  readonly fileName: string;
  readonly tickRateHz: number;
  /** Bodies that the run began with; undefined where that is no parameter of it. */
  readonly population: number | undefined;
}

/** Says why a file is not played here; the message is for people. */
class RunFileError extends Error {
  override readonly name: string = 'RunFileError';
}

/**
 * Reads the bytes of a recording. Throws REPLAY_INVALID for what is none, and a
 * {@link RunFileError} for one that no scene of this page can play.
 */
export function openRunFile(bytes: Uint8Array): RunFile {
  const replay = readReplay(bytes);
  const { schema, seed, params } = replay.header;
  const sceneName = Object.keys(SCENES)
    .filter(isSceneName)
    .find((name) => SCENES[name].simulation === schema.name);
  if (sceneName === undefined) {
    const here = Object.values(SCENES).map(({ simulation }) => simulation);
    throw new RunFileError(
      `It is of the simulation “${schema.name}”; this page has ${here.join(', ')}.`,
    );
  }
  const { population } = params;
  return {
    bytes,
    replay,
    sceneName,
    fileName: `${sceneName}-${seed[0] * 2 ** 32 + seed[1]}.replay`,
    tickRateHz: schema.quantum.denominator / schema.quantum.numerator,
    population: typeof population === 'number' ? population : undefined,
  };
}

/** Saves a recording where the browser keeps downloads. */
export function download({ bytes, fileName }: RunFile): void {
  const address = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>]));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}
