import type { CodedReplica } from '../entropy/coded-replica.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { CodedRecords } from '../wire/coded-records.ts';
import type { ResultExtra } from './retained-result.ts';

/** A coded replica, where records are coded. */
export type Coded = CodedReplica | undefined;

/**
 * What is kept beside each snapshot for a pipeline: its coded replica if records are coded
 * (`DeltaPacking`, `Entropy`), else nothing. For the `extra` of both ends of a delivery.
 */
export function codedExtra(pipeline: Pipeline): ResultExtra<Coded> {
  const coding = CodedRecords.of(pipeline);
  return Object.freeze({
    create: () => coding?.createReplica(),
    copy: (from: Coded, to: Coded) => {
      if (from !== undefined) to?.copyFrom(from);
    },
    reset: (extra: Coded) => extra?.clear(),
    byteLength: bytesOf,
  });
}

function bytesOf(replica: Coded): number {
  if (replica === undefined) return 0;
  const { table, motion, moved, errors, models } = replica;
  const rows = table.ids.byteLength + table.tokens.byteLength + motion.byteLength;
  const flags = moved.byteLength + errors.byteLength;
  return rows + flags + models.words.byteLength + models.reals.byteLength;
}
