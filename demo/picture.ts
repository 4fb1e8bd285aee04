import type { SimulationTypes } from 'escapement';
import type { ReadColumn } from './column-reader.ts';

/** Bodies in the plane, as they are drawn. The columns stay valid until the next look. */
export interface Picture {
  count: number;
  /** x, y by row. */
  positions: Float32Array;
  /** Radians by row: where bodies head, and their colour; undefined colours them by row. */
  headings: Float32Array | undefined;
  /** Draws discs, whose heading is a colour and no more. */
  isRound: boolean;
}

/** Brings a picture up to the columns of a frame. */
export type ReadPicture<T extends SimulationTypes> = (read: ReadColumn<T>, into: Picture) => void;

const NONE: Float32Array = new Float32Array(0);

/** Makes a picture of nothing. */
export function createPicture(): Picture {
  return { count: 0, positions: NONE, headings: undefined, isRound: false };
}
