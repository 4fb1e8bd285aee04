import { assert } from '../../shared/assert.ts';
import { checkTime } from '../argument-checks.ts';
import { NetError } from '../net-error.ts';
import type { RecordShape } from '../record/record-shape.ts';
import { SnapshotKind } from '../snapshot/snapshot-update.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import {
  type ResolvedServerDelivery,
  resolveServerDelivery,
  type ServerDeliveryOptions,
} from './delivery-options.ts';
import { RecoveryRows } from './recovery-rows.ts';
import { RetainedPool } from './retained-pool.ts';
import { NO_EXTRA, type ResultExtra, type RetainedResult } from './retained-result.ts';
import { RetainedRing } from './retained-ring.ts';
import { NO_IDS, RetentionPlan, type RetentionVerdict } from './retention-plan.ts';
import { checkSubmission } from './submission-check.ts';

/**
 * What an acknowledgement did.
 *
 * - `promoted`: that result is now the acknowledged one; it and all older submitted ones are done.
 * - `duplicate`: it says what the latest one said.
 * - `stale`: it is older than the latest one.
 * - `future`: no such update was submitted, or it is 0.
 * - `missing`: the result is not kept any more, so recovery begins.
 */
export type AckOutcome = 'promoted' | 'duplicate' | 'stale' | 'future' | 'missing';

/** Why a client gets complete replacements; `none`: it does not. */
export type RecoveryReason =
  | 'none'
  | 'no-acknowledged-baseline'
  | 'client-request'
  | 'missing-retained-result'
  | 'ack-stalled'
  | 'retention-pressure'
  | 'baseline-expired';

/**
 * The server's book on one client: which updates were submitted, what the client has acknowledged,
 * and what a patch may build on. It follows from its messages and the times that it is given alone;
 * it has no clock and no socket. A turn of the server's loop for a client:
 *
 * 1. `prepare(now)`: if it returns true, encode a forced complete replacement.
 * 2. Encode against `baseline` into `draft`.
 * 3. `plan(...)`. Unless `accepted`: `discard()`, send nothing, and the sequence is not consumed.
 * 4. Send all chunks. If one is refused: `abandon()`, else `commit(now)`.
 *
 * Once warm it allocates nothing.
 */
export class ServerDelivery<Extra = undefined> {
  readonly #bounds: ResolvedServerDelivery;
  readonly #pool: RetainedPool<Extra>;
  readonly #submitted: RetainedRing<Extra>;
  readonly #recovery: RecoveryRows;
  readonly #plan: RetentionPlan = new RetentionPlan();
  readonly #counts: Record<AckOutcome, number> = {
    promoted: 0,
    duplicate: 0,
    stale: 0,
    future: 0,
    missing: 0,
  };
  #draft: RetainedResult<Extra>;
  #acknowledged: RetainedResult<Extra> | undefined;
  #latestSubmitted = 0;
  #latestAcknowledged = 0;
  #sinceProgress = 0;
  #reason: RecoveryReason = 'no-acknowledged-baseline';
  #forcedReplacements = 0;
  #evictions = 0;

  /** Throws OPTION_INVALID. */
  constructor(shape: RecordShape, options: ServerDeliveryOptions<Extra> = {}) {
    this.#bounds = resolveServerDelivery(options);
    const hooks = options.extra ?? (NO_EXTRA as ResultExtra<Extra>);
    this.#pool = new RetainedPool(shape, hooks, this.#bounds.maxBytes);
    this.#submitted = new RetainedRing(this.#bounds.maxResults);
    this.#recovery = new RecoveryRows(shape);
    this.#draft = this.#pool.take();
  }

  /** The newest sequence that was committed; 0: none. */
  get latestSubmitted(): number {
    return this.#latestSubmitted;
  }

  /** The newest sequence that was acknowledged, kept or not; 0: none. It never goes back. */
  get latestAcknowledged(): number {
    return this.#latestAcknowledged;
  }

  /** The result of the newest acknowledgement, unless it has expired or was discarded. */
  get acknowledged(): RetainedResult<Extra> | undefined {
    return this.#acknowledged;
  }

  /** Results that were submitted since and are kept. */
  get submittedCount(): number {
    return this.#submitted.count;
  }

  /** Returns a submitted result that is kept, 0 the oldest, or undefined. */
  submittedAt(index: number): RetainedResult<Extra> | undefined {
    return this.#submitted.at(index);
  }

  /** Updates that were committed since an acknowledgement promoted a result. */
  get submissionsSinceProgress(): number {
    return this.#sinceProgress;
  }

  /** While true, every update must be a forced complete replacement. */
  get isRecovering(): boolean {
    return this.#reason !== 'none';
  }

  /** Why it recovers; the latest of several reasons. */
  get recoveryReason(): RecoveryReason {
    return this.#reason;
  }

  /**
   * The rows that went out in patches and are not known to have come, with their newest states,
   * ascending by id. Give their ids to the next patch. Valid until the next call that changes this.
   */
  get recoveryRows(): Snapshot {
    return this.#recovery.rows;
  }

  /** Complete replacements that were committed while it recovered. */
  get forcedReplacements(): number {
    return this.#forcedReplacements;
  }

  /** Results that went without being acknowledged or superseded. */
  get evictions(): number {
    return this.#evictions;
  }

  /** How many acknowledgements had each outcome. */
  get ackCounts(): Readonly<Record<AckOutcome, number>> {
    return this.#counts;
  }

  /** Bytes of memory of all results that are kept. */
  get retainedBytes(): number {
    return this.#submitted.bytes + (this.#acknowledged?.heldBytes ?? 0);
  }

  /**
   * What the next patch is a difference to; undefined: there is nothing, so it must be a complete
   * replacement. Over unreliable delivery the acknowledged result, over reliable delivery the
   * latest one that was submitted.
   */
  get baseline(): RetainedResult<Extra> | undefined {
    if (this.isRecovering) return undefined;
    if (!this.#bounds.isReliable) return this.#acknowledged;
    const newest = this.#submitted.newest ?? this.#acknowledged;
    return newest?.sequence === this.#latestSubmitted ? newest : undefined;
  }

  /**
   * The result to fill for the next update: its sequence, kind, snapshot and extra. After
   * {@link commit} another object; until then it may be filled again.
   */
  get draft(): RetainedResult<Extra> {
    return this.#draft;
  }

  /**
   * Begins a turn: lets old results go and looks for a stall. Returns whether the next update must
   * be a forced complete replacement. Throws VALUE_INVALID for a time that is none.
   */
  prepare(nowMs: number): boolean {
    this.expire(nowMs);
    this.checkStall();
    return this.isRecovering;
  }

  /** Says whether `threshold` updates or more went by without progress; never for 0. */
  isStalled(threshold: number = this.#bounds.stallThreshold): boolean {
    return threshold > 0 && this.#sinceProgress >= threshold;
  }

  /** Begins recovery if the acknowledgements have stalled. Returns whether they have. */
  checkStall(): boolean {
    const isStalled = this.isStalled();
    if (isStalled && !this.isRecovering) this.#reason = 'ack-stalled';
    return isStalled;
  }

  /**
   * Lets go what was submitted more than `maxAgeMs` before. Recovery begins if the acknowledged
   * result goes; its number stays. Throws VALUE_INVALID for a time that is none.
   */
  expire(nowMs: number): void {
    checkTime(nowMs);
    const { maxAgeMs } = this.#bounds;
    for (;;) {
      const oldest = this.#submitted.oldest;
      if (oldest === undefined || !oldest.isOlderThan(nowMs, maxAgeMs)) break;
      this.#evictOldest();
    }
    if (this.#acknowledged?.isOlderThan(nowMs, maxAgeMs) === true) {
      this.#dropAcknowledged('baseline-expired');
    }
  }

  /** Takes an acknowledgement of the newest update that the client has applied. */
  acknowledge(sequence: number): AckOutcome {
    const outcome = this.#judge(sequence);
    this.#counts[outcome]++;
    if (outcome === 'missing') this.#reason = 'missing-retained-result';
    if (outcome === 'promoted') this.#promote(sequence);
    return outcome;
  }

  /**
   * Says whether a request for recovery is about updates that are still under way: the missing
   * baseline not before the acknowledged one, the rejected update after it and submitted.
   */
  acceptsRecovery(rejected: number, missing: number): boolean {
    if (!(missing >= this.#latestAcknowledged && missing < rejected)) return false;
    return rejected > this.#latestAcknowledged && rejected <= this.#latestSubmitted;
  }

  /** Takes a client's request for recovery. Returns whether it was accepted; if so it begins. */
  requestRecovery(rejected: number, missing: number): boolean {
    const isAccepted = this.acceptsRecovery(rejected, missing);
    if (isAccepted) this.#reason = 'client-request';
    return isAccepted;
  }

  /**
   * Says whether the draft can be kept, and what has to go for it; changes nothing but the plan.
   * For a patch of a part of the population over unreliable delivery, give the ids of its upserts
   * in `ids[0]` to `ids[idCount - 1]`, ascending: those rows of `rows` are recovered until they are
   * acknowledged. Nothing of what is given may change until the plan is committed or abandoned.
   *
   * Throws a NetError: SEQUENCE_EXHAUSTED when the sequence has come to 2^32 - 1, VALUE_INVALID for
   * a sequence that is not later than the latest submitted one, an unknown kind, or ids that do not
   * ascend or have no row.
   */
  plan(
    ids: Uint32Array = NO_IDS,
    idCount: number = ids.length,
    rows: Snapshot = this.#draft.snapshot,
  ): RetentionVerdict {
    this.#plan.clear();
    checkSubmission(this.#draft, this.#latestSubmitted, ids, idCount);
    const rowCount = this.#recovery.countWith(rows, ids, idCount);
    const { maxBytes, maxResults, maxRecoveryRows } = this.#bounds;
    const bytes = this.#draft.byteLength;
    const room = maxBytes - bytes - (this.#acknowledged?.heldBytes ?? 0);
    if (bytes > maxBytes) return 'too-large';
    if (room < 0 || (idCount > 0 && rowCount > maxRecoveryRows)) return 'retention-pressure';
    let evictions = 0;
    let left = this.#submitted.bytes;
    while (this.#submitted.count - evictions >= maxResults || left > room) {
      left -= this.#submitted.at(evictions)?.heldBytes ?? 0;
      evictions++;
    }
    this.#plan.accept(evictions, rows, ids, idCount);
    return 'accepted';
  }

  /** The submitted results, from the oldest on, that a commit of the plan lets go. */
  get plannedEvictions(): number {
    return this.#plan.evictions;
  }

  /**
   * Takes the planned draft as submitted: all its bytes were accepted for sending. Throws
   * STATE_INVALID without a plan, VALUE_INVALID for a time that is none.
   */
  commit(nowMs: number): void {
    checkTime(nowMs);
    const { isAccepted, rows, ids, idCount } = this.#plan;
    if (!isAccepted || rows === undefined) {
      throw new NetError('STATE_INVALID', 'nothing-planned', 'There is no plan to commit.', {
        given: 'a draft that was not planned, or whose plan was not accepted',
        allowed: 'commit after plan() has returned accepted',
        fix: 'Call plan() and send the update first.',
      });
    }
    const draft = this.#draft;
    const { maxBytes, maxResults } = this.#bounds;
    // The plan is made out anew: acknowledgements may have come since. One that promoted a result
    // which had to go leaves the bound exceeded until the next plan.
    const room = maxBytes - draft.byteLength - (this.#acknowledged?.heldBytes ?? 0);
    const submitted = this.#submitted;
    while (submitted.count > 0 && (submitted.count >= maxResults || submitted.bytes > room)) {
      this.#evictOldest();
    }
    this.#recovery.add(rows, ids, idCount);
    draft.keptMs = nowMs;
    this.#submitted.push(draft);
    this.#latestSubmitted = draft.sequence;
    this.#sinceProgress++;
    if (this.isRecovering && draft.kind === SnapshotKind.FullReplace) this.#forcedReplacements++;
    this.#draft = this.#pool.take();
    this.#plan.clear();
  }

  /** Forgets the draft and its plan: nothing was sent. Everything else is as before. */
  abandon(): void {
    this.#draft.reset();
    this.#plan.clear();
  }

  /**
   * Lets the acknowledged result and the draft go and begins recovery. For a result that could not
   * be kept; the room of the acknowledged one is free then.
   */
  discard(reason: Exclude<RecoveryReason, 'none'> = 'retention-pressure'): void {
    this.abandon();
    this.#dropAcknowledged(reason);
  }

  /** Makes it as it was at first, for another client; memory is kept. */
  reset(): void {
    this.abandon();
    while (this.#submitted.count > 0) this.#pool.give(this.#submitted.shift());
    if (this.#acknowledged !== undefined) this.#pool.give(this.#acknowledged);
    this.#acknowledged = undefined;
    this.#recovery.clear();
    this.#latestSubmitted = 0;
    this.#latestAcknowledged = 0;
    this.#sinceProgress = 0;
    this.#reason = 'no-acknowledged-baseline';
    this.#forcedReplacements = 0;
    this.#evictions = 0;
    const counts = this.#counts;
    counts.promoted = counts.duplicate = counts.stale = counts.future = counts.missing = 0;
  }

  #judge(sequence: number): AckOutcome {
    const latest = this.#latestAcknowledged;
    if (latest > 0 && sequence === latest) return 'duplicate';
    if (sequence < latest) return 'stale';
    if (!(sequence >= 1 && sequence <= this.#latestSubmitted)) return 'future';
    return this.#submitted.find(sequence) === undefined ? 'missing' : 'promoted';
  }

  #promote(sequence: number): void {
    let result = this.#submitted.shift();
    while (result.sequence !== sequence) {
      this.#pool.give(result);
      result = this.#submitted.shift();
    }
    if (this.#acknowledged !== undefined) this.#pool.give(this.#acknowledged);
    this.#acknowledged = result;
    this.#latestAcknowledged = sequence;
    this.#sinceProgress = 0;
    if (result.kind === SnapshotKind.FullReplace) this.#reason = 'none';
    this.#settle(result.snapshot);
  }

  /** Lets rows to recover go that an acknowledgement has settled. */
  #settle(acknowledged: Snapshot): void {
    const submitted = this.#submitted;
    const newest = submitted.newest?.snapshot;
    if (!this.#bounds.isPartial) {
      this.#recovery.keepUnacknowledged(acknowledged, newest);
      return;
    }
    // The rows of replacements were not given to `plan`, and patches are built on older results.
    for (let index = 0; newest !== undefined && index < submitted.count; index++) {
      if (submitted.at(index)?.kind !== SnapshotKind.FullReplace) continue;
      this.#recovery.addDifferences(acknowledged, newest);
      break;
    }
    this.#recovery.keepUnsettled(acknowledged, submitted);
  }

  #dropAcknowledged(reason: RecoveryReason): void {
    this.#reason = reason;
    const acknowledged = this.#acknowledged;
    if (acknowledged === undefined) return;
    this.#acknowledged = undefined;
    this.#evictions++;
    this.#pool.give(acknowledged);
  }

  #evictOldest(): void {
    assert(this.#submitted.count > 0, 'what has to go is there');
    this.#evictions++;
    this.#pool.give(this.#submitted.shift());
  }
}
