import type { Lane } from '../record/lane.ts';
import { type BitPort, REST_WIDTH } from './bit-port.ts';
import type { ChangedRows } from './changed-rows.ts';
import type { CodedReplica } from './coded-replica.ts';
import type { LaneGroup } from './lane-groups.ts';
import { FLAG_SYMBOLS, FLAG_TABLES, type RangeRun } from './range-run.ts';
import type { RowTask } from './row-task.ts';
import { ESCAPE, ITEM_REST, itemOf, NEAR, nearItems, OWN_MOST, SIZED_BITS } from './size-items.ts';
import { layTable, TABLE_WORDS } from './symbol-tables.ts';

const SPEED_CLASSES = 8;
/** Values of so many bits at most are symbols. */
const SYMBOL_BITS = 5;
const PIECE = 16;
/** Rows in one call, for what is said of symbols in {@link RangeRun}. */
const CHUNK = 128;

/** What a lane is in its group. */
const MOVED = 0;
const LARGEST = 1;
const COMPONENT = 2;
const VALUE = 3;
const OPTIONAL = 4;

/** What became of the largest component of an orientation, in this update and in the last one. */
const TURNED = 1;
const HAD_TURNED = 2;

/** Ways to go through the tokens. */
const GATHER = 0;
const WRITE = 1;
const FIND = 2;
const READ = 3;

/** The tokens of rows that changed: flags and symbols for the range coder, and plain bits. */
export class FastTokens {
  /** Words of the models of tokens. */
  readonly words: number;
  readonly #port: BitPort;
  readonly #run: RangeRun;
  /** Whether there are lanes that may be as they were although their group changed. */
  readonly #hasFlags: boolean;
  /** Where the models of flags are, and for each lane where its tables are. */
  readonly #flags: number;
  readonly #tables: Int32Array;
  readonly #roles: Uint8Array;
  readonly #widths: Uint8Array;
  readonly #groupOf: Uint8Array;
  #ratio = 1;
  #flagContexts: Uint8Array = new Uint8Array(0);
  #flagBits: Uint8Array = new Uint8Array(0);
  #places: Int32Array = new Int32Array(0);
  #rests: Int32Array = new Int32Array(0);
  /** Of rows of which an orientation changed: whether its largest component did, then and now. */
  #turns: Uint8Array = new Uint8Array(0);
  /** How many there are so far, of those above. */
  #placeCount = 0;
  #restCount = 0;
  #flagCount = 0;

  /**
   * @param first - The first word of its models.
   */
  constructor(
    lanes: readonly Lane[],
    groups: readonly LaneGroup[],
    port: BitPort,
    run: RangeRun,
    first: number,
  ) {
    this.#port = port;
    this.#run = run;
    this.#flags = first;
    this.#roles = Uint8Array.from(groups.flatMap(rolesOf));
    this.#hasFlags = this.#roles.some((role) => role === LARGEST || role === OPTIONAL);
    this.#widths = Uint8Array.from(lanes, ({ bits }) => bits);
    this.#groupOf = Uint8Array.from(groups.flatMap(({ count }, g) => Array(count).fill(g)));
    this.#tables = new Int32Array(lanes.length);
    let at = first + FLAG_TABLES * TABLE_WORDS;
    for (let i = 0; i < lanes.length; i++) {
      this.#tables[i] = at;
      at += this.#tableCount(i) * TABLE_WORDS;
    }
    this.words = at - first;
  }

  /** Lays out models that have learned nothing. */
  lay(words: Uint32Array): void {
    for (let c = 0; c < FLAG_TABLES; c++) {
      layTable(words, this.#flags + c * TABLE_WORDS, FLAG_SYMBOLS);
    }
    for (let i = 0; i < this.#widths.length; i++) {
      const bits = this.#widths[i] as number;
      const isValue = !isDifference(this.#roles[i] as number);
      const symbols = isValue ? 2 ** bits : bits > SIZED_BITS ? ESCAPE + 1 : 2 * bits + 3;
      for (let c = 0; c < this.#tableCount(i); c++) {
        layTable(words, (this.#tables[i] as number) + c * TABLE_WORDS, symbols);
      }
    }
  }

  /** Passes the tokens of the rows that changed, and ends the run. */
  code(task: RowTask, baseline: CodedReplica, changed: ChangedRows): void {
    const { words } = task.result.models;
    this.#reserve(changed.count, this.#roles.length);
    this.#ratio = baseline.span === 0 ? 1 : task.result.span / baseline.span;
    if (this.#hasFlags) {
      this.#pass(GATHER, task, baseline, changed);
      this.#run.flags(words, this.#flags, this.#flagContexts, this.#flagBits, this.#flagCount);
    }
    this.#pass(this.#port.decoding ? FIND : WRITE, task, baseline, changed);
    this.#run.symbols(words, this.#places, this.#placeCount);
    this.#run.end();
    if (this.#port.decoding) this.#pass(READ, task, baseline, changed);
    else this.#port.writeAll(this.#rests, this.#restCount);
  }

  /** Goes through the tokens: some rows at a time, of them lane by lane. */
  #pass(pass: number, task: RowTask, baseline: CodedReplica, changed: ChangedRows): void {
    this.#placeCount = 0;
    this.#restCount = 0;
    this.#flagCount = 0;
    for (let first = 0; first < changed.count; first += CHUNK) {
      const end = Math.min(first + CHUNK, changed.count);
      for (let lane = 0; lane < this.#roles.length; lane++) {
        const role = this.#roles[lane] as number;
        if (pass === GATHER) {
          if (isFlagged(role)) this.#gatherFlags(task, baseline, changed, lane, first, end);
        } else if (isDifference(role)) {
          if (pass === WRITE) this.#writeMoved(task, baseline, changed, lane, first, end);
          else if (pass === FIND) this.#findTables(baseline, changed, lane, first, end);
          else this.#readMoved(task, baseline, changed, lane, first, end);
        } else {
          this.#passNames(pass, task, baseline, changed, lane, first, end);
        }
      }
    }
  }

  /** Gathers which tokens are not what they were, of a lane that is not predicted. */
  #gatherFlags(
    task: RowTask,
    baseline: CodedReplica,
    changed: ChangedRows,
    lane: number,
    first: number,
    end: number,
  ): void {
    const isDecoding = this.#port.decoding;
    const { tokens } = baseline.table;
    const after = task.table.tokens;
    const g = this.#groupOf[lane] as number;
    for (let k = first; k < end; k++) {
      if ((((changed.masks[k] as number) >>> g) & 1) === 0) continue;
      const from = (changed.before[k] as number) + lane;
      const at = (changed.after[k] as number) + lane;
      this.#flagContexts[this.#flagCount] = baseline.motion[from] === 0 ? 0 : 1;
      const isOther = !isDecoding && tokens[from] !== after[at];
      this.#flagBits[this.#flagCount++] = isOther ? 1 : 0;
    }
  }

  /** Writes a lane as differences from where tokens would be if they moved on as before. */
  #writeMoved(
    task: RowTask,
    baseline: CodedReplica,
    changed: ChangedRows,
    lane: number,
    first: number,
    end: number,
  ): void {
    const { rows, masks, before: froms, after: ats } = changed;
    const { motion } = baseline;
    const before = baseline.table.tokens;
    const after = task.table.tokens;
    const out = task.result.table.tokens;
    const outMotion = task.result.motion;
    const turns = this.#turns;
    const places = this.#places;
    const rests = this.#rests;
    const ratio = this.#ratio;
    const laneCount = this.#roles.length;
    const table = this.#tables[lane] as number;
    const bits = this.#widths[lane] as number;
    const unused = 32 - bits;
    const g = this.#groupOf[lane] as number;
    const isComponent = this.#roles[lane] === COMPONENT;
    let n = this.#placeCount;
    let r = this.#restCount;
    for (let k = first; k < end; k++) {
      if ((((masks[k] as number) >>> g) & 1) === 0) continue;
      const to = Math.imul(rows[k] as number, laneCount) + lane;
      const from = (froms[k] as number) + lane;
      const old = (before[from] as number) | 0;
      const token = (after[(ats[k] as number) + lane] as number) | 0;
      const turn = isComponent ? (turns[k] as number) : 0;
      out[to] = token;
      outMotion[to] = (token - old) | 0;
      let symbol = ESCAPE;
      if ((turn & TURNED) === 0) {
        let speed = (motion[from] as number) & ((turn >> 1) - 1);
        if (ratio !== 1) speed = Math.round(speed * ratio) | 0;
        const sign = speed >> 31;
        const error = ((((token - old - speed) << unused) >> unused) ^ sign) - sign;
        const near = error + NEAR;
        const item = near >>> 0 < 2 * NEAR ? (nearItems[near] as number) : itemOf(error);
        symbol = item & ESCAPE;
        places[n++] = table + speedTable(speed) + symbol;
        if (symbol !== ESCAPE) {
          rests[r++] = item >>> ITEM_REST;
          continue;
        }
      }
      rests[r++] = (token & 0xffff) | ((bits < PIECE ? bits : PIECE) << REST_WIDTH);
      if (bits > PIECE) rests[r++] = (token >>> PIECE) | ((bits - PIECE) << REST_WIDTH);
    }
    this.#placeCount = n;
    this.#restCount = r;
  }

  /** When decoding: finds by what tables the symbols of a lane are to be read. */
  #findTables(
    baseline: CodedReplica,
    changed: ChangedRows,
    lane: number,
    first: number,
    end: number,
  ): void {
    const { masks, before: froms } = changed;
    const { motion } = baseline;
    const turns = this.#turns;
    const places = this.#places;
    const ratio = this.#ratio;
    const table = this.#tables[lane] as number;
    const g = this.#groupOf[lane] as number;
    const isComponent = this.#roles[lane] === COMPONENT;
    let n = this.#placeCount;
    for (let k = first; k < end; k++) {
      if ((((masks[k] as number) >>> g) & 1) === 0) continue;
      const turn = isComponent ? (turns[k] as number) : 0;
      if ((turn & TURNED) !== 0) continue;
      let speed = (motion[(froms[k] as number) + lane] as number) & ((turn >> 1) - 1);
      if (ratio !== 1) speed = Math.round(speed * ratio) | 0;
      places[n++] = table + speedTable(speed);
    }
    this.#placeCount = n;
  }

  /** When decoding: makes tokens of a lane of symbols and of what remains of them. */
  #readMoved(
    task: RowTask,
    baseline: CodedReplica,
    changed: ChangedRows,
    lane: number,
    first: number,
    end: number,
  ): void {
    const { rows, masks, before: froms } = changed;
    const port = this.#port;
    const { motion } = baseline;
    const before = baseline.table.tokens;
    const out = task.result.table.tokens;
    const outMotion = task.result.motion;
    const places = this.#places;
    const ratio = this.#ratio;
    const laneCount = this.#roles.length;
    const bits = this.#widths[lane] as number;
    const unused = 32 - bits;
    const g = this.#groupOf[lane] as number;
    const isComponent = this.#roles[lane] === COMPONENT;
    let n = this.#placeCount;
    for (let k = first; k < end; k++) {
      if ((((masks[k] as number) >>> g) & 1) === 0) continue;
      const to = Math.imul(rows[k] as number, laneCount) + lane;
      const from = (froms[k] as number) + lane;
      const old = (before[from] as number) | 0;
      const turn = isComponent ? (this.#turns[k] as number) : 0;
      const symbol = (turn & TURNED) === 0 ? (places[n++] as number) : ESCAPE;
      let token = 0;
      if (symbol === ESCAPE) {
        token = port.word(0, bits) | 0;
      } else {
        let speed = (motion[from] as number) & ((turn >> 1) - 1);
        if (ratio !== 1) speed = Math.round(speed * ratio) | 0;
        const sizeClass = (symbol + 1) >> 1;
        const width = sizeClass - 2;
        const size = sizeClass <= OWN_MOST ? sizeClass : (1 << width) | port.bits(0, width);
        // Even symbols are below the predicted place, seen in the direction of the speed.
        const sign = (speed >> 31) ^ ((symbol & 1) - 1);
        token = ((old + speed + ((size ^ sign) - sign)) << unused) >>> unused;
      }
      out[to] = token;
      outMotion[to] = (token - old) | 0;
    }
    this.#placeCount = n;
  }

  /** Passes a lane of which only being equal means anything, in one of the passes but the first. */
  #passNames(
    pass: number,
    task: RowTask,
    baseline: CodedReplica,
    changed: ChangedRows,
    lane: number,
    first: number,
    end: number,
  ): void {
    const { result } = task;
    const laneCount = this.#roles.length;
    const role = this.#roles[lane] as number;
    const bits = this.#widths[lane] as number;
    const g = this.#groupOf[lane] as number;
    for (let k = first; k < end; k++) {
      if ((((changed.masks[k] as number) >>> g) & 1) === 0) continue;
      const to = (changed.rows[k] as number) * laneCount + lane;
      const from = (changed.before[k] as number) + lane;
      const isOther = !isFlagged(role) || this.#flagBits[this.#flagCount++] === 1;
      if (role === LARGEST) {
        this.#turns[k] = (isOther ? TURNED : 0) | (baseline.motion[from] === 0 ? 0 : HAD_TURNED);
      }
      if (!isOther) continue;
      let token = 0;
      if (pass === WRITE) {
        token = task.table.tokens[(changed.after[k] as number) + lane] as number;
        this.#writeName(lane, token, bits);
      } else if (pass === FIND) {
        if (bits <= SYMBOL_BITS) this.#places[this.#placeCount++] = this.#tables[lane] as number;
        continue;
      } else if (bits <= SYMBOL_BITS) {
        token = this.#places[this.#placeCount++] as number;
      } else {
        token = this.#port.word(0, bits);
      }
      result.table.tokens[to] = token;
      result.motion[to] = token - (baseline.table.tokens[from] as number);
    }
  }

  #writeName(lane: number, token: number, bits: number): void {
    if (bits <= SYMBOL_BITS) {
      this.#places[this.#placeCount++] = (this.#tables[lane] as number) + token;
      return;
    }
    const low = bits < PIECE ? bits : PIECE;
    this.#rests[this.#restCount++] = (token & 0xffff) | (low << REST_WIDTH);
    if (bits <= PIECE) return;
    this.#rests[this.#restCount++] = (token >>> PIECE) | ((bits - PIECE) << REST_WIDTH);
  }

  #tableCount(lane: number): number {
    if (isDifference(this.#roles[lane] as number)) return SPEED_CLASSES;
    return (this.#widths[lane] as number) <= SYMBOL_BITS ? 1 : 0;
  }

  #reserve(rows: number, lanes: number): void {
    if (this.#turns.length >= rows) return;
    const room = Math.max(rows, this.#turns.length * 2);
    this.#turns = new Uint8Array(room);
    this.#flagContexts = new Uint8Array(room * lanes);
    this.#flagBits = new Uint8Array(room * lanes);
    this.#places = new Int32Array(room * lanes);
    this.#rests = new Int32Array(2 * room * lanes);
  }
}

function rolesOf({ kind, count }: LaneGroup): number[] {
  if (kind === 'motion') return Array(count).fill(MOVED);
  if (kind === 'rotation') return [LARGEST, COMPONENT, COMPONENT, COMPONENT];
  return Array(count).fill(count === 1 ? VALUE : OPTIONAL);
}

function isFlagged(role: number): boolean {
  return role === LARGEST || role === OPTIONAL;
}

function isDifference(role: number): boolean {
  return role === MOVED || role === COMPONENT;
}

/** Returns the offset of the table of a speed: one for each count of bits, one for great ones. */
function speedTable(speed: number): number {
  const bits = 32 - Math.clz32(speed ^ (speed >> 31));
  const most = SPEED_CLASSES - 1;
  return Math.imul(bits < most ? bits : most, TABLE_WORDS);
}
