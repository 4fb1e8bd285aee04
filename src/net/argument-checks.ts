import { NetError } from './net-error.ts';

/** Throws VALUE_INVALID, `not-bytes`, for anything but bytes. */
export function checkBytes(bytes: Uint8Array): void {
  if (bytes instanceof Uint8Array) return;
  throw new NetError('VALUE_INVALID', 'not-bytes', 'Only bytes go over a network.', {
    given: Object.prototype.toString.call(bytes),
    allowed: 'a Uint8Array',
    fix: 'Wrap an ArrayBuffer: new Uint8Array(buffer).',
  });
}

/** Throws VALUE_INVALID, `time-range`, for anything but a finite number. */
export function checkTime(nowMs: number): void {
  if (Number.isFinite(nowMs)) return;
  throw new NetError('VALUE_INVALID', 'time-range', 'That is no time.', {
    given: String(nowMs),
    allowed: 'a finite number of milliseconds',
    fix: 'Give the reading of one clock that only grows.',
  });
}
