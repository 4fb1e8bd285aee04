import { FieldCodec, type FieldValues } from '../shared/field-codec.ts';
import type { RingReader } from '../shared/ring-reader.ts';
import type { InputSchema } from '../shared/schema.ts';

/** Waiting events of one input are bounded; beyond it they are refused and counted. */
const WAITING_MAX = 4096;

interface InputLane {
  readonly schema: InputSchema;
  readonly codec: FieldCodec;
  /** `state`: what the next tick will see. */
  pending: FieldValues;
  /** `state`: what this tick sees; the same object for life. */
  readonly present: FieldValues;
  /** `event`: waiting for the next advance. */
  waiting: FieldValues[];
  /** `event`: what this tick consumes. */
  consumed: FieldValues[];
}

const NOTHING: FieldValues[] = [];

/**
 * Inputs on the simulation's side: drained from the ring whenever the driver wakes, handed to the
 * first tick of an advance. While nothing runs, `state` inputs coalesce and `event` inputs wait.
 */
export class InputQueue {
  /** By input name: an object for `state`, an array for `event`. */
  readonly view: Record<string, FieldValues | readonly FieldValues[]> = {};
  /** Events refused because too many were waiting. */
  overflowCount = 0;
  readonly #lanes: readonly InputLane[];
  readonly #ring: RingReader;
  #consumedAny = false;

  constructor(schemas: readonly InputSchema[], ring: RingReader) {
    this.#ring = ring;
    this.#lanes = schemas.map((schema) => {
      const codec = new FieldCodec(`input "${schema.name}"`, schema.fields);
      const pending = codec.defaults();
      return { schema, codec, pending, present: codec.defaults(), waiting: [], consumed: NOTHING };
    });
    for (const lane of this.#lanes) {
      this.view[lane.schema.name] = lane.schema.as === 'state' ? lane.present : lane.consumed;
    }
  }

  /** Takes everything out of the ring. */
  drain(): void {
    while (this.#ring.next()) {
      const lane = this.#lanes[this.#ring.kind];
      if (lane === undefined) continue;
      if (lane.schema.as === 'state') {
        lane.codec.decode(this.#ring.words, 0, lane.pending);
      } else if (lane.waiting.length < WAITING_MAX) {
        lane.waiting.push(lane.codec.decode(this.#ring.words, 0, {}));
      } else {
        this.overflowCount++;
      }
    }
  }

  /** Hands what waits to the tick about to run: the first of an advance. */
  consume(): void {
    for (const lane of this.#lanes) {
      if (lane.schema.as === 'state') {
        for (const field of lane.schema.fields) {
          lane.present[field.name] = lane.pending[field.name] as number | boolean;
        }
      } else if (lane.waiting.length > 0) {
        lane.consumed = lane.waiting;
        lane.waiting = [];
        this.view[lane.schema.name] = lane.consumed;
        this.#consumedAny = true;
      }
    }
  }

  /** Ends the tick: what it consumed is gone for the next. */
  settle(): void {
    if (!this.#consumedAny) return;
    this.#consumedAny = false;
    for (const lane of this.#lanes) {
      if (lane.schema.as === 'state') continue;
      lane.consumed = NOTHING;
      this.view[lane.schema.name] = NOTHING;
    }
  }
}
