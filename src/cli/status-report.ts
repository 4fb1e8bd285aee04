import type { ClockStatus } from '../shared/clock-control.ts';

/** Returns a status as one line of JSON; a figure that does not exist yet is null. */
export function formatStatusJson(status: ClockStatus): string {
  return `${JSON.stringify({ event: 'status', ...status })}\n`;
}

/** Returns a status as one line for people, without a line break. */
export function formatStatusLine(status: ClockStatus): string {
  const { tick, time, mode, speed, realizedSpeed, dropped } = status;
  const real = Number.isNaN(realizedSpeed) ? '' : ` (really ${realizedSpeed.toFixed(2)})`;
  const lost = dropped > 0 ? `, ${dropped} dropped` : '';
  return `tick ${tick}, ${time.toFixed(2)} s, ${mode}, speed ${speed}${real}${lost}`;
}
