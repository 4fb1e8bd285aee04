import { NetError } from '../net-error.ts';
import type { RecordShape } from '../record/record-shape.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { EncodeRequest, Replica } from './encode-request.ts';
import { brokenRule } from './tick-source.ts';
import type { SnapshotRules } from '../snapshot/snapshot-rules.ts';

const WORD = 2 ** 32;

/** Checks what the client is said to hold, before anything else. */
export function checkReplicas(
  request: EncodeRequest,
  shape: RecordShape,
  rules: SnapshotRules,
  ownResult: Snapshot,
): void {
  checkReplica(request.baseline, 'baseline', shape, rules);
  checkReplica(request.replica, 'replica', shape, rules);
  const result = request.result ?? ownResult;
  if (result.shape !== shape)
    throw refused('result-foreign', 'The result is of another record than the pipeline.');
  if (result === request.baseline?.snapshot || result === request.replica?.snapshot)
    throw refused('result-in-use', 'The result would overwrite what the client holds.');
}

/**
 * Checks that what was given fits together and fits the pipeline; holds on ticks without an update
 * too.
 */
export function checkRelations(request: EncodeRequest, usesBaseline: boolean, lod: boolean): void {
  const { baseline, replica, recovery } = request;
  if (baseline !== null && baseline !== undefined) {
    if (baseline.snapshot === null)
      throw refused('baseline-sequence-without-snapshot', 'A baseline has no snapshot.');
    if (!usesBaseline)
      throw refused('baseline-not-allowed', 'This pipeline sends no changes of a baseline.');
    if (baseline.sequence === 0)
      throw refused('baseline-sequence-zero', 'A baseline has the sequence 0, which is reserved.');
  }
  if (replica !== null && replica !== undefined) {
    if (replica.snapshot === null)
      throw refused('replica-sequence-without-snapshot', 'A replica has no snapshot.');
    if (replica.sequence === 0)
      throw refused('replica-sequence-zero', 'A replica has the sequence 0, which is reserved.');
    if (lod)
      throw refused('lod-takes-no-replica', 'Distance bands take a baseline and no replica.');
  }
  if (recovery !== null && recovery !== undefined)
    checkRecovery(recovery, recoveryCountOf(request));
  if (request.forceFullReplace !== true) return;
  if ((baseline ?? replica ?? null) !== null || recoveryCountOf(request) > 0)
    throw refused(
      'force-takes-nothing-else',
      'A forced complete update takes no baseline, no replica and nothing to recover.',
    );
}

/** Checks what is known only once the sequence of the update is. */
export function checkEarlier(request: EncodeRequest, sequence: number): void {
  const { baseline, replica } = request;
  if (baseline !== null && baseline !== undefined && baseline.sequence >= sequence)
    throw notEarlier('baseline-not-earlier', baseline.sequence, sequence);
  if (replica !== null && replica !== undefined && replica.sequence >= sequence)
    throw notEarlier('replica-not-earlier', replica.sequence, sequence);
}

/** Checks the candidates of a coarse query. */
export function checkCandidates(candidates: Uint32Array, count: number, rows: number): void {
  let before = -1;
  for (let i = 0; i < count; i++) {
    const row = candidates[i];
    if (row === undefined || row >= rows)
      throw refused('candidate-out-of-range', `Candidate ${row} is no row of the population.`);
    if (row <= before)
      throw refused('candidate-order', 'The candidates are not in strictly ascending order.');
    before = row;
  }
}

/** How many of the ids to recover count. */
export function recoveryCountOf(request: EncodeRequest): number {
  return request.recoveryCount ?? request.recovery?.length ?? 0;
}

/** The error of a request that the pipeline does not take. */
export function refused(fault: string, headline: string): NetError {
  return new NetError('VALUE_INVALID', fault, headline);
}

function checkReplica(
  replica: Replica | null | undefined,
  name: 'baseline' | 'replica',
  shape: RecordShape,
  rules: SnapshotRules,
): void {
  if (replica === null || replica === undefined) return;
  const { sequence } = replica;
  if (!Number.isInteger(sequence) || sequence < 0 || sequence >= WORD)
    throw new NetError('VALUE_INVALID', `${name}-sequence-invalid`, `A ${name} has no sequence.`, {
      given: String(sequence),
      allowed: 'a whole number from 1 to 2^32 - 1',
    });
  if (replica.snapshot === null) return;
  if (replica.snapshot.shape !== shape)
    throw refused(`${name}-foreign`, `A ${name} is of another record than the pipeline.`);
  if (replica.trusted !== true) checkRules(replica.snapshot, name, rules);
}

function checkRules(snapshot: Snapshot, name: string, rules: SnapshotRules): void {
  const broken = rules.check(snapshot);
  if (broken !== null) throw brokenRule(`${name}-invalid`, `The ${name} is not valid.`, broken);
}

function checkRecovery(recovery: Uint32Array, count: number): void {
  let before = 0;
  for (let i = 0; i < count; i++) {
    const id = recovery[i];
    if (id === undefined || id <= before)
      throw refused('recovery-id-order', 'Ids to recover are not strictly ascending from 1.');
    before = id;
  }
}

function notEarlier(fault: string, given: number, sequence: number): NetError {
  return new NetError('VALUE_INVALID', fault, 'What a client holds is newer than the update.', {
    given: String(given),
    allowed: `1 to ${sequence - 1}`,
  });
}
