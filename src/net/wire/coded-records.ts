import { CodedReplica } from '../entropy/coded-replica.ts';
import { type CodedStatus, UpdateCoder } from '../entropy/update-coder.ts';
import type { CodingEffort } from '../entropy/coding-effort.ts';
import { NetError } from '../net-error.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { RecordShape } from '../record/record-shape.ts';
import type { TokenTable } from '../record/token-table.ts';
import type { SnapshotUpdate } from '../snapshot/snapshot-update.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { ByteBuffer } from './byte-buffer.ts';
import type { UpdateHeader } from './update-header.ts';
import type { UpdatePlan } from './update-plan.ts';

/** What coded records are found to be; `ok`, or the first rule that is broken. */
export type CodedRecordsStatus =
  | 'ok'
  | 'coded-tick-out-of-range'
  | 'coded-rows-invalid'
  | 'truncated-coded-records'
  | 'trailing-bytes'
  | 'coded-count-mismatch';

const WORD = 2 ** 32;

/** The upper word of the first tick that is no safe integer. */
const TICK_HIGH_END = 2 ** 21;

const STATUS: Readonly<Record<CodedStatus, CodedRecordsStatus>> = {
  decoded: 'ok',
  'bad-rows': 'coded-rows-invalid',
  truncated: 'truncated-coded-records',
  'trailing-bytes': 'trailing-bytes',
};

/**
 * What follows the header where records are coded: ids that are gone, ids that are new, and tokens,
 * as differences from the baseline. It is scratch for any number of clients, and holds nothing of
 * them.
 */
export class CodedRecords {
  readonly effort: CodingEffort;
  readonly #coder: UpdateCoder;
  /** What a replica must be like to be used here. */
  readonly #pattern: CodedReplica;

  constructor({ lanes }: RecordShape, effort: CodingEffort) {
    this.effort = effort;
    this.#coder = new UpdateCoder(lanes, effort);
    this.#pattern = this.#coder.createReplica();
  }

  /** Makes the coder of a pipeline, or undefined if its records are not coded. */
  static of({ shape, coding }: Pipeline): CodedRecords | undefined {
    return coding === undefined ? undefined : new CodedRecords(shape, coding);
  }

  /** Returns an empty replica, to be written or read into. */
  createReplica(): CodedReplica {
    return this.#coder.createReplica();
  }

  /** Says whether a replica is of as many lanes, and its models of the same kind. */
  fits(replica: CodedReplica): boolean {
    if (!(replica instanceof CodedReplica)) return false;
    const { table, models } = this.#pattern;
    return (
      replica.table.laneCount === table.laneCount &&
      replica.models.words.length === models.words.length &&
      replica.models.reals.length === models.reals.length
    );
  }

  /** Says whether a replica and a snapshot are of one update, as far as tick and count tell. */
  isOf(replica: CodedReplica, snapshot: Snapshot): boolean {
    const { tickHigh, tickLow, count } = snapshot;
    return replica.table.count === count && replica.tick === tickHigh * WORD + tickLow;
  }

  /**
   * Writes what a plan says as a difference to `baseline`, or as complete if that is null, and
   * fills `result`. Returns the end of the bytes. Throws a {@link NetError}
   * `baseline-coded-mismatch` if the plan is no difference to that baseline.
   */
  write(
    plan: UpdatePlan,
    baseline: CodedReplica | null,
    result: CodedReplica,
    out: ByteBuffer,
    begin: number,
  ): number {
    const tick = plan.tickHigh * WORD + plan.tickLow;
    const size = this.#coder.encode(baseline, tick, plan, result);
    if (!this.#isDifference(plan, result)) throw noDifference();
    out.reserve(begin + size);
    this.#coder.copyTo(out.bytes, begin);
    return begin + size;
  }

  /**
   * Reads records from `begin` to the end of the bytes: fills `result`, the tokens of the upserts
   * and the deletes. All of them are rubbish unless the status is `ok`.
   */
  read(
    header: UpdateHeader,
    bytes: Uint8Array,
    begin: number,
    baseline: CodedReplica | null,
    result: CodedReplica,
    upserts: TokenTable,
    update: SnapshotUpdate,
  ): CodedRecordsStatus {
    const { tickHigh, tickLow } = header;
    if (tickHigh >= TICK_HIGH_END) return 'coded-tick-out-of-range';
    const tick = tickHigh * WORD + tickLow;
    const status = this.#coder.decode(baseline, tick, bytes, begin, bytes.length, result);
    if (status !== 'decoded') return STATUS[status];
    const { deletes, deleteCount } = this.#coder.walk;
    if (deleteCount !== header.deleteCount) return 'coded-count-mismatch';
    if (this.#countUpserts(result) !== header.upsertCount) return 'coded-count-mismatch';
    update.reserveDeletes(deleteCount);
    update.deleteCount = deleteCount;
    for (let index = 0; index < deleteCount; index++) {
      update.deletes[index] = deletes[index] as number;
    }
    this.#takeUpserts(result, header.upsertCount | 0, upserts);
    return 'ok';
  }

  /** A reader takes the rows that are new or differ for what was sent: those must be all. */
  #isDifference(plan: UpdatePlan, { moved }: CodedReplica): boolean {
    const { deleteCount, sent, sentCount, origin } = this.#coder.walk;
    let count = 0;
    for (let index = 0; index < sentCount; index++) {
      const row = sent[index] as number;
      if ((origin[row] as number) < 0 || moved[row] !== 0) count++;
    }
    return count === plan.rowCount && deleteCount === plan.deleteCount;
  }

  #countUpserts({ table, moved }: CodedReplica): number {
    const { origin } = this.#coder.walk;
    let count = 0;
    for (let row = 0; row < table.count; row++) {
      if ((origin[row] as number) < 0 || moved[row] !== 0) count++;
    }
    return count;
  }

  #takeUpserts({ table, moved }: CodedReplica, count: number, upserts: TokenTable): void {
    const { origin } = this.#coder.walk;
    const { laneCount, ids, tokens } = table;
    upserts.count = 0;
    upserts.reserve(count);
    upserts.count = count;
    const toIds = upserts.ids;
    const toTokens = upserts.tokens;
    let to = 0;
    for (let row = 0; row < table.count; row++) {
      if ((origin[row] as number) >= 0 && moved[row] === 0) continue;
      toIds[to] = ids[row] as number;
      const end = (row + 1) * laneCount;
      let at = to * laneCount;
      for (let from = row * laneCount; from < end; from++) toTokens[at++] = tokens[from] as number;
      to++;
    }
  }
}

function noDifference(): NetError {
  return new NetError(
    'VALUE_INVALID',
    'baseline-coded-mismatch',
    'What is kept beside a baseline is not that of its snapshot.',
    {
      allowed: 'the coded replica that the encode of that very snapshot filled',
      fix: 'Keep the two together, as a RetainedResult with codedExtra() does.',
    },
  );
}
