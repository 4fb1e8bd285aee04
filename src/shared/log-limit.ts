/** One key of the limiter. `severity` is a number that only has to differ between severities. */
export interface LogLimit {
  readonly severity: number;
  readonly subsystem: string;
  readonly event: string;
  /** When it was last let through. */
  lastMs: number;
  /** How often it was held back since. */
  suppressed: number;
}

/** Called before the state of `limit` is forgotten or renewed, when it held something back. */
export type LogSummary = (limit: LogLimit, nowMs: number) => void;

/**
 * Lets the first event of a (subsystem, event, severity) through and counts those that follow
 * within a window. There is no timer: a count is told by the first event of its key after the
 * window, when its key makes room for another one, or by {@link LogLimiter.drain}.
 *
 * Memory is bounded by `keysMax`. A new key takes the place of the one let through longest ago if
 * that one's window is over; if none is, all further keys of one severity share one place until
 * room comes, so that event names made from data can flood neither the memory nor the sink.
 */
export class LogLimiter {
  readonly #windowMs: number;
  readonly #keysMax: number;
  readonly #summarize: LogSummary;
  /** In the order in which they were last let through. */
  readonly #limits: Map<string, LogLimit> = new Map();
  /** The shared places, one a severity. */
  readonly #others: Map<number, LogLimit> = new Map();

  /** Makes a limiter without keys. `windowMs` is in the unit of the `nowMs` given later. */
  constructor(windowMs: number, keysMax: number, summarize: LogSummary) {
    this.#windowMs = windowMs;
    this.#keysMax = keysMax;
    this.#summarize = summarize;
  }

  /** Returns whether the event may pass; counts it if not. */
  admit(severity: number, subsystem: string, event: string, nowMs: number): boolean {
    const key = `${severity} ${subsystem} ${event}`;
    const known = this.#limits.get(key);
    if (known !== undefined) {
      if (!this.#renew(known, nowMs)) return false;
      this.#limits.delete(key);
      this.#limits.set(key, known);
      return true;
    }
    if (this.#limits.size >= this.#keysMax && !this.#makeRoom(nowMs)) {
      return this.#admitOther(severity, nowMs);
    }
    this.#limits.set(key, { severity, subsystem, event, lastMs: nowMs, suppressed: 0 });
    return true;
  }

  /** Tells every pending count and forgets all keys. */
  drain(nowMs: number): void {
    for (const limit of this.#limits.values()) this.#tell(limit, nowMs);
    for (const limit of this.#others.values()) this.#tell(limit, nowMs);
    this.#limits.clear();
    this.#others.clear();
  }

  /** Opens a new window of `limit` if the old one is over, else counts. */
  #renew(limit: LogLimit, nowMs: number): boolean {
    if (!this.#isOver(limit, nowMs)) {
      limit.suppressed += 1;
      return false;
    }
    this.#tell(limit, nowMs);
    limit.lastMs = nowMs;
    return true;
  }

  #makeRoom(nowMs: number): boolean {
    for (const [key, oldest] of this.#limits) {
      if (!this.#isOver(oldest, nowMs)) return false;
      this.#tell(oldest, nowMs);
      this.#limits.delete(key);
      return true;
    }
    return false;
  }

  #admitOther(severity: number, nowMs: number): boolean {
    const other = this.#others.get(severity);
    if (other !== undefined) return this.#renew(other, nowMs);
    const fresh = { severity, subsystem: 'log', event: '*', lastMs: nowMs, suppressed: 0 };
    this.#others.set(severity, fresh);
    return true;
  }

  #isOver(limit: LogLimit, nowMs: number): boolean {
    // Written so that a clock that says NaN lets through instead of silencing for ever.
    return !(nowMs - limit.lastMs < this.#windowMs);
  }

  #tell(limit: LogLimit, nowMs: number): void {
    if (limit.suppressed > 0) this.#summarize(limit, nowMs);
    limit.suppressed = 0;
  }
}
