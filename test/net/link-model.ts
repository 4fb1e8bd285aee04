import fc from 'fast-check';
import type { LinkConditions, LinkEnd } from '../../src/net/index.ts';

/** Any conditions, mild and hostile ones, and each part of them often left out. */
export const anyConditions: fc.Arbitrary<LinkConditions> = fc.record(
  {
    loss: fc.constantFrom(0, 0.05, 0.5, 1),
    burstLoss: fc.record({
      enter: fc.constantFrom(0, 0.1, 1),
      leave: fc.constantFrom(0.1, 0.5, 1),
      loss: fc.constantFrom(0.5, 1),
    }),
    delayMs: fc.constantFrom(0, 1, 33.3, 120),
    jitterMs: fc.constantFrom(0, 0.5, 20, 200),
    jitterShape: fc.constantFrom('uniform' as const, 'normal' as const),
    duplicate: fc.constantFrom(0, 0.3, 1),
    reorder: fc.constantFrom(0, 0.3, 1),
    reorderMs: fc.constantFrom(0, 5, 50),
    corrupt: fc.constantFrom(0, 0.2, 1),
    bandwidthBytesPerS: fc.constantFrom(100, 3333, 1e6),
    maxQueuedBytes: fc.constantFrom(1, 40, 1000),
    retransmitMs: fc.constantFrom(1, 30, 200),
  },
  { requiredKeys: [] },
);

/** One thing done to a link. */
export type LinkStep =
  | {
      readonly kind: 'send';
      readonly from: 'a' | 'b';
      readonly length: number;
      readonly delivery: 'unreliable' | 'reliable';
    }
  | { readonly kind: 'advance'; readonly byMs: number }
  | { readonly kind: 'receive'; readonly at: 'a' | 'b' };

const ends = fc.constantFrom('a' as const, 'b' as const);

/** A program that sends over a link, lets time go by, and receives. */
export const anySteps: fc.Arbitrary<LinkStep[]> = fc.array(
  fc.oneof(
    {
      arbitrary: fc.record({
        kind: fc.constant('send' as const),
        from: ends,
        length: fc.oneof(fc.nat(4), fc.nat(70)),
        delivery: fc.constantFrom('unreliable' as const, 'reliable' as const),
      }),
      weight: 5,
    },
    {
      arbitrary: fc.record({
        kind: fc.constant('advance' as const),
        byMs: fc.constantFrom(0, 0.25, 7, 40, 500),
      }),
      weight: 2,
    },
    { arbitrary: fc.record({ kind: fc.constant('receive' as const), at: ends }), weight: 2 },
  ),
  { maxLength: 150, size: 'max' },
);

/** A packet that came out of an end. */
export interface Received {
  readonly bytes: number[];
  readonly delivery: string;
}

/** Takes everything that has arrived at an end. */
export function takeAll(end: LinkEnd): Received[] {
  const received: Received[] = [];
  const count = end.receive((bytes, delivery) => {
    received.push({ bytes: [...bytes], delivery });
  });
  if (count !== received.length) throw new Error(`${count} said, ${received.length} shown`);
  return received;
}

/** Returns a packet of `length` bytes, 4 at least, that carries a number. */
export function numbered(number: number, length = 4): Uint8Array {
  const bytes = new Uint8Array(Math.max(4, length));
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

/** Returns the number that a packet carries. */
export function numberOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0);
}
