import { tickModulo } from './tick-words.ts';

/** Mixes the bits of an id, so that ids in a row get phases that are not. */
export function mix32(id: number): number {
  let mixed = id ^ (id >>> 16);
  mixed = Math.imul(mixed, 0x7feb352d);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Returns the tick, modulo the interval, at which an entity is due. */
export function phaseOf(id: number, interval: number): number {
  return mix32(id) % interval;
}

/** Returns how many ticks after a tick an entity is due for the first time; 1 to `interval`. */
export function ticksToDue(id: number, interval: number, high: number, low: number): number {
  if (interval === 1) return 1;
  const ahead = phaseOf(id, interval) - tickModulo(high, low, interval);
  return ahead > 0 ? ahead : ahead + interval;
}
