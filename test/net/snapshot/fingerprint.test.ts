import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../src/net/snapshot/fingerprint.ts';
import { anyEntities, contentsOf, shipsOf } from './any-snapshot.ts';

/** FNV-1a as it is defined, over 64-bit integers. */
function fnvOf(bytes: Iterable<number>): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

test('a fingerprint is that of ids and bits, big-endian, row by row, without the tick', () => {
  fc.assert(
    fc.property(anyEntities, (entities) => {
      const { rows } = contentsOf(shipsOf(1, entities));
      const words = rows.flatMap(([id, bits]) => [id, ...bits]);
      const bytes = words.flatMap((word) => [24, 16, 8, 0].map((by) => (word >>> by) & 255));
      expect(fingerprint(shipsOf(1, entities))).toBe(fnvOf(bytes));
      expect(fingerprint(shipsOf(2, entities))).toBe(fnvOf(bytes));
    }),
  );
});
