/** Words of a lateness trace before its samples. */
const TRACE_COUNT = 0;
export const TRACE_STOP = 1;
/** Where the start reference is: seconds, nanoseconds. */
export const TRACE_START = 2;
const TRACE_HEADER = 4;

/** Ticks a second of both loops. */
export const TRACE_RATE_HZ = 120;

/** Makes a shared trace with room for `samples` instants (seconds and nanoseconds each). */
export function createTrace(samples: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer((TRACE_HEADER + 2 * samples) * 4));
}

/** Notes the present instant as the next sample; false when the trace is full. */
export function noteNow(trace: Int32Array): boolean {
  const [seconds, nanos] = process.hrtime();
  const count = trace[TRACE_COUNT] as number;
  const at = TRACE_HEADER + 2 * count;
  if (at + 1 >= trace.length) return false;
  trace[at] = seconds;
  trace[at + 1] = nanos;
  Atomics.store(trace, TRACE_COUNT, count + 1);
  return true;
}

/** Returns how many ticks have been due by now and left no sample; one may be on its way. */
export function lackingNow(trace: Int32Array): number {
  // Counted before the clock is read: a tick in between can only make one too many.
  const count = Atomics.load(trace, TRACE_COUNT);
  const [seconds, nanos] = process.hrtime();
  const sinceNs =
    (seconds - (trace[TRACE_START] as number)) * 1e9 + nanos - (trace[TRACE_START + 1] as number);
  return Math.floor((sinceNs * TRACE_RATE_HZ) / 1e9) - count;
}

/** Lateness of each sample in microseconds: sample k was due (k + 1) periods after the start. */
export function latenessUs(trace: Int32Array): number[] {
  const count = Atomics.load(trace, TRACE_COUNT);
  const startSeconds = trace[TRACE_START] as number;
  const startNanos = trace[TRACE_START + 1] as number;
  return Array.from({ length: count }, (_, k) => {
    const at = TRACE_HEADER + 2 * k;
    const sinceNs =
      ((trace[at] as number) - startSeconds) * 1e9 + ((trace[at + 1] as number) - startNanos);
    return (sinceNs - ((k + 1) * 1e9) / TRACE_RATE_HZ) / 1000;
  });
}
