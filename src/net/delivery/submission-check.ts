import { NetError } from '../net-error.ts';
import { SnapshotKind } from '../snapshot/snapshot-update.ts';
import type { RetainedResult } from './retained-result.ts';

/** The last u32: a sequence that would wrap after it is never issued. */
const SEQUENCE_END = 0xffff_ffff;

/** Checks what is to be submitted after `latest`; throws a NetError that names the rule. */
export function checkSubmission(
  draft: RetainedResult<unknown>,
  latest: number,
  ids: Uint32Array,
  idCount: number,
): void {
  const { sequence, kind } = draft;
  if (sequence === SEQUENCE_END) {
    throw new NetError('SEQUENCE_EXHAUSTED', 'sequence-exhausted', 'Sequences have run out.', {
      given: String(sequence),
      allowed: `1 to ${SEQUENCE_END - 1}: they do not wrap`,
      fix: 'Connect the client anew, with new states at both ends.',
    });
  }
  if (!(Number.isInteger(sequence) && sequence > latest && sequence < SEQUENCE_END)) {
    const fault = sequence === 0 ? 'sequence-zero' : 'sequence-not-later';
    throw new NetError('VALUE_INVALID', fault, 'An update comes after those before it.', {
      given: String(sequence),
      allowed: `an integer from ${latest + 1} to ${SEQUENCE_END - 1}`,
      fix: 'Give the sequence of the encoded update.',
    });
  }
  if (kind !== SnapshotKind.FullReplace && kind !== SnapshotKind.Patch) {
    throw new NetError('VALUE_INVALID', 'snapshot-kind', 'An update is not of that kind.', {
      given: String(kind),
      allowed: 'SnapshotKind.FullReplace, SnapshotKind.Patch',
      fix: 'Give the kind of the encoded update.',
    });
  }
  if (!(Number.isInteger(idCount) && idCount >= 0 && idCount <= ids.length)) {
    throw new NetError('VALUE_INVALID', 'recovery-ids', 'There are not as many ids.', {
      given: String(idCount),
      allowed: `an integer from 0 to ${ids.length}`,
      fix: 'Give the count of the ids in the array.',
    });
  }
}
