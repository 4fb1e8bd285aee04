import { EscapementError } from '../error.ts';
import type { ReplaySink } from './replay.ts';

/** A `WritableStream` of bytes, as far as it is used here. */
export interface ByteStream {
  getWriter(): {
    write(bytes: Uint8Array): Promise<void>;
    close(): Promise<void>;
    releaseLock(): void;
  };
}

/** How often a recording takes what: in ticks, counted from tick 0. */
export interface RecordPeriods {
  readonly hashEveryTicks: number;
  readonly keyframeEveryTicks: number;
}

/** Options of a recording. */
export interface RecordOptions {
  /** Where the bytes go: a sink, or a `WritableStream`. Kept in memory by default. */
  readonly to?: ReplaySink | ByteStream | undefined;
  /** Ticks between two hashes of the state. Default 60. */
  readonly hashEveryTicks?: number | undefined;
  /** Ticks between two copies of the state. Default 600. */
  readonly keyframeEveryTicks?: number | undefined;
  /** Bytes at which the recording ends. Default 128 MiB. */
  readonly maxBytes?: number | undefined;
}

/** Options of a recording with every default filled in. */
export interface ResolvedRecord {
  readonly to: ReplaySink | undefined;
  readonly periods: RecordPeriods;
  readonly maxBytes: number | undefined;
}

const PERIOD_MAX = 1_000_000;

/** Fills in and checks the options of a recording. Throws OPTION_INVALID. */
export function resolveRecord(options: RecordOptions): ResolvedRecord {
  const { hashEveryTicks = 60, keyframeEveryTicks = 600, maxBytes, to } = options;
  checkPeriod('hashEveryTicks', hashEveryTicks);
  checkPeriod('keyframeEveryTicks', keyframeEveryTicks);
  return {
    to: to === undefined ? undefined : sinkOf(to),
    periods: { hashEveryTicks, keyframeEveryTicks },
    maxBytes,
  };
}

function sinkOf(to: ReplaySink | ByteStream): ReplaySink {
  const given = to as Partial<ReplaySink & ByteStream> | null;
  if (typeof given?.getWriter === 'function') {
    const writer = given.getWriter();
    return { write: (bytes) => writer.write(bytes), close: () => writer.close() };
  }
  if (typeof given?.write === 'function' && typeof given.close === 'function') {
    return to as ReplaySink;
  }
  throw new EscapementError('OPTION_INVALID', 'A recording cannot be written there.', {
    given: typeof to,
    allowed: 'a WritableStream, or an object with write(bytes) and close()',
  });
}

function checkPeriod(name: string, ticks: number): void {
  if (Number.isInteger(ticks) && ticks >= 1 && ticks <= PERIOD_MAX) return;
  throw new EscapementError('OPTION_INVALID', `\`${name}\` is not possible.`, {
    given: String(ticks),
    allowed: `an integer from 1 to ${PERIOD_MAX}`,
  });
}
