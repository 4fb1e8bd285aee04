/** A run of a film's frames. */
export interface FrameRange {
  /** The first frame, and how many there are. */
  readonly first: number;
  readonly count: number;
}

/** Splits frames into as many runs as there are jobs, none of them empty. */
export function splitFrames({ first, count }: FrameRange, jobs: number): readonly FrameRange[] {
  const parts = Math.min(jobs, count);
  const begin = (part: number): number => Math.floor((part * count) / parts);
  return Array.from({ length: parts }, (_, part) => ({
    first: first + begin(part),
    count: begin(part + 1) - begin(part),
  }));
}
