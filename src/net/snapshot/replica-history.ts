import { assert } from '../../shared/assert.ts';
import { NetError } from '../net-error.ts';
import type { RecordShape } from '../record/record-shape.ts';
import { Snapshot } from './snapshot.ts';

/** How much a {@link ReplicaHistory} keeps. */
export interface ReplicaHistoryOptions {
  /** Snapshots at most; 64 by default. */
  readonly maxSnapshots?: number | undefined;
  /** Bytes of their memory at most, but for the newest one; 128 MiB by default. */
  readonly maxBytes?: number | undefined;
}

const DEFAULT_SNAPSHOTS = 64;
const DEFAULT_BYTES = 128 * 2 ** 20;

/**
 * The last snapshots of a replica by the sequence of the update that led to each, so that the
 * baseline of a patch can be found. The oldest go first. What goes is reused: it holds as many
 * bytes again for that, and once warm it allocates nothing.
 */
export class ReplicaHistory {
  readonly #shape: RecordShape;
  readonly #maxSnapshots: number;
  readonly #maxBytes: number;
  /** Rings of equal length: what is kept, oldest first from `#first` on. */
  readonly #sequences: Float64Array;
  readonly #snapshots: (Snapshot | null)[];
  #first = 0;
  #count = 0;
  #bytes = 0;
  readonly #pool: Snapshot[] = [];
  #poolBytes = 0;
  #spare: Snapshot | null = null;

  /** @throws NetError `option-range` if a limit is not a whole number from 1. */
  constructor(shape: RecordShape, options: ReplicaHistoryOptions = {}) {
    const { maxSnapshots = DEFAULT_SNAPSHOTS, maxBytes = DEFAULT_BYTES } = options;
    checkLimit('maxSnapshots', maxSnapshots, 2 ** 20);
    checkLimit('maxBytes', maxBytes, Number.MAX_SAFE_INTEGER);
    this.#shape = shape;
    this.#maxSnapshots = maxSnapshots;
    this.#maxBytes = maxBytes;
    this.#sequences = new Float64Array(maxSnapshots + 1);
    this.#snapshots = Array.from({ length: maxSnapshots + 1 }, () => null);
  }

  /** Snapshots that are kept. */
  get count(): number {
    return this.#count;
  }

  /** Bytes of the memory of those that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The sequence of the newest one; 0 if there is none. */
  get newestSequence(): number {
    return this.#count === 0 ? 0 : (this.#sequences[this.#slot(this.#count - 1)] as number);
  }

  /** The newest one, or null. */
  get newest(): Snapshot | null {
    return this.#count === 0 ? null : (this.#snapshots[this.#slot(this.#count - 1)] as Snapshot);
  }

  /**
   * Returns the snapshot to reconstruct into, with anything in it. It is the same one until it is
   * kept, so nothing is to be undone after a failure.
   */
  spare(): Snapshot {
    if (this.#spare !== null) return this.#spare;
    const pooled = this.#pool.pop();
    if (pooled !== undefined) this.#poolBytes -= pooled.capacityBytes;
    this.#spare = pooled ?? new Snapshot(this.#shape);
    return this.#spare;
  }

  /**
   * Keeps the spare as the newest snapshot; it must not be changed from then on. Returns how many
   * old ones had to go for it.
   *
   * @param sequence above that of the newest one, up to 2^32 - 1.
   * @throws NetError `sequence-not-later` if it is not; `no-spare` if no spare was taken.
   */
  keep(sequence: number): number {
    this.#checkNext(sequence);
    const snapshot = this.#spare;
    if (snapshot === null) {
      throw new NetError('STATE_INVALID', 'no-spare', 'There is no snapshot to keep.', {
        given: 'keep() without a spare()',
        allowed: 'one keep() for each spare()',
        fix: 'Write what spare() returns, then call keep().',
      });
    }
    this.#spare = null;
    const slot = this.#slot(this.#count);
    this.#sequences[slot] = sequence;
    this.#snapshots[slot] = snapshot;
    this.#count++;
    this.#bytes += snapshot.capacityBytes;
    let gone = 0;
    for (; this.#count > 1; gone++) {
      if (this.#count <= this.#maxSnapshots && this.#bytes <= this.#maxBytes) break;
      this.#dropOldest();
    }
    return gone;
  }

  /** Returns the snapshot of a sequence, good until it goes, or null. */
  find(sequence: number): Snapshot | null {
    // The newest are asked for most.
    for (let index = this.#count - 1; index >= 0; index--) {
      const slot = this.#slot(index);
      const found = this.#sequences[slot] as number;
      if (found === sequence) return this.#snapshots[slot] as Snapshot;
      if (found < sequence) return null;
    }
    return null;
  }

  /** Drops all of a lower sequence; returns how many. */
  dropBefore(sequence: number): number {
    let gone = 0;
    for (; this.#count > 0; gone++) {
      if ((this.#sequences[this.#first] as number) >= sequence) break;
      this.#dropOldest();
    }
    return gone;
  }

  /** Drops everything; the next sequence may be any. */
  clear(): void {
    while (this.#count > 0) this.#dropOldest();
  }

  #slot(index: number): number {
    const slot = this.#first + index;
    return slot < this.#sequences.length ? slot : slot - this.#sequences.length;
  }

  #dropOldest(): void {
    const snapshot = this.#snapshots[this.#first];
    assert(snapshot, 'a kept slot holds a snapshot');
    this.#snapshots[this.#first] = null;
    this.#first = this.#slot(1);
    this.#count--;
    const bytes = snapshot.capacityBytes;
    this.#bytes -= bytes;
    if (this.#pool.length >= this.#maxSnapshots) return;
    if (this.#poolBytes + bytes > this.#maxBytes) return;
    this.#pool.push(snapshot);
    this.#poolBytes += bytes;
  }

  #checkNext(sequence: number): void {
    const newest = this.newestSequence;
    if (Number.isInteger(sequence) && sequence > newest && sequence < 2 ** 32) return;
    throw new NetError('VALUE_INVALID', 'sequence-not-later', 'A snapshot comes too late.', {
      given: String(sequence),
      allowed: `a whole number above ${newest} and below 4294967296`,
      fix: 'Keep snapshots in the order of their updates.',
    });
  }
}

function checkLimit(name: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= max) return;
  throw new NetError('OPTION_INVALID', 'option-range', `${name} is no limit of a history.`, {
    given: String(value),
    allowed: `a whole number from 1 to ${max}`,
    fix: 'Leave it out for the default.',
  });
}
