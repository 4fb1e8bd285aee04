import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ACK_BYTES,
  DeliveryMessage,
  type DeliveryMessageStatus,
  encodeAck,
  encodeRecoveryRequest,
  RECOVERY_REQUEST_BYTES,
} from '../../../src/net/index.ts';
import { scaled } from '../../scaled.ts';
import { errorOf } from '../error-of.ts';

const anySequence = fc.oneof(
  fc.integer({ min: 1, max: 0xffff_ffff }),
  fc.constantFrom(1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff),
);

describe('the messages of a client', () => {
  test('have these bytes', () => {
    const out = new Uint8Array(12).fill(0xee);
    expect(encodeAck(out, 0x0102_03f4)).toBe(6);
    expect([...out.subarray(0, 7)]).toEqual([5, 3, 1, 2, 3, 0xf4, 0xee]);
    expect(encodeRecoveryRequest(out, 0xf000_0002, 0x8000_0001)).toBe(10);
    expect([...out]).toEqual([8, 3, 0xf0, 0, 0, 2, 0x80, 0, 0, 1, 0xee, 0xee]);
  });

  test('come back as they were written, from any place in a buffer', () => {
    const program = fc.property(anySequence, anySequence, fc.nat(20), (one, other, offset) => {
      const buffer = new Uint8Array(40).fill(0xaa);
      const out = buffer.subarray(offset, offset + RECOVERY_REQUEST_BYTES);
      const message = new DeliveryMessage();
      encodeAck(out, one);
      expect(message.read(out.subarray(0, ACK_BYTES))).toBe('ack');
      expect(message.sequence).toBe(one);
      const [missing, rejected] = [Math.min(one, other), Math.max(one, other)];
      fc.pre(missing < rejected);
      encodeRecoveryRequest(out, rejected, missing);
      expect(message.read(out)).toBe('recovery-request');
      expect([message.rejected, message.missing]).toEqual([rejected, missing]);
    });
    fc.assert(program);
  });

  test.each([
    ['nothing', [], 'unknown-kind'],
    ['another kind', [6, 3, 0, 0, 0, 1], 'unknown-kind'],
    ['another version', [5, 4, 0, 0, 0, 1], 'unsupported-version'],
    ['an acknowledgement cut short', [5, 3, 0, 0, 0], 'invalid-length'],
    ['an acknowledgement with a tail', [5, 3, 0, 0, 0, 1, 0], 'invalid-length'],
    ['a request cut short', [8, 3, 0, 0, 0, 2, 0, 0, 0], 'invalid-length'],
    ['a request for no baseline', [8, 3, 0, 0, 0, 2, 0, 0, 0, 0], 'reserved-sequence'],
    ['a request for itself', [8, 3, 0, 0, 0, 2, 0, 0, 0, 2], 'baseline-not-earlier'],
    ['a request for a later one', [8, 3, 0, 0, 0, 2, 0x80, 0, 0, 0], 'baseline-not-earlier'],
  ] as [string, number[], DeliveryMessageStatus][])('are refused: %s', (_, bytes, status) => {
    const message = new DeliveryMessage();
    message.read(Uint8Array.of(5, 3, 0, 0, 0, 9));
    message.read(Uint8Array.of(8, 3, 0, 0, 0, 7, 0, 0, 0, 6));
    expect(message.read(Uint8Array.from(bytes))).toBe(status);
    expect(message).toEqual({ sequence: 9, rejected: 7, missing: 6 });
  });

  test('are read from any bytes without a throw, and only in the one form they have', () => {
    const out = new Uint8Array(RECOVERY_REQUEST_BYTES);
    const message = new DeliveryMessage();
    const anyBytes = fc
      .tuple(fc.constantFrom(5, 8, 0), fc.constantFrom(3, 2), fc.uint8Array({ maxLength: 9 }))
      .map(([kind, version, rest]) => Uint8Array.of(kind, version, ...rest));
    const program = fc.property(fc.oneof(fc.uint8Array({ maxLength: 12 }), anyBytes), (bytes) => {
      const status = message.read(bytes);
      if (status === 'ack' && message.sequence > 0) {
        expect(out.subarray(0, encodeAck(out, message.sequence))).toEqual(bytes);
      }
      if (status === 'recovery-request') {
        encodeRecoveryRequest(out, message.rejected, message.missing);
        expect(out).toEqual(bytes);
      }
    });
    fc.assert(program, { numRuns: scaled({ tiny: 2000, normal: 20_000, full: 1_000_000 }) });
  });

  test('are not written for what they cannot say', () => {
    const out = new Uint8Array(RECOVERY_REQUEST_BYTES);
    const short = out.subarray(0, 5);
    const faults = [
      errorOf(() => encodeAck(short, 1)),
      errorOf(() => encodeAck(out, 0)),
      errorOf(() => encodeAck(out, 1.5)),
      errorOf(() => encodeAck(out, 2 ** 32)),
      errorOf(() => encodeRecoveryRequest(short, 2, 1)),
      errorOf(() => encodeRecoveryRequest(out, 2, 0)),
      errorOf(() => encodeRecoveryRequest(out, 2, 2)),
    ];
    expect(faults).toEqual([
      'VALUE_INVALID/buffer-too-short',
      'VALUE_INVALID/sequence-range',
      'VALUE_INVALID/sequence-range',
      'VALUE_INVALID/sequence-range',
      'VALUE_INVALID/buffer-too-short',
      'VALUE_INVALID/sequence-range',
      'VALUE_INVALID/baseline-not-earlier',
    ]);
    expect([...out]).toEqual(Array.from(out, () => 0));
  });
});
