import type { Kernels } from '../shared/kernels/kernels.ts';
import type { Region } from '../shared/region.ts';

/** A reader's own room in the region, beside the columns of its channels. */
export interface ReaderOutputs {
  readonly buffer: ArrayBufferLike;
  /** Loops over the region's memory; undefined where there are none, or none are wanted. */
  readonly kernels: Kernels | undefined;
  /** 16 f32 a row, column by column. */
  readonly matrices: Float32Array;
  /** Parts of matrices, a row each, one behind the other: at most three, four and three f32. */
  readonly positions: Float32Array;
  readonly orientations: Float32Array;
  readonly scales: Float32Array;
  /** Slot indices: of the rows that were asked for, and of those that were kept. */
  readonly chosen: Uint32Array;
  readonly kept: Uint32Array;
}

/** Opens the room of a reader. */
export function openOutputs(
  region: Region,
  reader: number,
  kernels: Kernels | undefined,
): ReaderOutputs {
  const { layout, buffer } = region;
  const { capacity, outputParts, outputRows } = layout;
  const begin = layout.outputs + reader * layout.outputBytes;
  const floats = (offset: number, numbers: number): Float32Array =>
    new Float32Array(buffer, begin + offset, numbers * capacity);
  const words = (offset: number): Uint32Array => new Uint32Array(buffer, begin + offset, capacity);
  return {
    buffer,
    kernels,
    matrices: floats(layout.outputMatrices, 16),
    positions: floats(outputParts[0], 3),
    orientations: floats(outputParts[1], 4),
    scales: floats(outputParts[2], 3),
    chosen: words(outputRows[0]),
    kept: words(outputRows[1]),
  };
}
