import { createLog, type Log, type LogFields, type LogRecord } from '../../src/shared/log.ts';

/** A log on a clock that the test sets, with everything it recorded. */
export interface LogBench {
  readonly log: Log;
  readonly clock: { nowMs: number };
  readonly records: LogRecord[];
  /** Names of the recorded events, in order. */
  readonly events: () => string[];
  /** Fields of the recorded events of one name, in order. */
  readonly fieldsOf: (event: string) => LogFields[];
}

/** Makes a log for a test; its window is the usual second. */
export function logBench(): LogBench {
  const clock = { nowMs: 0 };
  const records: LogRecord[] = [];
  const log = createLog({
    nowMs: () => clock.nowMs,
    sink: (record) => void records.push(record),
  });
  return {
    log,
    clock,
    records,
    events: () => records.map(({ event }) => event),
    fieldsOf: (event) => records.filter((record) => record.event === event).map((r) => r.fields),
  };
}
