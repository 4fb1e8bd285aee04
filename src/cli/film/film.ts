import type { Rational } from '../../shared/rational.ts';

/** What each frame is stored as before it goes into a film. */
export type StillKind = 'png' | 'gif' | 'webp';

/** A film that is being written. Frames come in order; nothing else is called after `finish`. */
export interface Film {
  /** Takes a frame, stored as the film's kind wants it. */
  add(still: Uint8Array, index: number): Promise<void>;
  /** Writes what is left; the film is whole then. */
  finish(): Promise<void>;
  /** Lets go of files and processes, whole or not. Idempotent. */
  close(): Promise<void>;
}

/** What a film is made of. */
export interface FilmShape {
  readonly width: number;
  readonly height: number;
  readonly fps: Rational;
  /** The number of the film's first frame. */
  readonly first: number;
}

/**
 * Returns for how many units of time a frame is shown, where a second has `units`: the times at
 * which frames begin are rounded, not how long they last, so that nothing adds up.
 */
export function unitsShown({ fps, first }: FilmShape, index: number, units: number): number {
  const at = (frame: number): bigint => {
    const scaled = 2n * BigInt(units) * BigInt(frame) * BigInt(fps.denominator);
    const rate = BigInt(fps.numerator);
    return (scaled + rate) / (2n * rate);
  };
  return Number(at(index - first + 1) - at(index - first));
}
