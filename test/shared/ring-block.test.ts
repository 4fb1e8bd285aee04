import { describe, expect, test } from 'vitest';
import {
  payloadWordsMax,
  placeRing,
  RECORD_WORDS_MAX,
  RING_WORDS_MAX,
  ringBlockBytes,
} from '../../src/shared/ring-block.ts';

const LINE_WORDS = 16;

describe('a ring block', () => {
  test('puts head, tail and dropped each alone on a line of 64 bytes', () => {
    for (const byteOffset of [0, 64, 4096]) {
      const { headIndex, tailIndex, droppedIndex, dataIndex } = placeRing(byteOffset, 8);
      const starts = [headIndex, tailIndex, droppedIndex, dataIndex];
      expect(starts).toEqual([0, 1, 2, 3].map((line) => byteOffset / 4 + line * LINE_WORDS));
    }
  });

  test('takes whole lines, and its data ends inside them', () => {
    for (let capacityWords = 2; capacityWords <= 2 ** 16; capacityWords *= 2) {
      const bytes = ringBlockBytes(capacityWords);
      const { dataIndex } = placeRing(0, capacityWords);
      expect(bytes % 64).toBe(0);
      expect((dataIndex + capacityWords) * 4).toBeLessThanOrEqual(bytes);
      expect(bytes - (dataIndex + capacityWords) * 4).toBeLessThan(64);
    }
  });

  test.each([0, 1, -2, 3, 6, 1000, 1.5, NaN, Infinity, 2 * RING_WORDS_MAX, 2 ** 32])(
    'refuses %s words, which is no power of two or out of bounds',
    (capacityWords) => {
      const refusal = expect.objectContaining({ code: 'OPTION_INVALID' });
      expect(() => placeRing(0, capacityWords)).toThrow(refusal);
      expect(() => ringBlockBytes(capacityWords)).toThrow(refusal);
    },
  );

  test.each([4, 32, -64, 0.5, NaN])('asserts that %s is the offset of a line', (byteOffset) => {
    expect(() => placeRing(byteOffset, 8)).toThrow('a ring starts on a cache line');
  });

  test('bounds a payload by the ring and by the 16 bits of its header', () => {
    expect(payloadWordsMax(2)).toBe(1);
    expect(payloadWordsMax(2 ** 16)).toBe(RECORD_WORDS_MAX);
    expect(payloadWordsMax(2 ** 20)).toBe(RECORD_WORDS_MAX);
  });
});
