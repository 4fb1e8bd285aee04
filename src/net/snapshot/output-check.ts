import { NetError } from '../net-error.ts';
import { checkSameRecord } from '../record/same-record.ts';
import type { Snapshot } from './snapshot.ts';

/** Checks that a snapshot can take what is made of another one. */
export function checkOutput(out: Snapshot, input: Snapshot): void {
  if (out === input) {
    throw new NetError('SNAPSHOT_INVALID', 'output-is-input', 'A snapshot is its own input.', {
      given: 'one snapshot as input and as output',
      allowed: 'an output that is none of the inputs',
      fix: 'Keep one more snapshot to write to.',
    });
  }
  checkSameRecord(out, input);
}
