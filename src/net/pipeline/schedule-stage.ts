import { BandWork } from './band-work.ts';
import type { ClientReplicationState, PendingState } from './client-state.ts';
import { Technique } from './definition.ts';
import { recoveryCountOf } from './encode-checks.ts';
import type { EncodeRequest } from './encode-request.ts';
import type { EncodeResult } from './encode-result.ts';
import { chooseInTurn, chooseRecovery } from './selection.ts';
import type { Selection } from './selection.ts';
import type { SelectionSettings } from './selection-settings.ts';
import type { TickSource } from './tick-source.ts';

/** Chooses which entities of a selection are sent now: by distance, in turn, or all of them. */
export class ScheduleStage {
  readonly #bands: BandWork | null;
  readonly #incremental: boolean;
  readonly #cap: number;

  constructor(settings: SelectionSettings) {
    const { levelOfDetail: lod } = settings;
    this.#bands = lod.mode === 'none' ? null : new BandWork(lod);
    this.#incremental = (settings.techniques & Technique.Incremental) !== 0;
    this.#cap = settings.maxEntitiesPerUpdate;
  }

  /** Chooses, and writes what follows of it to `pending`. A complete update chooses all. */
  schedule(
    tick: TickSource,
    state: ClientReplicationState,
    pending: PendingState,
    request: EncodeRequest,
    patch: boolean,
    selection: Selection,
    result: EncodeResult,
  ): void {
    if (this.#incremental) pending.incrementalSeeded = true;
    if (this.#bands !== null)
      this.#scheduleBands(this.#bands, tick, state, pending, patch, selection, result);
    else if (patch && this.#incremental)
      pending.cursor = chooseInTurn(selection, state.cursor, this.#cap);
    const { recovery } = request;
    if (selection.all || recovery === null || recovery === undefined) return;
    const count = recoveryCountOf(request);
    result.recoveryAdded = chooseRecovery(selection, tick.source.ids, recovery, count);
  }

  #scheduleBands(
    bands: BandWork,
    tick: TickSource,
    state: ClientReplicationState,
    pending: PendingState,
    patch: boolean,
    selection: Selection,
    result: EncodeResult,
  ): void {
    const { ids, tickHigh, tickLow } = tick.source;
    const { schedule } = pending;
    const report = result.lod;
    report.active = true;
    bands.reconcile(state.schedule, schedule, selection, ids, tickHigh, tickLow, !patch, report);
    if (!patch) report.fullReplaceOverride = 1;
    else if (this.#incremental)
      pending.cursor = bands.choosePendingInTurn(schedule, selection, state.cursor, this.#cap);
    else bands.choosePending(schedule, selection);
    bands.service(schedule, selection, tickHigh, tickLow, report);
    pending.scheduled = true;
    pending.lodSeeded = true;
  }
}
