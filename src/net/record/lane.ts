/**
 * How a difference between two tokens of a lane is to be understood.
 *
 * - `linear`: tokens are places on a line; a small difference is a small change.
 * - `circular`: tokens are places on a circle of 2^bits places; the last one is next to the first.
 * - `category`: tokens are names; only equal or different means anything.
 * - `opaque`: bits of which nothing is known, such as those of a float or of bytes.
 */
export type LaneKind = 'linear' | 'circular' | 'category' | 'opaque';

/**
 * One number of a record as it goes over the wire: an unsigned token of a fixed count of bits. A
 * field has one lane or several: three for a position, four for an orientation.
 */
export interface Lane {
  /** The field it belongs to, as its index in the record. */
  readonly field: number;
  readonly kind: LaneKind;
  /** 1 to 32. */
  readonly bits: number;
}
