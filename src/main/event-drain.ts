import { FieldCodec, type FieldValues } from '../shared/field-codec.ts';
import type { EventSchema } from '../shared/schema.ts';
import type { HostRun } from './host-run.ts';

/** Words before an event's fields: the tick that emitted it. */
const HEADER_WORDS = 2;

/** Hands out a simulation's events: each exactly once, in the order they were emitted. */
export interface EventDrain<E> {
  /**
   * Calls `visit` with each event that has come since the last call, and returns how many there
   * were. If `visit` throws, the events behind that one stay for the next call. A restart forgets
   * what was not drained: those events are of another run.
   */
  drain(visit: (event: E) => void): number;
  /** Events refused because the ring was full. */
  readonly dropped: number;
}

/** The events of a run's event ring. */
export class EventRingDrain<E> implements EventDrain<E> {
  readonly #codecs: readonly { readonly name: string; readonly codec: FieldCodec }[];
  readonly #run: () => HostRun;

  constructor(schemas: readonly EventSchema[], run: () => HostRun) {
    this.#run = run;
    this.#codecs = schemas.map(({ name, fields }) => ({
      name,
      codec: new FieldCodec(`event "${name}"`, fields),
    }));
  }

  drain(visit: (event: E) => void): number {
    const run = this.#run();
    const { events } = run;
    let count = 0;
    while (events.next() || (run.onEmptied?.() && events.next())) {
      const entry = this.#codecs[events.kind];
      if (entry === undefined) continue;
      count++;
      const low = events.words[0] as number;
      const high = events.words[1] as number;
      const event: FieldValues & { type?: string; tick?: number } = {};
      entry.codec.decode(events.words, HEADER_WORDS, event);
      visit({ ...event, type: entry.name, tick: high * 2 ** 32 + low } as E);
    }
    return count;
  }

  get dropped(): number {
    return this.#run().events.droppedCount();
  }
}
