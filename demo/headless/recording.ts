import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { UsageError } from './options.ts';

/** A recording of movement, as the scene `crowd` takes it. */
export interface RecordingFile {
  readonly positions: Float32Array;
  readonly frames: number;
  readonly people: number;
}

/**
 * Reads float32 `[frame][person][x, y, z]`, gzipped or not, with its shape in a JSON file of the
 * same name (`frames`, `entities`). Throws {@link UsageError} for what cannot be read or does not
 * fit.
 */
export function readRecording(path: string): RecordingFile {
  const shapePath = path.replace(/\.f32(?:\.gz)?$/, '.json');
  if (shapePath === path) {
    throw new UsageError(
      `--data ${path}: a file NAME.f32 or NAME.f32.gz with NAME.json beside it.`,
    );
  }
  const file = read(path);
  const { frames, people } = readShape(shapePath);
  const bytes = path.endsWith('.gz') ? attempt(path, () => gunzipSync(file)) : file;
  const numbers = frames * people * 3;
  if (bytes.length !== numbers * 4) {
    throw new UsageError(
      `${path}: ${bytes.length} bytes, but ${frames} frames of ${people} people ` +
        `take ${numbers * 4}.`,
    );
  }
  const positions = new Float32Array(numbers);
  new Uint8Array(positions.buffer).set(bytes);
  return { positions, frames, people };
}

function readShape(path: string): { readonly frames: number; readonly people: number } {
  const text = read(path).toString('utf8');
  const shape: unknown = attempt(path, () => JSON.parse(text));
  const { frames, entities } = (shape ?? {}) as { frames?: unknown; entities?: unknown };
  if (isCount(frames) && isCount(entities)) return { frames, people: entities };
  throw new UsageError(`${path}: it has no whole numbers \`frames\` and \`entities\`.`);
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}

function read(path: string): Buffer {
  return attempt(path, () => readFileSync(path));
}

/** Does what may fail on a user's file; says which file when it does. */
function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new UsageError(`${path}: ${cause instanceof Error ? cause.message : String(cause)}.`);
  }
}
