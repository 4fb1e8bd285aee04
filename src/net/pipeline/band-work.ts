import { NetError } from '../net-error.ts';
import { Band } from './band-schedule.ts';
import type { BandSchedule } from './band-schedule.ts';
import type { LevelOfDetail } from './definition.ts';
import { ticksToDue } from './phase.ts';
import type { LodReport } from './reports.ts';
import type { Selection } from './selection.ts';
import { reachesTick } from './tick-words.ts';

const WORD = 2 ** 32;

/**
 * The work of distance bands at one tick: who is due, who is sent, and when they are due again. It
 * writes a new schedule and leaves the old one as it is.
 */
export class BandWork {
  readonly #near: number;
  readonly #medium: number;
  readonly #intervals: Uint32Array;

  constructor(lod: LevelOfDetail) {
    const near = Math.fround(lod.near);
    const medium = Math.fround(lod.medium);
    this.#near = Math.fround(near * near);
    this.#medium = Math.fround(medium * medium);
    this.#intervals = new Uint32Array([1, lod.mediumIntervalTicks, lod.farIntervalTicks]);
  }

  /**
   * Fills `next` with the population of the selection: entities that were in `before` keep what was
   * due, the others are due now. A complete update (`everything`) makes all of them due.
   */
  reconcile(
    before: BandSchedule,
    next: BandSchedule,
    selection: Selection,
    ids: Uint32Array,
    tickHigh: number,
    tickLow: number,
    everything: boolean,
    report: LodReport,
  ): void {
    const { count } = selection;
    next.reserve(count);
    next.count = count;
    let old = 0;
    for (let place = 0; place < count; place++) {
      const id = ids[selection.row(place)] as number;
      const band = this.#bandOf(selection, place);
      while (old < before.count && (before.ids[old] as number) < id) old++;
      next.ids[place] = id;
      next.bands[place] = band;
      if (old < before.count && before.ids[old] === id) {
        const oldBand = before.bands[old] as number;
        const high = before.dueHigh[old] as number;
        const low = before.dueLow[old] as number;
        const due = reachesTick(tickHigh, tickLow, high, low);
        next.dueHigh[place] = high;
        next.dueLow[place] = low;
        const wasPending = before.pending[old] as number;
        next.pending[place] = due || band < oldBand ? 1 : wasPending;
        if (band !== oldBand) report.transitions++;
        if (band < oldBand && wasPending === 0) report.forced++;
      } else {
        next.dueHigh[place] = tickHigh;
        next.dueLow[place] = tickLow;
        next.pending[place] = 1;
        report.forced++;
      }
      if (everything) next.pending[place] = 1;
      report.population[band] = (report.population[band] as number) + 1;
      report.eligible[band] = (report.eligible[band] as number) + (next.pending[place] as number);
    }
  }

  /** Chooses all that are pending, and the client's own entity. */
  choosePending(schedule: BandSchedule, selection: Selection): void {
    selection.chooseNone();
    const { chosen, count, own } = selection;
    for (let place = 0; place < count; place++) chosen[place] = schedule.pending[place] as number;
    if (own >= 0) chosen[own] = 1;
  }

  /**
   * Chooses up to `cap` of those that are pending, in turn from a cursor on, and the client's own
   * entity beside them; returns the cursor of the next turn.
   */
  choosePendingInTurn(
    schedule: BandSchedule,
    selection: Selection,
    cursor: number,
    cap: number,
  ): number {
    selection.chooseNone();
    const { chosen, count, own } = selection;
    if (count === 0) return 0;
    let place = cursor % count;
    let next = cursor;
    let picked = 0;
    for (let i = 0; i < count && picked < cap; i++) {
      if (place !== own && schedule.pending[place] === 1) {
        chosen[place] = 1;
        picked++;
        next = place + 1 === count ? 0 : place + 1;
      }
      place = place + 1 === count ? 0 : place + 1;
    }
    if (own >= 0) chosen[own] = 1;
    return next;
  }

  /**
   * Sets when the chosen ones are due again; they are pending no more. Throws a {@link NetError}
   * `lod-due-tick-overflow` when that tick does not fit into 64 bits.
   */
  service(
    schedule: BandSchedule,
    selection: Selection,
    tickHigh: number,
    tickLow: number,
    report: LodReport,
  ): void {
    const { count } = selection;
    for (let place = 0; place < count; place++) {
      const band = schedule.bands[place] as number;
      if (selection.all || selection.chosen[place] === 1) {
        const interval = this.#intervals[band] as number;
        const ahead = ticksToDue(schedule.ids[place] as number, interval, tickHigh, tickLow);
        const low = tickLow + ahead;
        const high = low < WORD ? tickHigh : tickHigh + 1;
        if (high === WORD) throw dueOverflow();
        schedule.dueHigh[place] = high;
        schedule.dueLow[place] = low;
        schedule.pending[place] = 0;
        report.serviced[band] = (report.serviced[band] as number) + 1;
      } else if (schedule.pending[place] === 1) {
        report.deferred[band] = (report.deferred[band] as number) + 1;
        report.pending++;
      }
    }
  }

  #bandOf(selection: Selection, place: number): number {
    if (place === selection.own) return Band.Near;
    const square = selection.squares[place] as number;
    if (square <= this.#near) return Band.Near;
    return square <= this.#medium ? Band.Medium : Band.Far;
  }
}

function dueOverflow(): NetError {
  return new NetError('VALUE_INVALID', 'lod-due-tick-overflow', 'A due tick does not fit.', {
    allowed: 'due ticks below 2^64',
    fix: 'Start the clock anew: its ticks are at the end of their range.',
  });
}
