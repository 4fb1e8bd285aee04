import type { ClockStatus } from '../shared/clock-control.ts';

/** How much of a run is in its file. */
export interface RecordedSoFar {
  /** It is complete through this tick. */
  readonly tick: number;
  readonly bytes: number;
}

/** Returns a status as one line of JSON; a figure that does not exist yet is null. */
export function formatStatusJson(status: ClockStatus, recorded?: RecordedSoFar): string {
  const more = recorded === undefined ? {} : { recorded };
  return `${JSON.stringify({ event: 'status', ...status, ...more })}\n`;
}

/** Returns a status as one line for people, without a line break. */
export function formatStatusLine(status: ClockStatus, recorded?: RecordedSoFar): string {
  const { tick, time, mode, speed, realizedSpeed, dropped } = status;
  const real = Number.isNaN(realizedSpeed) ? '' : ` (really ${realizedSpeed.toFixed(2)})`;
  const lost = dropped > 0 ? `, ${dropped} dropped` : '';
  const kept =
    recorded === undefined ? '' : `, recorded to ${recorded.tick} (${formatBytes(recorded.bytes)})`;
  return `tick ${tick}, ${time.toFixed(2)} s, ${mode}, speed ${speed}${real}${lost}${kept}`;
}

/** Returns a number of bytes for people. */
export function formatBytes(bytes: number): string {
  if (bytes < 10_000) return `${bytes} bytes`;
  return bytes < 10_000_000 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Returns a number of things for people: `1 hash`, `2 hashes`. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
