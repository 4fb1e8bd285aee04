import type { Replay } from './replay.ts';

/** Returns the last keyframe that is not after a tick, by its place; -1 when there is none. */
export function keyframeBefore({ keyframes }: Replay, tick: number): number {
  let low = 0;
  let high = keyframes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keyframes[middle]?.tick as number) <= tick) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Formats a hash: 16 lowercase hexadecimal digits. */
export function hashText(high: number, low: number): string {
  const part = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');
  return part(high) + part(low);
}
