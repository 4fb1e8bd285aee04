/**
 * How much work is done for few bytes; part of what both sides must agree on.
 *
 * - `packed`: plain bits, no models; differences from where a token would be if it moved on.
 * - `fast`: a range coder with few adaptive decisions a token, the rest as plain bits.
 * - `strong`: a range coder with mixed models and predictions from rows nearby.
 */
export type CodingEffort = 'packed' | 'fast' | 'strong';
