import type { RetainedResult, UpdateReceiver, UpdateSender } from '../../../src/net/index.ts';
import { rowsOf } from '../wire/populations.ts';

function viewOfResult<Extra>(result: RetainedResult<Extra> | undefined): unknown {
  if (result === undefined) return undefined;
  const { sequence, kind, snapshot, heldBytes, keptMs } = result;
  return { sequence, kind, tick: snapshot.tick, rows: rowsOf(snapshot), heldBytes, keptMs };
}

/** Everything that a sender knows of its client, by value. */
export function viewOfSender({ state, delivery, packetCount }: UpdateSender): unknown {
  const { count, ids, bands, dueHigh, dueLow, pending } = state.schedule;
  const columns = { ids, bands, dueHigh, dueLow, pending };
  const { latestSubmitted, latestAcknowledged, submissionsSinceProgress } = delivery;
  const { recoveryReason, forcedReplacements, evictions, retainedBytes } = delivery;
  return {
    state: Object.entries(state).filter(([name]) => name !== 'schedule'),
    schedule: Object.entries(columns).map(([name, column]) => [
      name,
      Array.from(column.subarray(0, count)),
    ]),
    counts: [latestSubmitted, latestAcknowledged, submissionsSinceProgress, forcedReplacements],
    memory: [evictions, retainedBytes],
    recoveryReason,
    acks: Object.entries(delivery.ackCounts),
    acknowledged: viewOfResult(delivery.acknowledged),
    baseline: viewOfResult(delivery.baseline),
    submitted: Array.from({ length: delivery.submittedCount }, (_, index) =>
      viewOfResult(delivery.submittedAt(index)),
    ),
    recovery: rowsOf(delivery.recoveryRows),
    packetCount,
  };
}

/** Everything that a receiver has applied, by value. */
export function viewOfReceiver({ delivery }: UpdateReceiver): unknown {
  const { latestApplied, applied, historyCount, retainedBytes } = delivery;
  const history = Array.from({ length: historyCount }, (_, index) =>
    viewOfResult(delivery.historyAt(index)),
  );
  return { latestApplied, applied, retainedBytes, history };
}
