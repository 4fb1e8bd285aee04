import { NetError } from '../net-error.ts';
import { BandSchedule } from './band-schedule.ts';

/** What an encode will make of a client's state, once its bytes are accepted. */
export class PendingState {
  nextSequence = 0;
  cursor = 0;
  incrementalSeeded = false;
  lodSeeded = false;
  /** Taken instead of the one in force if `scheduled`. */
  schedule: BandSchedule = new BandSchedule();
  scheduled = false;
}

/**
 * What one side remembers of one client. An encode leaves it as it is and keeps what would follow
 * aside; `commit` makes that the state. So an update whose bytes were refused never happened: the
 * next encode starts where this one did. Its public fields can be compared deeply.
 */
export class ClientReplicationState {
  /** The sequence of the next update, 1 to 2^32 - 1; the last one is never given out. */
  nextSequence = 1;
  /** The place in the population where the next turn begins. */
  cursor = 0;
  /** A complete update has been sent, so that updates in turn may follow. */
  incrementalSeeded = false;
  /** A complete update has been sent, so that updates by distance may follow. */
  lodSeeded = false;
  /** The newest sequence that was decoded; 0 before the first. */
  latestRemoteSequence = 0;
  /** When each entity is due; empty unless the pipeline has distance bands. */
  schedule: BandSchedule = new BandSchedule();
  readonly #pending = new PendingState();
  #open = false;

  /**
   * Makes the last encode's outcome the state. Call it when all bytes of the update were accepted.
   * Throws a {@link NetError} `nothing-to-commit` if there is none: the last call was skipped,
   * failed, or was committed or discarded already.
   */
  commit(): void {
    if (!this.#open)
      throw new NetError('STATE_INVALID', 'nothing-to-commit', 'There is no update to commit.', {
        fix: 'Commit once, after an encode that emitted.',
      });
    this.#open = false;
    const pending = this.#pending;
    this.nextSequence = pending.nextSequence;
    this.cursor = pending.cursor;
    this.incrementalSeeded = pending.incrementalSeeded;
    this.lodSeeded = pending.lodSeeded;
    if (!pending.scheduled) return;
    const before = this.schedule;
    this.schedule = pending.schedule;
    pending.schedule = before;
  }

  /** Forgets the last encode's outcome. The next encode does so by itself. */
  discard(): void {
    this.#open = false;
  }

  /**
   * Starts what is to follow, as a copy of the state without its schedule.
   *
   * @internal
   */
  beginPending(): PendingState {
    this.#open = false;
    const pending = this.#pending;
    pending.nextSequence = this.nextSequence;
    pending.cursor = this.cursor;
    pending.incrementalSeeded = this.incrementalSeeded;
    pending.lodSeeded = this.lodSeeded;
    pending.scheduled = false;
    return pending;
  }

  /**
   * Says that what is to follow is complete and may be committed.
   *
   * @internal
   */
  offerPending(): void {
    this.#open = true;
  }
}
