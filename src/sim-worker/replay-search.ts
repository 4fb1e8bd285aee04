import type { Replay } from '../shared/replay/replay.ts';

/** Returns the tick of the last hash before a tick, -1 if there is none. */
export function lastHashBefore(replay: Replay, tick: number): number {
  const k = hashFrom(replay, tick) - 1;
  return k < 0 ? -1 : replay.hashAt(k).tick;
}

/** Returns the tick of the first hash that is not before a tick, -1 if there is none. */
export function nextHashFrom(replay: Replay, tick: number): number {
  const k = hashFrom(replay, tick);
  return k === replay.hashCount ? -1 : replay.hashAt(k).tick;
}

/** Returns the first keyframe that is not before a tick, by its place; their count if none. */
export function firstKeyframeFrom({ keyframes }: Replay, tick: number): number {
  const k = keyframes.findIndex((keyframe) => keyframe.tick >= tick);
  return k < 0 ? keyframes.length : k;
}

/** The place of the first hash that is not before a tick; their count if there is none. */
function hashFrom(replay: Replay, tick: number): number {
  let low = 0;
  let high = replay.hashCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (replay.hashAt(middle).tick < tick) low = middle + 1;
    else high = middle;
  }
  return low;
}
