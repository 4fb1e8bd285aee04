import { assert } from '../../shared/assert.ts';
import { NetError } from '../net-error.ts';
import type { FieldColumn } from '../record/field-codec.ts';
import type { RecordShape } from '../record/record-shape.ts';
import { TokenTable } from '../record/token-table.ts';
import { copyWords } from '../snapshot/copy-words.ts';
import { Lineage } from '../snapshot/lineage.ts';
import { fitsItsCount } from '../snapshot/row-fault.ts';
import { Snapshot } from '../snapshot/snapshot.ts';
import { STANDARD_RULES } from '../snapshot/snapshot-rules.ts';
import type { SnapshotRules } from '../snapshot/snapshot-rules.ts';
import { markChanges, roomFor, sameWords } from './columns.ts';
import { FieldStage } from './field-stage.ts';
import { UniformGrid } from './grid.ts';
import { RowMatch } from './row-match.ts';
import { openTickKernel, type TickKernel } from './tick-kernel.ts';

/** How a {@link TickSource} is set up. */
export interface TickSourceOptions {
  /** What a population must keep to. Default: the rules of `validateSnapshot`. */
  readonly rules?: SnapshotRules | undefined;
  /** Size of the grid's cells, world units. Default: 18. */
  readonly cellSize?: number | undefined;
  /** Use WebAssembly for 256 entities and more, where there is any. Default: yes. */
  readonly kernel?: boolean | undefined;
}

const DEFAULT_CELL = 18;

/** Entities from which a kernel pays for its memory. */
const KERNEL_FROM = 256;

/**
 * What all clients of a pipeline share of one tick: the population, its tokens, the canonical
 * values that a client will see, and a grid of places. Load it once a tick, then encode for each
 * client. Only what has changed since the last load is made anew.
 */
export class TickSource {
  readonly shape: RecordShape;
  /** The population as it was given. Read only. */
  readonly source: Snapshot;
  /** The values that a client will hold. Read only. */
  readonly canonical: Snapshot;
  /** The tokens of all rows. Read only. */
  readonly tokens: TokenTable;
  /** Values that were clamped because their field cannot hold them, since the beginning. */
  clampedValues = 0;
  /** Rows of which a field was quantised by the last load, summed over the fields. */
  requantisedRows = 0;
  readonly #rules: SnapshotRules;
  readonly #stages: readonly FieldStage[];
  readonly #match: RowMatch;
  readonly #grid: UniformGrid;
  #gridStale = true;
  #places: Float32Array = new Float32Array(0);
  #loaded = false;
  /** The fields of each row that differ from the source. */
  #masks: Uint32Array = new Uint32Array(0);
  /** The fields of each row whose canonical values change, where there is no kernel. */
  #changes: Uint32Array = new Uint32Array(0);
  readonly #lineage = new Lineage();
  #kernel: TickKernel | null = null;
  #mayOpenKernel: boolean;
  readonly #incoming: Snapshot;

  /** Throws a {@link NetError} `cell-size-invalid`. */
  constructor(shape: RecordShape, options: TickSourceOptions = {}) {
    const cellSize = options.cellSize ?? DEFAULT_CELL;
    if (!(cellSize > 0 && cellSize < Number.POSITIVE_INFINITY))
      throw new NetError('OPTION_INVALID', 'cell-size-invalid', 'The cell size is unusable.', {
        given: String(cellSize),
        allowed: 'a finite number above 0',
      });
    this.shape = shape;
    this.source = new Snapshot(shape);
    this.canonical = new Snapshot(shape);
    this.canonical.lineage = this.#lineage;
    this.#incoming = new Snapshot(shape);
    this.#mayOpenKernel = options.kernel ?? true;
    this.tokens = new TokenTable(shape.lanes.length);
    this.#rules = options.rules ?? STANDARD_RULES;
    this.#stages = shape.fields.map((field) => new FieldStage(field));
    this.#match = new RowMatch(shape);
    this.#grid = new UniformGrid(cellSize);
  }

  /** A population was loaded. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /**
   * Returns a snapshot with room for `count` entities that `load` takes without a copy where it
   * can. What it holds is of no use: fill it whole, then load it. Good until the next `load`, of
   * whatever snapshot: take `ids` and `columns` anew each time.
   */
  prepare(count: number): Snapshot {
    const incoming = this.#incoming;
    incoming.count = 0;
    incoming.reserve(count);
    incoming.count = count;
    return incoming;
  }

  /**
   * Takes the population of a tick; it is copied, unless it is the one that was prepared. Throws a
   * {@link NetError} `snapshot-missing`, or `snapshot-invalid/RULE` and keeps what it had. A NaN
   * that the rules let through throws `SNAPSHOT_INVALID` as well; then nothing is loaded.
   */
  load(snapshot: Snapshot): void {
    checkShape(this.shape, snapshot);
    if (!fitsItsCount(snapshot)) throw snapshotInvalid('world-size-mismatch');
    const count = snapshot.count;
    // What a load that failed half-way has left is no base for the next one.
    if (!this.#loaded) this.source.count = 0;
    const lineage = this.#lineage;
    const { steadySince } = lineage;
    // Until it is through: what fails half-way leaves rows that have changed without a stamp.
    lineage.load++;
    lineage.steadySince = lineage.load;
    this.#makeRoom(snapshot);
    const steady = this.#loaded && count === this.source.count && this.#sameIds(snapshot);
    if (steady) this.#masks.fill(0, 0, count);
    else {
      this.#checkAll(snapshot);
      this.#loaded = false;
      this.#match.carry(this, snapshot, this.#masks);
    }
    const kernel = this.#kernel;
    kernel?.take(snapshot);
    this.#listAll(snapshot, steady ? kernel : null);
    if (steady && !this.#changesHold(snapshot)) this.#checkAll(snapshot);
    this.#loaded = false;
    this.#requantise(snapshot, kernel);
    this.#takeSource(snapshot, kernel);
    if (steady) lineage.steadySince = steadySince;
    this.#setTick(snapshot);
    this.#gridStale = true;
    this.#loaded = true;
  }

  /** Three numbers a row: where each entity is. Only for a record with a position. */
  get positions(): Float32Array {
    const field = this.shape.fields[this.shape.position];
    assert(field !== undefined, 'the record has a position');
    const values = (this.source.columns[field.index] as FieldColumn).values as Float32Array;
    if (field.codec.width === 3) return values;
    this.#refreshPlaces(values);
    return this.#places;
  }

  /** The grid of this tick; made when it is asked for. */
  get grid(): UniformGrid {
    if (this.#gridStale) {
      this.#grid.fill(this.positions, this.source.count);
      this.#gridStale = false;
    }
    return this.#grid;
  }

  #makeRoom(snapshot: Snapshot): void {
    const count = snapshot.count;
    this.#masks = roomFor(this.#masks, count);
    const room = snapshot.ids.length;
    if (this.#mayOpenKernel && count >= KERNEL_FROM && room > (this.#kernel?.room ?? 0)) {
      const kernel = openTickKernel(this.shape, Math.max(room, this.source.ids.length), {
        source: this.source,
        canonical: this.canonical,
        tokens: this.tokens,
        lineage: this.#lineage,
        stages: this.#stages,
      });
      this.#kernel = kernel ?? null;
      this.#mayOpenKernel = kernel !== undefined;
    } else if (this.#kernel !== null && room > this.#kernel.room) this.#kernel = null;
    if (this.#kernel !== null) return;
    this.tokens.packer = null;
    const lineage = this.#lineage;
    this.#changes = roomFor(this.#changes, count);
    lineage.rows = roomFor(lineage.rows, count);
    lineage.masks = roomFor(lineage.masks, count);
    if (count <= lineage.stamps.length) return;
    const stamps = roomFor(lineage.stamps, count);
    stamps.set(lineage.stamps);
    lineage.stamps = stamps;
  }

  #sameIds(snapshot: Snapshot): boolean {
    if (this.#kernel !== null) return this.#kernel.hasSameIds(snapshot);
    return sameWords(this.source.ids, snapshot.ids, snapshot.count);
  }

  #checkAll(snapshot: Snapshot): void {
    const broken = this.#rules.check(snapshot);
    if (broken !== null) throw snapshotInvalid(broken);
  }

  #listAll(snapshot: Snapshot, kernel: TickKernel | null): void {
    const { count } = snapshot;
    for (let index = 0; index < this.#stages.length; index++) {
      const stage = this.#stages[index] as FieldStage;
      if (kernel?.list(stage, count) === true) continue;
      const { width } = stage.field.codec;
      const now = (snapshot.columns[index] as FieldColumn).bits;
      const before = (this.source.columns[index] as FieldColumn).bits;
      markChanges(this.#masks, now, before, width, count, index);
      stage.list(this.#masks, count);
    }
  }

  #changesHold(snapshot: Snapshot): boolean {
    const rules = this.#rules;
    if (rules.holds === undefined) return false;
    for (let index = 0; index < this.#stages.length; index++) {
      const stage = this.#stages[index] as FieldStage;
      const column = snapshot.columns[index] as FieldColumn;
      if (!rules.holds(stage.field, column, stage.rows, stage.count)) return false;
    }
    return true;
  }

  #requantise(snapshot: Snapshot, kernel: TickKernel | null): void {
    this.requantisedRows = 0;
    const changes = kernel === null ? this.#changes : kernel.masks;
    changes.fill(0);
    for (let index = 0; index < this.#stages.length; index++) {
      const stage = this.#stages[index] as FieldStage;
      let clamped = kernel === null ? -1 : kernel.requantise(stage);
      if (clamped < 0)
        clamped = stage.requantise(
          snapshot.columns[index] as FieldColumn,
          this.canonical.columns[index] as FieldColumn,
          this.tokens,
          changes,
        );
      this.clampedValues += clamped;
      this.requantisedRows += stage.count;
    }
  }

  /** Makes the population the source, and notes which rows the load has changed. */
  #takeSource(snapshot: Snapshot, kernel: TickKernel | null): void {
    const { count } = snapshot;
    const lineage = this.#lineage;
    if (kernel !== null) {
      kernel.turn();
      kernel.lend(this.#incoming);
      kernel.collect(count);
      return;
    }
    for (let index = 0; index < this.#stages.length; index++) {
      const { field, count: changed } = this.#stages[index] as FieldStage;
      if (changed === 0) continue;
      const from = (snapshot.columns[index] as FieldColumn).bits;
      const to = (this.source.columns[index] as FieldColumn).bits;
      copyWords(from, to, count * field.codec.width);
    }
    const { rows, masks, stamps } = lineage;
    const changes = this.#changes;
    let listed = 0;
    for (let row = 0; row < count; row++) {
      const mask = changes[row] as number;
      rows[listed] = row;
      masks[listed] = mask;
      if (mask === 0) continue;
      stamps[row] = lineage.load;
      listed++;
    }
    lineage.count = listed;
  }

  #setTick(snapshot: Snapshot): void {
    this.source.tickHigh = snapshot.tickHigh;
    this.source.tickLow = snapshot.tickLow;
    this.canonical.tickHigh = snapshot.tickHigh;
    this.canonical.tickLow = snapshot.tickLow;
  }

  #refreshPlaces(values: Float32Array): void {
    const count = this.source.count;
    if (this.#places.length < count * 3) this.#places = new Float32Array(count * 6);
    const places = this.#places;
    for (let i = 0; i < count; i++) {
      places[i * 3] = values[i * 2] as number;
      places[i * 3 + 1] = values[i * 2 + 1] as number;
    }
  }
}

/** The error of a population that breaks a rule. */
function snapshotInvalid(rule: string): NetError {
  return brokenRule('snapshot-invalid', 'The snapshot is not valid.', rule);
}

/** The error of a snapshot, in one of its parts, that breaks a rule. */
export function brokenRule(fault: string, headline: string, rule: string): NetError {
  return new NetError('SNAPSHOT_INVALID', `${fault}/${rule}`, headline, {
    given: `a snapshot that breaks ${rule}`,
    allowed: 'ids from 1, strictly ascending, with values that the record allows',
  });
}

function checkShape(shape: RecordShape, snapshot: Snapshot | null | undefined): void {
  if (snapshot === null || snapshot === undefined)
    throw new NetError('SNAPSHOT_INVALID', 'snapshot-missing', 'There is no snapshot to encode.');
  if (snapshot.shape !== shape)
    throw new NetError(
      'SNAPSHOT_INVALID',
      'snapshot-foreign',
      'The snapshot is of another record.',
      {
        fix: 'Make it with the record of the pipeline.',
      },
    );
}
