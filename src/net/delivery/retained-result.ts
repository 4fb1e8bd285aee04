import type { RecordShape } from '../record/record-shape.ts';
import { SnapshotKind } from '../snapshot/snapshot-update.ts';
import { Snapshot } from '../snapshot/snapshot.ts';

/**
 * What is kept beside the snapshot of a result, such as the state of a model that both ends must
 * start from. Objects are made once and used again: `create` allocates, the others must not.
 */
export interface ResultExtra<Extra> {
  /** Makes one that is empty. */
  create(): Extra;
  /** Makes `to` equal to `from`. */
  copy(from: Extra, to: Extra): void;
  /** Makes one as `create` made it; it may keep its memory. */
  reset(extra: Extra): void;
  /** Returns the bytes of memory that one holds. */
  byteLength(extra: Extra): number;
}

/** Nothing beside the snapshot. */
export const NO_EXTRA: ResultExtra<undefined> = Object.freeze({
  create: () => undefined,
  copy: () => undefined,
  reset: () => undefined,
  byteLength: () => 0,
});

/**
 * One update's outcome, as the client holds it once it has applied the update: what a later update
 * can be a difference to. Whoever fills it writes `sequence`, `kind`, `snapshot` and `extra`; once
 * it is committed nobody writes to it until it goes back to its pool.
 */
export class RetainedResult<Extra = undefined> {
  /** The sequence of the update. */
  sequence = 0;
  /** What the update did, one of `SnapshotKind`. */
  kind: number = SnapshotKind.FullReplace;
  /** The whole population after the update, canonical values. */
  readonly snapshot: Snapshot;
  /** What is kept beside it. */
  readonly extra: Extra;
  /** Bytes of memory that count for it while it is kept; set when it is kept. */
  heldBytes = 0;
  readonly #hooks: ResultExtra<Extra>;
  /** One double, in memory of its own: a field of doubles would make a box at each write. */
  readonly #keptMs: Float64Array = new Float64Array(1);

  constructor(shape: RecordShape, hooks: ResultExtra<Extra>) {
    this.snapshot = new Snapshot(shape);
    this.extra = hooks.create();
    this.#hooks = hooks;
  }

  /** When it was kept, milliseconds of the caller's clock. */
  get keptMs(): number {
    return this.#keptMs[0] as number;
  }

  set keptMs(ms: number) {
    this.#keptMs[0] = ms;
  }

  /**
   * Says whether it was kept more than `maxAgeMs` before `nowMs`. Here, since a double that leaves
   * `keptMs` may be boxed.
   */
  isOlderThan(nowMs: number, maxAgeMs: number): boolean {
    return nowMs - (this.#keptMs[0] as number) > maxAgeMs;
  }

  /** Bytes of memory that it holds now, what is reserved and not used included. */
  get byteLength(): number {
    return this.snapshot.capacityBytes + this.#hooks.byteLength(this.extra);
  }

  /** Takes the number, the kind, the snapshot and the extra of another one of the same record. */
  copyFrom(other: RetainedResult<Extra>): void {
    this.sequence = other.sequence;
    this.kind = other.kind;
    this.snapshot.copyFrom(other.snapshot);
    this.#hooks.copy(other.extra, this.extra);
  }

  /** Makes it as it was at first; it keeps its memory. */
  reset(): void {
    this.sequence = 0;
    this.kind = SnapshotKind.FullReplace;
    this.heldBytes = 0;
    this.keptMs = 0;
    this.snapshot.clear();
    this.#hooks.reset(this.extra);
  }
}
