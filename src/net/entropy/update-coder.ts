import { assert } from '../../shared/assert.ts';
import type { Lane } from '../record/lane.ts';
import { BitPort } from './bit-port.ts';
import { CodedReplica } from './coded-replica.ts';
import { FastRows } from './fast-rows.ts';
import { groupLanes } from './lane-groups.ts';
import { ModelState } from './model-state.ts';
import { PackedRows } from './packed-rows.ts';
import { RangePort } from './range-port.ts';
import type { CodingEffort } from './coding-effort.ts';
import { RowWalk, type UpdateContent } from './row-walk.ts';
import { SpawnRoom } from './spawn-room.ts';
import type { RowCoder, RowTask } from './row-task.ts';
import { StrongRows } from './strong-rows.ts';

/**
 * What became of a packet. All but `decoded` leave the result in no state to be used; the baseline
 * is never touched.
 *
 * - `bad-rows`: deletes or new ids that cannot be.
 * - `truncated`: it ends before what it says (not of `strong`: its range coder reads zeros).
 * - `trailing-bytes`: it goes on after what it says.
 */
export type CodedStatus = 'decoded' | 'bad-rows' | 'truncated' | 'trailing-bytes';

/**
 * Turns updates of a record into bytes and back. What is coded against a baseline needs that
 * baseline's {@link CodedReplica} alone, so nothing that is lost on the way matters. Both sides end
 * with equal replicas. It is scratch for any number of clients; the replicas are theirs.
 */
export class UpdateCoder {
  /** What the last update did to the rows; see there. */
  readonly walk: RowWalk = new RowWalk();
  readonly #laneCount: number;
  readonly #hasErrors: boolean;
  readonly #spawnRoom: SpawnRoom;
  readonly #port: BitPort | RangePort;
  readonly #rows: RowCoder;
  readonly #task: RowTask;
  /** What all replicas begin with, held once. */
  readonly #unlearned: ModelState;

  /**
   * @param lanes - The lanes of the record, those of a field next to each other; at most 32 fields.
   */
  constructor(lanes: readonly Lane[], effort: CodingEffort) {
    const groups = groupLanes(lanes);
    assert(groups.length <= 32, 'a record has at most 32 fields');
    this.#laneCount = lanes.length;
    this.#spawnRoom = new SpawnRoom(lanes, effort);
    this.#hasErrors = effort === 'strong';
    if (effort === 'strong') {
      const port = new RangePort();
      this.#port = port;
      this.#rows = new StrongRows(lanes, groups, port);
    } else {
      const port = new BitPort();
      this.#port = port;
      this.#rows =
        effort === 'fast' ? new FastRows(lanes, groups, port) : new PackedRows(lanes, groups, port);
    }
    this.#unlearned = this.#rows.createState();
    const result = this.createReplica();
    this.#task = { walk: this.walk, baseline: null, result, table: result.table };
  }

  /** Returns an empty replica, for `encode` and `decode` to write to. */
  createReplica(): CodedReplica {
    const { words, reals } = this.#unlearned;
    return new CodedReplica(this.#laneCount, new ModelState(words, reals), this.#hasErrors);
  }

  /**
   * Encodes an update: what `content` says, against `baseline`, or as complete if that is null.
   * Writes what the client will hold to `result`, which must be another object than `baseline`.
   * Returns the count of bytes; take them with {@link copyTo} before the next call.
   */
  encode(
    baseline: CodedReplica | null,
    tick: number,
    content: UpdateContent,
    result: CodedReplica,
  ): number {
    this.#start(baseline, tick, result);
    this.#task.table = content.table;
    this.walk.prepare(baseline, content);
    this.#port.startWriting();
    const isSound = this.walk.code(this.#port, baseline, result, 2 ** 32);
    assert(isSound, 'rows that are sent can be coded');
    this.walk.match(content, result);
    this.#rows.code(this.#task);
    return this.#port.finish(this.#spawnRoom.bytesOf(this.walk.spawnCount));
  }

  /** Copies the bytes of the last encoded update to `target` from `offset` on. */
  copyTo(target: Uint8Array, offset: number): void {
    this.#port.copyTo(target, offset);
  }

  /**
   * Decodes an update from bytes `first` to `end - 1`. Never throws for what the bytes are; the
   * memory it takes is in proportion to the rows of the baseline and to the bytes.
   */
  decode(
    baseline: CodedReplica | null,
    tick: number,
    bytes: Uint8Array,
    first: number,
    end: number,
    result: CodedReplica,
  ): CodedStatus {
    this.#start(baseline, tick, result);
    this.#task.table = result.table;
    this.#port.startReading(bytes, first, end);
    const spawnLimit = this.#spawnRoom.rowsIn(end - first);
    if (!this.walk.code(this.#port, baseline, result, spawnLimit)) return 'bad-rows';
    this.#rows.code(this.#task);
    if (this.#port.overran) return 'truncated';
    return this.#port.drained ? 'decoded' : 'trailing-bytes';
  }

  #start(baseline: CodedReplica | null, tick: number, result: CodedReplica): void {
    assert(baseline !== result, 'a result is another replica than its baseline');
    this.#task.baseline = baseline;
    this.#task.result = result;
    result.tick = tick;
    result.span = baseline === null ? 0 : Math.max(1, tick - baseline.tick);
    if (baseline === null) result.models.reset();
    else result.models.copyFrom(baseline.models);
  }
}
