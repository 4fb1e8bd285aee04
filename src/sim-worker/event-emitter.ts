import { FieldCodec, type FieldValues } from '../shared/field-codec.ts';
import type { RingWriter } from '../shared/ring-writer.ts';
import type { EventSchema } from '../shared/schema.ts';

/** Words before an event's fields: the tick that emitted it, low and high. */
const EVENT_HEADER_WORDS = 2;

/** Sends events to the host through the event ring, stamped with their tick. */
export class EventEmitter {
  /** A sender by event name; each returns false when the ring was full. */
  readonly emit: Record<string, (values: FieldValues) => boolean> = {};
  /** The tick being made. */
  tick = 0;
  /** Whether what is emitted is left out: the tick was made before, or only leads to another. */
  muted = false;

  constructor(schemas: readonly EventSchema[], ring: RingWriter) {
    schemas.forEach((schema, kind) => {
      const codec = new FieldCodec(`event "${schema.name}"`, schema.fields);
      const length = EVENT_HEADER_WORDS + codec.lengthWords;
      const payload = new Uint32Array(length);
      ring.check(length);
      this.emit[schema.name] = (values) => {
        if (this.muted) return true;
        payload[0] = this.tick >>> 0;
        payload[1] = Math.floor(this.tick / 2 ** 32);
        codec.encode(values, payload, EVENT_HEADER_WORDS);
        return ring.tryWrite(kind, payload, length);
      };
    });
  }
}
