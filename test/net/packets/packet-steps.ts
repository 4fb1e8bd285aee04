import fc from 'fast-check';
import type { Limits } from './reassembly-model.ts';

/** One thing done to a receiver. */
export type PacketStep =
  | { readonly kind: 'packet'; readonly group: number; readonly chunk: number }
  | {
      readonly kind: 'altered';
      readonly group: number;
      readonly chunk: number;
      readonly at: number;
      readonly xor: number;
      readonly grow: number;
    }
  | { readonly kind: 'forged'; readonly header: Header; readonly bytes: number }
  | { readonly kind: 'wait'; readonly byMs: number }
  | { readonly kind: 'expire' }
  | { readonly kind: 'commit'; readonly group: number }
  | { readonly kind: 'clear' };

/** Members of a header that somebody made up. */
export interface Header {
  readonly groupId: number;
  readonly chunk: number;
  readonly chunkCount: number;
  readonly groupBytes: number;
  /** Added to what is right. */
  readonly chunkBytesOff: number;
}

/** Limits that are met often. */
export const anyLimits: fc.Arbitrary<Limits> = fc
  .record({
    maxPayloadBytes: fc.constantFrom(26, 30, 45),
    maxGroupBytes: fc.constantFrom(40, 90),
    maxChunks: fc.constantFrom(90, 4096),
    maxGroupsInFlight: fc.constantFrom(1, 2, 4),
    spareBytes: fc.constantFrom(0, 30, 1000),
    timeoutMs: fc.constantFrom(1, 40.5, 1e6),
  })
  .map(({ spareBytes, ...limits }) => ({
    ...limits,
    maxIncompleteBytes: limits.maxGroupBytes + spareBytes,
  }));

/** Groups of any bytes, some longer than a limit of 40; number n has id n + 1. */
export const anyGroups: fc.Arbitrary<Uint8Array[]> = fc.array(
  fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 8 }),
    fc.uint8Array({ minLength: 1, maxLength: 90 }),
  ),
  { minLength: 1, maxLength: 5 },
);

const group = fc.nat(4);
const chunk = fc.oneof({ weight: 3, arbitrary: fc.nat(3) }, fc.nat(89));

const anyHeader: fc.Arbitrary<Header> = fc.record({
  groupId: fc.oneof(fc.nat(6), fc.constantFrom(0, 0x8000_0000, 0xffff_ffff)),
  chunk: fc.oneof(fc.nat(6), fc.constantFrom(0xffff)),
  chunkCount: fc.oneof(fc.nat(6), fc.constantFrom(90, 91, 4096, 4097, 0xffff)),
  groupBytes: fc.oneof(fc.nat(91), fc.constantFrom(0x7fff_ffff, 0xffff_ffff)),
  chunkBytesOff: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.constantFrom(-1, 1, 65_536)),
});

/** Packets in any order, with losses and repeats, and everything else that may happen. */
export const anySteps: fc.Arbitrary<PacketStep[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: fc.constant('packet' as const), group, chunk }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('altered' as const),
        group,
        chunk,
        at: fc.oneof(fc.nat(24), fc.nat(44)),
        xor: fc.oneof(fc.integer({ min: 1, max: 255 }), fc.constant(0)),
        grow: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: -45, max: 9 })),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('forged' as const),
        header: anyHeader,
        bytes: fc.nat(20),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('wait' as const),
        byMs: fc.constantFrom(1, 10, 40.5, -3),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('commit' as const), group }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
  ),
  { maxLength: 120 },
);

/** Writes a packet with any header, in the plainest way. */
export function forge(header: Header, bytes: number): Uint8Array {
  const packet = new Uint8Array(25 + bytes).fill(0xab, 25);
  const view = new DataView(packet.buffer);
  view.setUint32(0, 0x534e504b);
  view.setUint32(4, 0x0001_0001);
  view.setUint8(8, 1);
  view.setUint32(9, header.groupId);
  view.setUint16(13, header.chunk);
  view.setUint16(15, header.chunkCount);
  view.setUint32(17, header.groupBytes);
  view.setUint32(21, bytes + header.chunkBytesOff);
  return packet;
}
