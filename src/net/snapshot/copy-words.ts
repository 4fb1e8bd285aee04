/**
 * Copies the first `count` words. What lies behind them in the target is lost: where that is
 * cheaper than a loop, the whole source is copied, since a part of it would have to be made as an
 * object.
 */
export function copyWords(from: Uint32Array, to: Uint32Array, count: number): void {
  if (from.length <= to.length && from.length <= 4 * count) {
    to.set(from);
    return;
  }
  for (let at = 0; at < count; at++) to[at] = from[at] as number;
}
