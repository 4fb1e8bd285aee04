import type { FieldColumn } from '../record/field-codec.ts';
import type { RecordShape } from '../record/record-shape.ts';
import { TokenTable } from '../record/token-table.ts';
import { copyWords } from '../snapshot/copy-words.ts';
import { Snapshot } from '../snapshot/snapshot.ts';
import { gatherRows, roomFor } from './columns.ts';

/** The parts of a tick's source that have a row for each entity. */
export interface RowTables {
  readonly source: Snapshot;
  readonly canonical: Snapshot;
  readonly tokens: TokenTable;
}

/**
 * Moves the rows of a population to where its next one has them, so that who stays keeps tokens and
 * values when others come and go.
 */
export class RowMatch {
  readonly #everyField: number;
  /** Numbers a row of each column. */
  readonly #widths: Uint32Array;
  #from: Uint32Array = new Uint32Array(0);
  readonly #spare: RowTables;

  constructor(shape: RecordShape) {
    this.#everyField = 2 ** shape.fields.length - 1;
    this.#widths = Uint32Array.from(shape.fields, ({ codec }) => codec.width);
    this.#spare = {
      source: new Snapshot(shape),
      canonical: new Snapshot(shape),
      tokens: new TokenTable(shape.lanes.length),
    };
  }

  /**
   * Gives the tables the rows of `next`, with its ids. Rows of ids that were there keep what they
   * had and get mask 0; the others hold anything and get the bits of all fields.
   */
  carry(tables: RowTables, next: Snapshot, masks: Uint32Array): void {
    this.#compare(tables.source, next, masks);
    const count = next.count;
    carrySnapshot(tables.source, this.#spare.source, this.#from, this.#widths, next);
    carrySnapshot(tables.canonical, this.#spare.canonical, this.#from, this.#widths, next);
    const { tokens } = tables;
    const spare = this.#spare.tokens;
    spare.reserve(count);
    if (tokens.tokens.length > 0)
      gatherRows(spare.tokens, tokens.tokens, tokens.laneCount, this.#from, count);
    // Copied back, not exchanged: the tables may lie in the memory of a kernel.
    if (count > tokens.ids.length) tokens.reserve(count);
    copyWords(spare.tokens, tokens.tokens, count * tokens.laneCount);
    copyWords(next.ids, tokens.ids, count);
    tokens.count = count;
  }

  #compare(before: Snapshot, next: Snapshot, masks: Uint32Array): void {
    this.#from = roomFor(this.#from, next.count);
    const from = this.#from;
    let old = 0;
    for (let row = 0; row < next.count; row++) {
      const id = next.ids[row] as number;
      while (old < before.count && (before.ids[old] as number) < id) old++;
      const stays = old < before.count && before.ids[old] === id;
      from[row] = stays ? old : 0;
      masks[row] = stays ? 0 : this.#everyField;
    }
  }
}

function carrySnapshot(
  snapshot: Snapshot,
  spare: Snapshot,
  from: Uint32Array,
  widths: Uint32Array,
  next: Snapshot,
): void {
  const { count } = next;
  if (count > spare.ids.length) spare.reserve(count);
  for (let index = 0; index < widths.length; index++) {
    const before = (snapshot.columns[index] as FieldColumn).bits;
    // Reading beyond the end of an empty table would make the engine box all that it reads later.
    if (before.length > 0)
      gatherRows(
        (spare.columns[index] as FieldColumn).bits,
        before,
        widths[index] as number,
        from,
        count,
      );
  }
  // As much as the next one has, so that its columns can be copied whole.
  if (next.ids.length > snapshot.ids.length) snapshot.reserve(next.ids.length);
  for (let index = 0; index < widths.length; index++) {
    const from = (spare.columns[index] as FieldColumn).bits;
    const to = (snapshot.columns[index] as FieldColumn).bits;
    copyWords(from, to, count * (widths[index] as number));
  }
  copyWords(next.ids, snapshot.ids, count);
  snapshot.count = count;
}
