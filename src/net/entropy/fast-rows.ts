import type { Lane } from '../record/lane.ts';
import type { BitPort } from './bit-port.ts';
import type { CodedReplica } from './coded-replica.ts';
import { FastTokens } from './fast-tokens.ts';
import type { LaneGroup } from './lane-groups.ts';
import { ModelState } from './model-state.ts';
import { FLAG_SYMBOLS, FLAG_TABLES, RangeRun } from './range-run.ts';
import { RowChanges } from './row-changes.ts';
import type { RowCoder, RowTask } from './row-task.ts';
import { codeSpawnsPlain } from './spawn-rows.ts';
import { layTable, renewTables, TABLE_WORDS } from './symbol-tables.ts';

/** Where the tables of flags are: of rows that changed, of masks that are as in the row before. */
const ROWS = 0;
const SAME: number = FLAG_TABLES * TABLE_WORDS;
/** Where those of masks are, for each piece one for each way that it was last time. */
const MASKS: number = 2 * FLAG_TABLES * TABLE_WORDS;
const PIECE_BITS = 4;
const PIECE_WORDS: number = TABLE_WORDS << PIECE_BITS;
const PIECE_MASK: number = (1 << PIECE_BITS) - 1;

/**
 * Rows for thousands of them a packet: plain bits for what is new, then a run of the range coder,
 * then plain bits. In the run go flags of rows, fields and tokens that changed and, of each token,
 * how many bits its difference from the predicted place has; the rest of it goes as it is.
 * Everything passes in batches, one kind after the other, so that no call is made for a bit.
 * Frequencies stay as they are within an update and learn from it at its end.
 */
export class FastRows implements RowCoder {
  readonly #lanes: readonly Lane[];
  readonly #groups: readonly LaneGroup[];
  readonly #changes: RowChanges;
  readonly #port: BitPort;
  readonly #run: RangeRun;
  readonly #tokens: FastTokens;
  /** Words of the tables of flags and masks; those of the tokens follow. */
  readonly #maskWords: number;
  /** The end of all tables. */
  readonly #tableEnd: number;
  /** Masks pass as so many symbols. */
  readonly #pieces: number;
  #contexts: Uint8Array = new Uint8Array(0);
  #flags: Uint8Array = new Uint8Array(0);
  #places: Int32Array = new Int32Array(0);

  constructor(lanes: readonly Lane[], groups: readonly LaneGroup[], port: BitPort) {
    this.#lanes = lanes;
    this.#groups = groups;
    this.#port = port;
    this.#changes = new RowChanges(groups);
    this.#run = new RangeRun(port);
    this.#pieces = Math.ceil(groups.length / PIECE_BITS);
    this.#maskWords = MASKS + this.#pieces * PIECE_WORDS;
    this.#tokens = new FastTokens(lanes, groups, port, this.#run, this.#maskWords);
    this.#tableEnd = this.#maskWords + this.#tokens.words;
  }

  createState(): ModelState {
    const words = new Uint32Array(this.#tableEnd + this.#tableEnd / TABLE_WORDS);
    for (let at = 0; at < this.#maskWords; at += TABLE_WORDS) {
      layTable(words, at, at < MASKS ? FLAG_SYMBOLS : 1 << PIECE_BITS);
    }
    this.#tokens.lay(words);
    renewTables(words, this.#tableEnd);
    return new ModelState(words, new Float64Array(0));
  }

  code(task: RowTask): void {
    const { baseline, result, walk } = task;
    const port = this.#port;
    this.#changes.start(task, port.decoding);
    codeSpawnsPlain(task, port, this.#lanes);
    if (baseline === null || port.overran || walk.spawnCount === result.table.count) return;
    this.#run.begin();
    this.#codeFlags(task);
    this.#codeMasks(task, baseline);
    this.#tokens.code(task, baseline, this.#changes.changed);
    renewTables(result.models.words, this.#tableEnd);
  }

  /** Passes which rows changed, in the contexts of whether they did last time. */
  #codeFlags(task: RowTask): void {
    const { result, walk } = task;
    const { count } = result.table;
    const { moving, changed } = this.#changes;
    const { moved } = result;
    const { words } = result.models;
    if (walk.isSame) {
      this.#run.flags(words, ROWS, moving, moved, count);
    } else {
      this.#reserve(count);
      const contexts = this.#contexts;
      const flags = this.#flags;
      const { origin } = walk;
      let n = 0;
      for (let row = 0; row < count; row++) {
        if ((origin[row] as number) < 0) continue;
        contexts[n] = moving[row] as number;
        flags[n++] = moved[row] as number;
      }
      this.#run.flags(words, ROWS, contexts, flags, n);
      n = 0;
      for (let row = 0; row < count; row++) {
        if ((origin[row] as number) >= 0) moved[row] = flags[n++] as number;
      }
    }
    if (!this.#port.decoding) return;
    const { rows, before } = changed;
    const { origin } = walk;
    const laneCount = this.#lanes.length;
    let n = 0;
    for (let row = 0; row < count; row++) {
      rows[n] = row;
      before[n] = Math.imul(origin[row] as number, laneCount);
      n += moved[row] as number;
    }
    changed.count = n;
  }

  /** Passes which fields changed: whether they are those of the row before, and if not, which. */
  #codeMasks(task: RowTask, baseline: CodedReplica): void {
    const { rows, masks, before, count } = this.#changes.changed;
    if (this.#groups.length === 1) {
      masks.fill(1, 0, count);
      return;
    }
    this.#reserve(count);
    const isDecoding = this.#port.decoding;
    const { words } = task.result.models;
    const { moving } = this.#changes;
    const contexts = this.#contexts;
    const flags = this.#flags;
    let last = 0;
    for (let k = 0; k < count; k++) {
      contexts[k] = moving[rows[k] as number] as number;
      if (isDecoding) continue;
      const mask = (masks[k] as number) | 0;
      flags[k] = mask === last ? 1 : 0;
      last = mask;
    }
    this.#run.flags(words, SAME, contexts, flags, count);
    const places = this.#places;
    const pieces = this.#pieces;
    let n = 0;
    for (let k = 0; k < count; k++) {
      if (flags[k] === 1) continue;
      const moved = this.#movedMask(baseline, before[k] as number);
      const mask = isDecoding ? 0 : (masks[k] as number);
      for (let piece = 0; piece < pieces; piece++) {
        const context = (moved >>> (piece * PIECE_BITS)) & PIECE_MASK;
        const symbol = (mask >>> (piece * PIECE_BITS)) & PIECE_MASK;
        places[n++] = MASKS + piece * PIECE_WORDS + context * TABLE_WORDS + symbol;
      }
    }
    this.#run.symbols(words, places, n);
    if (isDecoding) this.#fillMasks();
  }

  /** When decoding: makes masks of what was read. */
  #fillMasks(): void {
    const { masks, count } = this.#changes.changed;
    const groups = this.#groups.length;
    const every = groups === 32 ? -1 : (1 << groups) - 1;
    let n = 0;
    let last = 0;
    for (let k = 0; k < count; k++) {
      if (this.#flags[k] === 0) {
        last = 0;
        for (let piece = 0; piece < this.#pieces; piece++) {
          last |= (this.#places[n++] as number) << (piece * PIECE_BITS);
        }
        last &= every;
      }
      masks[k] = last;
    }
  }

  /** Returns a bit for each group of the row of the baseline at `from` that had changed. */
  #movedMask(baseline: CodedReplica, from: number): number {
    let mask = 0;
    for (let g = 0; g < this.#groups.length; g++) {
      const { first, count } = this.#groups[g] as LaneGroup;
      let moved = 0;
      for (let i = from + first; i < from + first + count; i++) {
        moved |= baseline.motion[i] as number;
      }
      if (moved !== 0) mask |= 1 << g;
    }
    return mask;
  }

  #reserve(count: number): void {
    if (this.#flags.length >= count) return;
    const room = Math.max(count, this.#flags.length * 2);
    this.#flags = new Uint8Array(room);
    this.#contexts = new Uint8Array(room);
    this.#places = new Int32Array(room * this.#pieces);
  }
}
