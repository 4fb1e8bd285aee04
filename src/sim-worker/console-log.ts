import { createInstant, type MonotonicClock } from '../shared/instant.ts';
import { createLog, type Log, type LogRecord } from '../shared/log.ts';
import { formatLogLine } from '../shared/log-line.ts';

interface ConsoleScope {
  readonly console?: { warn(line: string): void; error(line: string): void };
}

/** Makes a log of warnings and worse for the console, if there is one. Its time is the clock's. */
export function createConsoleLog(clock: MonotonicClock): Log {
  const reading = createInstant();
  return consoleLog(() => {
    clock.read(reading);
    return reading.seconds * 1000 + reading.nanos / 1e6;
  });
}

/** Makes such a log over milliseconds of any zero. */
export function consoleLog(nowMs: () => number): Log {
  const { console } = globalThis as ConsoleScope;
  return createLog({
    level: console === undefined ? 'off' : 'warn',
    nowMs,
    sink: (record: LogRecord) => {
      if (record.severity === 'warn') console?.warn(formatLogLine(record));
      else console?.error(formatLogLine(record));
    },
  });
}
