/** Recorded movement: x, y, z in metres by frame and person, NaN while absent. */
export interface Recording {
  readonly positions: Float32Array;
  readonly frames: number;
  readonly people: number;
}

/** Says what is wrong with files that were given; the message is for people. */
export class RecordingError extends Error {
  override readonly name: string = 'RecordingError';
}

/** Says whether a file is one of the two that make a recording, by its name. */
export function isRecordingFile({ name }: File): boolean {
  return /\.(?:json|f32|f32\.gz)$/.test(name);
}

/**
 * Reads a recording from the two files that make one: `NAME.f32` or `NAME.f32.gz`, and `NAME.json`
 * with its shape (`frames`, `entities`). Rejects with a {@link RecordingError} where they do not
 * fit.
 */
export async function readRecording(files: readonly File[]): Promise<Recording> {
  const shapeFile = files.find(({ name }) => name.endsWith('.json'));
  const file = files.find(({ name }) => /\.f32(?:\.gz)?$/.test(name));
  if (shapeFile === undefined || file === undefined) {
    throw new RecordingError('A recording is two files: NAME.f32.gz and NAME.json. Drop both.');
  }
  const { frames, people } = readShape(shapeFile.name, await shapeFile.text());
  const packed = file.stream();
  const stream = file.name.endsWith('.gz')
    ? packed.pipeThrough(new DecompressionStream('gzip'))
    : packed;
  const bytes = await new Response(stream).arrayBuffer().catch(() => {
    throw new RecordingError(`${file.name} cannot be unpacked.`);
  });
  const wanted = frames * people * 3 * Float32Array.BYTES_PER_ELEMENT;
  if (bytes.byteLength !== wanted) {
    throw new RecordingError(
      `${file.name} has ${bytes.byteLength} bytes; ` +
        `${frames} frames of ${people} people take ${wanted}.`,
    );
  }
  return { positions: new Float32Array(bytes), frames, people };
}

function readShape(name: string, text: string): { frames: number; people: number } {
  let shape: unknown;
  try {
    shape = JSON.parse(text);
  } catch {
    throw new RecordingError(`${name} is no JSON.`);
  }
  const { frames, entities } = (shape ?? {}) as { frames?: unknown; entities?: unknown };
  if (isCount(frames) && isCount(entities)) return { frames, people: entities };
  throw new RecordingError(`${name} has no whole numbers \`frames\` and \`entities\`.`);
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}
