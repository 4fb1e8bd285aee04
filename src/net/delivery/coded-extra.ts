import type { CodedReplica } from '../entropy/coded-replica.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { CodedRecords } from '../wire/coded-records.ts';
import type { ResultExtra } from './retained-result.ts';

/**
 * What is kept beside each snapshot for a pipeline: its coded replica if records are coded
 * (`DeltaPacking`, `Entropy`), else nothing. For the `extra` of both ends of a delivery.
 */
export function codedExtra(pipeline: Pipeline): ResultExtra<CodedReplica | undefined> {
  const coding = CodedRecords.of(pipeline);
  return Object.freeze({
    create: () => coding?.createReplica(),
    copy: (from: CodedReplica | undefined, to: CodedReplica | undefined) => {
      if (from !== undefined) to?.copyFrom(from);
    },
    reset: (extra: CodedReplica | undefined) => extra?.clear(),
    byteLength: bytesOf,
  });
}

function bytesOf(replica: CodedReplica | undefined): number {
  if (replica === undefined) return 0;
  const { table, motion, moved, errors, models } = replica;
  const rows = table.ids.byteLength + table.tokens.byteLength + motion.byteLength;
  const flags = moved.byteLength + errors.byteLength;
  return rows + flags + models.words.byteLength + models.reals.byteLength;
}
