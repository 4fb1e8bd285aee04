import { hasBit } from '../shared/bitset.ts';
import type { RosterView } from './roster-view.ts';

/*
 * Threads    the reader's own.
 * Memory     reads one pinned roster, writes an array of the caller's.
 * Ordering   plain reads under a pin.
 * Progress   wait-free, allocates nothing.
 * Invariant  equal versions of one run give equal words.
 */

/** Set in a word of an entity that opted out of blending: it shows each of its moves at once. */
export const SLOT_WORD_UNBLENDED = 2;

/** What of two words must be equal for their slot to be blended. */
export const SLOT_WORD_IDENTITY: number = ~SLOT_WORD_UNBLENDED >>> 0;

/**
 * Writes one word a slot for a blend elsewhere, on a GPU for example, and returns how many slots
 * there are. 0 shows nothing: nobody lives there, it is hidden, or it has no bit in `presence`.
 * Else bit 0 is set, bit 1 is {@link SLOT_WORD_UNBLENDED}, and the rest is the slot's stamp. Stamps
 * count up one by one, so that two consecutive ticks would need a thousand million of them in
 * between to be taken for the same.
 */
export function writeSlotWords(
  roster: RosterView,
  presence: Uint32Array,
  out: Uint32Array,
): number {
  const { highWater, alive, hidden, unblended, stamps } = roster;
  const checkUnblended = roster.unblendedCount > 0;
  for (let index = 0; index < highWater; index++) {
    const place = index >>> 5;
    const shown =
      (((alive[place] as number) & ~(hidden[place] as number) & (presence[place] as number)) >>>
        (index & 31)) &
      1;
    if (shown === 0) {
      out[index] = 0;
      continue;
    }
    const snaps = checkUnblended && hasBit(unblended, index) ? SLOT_WORD_UNBLENDED : 0;
    out[index] = ((stamps[index] as number) << 2) | snaps | 1;
  }
  return highWater;
}
