import { SPAWN_MASK } from '../wire/update-plan.ts';
import type { UpdatePlan } from '../wire/update-plan.ts';
import type { FieldColumn } from '../record/field-codec.ts';
import type { RecordShape } from '../record/record-shape.ts';
import { copyWords } from '../snapshot/copy-words.ts';
import type { Lineage } from '../snapshot/lineage.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import {
  gatherRows,
  markChanges,
  markPairs,
  markRows,
  mergeRows,
  roomFor,
  sameWords,
} from './columns.ts';
import type { Selection } from './selection.ts';

/**
 * Finds what leads from a baseline to the selection: upserts, deletes, the fields that differ, and
 * the population that the client will hold. Values are compared by their bits.
 */
export class UpdateDiff {
  /** Entities that were to be sent, before unchanged ones were left out. */
  candidates = 0;
  /** Unchanged ones were left out. */
  compared = false;
  /** Numbers a row of each column. */
  readonly #widths: Uint32Array;
  /** For each candidate its row in the baseline, or -1. */
  #matches: Int32Array = new Int32Array(0);
  /** For each row of the result: a row of the tick, or ~row of the baseline. */
  #choices: Int32Array = new Int32Array(0);
  #resultCount = 0;

  constructor(shape: RecordShape) {
    this.#widths = Uint32Array.from(shape.fields, ({ codec }) => codec.width);
  }

  /** Plans a complete update: all of the selection. */
  replace(selection: Selection, canonical: Snapshot, plan: UpdatePlan, result: Snapshot): void {
    const { count } = selection;
    this.candidates = count;
    this.compared = false;
    plan.deleteCount = 0;
    plan.rows = roomFor(plan.rows, count);
    plan.rowCount = count;
    const { rows } = plan;
    for (let place = 0; place < count; place++) rows[place] = selection.row(place);
    this.#takeSelection(selection, canonical, result);
  }

  /**
   * Plans a change of the baseline. With `compare`, what equals the baseline is left out and
   * `plan.masks` says which fields differ.
   */
  patch(
    selection: Selection,
    canonical: Snapshot,
    baseline: Snapshot,
    compare: boolean,
    trusted: boolean,
    plan: UpdatePlan,
    result: Snapshot,
  ): void {
    this.compared = compare;
    const related = trusted && isRelated(baseline, canonical);
    const aligned =
      selection.whole &&
      selection.all &&
      baseline.count === canonical.count &&
      (related || sameWords(baseline.ids, canonical.ids, canonical.count));
    plan.rows = roomFor(plan.rows, selection.count);
    plan.masks = roomFor(plan.masks, selection.count);
    if (aligned) {
      this.candidates = selection.count;
      plan.deleteCount = 0;
      plan.rowCount = selection.count;
      if (compare && related) this.#compareRelated(canonical, baseline, plan);
      else if (compare) this.#compareAligned(canonical, baseline, plan);
      else for (let row = 0; row < plan.rowCount; row++) plan.rows[row] = row;
      copyWhole(result, canonical);
      return;
    }
    this.#merge(selection, canonical, baseline, plan);
    if (compare) this.#comparePairs(canonical, baseline, plan);
    if (selection.all) this.#takeSelection(selection, canonical, result);
    else this.#takeMerged(canonical, baseline, result);
  }

  /** As the next one, where it is known which rows may differ. */
  #compareRelated(canonical: Snapshot, baseline: Snapshot, plan: UpdatePlan): void {
    const lineage = canonical.lineage as Lineage;
    const { rows, masks } = plan;
    if (baseline.lineageLoad === lineage.load - 1) {
      copyWords(lineage.rows, rows, lineage.count);
      copyWords(lineage.masks, masks, lineage.count);
      plan.rowCount = lineage.count;
      return;
    }
    const listed = lineage.listSince(baseline.lineageLoad, canonical.count, rows);
    for (let i = 0; i < listed; i++) masks[i] = 0;
    for (let index = 0; index < this.#widths.length; index++) {
      const left = (canonical.columns[index] as FieldColumn).bits;
      const right = (baseline.columns[index] as FieldColumn).bits;
      markRows(masks, left, right, this.#widths[index] as number, rows, listed, index);
    }
    plan.rowCount = keepMarked(rows, masks, listed);
  }

  #compareAligned(canonical: Snapshot, baseline: Snapshot, plan: UpdatePlan): void {
    const { count } = canonical;
    const { masks, rows } = plan;
    masks.fill(0, 0, count);
    for (let index = 0; index < this.#widths.length; index++) {
      const left = (canonical.columns[index] as FieldColumn).bits;
      const right = (baseline.columns[index] as FieldColumn).bits;
      markChanges(masks, left, right, this.#widths[index] as number, count, index);
    }
    let kept = 0;
    for (let row = 0; row < count; row++) {
      const mask = masks[row] as number;
      rows[kept] = row;
      masks[kept] = mask;
      kept += mask === 0 ? 0 : 1;
    }
    plan.rowCount = kept;
  }

  /** Lists candidates and deletes in one pass over both populations. */
  #merge(selection: Selection, canonical: Snapshot, baseline: Snapshot, plan: UpdatePlan): void {
    const { count, all, whole, chosen } = selection;
    this.#reserve(count);
    plan.deletes = roomFor(plan.deletes, baseline.count);
    const { rows, deletes } = plan;
    const matches = this.#matches;
    const choices = this.#choices;
    const { ids } = canonical;
    const baseIds = baseline.ids;
    const baseCount = baseline.count;
    let base = 0;
    let candidates = 0;
    let deleted = 0;
    let held = 0;
    for (let place = 0; place < count; place++) {
      const row = whole ? place : (selection.rows[place] as number);
      const id = ids[row] as number;
      while (base < baseCount && (baseIds[base] as number) < id)
        deletes[deleted++] = baseIds[base++] as number;
      const match = base < baseCount && baseIds[base] === id ? base++ : -1;
      if (all || chosen[place] === 1) {
        rows[candidates] = row;
        matches[candidates++] = match;
        choices[held++] = row;
      } else if (match >= 0) choices[held++] = ~match;
    }
    while (base < baseCount) deletes[deleted++] = baseIds[base++] as number;
    plan.deleteCount = deleted;
    plan.rowCount = candidates;
    this.candidates = candidates;
    this.#resultCount = held;
  }

  #comparePairs(canonical: Snapshot, baseline: Snapshot, plan: UpdatePlan): void {
    const { rows, masks } = plan;
    const matches = this.#matches;
    const { candidates } = this;
    for (let i = 0; i < candidates; i++) masks[i] = (matches[i] as number) < 0 ? SPAWN_MASK : 0;
    for (let index = 0; index < this.#widths.length; index++) {
      const left = (canonical.columns[index] as FieldColumn).bits;
      const right = (baseline.columns[index] as FieldColumn).bits;
      markPairs(
        masks,
        left,
        right,
        this.#widths[index] as number,
        rows,
        matches,
        candidates,
        index,
      );
    }
    plan.rowCount = keepMarked(rows, masks, candidates);
  }

  #takeSelection(selection: Selection, canonical: Snapshot, result: Snapshot): void {
    if (selection.whole) {
      copyWhole(result, canonical);
      return;
    }
    const { count, rows } = selection;
    prepare(result, canonical, count);
    gatherRows(result.ids, canonical.ids, 1, rows, count);
    for (let index = 0; index < this.#widths.length; index++) {
      const from = (canonical.columns[index] as FieldColumn).bits;
      gatherRows(
        (result.columns[index] as FieldColumn).bits,
        from,
        this.#widths[index] as number,
        rows,
        count,
      );
    }
  }

  #takeMerged(canonical: Snapshot, baseline: Snapshot, result: Snapshot): void {
    const held = this.#resultCount;
    const choices = this.#choices;
    prepare(result, canonical, held);
    mergeRows(result.ids, canonical.ids, baseline.ids, 1, choices, held);
    for (let index = 0; index < this.#widths.length; index++) {
      const first = (canonical.columns[index] as FieldColumn).bits;
      const second = (baseline.columns[index] as FieldColumn).bits;
      const to = (result.columns[index] as FieldColumn).bits;
      mergeRows(to, first, second, this.#widths[index] as number, choices, held);
    }
  }

  #reserve(count: number): void {
    if (count <= this.#matches.length) return;
    const room = Math.max(count, this.#matches.length * 2, 16);
    this.#matches = new Int32Array(room);
    this.#choices = new Int32Array(room);
  }
}

/** Stamps have 32 bits: after so many loads, years of them, everything is compared again. */
const LAST_STAMP = 2 ** 32 - 1;

/**
 * Says whether a baseline is a copy of what the population of a tick was at an earlier load, with
 * the same entities since.
 */
function isRelated(baseline: Snapshot, canonical: Snapshot): boolean {
  const { lineage, lineageLoad } = baseline;
  return (
    lineage !== null &&
    lineage === canonical.lineage &&
    lineageLoad >= lineage.steadySince &&
    lineage.load <= LAST_STAMP &&
    baseline.count === canonical.count
  );
}

/** Keeps what has a mask, in its order; returns how many. */
function keepMarked(rows: Uint32Array, masks: Uint32Array, count: number): number {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const mask = masks[i] as number;
    rows[kept] = rows[i] as number;
    masks[kept] = mask;
    kept += mask === 0 ? 0 : 1;
  }
  return kept;
}

/** Empties a snapshot and makes it ready for rows of a tick. */
function prepare(result: Snapshot, canonical: Snapshot, count: number): void {
  result.count = 0;
  result.lineage = null;
  if (count > result.ids.length) result.reserve(count);
  result.count = count;
  result.tickHigh = canonical.tickHigh;
  result.tickLow = canonical.tickLow;
}

/**
 * Copies with all the room that there is: views of the rows in use would be made anew each time.
 */
function copyWhole(result: Snapshot, canonical: Snapshot): void {
  prepare(result, canonical, canonical.ids.length);
  result.count = canonical.count;
  result.lineage = canonical.lineage;
  result.lineageLoad = canonical.lineage?.load ?? 0;
  result.ids.set(canonical.ids);
  for (let index = 0; index < canonical.columns.length; index++)
    (result.columns[index] as FieldColumn).bits.set((canonical.columns[index] as FieldColumn).bits);
}
