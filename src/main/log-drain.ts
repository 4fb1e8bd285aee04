import type { LogRecord, LogSink } from '../shared/log.ts';
import { formatLogLine } from '../shared/log-line.ts';
import { decodeLogRecord } from '../shared/log-wire.ts';
import type { HostRun } from './host-run.ts';

/** How often log lines are fetched. They are for people; a tenth of a second is soon enough. */
const PERIOD_MS = 100;

/** Fetches the simulation's log lines and hands them to a sink. */
export class LogDrain {
  /** Lines whose bytes did not decode, and sinks that threw. */
  lostCount = 0;
  readonly #sink: LogSink;
  #run: (() => HostRun) | undefined;
  #timer: unknown;

  constructor(sink: LogSink = consoleSink) {
    this.#sink = sink;
  }

  /** Starts fetching from whichever run is current. */
  attach(run: () => HostRun): void {
    this.#run = run;
    this.#timer = setInterval(() => this.drain(), PERIOD_MS);
    // A log must not keep a Node process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  /** Fetches what is there now. */
  drain(): void {
    const logs = this.#run?.().logs;
    while (logs?.next()) {
      const bytes = new Uint8Array(logs.words.buffer, logs.words.byteOffset + 4, logs.words[0]);
      const record = decodeLogRecord(bytes);
      if (record === undefined) this.lostCount++;
      else this.#deliver(record);
    }
  }

  #deliver(record: LogRecord): void {
    try {
      this.#sink(record);
    } catch {
      this.lostCount++;
    }
  }

  /** Fetches the last lines and stops. */
  close(): void {
    this.drain();
    clearInterval(this.#timer);
    this.#run = undefined;
  }
}

/** Prints warnings and worse on the console. */
export function consoleSink(record: LogRecord): void {
  if (record.severity === 'warn') console.warn(formatLogLine(record));
  else if (record.severity === 'error' || record.severity === 'fatal') {
    console.error(formatLogLine(record));
  }
}
