import { NetError } from '../net-error.ts';
import type { Snapshot } from './snapshot.ts';

/** Checks that a snapshot can take what is made of another one. */
export function checkOutput(out: Snapshot, input: Snapshot): void {
  if (out === input) {
    throw new NetError('SNAPSHOT_INVALID', 'output-is-input', 'A snapshot is its own input.', {
      fix: 'Give a snapshot as output that is none of the inputs.',
    });
  }
  if (out.shape !== input.shape) {
    throw new NetError('SNAPSHOT_INVALID', 'shape-mismatch', 'Two snapshots differ in record.', {
      fix: 'Make all snapshots that meet with one shape.',
    });
  }
}
