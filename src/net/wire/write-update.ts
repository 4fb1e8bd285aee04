import { assert } from '../../shared/assert.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { SnapshotKind } from '../snapshot/snapshot-update.ts';
import type { ByteBuffer } from './byte-buffer.ts';
import { writeCompleteRecords } from './complete-records.ts';
import { writeMaskedRecords } from './masked-records.ts';
import { HEADER_BYTES, writeHeader } from './update-header.ts';
import type { UpdatePlan } from './update-plan.ts';

/**
 * Turns a plan into the bytes of an update, which replace what is in `out`. The plan is trusted. It
 * allocates only while `out` grows.
 */
export function writeUpdate(pipeline: Pipeline, plan: UpdatePlan, out: ByteBuffer): void {
  const { records } = pipeline;
  const isMasked = pipeline.hasFieldMasks && plan.kind === SnapshotKind.Patch;
  const most = isMasked
    ? plan.rowCount * records.maskedBytesMax
    : records.completeBytes(plan.rowCount);
  out.length = 0;
  out.reserve(HEADER_BYTES + 4 * plan.deleteCount + most);
  let at = HEADER_BYTES;
  for (let index = 0; index < plan.deleteCount; index++, at += 4) {
    out.data.setUint32(at, plan.deletes[index] as number);
  }
  at = isMasked
    ? writeMaskedRecords(records, plan, out, at)
    : writeCompleteRecords(records, plan, out, at);
  assert(at - HEADER_BYTES < 2 ** 32, 'the bytes of an update are counted in 32 bits');
  writeHeader(pipeline, plan, at - HEADER_BYTES, out);
  out.length = at;
}
