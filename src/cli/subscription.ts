import type { Key, KeyValue } from './control-keys.ts';

/** What a subscription is made of. */
export interface SubscriptionOptions {
  readonly id: number;
  readonly keys: readonly Key[];
  readonly rateHz: number;
  /** Whether only what changed is sent, and nothing when nothing did. */
  readonly changesOnly: boolean;
  readonly read: (keys: readonly Key[]) => Record<string, KeyValue>;
  /** Whether the connection has room for one more push. */
  readonly hasRoom: () => boolean;
  readonly push: (message: object) => void;
}

/**
 * Sends values of keys at a rate, each read when it is sent: a connection that is slow gets fewer
 * messages, never older ones. What was left out is counted in `skipped`.
 */
export class Subscription {
  readonly #options: SubscriptionOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  #sent: Readonly<Record<string, KeyValue>>;
  #skipped = 0;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.#sent = options.read(options.keys);
    this.#timer = setInterval(() => this.#send(), 1000 / options.rateHz);
    this.#timer.unref();
  }

  /** Ends the subscription. Idempotent. */
  close(): void {
    clearInterval(this.#timer);
  }

  #send(): void {
    const { id, keys, changesOnly, read, hasRoom, push } = this.#options;
    if (!hasRoom()) {
      this.#skipped++;
      return;
    }
    let now: Readonly<Record<string, KeyValue>>;
    try {
      now = read(keys);
    } catch {
      // The simulation has ended; the connection is told so in its own way.
      this.close();
      return;
    }
    const values = changesOnly ? this.#changed(now) : now;
    if (changesOnly && Object.keys(values).length === 0) return;
    this.#sent = now;
    const event = changesOnly ? 'change' : 'telemetry';
    push({ event, subscription: id, values, skipped: this.#skipped });
    this.#skipped = 0;
  }

  #changed(now: Readonly<Record<string, KeyValue>>): Record<string, KeyValue> {
    return Object.fromEntries(
      Object.entries(now).filter(([key, value]) => !Object.is(this.#sent[key], value)),
    );
  }
}
