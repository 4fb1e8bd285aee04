import { SnapshotKind } from '../snapshot/snapshot-update.ts';
import type { UpdatePlan } from '../wire/update-plan.ts';
import type { BandSchedule } from './band-schedule.ts';
import type { PendingState } from './client-state.ts';
import type { EncodeRequest } from './encode-request.ts';
import type { EncodeResult } from './encode-result.ts';
import type { QualityMeter } from './quality.ts';
import type { DeltaReport, LodReport } from './reports.ts';
import type { TickSource } from './tick-source.ts';
import type { UpdateDiff } from './update-diff.ts';
import type { UpdateWriter } from './update-writer.ts';

/** Fills the reports of an update that was written. */
export class ReportStage {
  readonly #quality: QualityMeter;
  readonly #masks: boolean;

  constructor(quality: QualityMeter, masks: boolean) {
    this.#quality = quality;
    this.#masks = masks;
  }

  report(
    tick: TickSource,
    request: EncodeRequest,
    pending: PendingState,
    diff: UpdateDiff,
    writer: UpdateWriter,
    result: EncodeResult,
  ): void {
    const { plan, delta, lod, byteCount } = result;
    // Coded, what is gone cannot be told from the rest.
    const deleteBytes = writer.coding === undefined ? plan.deleteCount * 4 : 0;
    const upsertBytes = byteCount - writer.headerBytes - deleteBytes;
    if (diff.compared) this.#reportDelta(plan, diff, writer, upsertBytes, delta);
    if (lod.active) {
      if (plan.kind === SnapshotKind.Patch) countBands(tick, pending.schedule, plan, lod);
      lod.deletes = plan.deleteCount;
      lod.encodedBytes = byteCount;
    }
    result.size.set(byteCount, request.sizeTarget ?? 0);
    if (request.quality === true)
      this.#quality.measure(tick, plan.rows, plan.rowCount, result.quality);
  }

  #reportDelta(
    plan: UpdatePlan,
    diff: UpdateDiff,
    writer: UpdateWriter,
    upsertBytes: number,
    report: DeltaReport,
  ): void {
    const { masks, rowCount } = plan;
    let spawned = 0;
    for (let i = 0; i < rowCount; i++) spawned += (masks[i] as number) >>> 31;
    const changed = rowCount - spawned;
    report.active = true;
    report.candidates = diff.candidates;
    report.unchanged = diff.candidates - rowCount;
    report.changedExisting = changed;
    report.spawned = spawned;
    report.produced = rowCount;
    report.upsertBytes = upsertBytes;
    report.completeBytes = Math.ceil((rowCount * writer.representation.recordBits) / 8);
    if (this.#masks) {
      report.maskedRecords = changed;
      countFields(plan, report.inclusions);
    } else report.wholeRecords = changed;
  }
}

function countFields(plan: UpdatePlan, inclusions: Uint32Array): void {
  const { masks, rowCount } = plan;
  for (let field = 0; field < inclusions.length; field++) {
    let count = 0;
    for (let i = 0; i < rowCount; i++) count += ((masks[i] as number) >>> field) & 1;
    inclusions[field] = count;
  }
}

/** Counts the upserts of an update by band. Both lists are in ascending order of ids. */
function countBands(
  tick: TickSource,
  schedule: BandSchedule,
  plan: UpdatePlan,
  report: LodReport,
): void {
  const { ids } = tick.source;
  let place = 0;
  for (let i = 0; i < plan.rowCount; i++) {
    const id = ids[plan.rows[i] as number] as number;
    while (schedule.ids[place] !== id) place++;
    const band = schedule.bands[place] as number;
    report.represented[band] = (report.represented[band] as number) + 1;
  }
}
