import { NetError } from '../net-error.ts';
import type { RecordShape } from '../record/record-shape.ts';
import { SnapshotKind } from '../snapshot/snapshot-update.ts';
import {
  type ClientDeliveryOptions,
  type ResolvedClientDelivery,
  resolveClientDelivery,
} from './delivery-options.ts';
import { RetainedPool } from './retained-pool.ts';
import { NO_EXTRA, type ResultExtra, type RetainedResult } from './retained-result.ts';
import { RetainedRing } from './retained-ring.ts';

/** What the header of an update says, as header inspection found it. */
export interface ReceivedHeader {
  /** One of `SnapshotKind`. */
  readonly kind: number;
  /** The upper 32 bits of the tick. */
  readonly tickHigh: number;
  /** The lower 32 bits of the tick. */
  readonly tickLow: number;
  readonly sequence: number;
  /** 0: there is none. */
  readonly baselineSequence: number;
}

/**
 * What to do with an update.
 *
 * - `ready`: decode it against `baseline` into `draft`, then commit.
 * - `duplicate`: it was applied already; ignore it.
 * - `late`: a later one was applied; ignore it.
 * - `missing-baseline`: what it needs is not here; send a request for recovery.
 * - `awaiting-recovery`: the same, and that baseline or a later one was asked for already.
 * - `tick-earlier`: its tick is before that of the newest one that was applied; refuse it.
 * - `invalid-header`: kind, sequence and baseline do not go together; refuse it.
 */
export type ReceiveStatus =
  | 'ready'
  | 'duplicate'
  | 'late'
  | 'missing-baseline'
  | 'awaiting-recovery'
  | 'tick-earlier'
  | 'invalid-header';

const U32_MAX = 0xffff_ffff;

/**
 * The client's book on what it has applied: a history of replicas, what an update may build on, and
 * when to ask for recovery. It follows from the messages alone; it has no clock and no socket. For
 * each update that came whole:
 *
 * 1. `begin(header)`. Unless `ready`, nothing is decoded and nothing has changed but the counts.
 * 2. Decode against `baseline` into `draft.snapshot` (and `draft.extra`), and apply that.
 *    If either fails: `abandon()`, and the update is as if it had not come.
 * 3. `commit()`, then send an acknowledgement of `latestApplied`.
 *
 * Once warm it allocates nothing.
 */
export class ClientDelivery<Extra = undefined> {
  readonly #bounds: ResolvedClientDelivery;
  readonly #pool: RetainedPool<Extra>;
  readonly #history: RetainedRing<Extra>;
  readonly #counts: Record<ReceiveStatus, number> = {
    ready: 0,
    duplicate: 0,
    late: 0,
    'missing-baseline': 0,
    'awaiting-recovery': 0,
    'tick-earlier': 0,
    'invalid-header': 0,
  };
  #draft: RetainedResult<Extra>;
  #baseline: RetainedResult<Extra> | undefined;
  #isBegun = false;
  #latestApplied = 0;
  #applied = 0;
  #tickHigh = 0;
  #tickLow = 0;
  /**
   * The latest baseline that was asked for since the last progress; 0: none. An update that needs
   * an earlier one was overtaken: what it lacks comes with the answer to the later request.
   */
  #requested = 0;

  /** Throws OPTION_INVALID. */
  constructor(shape: RecordShape, options: ClientDeliveryOptions<Extra> = {}) {
    this.#bounds = resolveClientDelivery(options);
    const hooks = options.extra ?? (NO_EXTRA as ResultExtra<Extra>);
    this.#pool = new RetainedPool(shape, hooks, this.#bounds.maxBytes);
    this.#history = new RetainedRing(this.#bounds.maxResults);
    this.#draft = this.#pool.take();
  }

  /** The newest sequence that was applied, which is what to acknowledge; 0: none. */
  get latestApplied(): number {
    return this.#latestApplied;
  }

  /** The newest replica; undefined before the first. */
  get newest(): RetainedResult<Extra> | undefined {
    return this.#history.newest;
  }

  /** Replicas that are kept. */
  get historyCount(): number {
    return this.#history.count;
  }

  /** Returns a replica that is kept, 0 the oldest, or undefined. */
  historyAt(index: number): RetainedResult<Extra> | undefined {
    return this.#history.at(index);
  }

  /** Bytes of memory of all replicas that are kept. */
  get retainedBytes(): number {
    return this.#history.bytes;
  }

  /** Updates that were committed. */
  get applied(): number {
    return this.#applied;
  }

  /** How many updates had each status. */
  get receiveCounts(): Readonly<Record<ReceiveStatus, number>> {
    return this.#counts;
  }

  /** What the begun update is to be decoded against; undefined for a complete replacement. */
  get baseline(): RetainedResult<Extra> | undefined {
    return this.#baseline;
  }

  /**
   * Whether the begun update is a difference to the newest replica, so that its upserts and deletes
   * can be applied as they are. Otherwise the whole of `draft.snapshot` replaces what is shown.
   */
  get appliesDirectly(): boolean {
    return this.#baseline !== undefined && this.#baseline === this.#history.newest;
  }

  /**
   * The result to fill from the begun update: `snapshot` and `extra`; sequence and kind are set.
   * After {@link commit} another object.
   */
  get draft(): RetainedResult<Extra> {
    return this.#draft;
  }

  /** Begins an update by its header and says what to do with it. An earlier one is abandoned. */
  begin(header: ReceivedHeader): ReceiveStatus {
    if (this.#isBegun) this.abandon();
    const status = this.#judge(header);
    this.#counts[status]++;
    if (status === 'missing-baseline') this.#requested = header.baselineSequence;
    if (status !== 'ready') return status;
    this.#baseline = this.#history.find(header.baselineSequence);
    this.#draft.sequence = header.sequence;
    this.#draft.kind = header.kind;
    this.#draft.snapshot.tickHigh = header.tickHigh;
    this.#draft.snapshot.tickLow = header.tickLow;
    this.#isBegun = true;
    return status;
  }

  /**
   * Takes the draft as applied: it is the newest replica from now on, and the oldest ones go as far
   * as the bounds ask. The newest one is always kept. Throws STATE_INVALID when nothing was begun.
   */
  commit(): void {
    if (!this.#isBegun) {
      throw new NetError('STATE_INVALID', 'nothing-begun', 'There is no update to commit.', {
        given: 'no update that was begun, or one that was not ready',
        allowed: 'commit after begin() has returned ready',
        fix: 'Call begin() with the header of the update first.',
      });
    }
    const draft = this.#draft;
    const room = this.#bounds.maxBytes - draft.byteLength;
    const history = this.#history;
    while (
      history.count > 0 &&
      (history.count >= this.#bounds.maxResults || history.bytes > room)
    ) {
      this.#pool.give(history.shift());
    }
    history.push(draft);
    this.#latestApplied = draft.sequence;
    this.#tickHigh = draft.snapshot.tickHigh;
    this.#tickLow = draft.snapshot.tickLow;
    this.#applied++;
    this.#requested = 0;
    this.#baseline = undefined;
    this.#isBegun = false;
    this.#draft = this.#pool.take();
  }

  /** Forgets the begun update: it could not be decoded or applied. All else is as before. */
  abandon(): void {
    // The pool lets go of one that has grown beyond the bound.
    this.#pool.give(this.#draft);
    this.#draft = this.#pool.take();
    this.#baseline = undefined;
    this.#isBegun = false;
  }

  /** Makes it as it was at first, for another connection; memory is kept. */
  reset(): void {
    this.abandon();
    while (this.#history.count > 0) this.#pool.give(this.#history.shift());
    this.#latestApplied = 0;
    this.#applied = 0;
    this.#tickHigh = 0;
    this.#tickLow = 0;
    this.#requested = 0;
    for (const status of Object.keys(this.#counts)) this.#counts[status as ReceiveStatus] = 0;
  }

  #judge(header: ReceivedHeader): ReceiveStatus {
    if (!isConsistent(header)) return 'invalid-header';
    const { kind, sequence, baselineSequence, tickHigh, tickLow } = header;
    if (sequence <= this.#latestApplied) {
      return this.#history.find(sequence) === undefined ? 'late' : 'duplicate';
    }
    if (kind === SnapshotKind.Patch && this.#history.find(baselineSequence) === undefined) {
      return baselineSequence <= this.#requested ? 'awaiting-recovery' : 'missing-baseline';
    }
    const isEarlier =
      tickHigh < this.#tickHigh || (tickHigh === this.#tickHigh && tickLow < this.#tickLow);
    return isEarlier ? 'tick-earlier' : 'ready';
  }
}

function isConsistent(header: ReceivedHeader): boolean {
  const { kind, sequence, baselineSequence } = header;
  if (!(Number.isInteger(sequence) && sequence >= 1 && sequence <= U32_MAX)) return false;
  if (kind === SnapshotKind.FullReplace) return baselineSequence === 0;
  return kind === SnapshotKind.Patch && baselineSequence >= 1 && baselineSequence < sequence;
}
