import { assert } from '../../shared/assert.ts';
import type { CodedReplica } from '../entropy/coded-replica.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { SnapshotKind } from '../snapshot/snapshot-update.ts';
import type { ByteBuffer } from './byte-buffer.ts';
import { writeCompleteRecords } from './complete-records.ts';
import { writeMaskedRecords } from './masked-records.ts';
import type { CodedRecords } from './coded-records.ts';
import { HEADER_BYTES, writeHeader } from './update-header.ts';
import type { UpdatePlan } from './update-plan.ts';

/**
 * Turns a plan into the bytes of an update, which replace what is in `out`. The plan is trusted. It
 * allocates only while `out` grows. Not for a pipeline with a `coding`.
 */
export function writeUpdate(pipeline: Pipeline, plan: UpdatePlan, out: ByteBuffer): void {
  const { records } = pipeline;
  assert(pipeline.coding === undefined, 'coded records are written by writeCodedUpdate');
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

/**
 * As {@link writeUpdate} for a pipeline with a `coding`: `baseline` is what was kept of the update
 * that the plan names, and null for a FullReplace; `result` takes what is to be kept of this one.
 */
export function writeCodedUpdate(
  pipeline: Pipeline,
  coding: CodedRecords,
  plan: UpdatePlan,
  baseline: CodedReplica | null,
  result: CodedReplica,
  out: ByteBuffer,
): void {
  assert(pipeline.coding === coding.effort, 'coded records are of the pipeline they are used with');
  out.length = 0;
  const end = coding.write(plan, baseline, result, out, HEADER_BYTES);
  writeHeader(pipeline, plan, end - HEADER_BYTES, out);
  out.length = end;
}
