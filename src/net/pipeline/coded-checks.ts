import type { CodedReplica } from '../entropy/coded-replica.ts';
import { NetError } from '../net-error.ts';
import type { CodedRecords } from '../wire/coded-records.ts';
import type { EncodeRequest } from './encode-request.ts';
import type { TickSource } from './tick-source.ts';

/**
 * Checks what a request has of coded replicas, for a pipeline whose records are coded. `target` is
 * the one that would be filled.
 */
export function checkCoded(
  request: EncodeRequest,
  tick: TickSource,
  coding: CodedRecords,
  target: CodedReplica,
): void {
  if (!Number.isSafeInteger(tick.source.tick))
    throw wrong('coded-tick-out-of-range', 'The tick is too great for records that are coded.', {
      given: String(tick.source.tick),
      allowed: '0 to 2^53 - 1',
    });
  if (!coding.fits(target)) throw foreign('result');
  const snapshot = request.baseline?.snapshot ?? null;
  if (snapshot === null) return;
  const held = request.baseline?.coded ?? null;
  if (held === null)
    throw wrong('baseline-without-coded', 'A baseline has nothing to code differences from.', {
      given: 'a baseline whose `coded` is missing',
      allowed: 'the coded replica that the encode of its snapshot filled',
      fix: 'Make retained results with codedExtra(pipeline), or force a complete update.',
    });
  if (!coding.fits(held)) throw foreign('baseline');
  if (held === target)
    throw wrong('result-coded-in-use', 'The coded result is that which the client holds.', {
      fix: 'Give each update a resultCoded of its own while one before may be a baseline.',
    });
  if (!coding.isOf(held, snapshot))
    throw wrong('baseline-coded-mismatch', 'A baseline is not of one update.', {
      given: `a coded replica of tick ${held.tick} with ${held.table.count} rows`,
      allowed: `one of tick ${snapshot.tick} with ${snapshot.count} rows, as its snapshot is`,
      fix: 'Keep the two together, as a RetainedResult with codedExtra() does.',
    });
}

function foreign(name: 'baseline' | 'result'): NetError {
  return wrong(`${name}-coded-foreign`, `The coded ${name} is of another pipeline.`, {
    fix: 'Make it with codedExtra() of this pipeline.',
  });
}

function wrong(fault: string, headline: string, detail: NetError['detail']): NetError {
  return new NetError('VALUE_INVALID', fault, headline, detail);
}
