import { EscapementError } from '../../shared/error.ts';

/** Throws VALUE_INVALID for anything but bytes. */
export function checkBytes(bytes: Uint8Array): void {
  if (bytes instanceof Uint8Array) return;
  throw new EscapementError('VALUE_INVALID', 'Packets are made of bytes and nothing else.', {
    given: Object.prototype.toString.call(bytes),
    allowed: 'a Uint8Array',
    fix: 'Wrap an ArrayBuffer: new Uint8Array(buffer).',
  });
}

/** Throws VALUE_INVALID for anything but a u32. */
export function checkGroupId(groupId: number): void {
  if (Number.isInteger(groupId) && groupId >= 0 && groupId <= 0xffff_ffff) return;
  throw new EscapementError('VALUE_INVALID', 'No group of packets has such an id.', {
    given: String(groupId),
    allowed: 'a whole number from 0 to 2^32 - 1',
    fix: 'Give the sequence of the update.',
  });
}

/** Throws VALUE_INVALID for anything but a finite number. */
export function checkNow(nowMs: number): void {
  if (Number.isFinite(nowMs)) return;
  throw new EscapementError('VALUE_INVALID', 'Packets cannot come at that time.', {
    given: String(nowMs),
    allowed: 'a finite number of milliseconds',
    fix: 'Give the reading of one clock that only grows.',
  });
}
