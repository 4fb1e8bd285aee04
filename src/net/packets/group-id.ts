import { NetError } from '../net-error.ts';

/** Throws VALUE_INVALID, `group-id-range`, for anything but a u32. */
export function checkGroupId(groupId: number): void {
  if (Number.isInteger(groupId) && groupId >= 0 && groupId <= 0xffff_ffff) return;
  throw new NetError('VALUE_INVALID', 'group-id-range', 'No group of packets has such an id.', {
    given: String(groupId),
    allowed: 'a whole number from 0 to 2^32 - 1',
    fix: 'Give the sequence of the update.',
  });
}
