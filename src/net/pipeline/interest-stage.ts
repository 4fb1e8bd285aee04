import type { RecordShape } from '../record/record-shape.ts';
import { roomFor } from './columns.ts';
import type { AreaOfInterest } from './definition.ts';
import { checkCandidates, refused } from './encode-checks.ts';
import type { EncodeRequest } from './encode-request.ts';
import { InterestFilter } from './interest.ts';
import type { InterestSource } from './interest.ts';
import type { InterestReport } from './reports.ts';
import type { Selection } from './selection.ts';
import type { TickSource } from './tick-source.ts';

/** Finds the entities within a client's area of interest; all of them if there is none. */
export class InterestStage {
  readonly #filter: InterestFilter | null;
  #found: Uint32Array = new Uint32Array(0);

  constructor(area: AreaOfInterest, shape: RecordShape) {
    const dimensions = shape.fields[shape.position]?.codec.width ?? 0;
    if (area.mode !== 'none' && dimensions === 0)
      throw refused('aoi-needs-position', 'An area of interest needs a record with a position.');
    this.#filter = area.mode === 'none' ? null : new InterestFilter(area, dimensions);
  }

  /** Takes where the client looks from. False: nobody said, so there can be no update. */
  lookFrom(tick: TickSource, request: EncodeRequest): boolean {
    if (this.#filter === null) return true;
    const { source, candidates } = request;
    if (source === null || source === undefined) return false;
    this.#filter.lookFrom(source);
    if (candidates !== null && candidates !== undefined)
      checkCandidates(candidates, candidateCountOf(request, candidates), tick.source.count);
    return true;
  }

  /** Fills the selection. Throws when the client's own entity is not there. */
  select(
    tick: TickSource,
    request: EncodeRequest,
    selection: Selection,
    report: InterestReport,
  ): void {
    const { count } = tick.source;
    if (this.#filter === null) {
      selection.takeWhole(count);
      return;
    }
    const looking = request.source as InterestSource;
    const self = looking.self ?? 0;
    const own = self === 0 ? -1 : tick.source.indexOf(self);
    if (self !== 0 && own < 0)
      throw refused('aoi-self-absent', `Entity ${self}, the client's own, is not there.`);
    report.active = true;
    report.source = count;
    report.candidates = this.#retain(this.#filter, tick, request, own, selection);
    report.retained = selection.count;
    report.culled = count - selection.count;
  }

  /**
   * Fills the selection with the candidates that are inside; returns how many candidates there
   * were.
   */
  #retain(
    filter: InterestFilter,
    tick: TickSource,
    request: EncodeRequest,
    own: number,
    selection: Selection,
  ): number {
    const { positions } = tick;
    let candidates = request.candidates ?? null;
    let count: number;
    if (candidates === null) {
      this.#found = roomFor(this.#found, tick.source.count);
      candidates = this.#found;
      count = filter.search(tick.grid, candidates);
    } else count = candidateCountOf(request, candidates);
    // Each candidate is written before it is judged, and the own entity may come on top.
    selection.reserve(count + 2);
    const { rows, squares } = selection;
    selection.whole = false;
    selection.all = true;
    selection.count = filter.retain(positions, candidates, count, own, rows, squares);
    selection.own = own < 0 ? -1 : placeOf(rows, selection.count, own);
    return count;
  }
}

function candidateCountOf(request: EncodeRequest, candidates: Uint32Array): number {
  return request.candidateCount ?? candidates.length;
}

/** The place of a row among ascending rows. It is there. */
function placeOf(rows: Uint32Array, count: number, row: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle] as number) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
