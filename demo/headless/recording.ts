import { existsSync, readFileSync } from 'node:fs';
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
 * same name (`frames`, `entities`). Throws {@link UsageError} when the two do not fit.
 */
export function readRecording(path: string): RecordingFile {
  const shapePath = path.replace(/\.f32(?:\.gz)?$/, '.json');
  if (shapePath === path || !existsSync(shapePath)) {
    throw new UsageError(
      `--data ${path}: a file NAME.f32 or NAME.f32.gz with NAME.json beside it.`,
    );
  }
  const shape = JSON.parse(readFileSync(shapePath, 'utf8')) as Record<string, unknown>;
  const { frames, entities: people } = shape;
  if (!Number.isInteger(frames) || !Number.isInteger(people)) {
    throw new UsageError(`${shapePath}: it has no whole numbers \`frames\` and \`entities\`.`);
  }
  const file = readFileSync(path);
  const bytes = path.endsWith('.gz') ? gunzipSync(file) : file;
  const numbers = (frames as number) * (people as number) * 3;
  if (bytes.length !== numbers * 4) {
    throw new UsageError(
      `${path}: ${bytes.length} bytes, but ${String(frames)} frames of ${String(people)} people ` +
        `take ${numbers * 4}.`,
    );
  }
  const positions = new Float32Array(numbers);
  new Uint8Array(positions.buffer).set(bytes);
  return { positions, frames: frames as number, people: people as number };
}
