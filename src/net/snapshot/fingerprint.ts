import { Fnv64 } from '../../shared/hash.ts';
import type { FieldColumn } from '../record/field-codec.ts';
import type { FieldShape } from '../record/record-shape.ts';
import type { Snapshot } from './snapshot.ts';

/** Feeds the population of a snapshot to a hash, as {@link fingerprint} does. */
export function hashSnapshot(snapshot: Snapshot, hash: Fnv64): void {
  const { fields } = snapshot.shape;
  for (let row = 0; row < snapshot.count; row++) {
    hash.u32(snapshot.ids[row] as number);
    for (let f = 0; f < fields.length; f++) {
      const { bits } = snapshot.columns[f] as FieldColumn;
      const { width } = (fields[f] as FieldShape).codec;
      for (let at = row * width; at < (row + 1) * width; at++) hash.u32(bits[at] as number);
    }
  }
}

/**
 * Returns 16 hexadecimal digits that are equal for equal populations: FNV-1a 64 over big-endian
 * words, for each entity its id, then the bits of its numbers in the order of the fields. The tick
 * is left out, so that a population at rest keeps its fingerprint. Not for adversaries.
 */
export function fingerprint(snapshot: Snapshot): string {
  const hash = new Fnv64();
  hashSnapshot(snapshot, hash);
  return hash.hex();
}
