import { checkWhole, type FieldSpec, fieldFault, fieldSpec } from './field-spec.ts';
import { FiniteFloatCodec } from './float-codec.ts';
import { bitsFor } from './integer-field.ts';
import { type QuantisedAxis, QuantisedCodec } from './quantised-codec.ts';

/** How finely a float between bounds is told; either `bits` or `precision`. */
export interface QuantisedOptions {
  /** Numbers of one entity, 1 to 4; by default as many as the bounds have, else 1. */
  readonly width?: number;
  /** The least value; one for all numbers, or one for each. */
  readonly min: number | readonly number[];
  /** The greatest value; one for all numbers, or one for each. */
  readonly max: number | readonly number[];
  /** Bits of each number, 1 to {@link QUANTISED_BITS_MAX}: 2^bits values from `min` to `max`. */
  readonly bits?: number;
  /** The most that two neighbouring values are apart; an error is at most half of it. */
  readonly precision?: number;
}

/** More would be finer than the arithmetic, which is that of f32. */
const QUANTISED_BITS_MAX = 20;

/** Steps that are finer than this share of the largest bound are lost in an f32. */
const FINEST = 2 ** -21;

/**
 * Declares floats between bounds. Values outside are clamped and counted; NaN is refused. Throws
 * SCHEMA_INVALID for bounds without extent, more than 20 bits, and steps that f32 cannot hold.
 */
export function quantised(options: QuantisedOptions): FieldSpec {
  const { min, max, bits, precision } = options;
  const lengths = [min, max].flatMap((bound) => (typeof bound === 'number' ? [] : [bound.length]));
  const width = options.width ?? lengths[0] ?? 1;
  checkWhole('field-width-invalid', 'The width of quantised()', width, 1, 4);
  if (lengths.some((length) => length !== width)) {
    const allowed = `one number, or ${width} of them`;
    const fix = 'Give both bounds as lists of that length, or leave width out.';
    throw fieldFault('field-width-invalid', 'The bounds are not as wide.', options, allowed, fix);
  }
  if ((bits === undefined) === (precision === undefined)) {
    const allowed = 'either bits or a precision';
    const fix = 'Name one of the two.';
    throw fieldFault('field-precision-invalid', 'How fine shall it be?', options, allowed, fix);
  }
  const axes = Array.from({ length: width }, (_, index) => {
    const low = Math.fround(typeof min === 'number' ? min : (min[index] as number));
    const high = Math.fround(typeof max === 'number' ? max : (max[index] as number));
    return makeAxis(low, high, bits, precision);
  });
  return fieldSpec('quantised', axes, new QuantisedCodec(axes), 'finite', 'lerp');
}

/** Declares `width` floats as they are, 32 bits each. NaN is refused, infinity clamped. */
export function float32(width: 1 | 2 | 3 | 4 = 1): FieldSpec {
  checkWhole('field-width-invalid', 'The width of float32()', width, 1, 4);
  return fieldSpec('float32', width, new FiniteFloatCodec(width), 'finite', 'lerp');
}

function makeAxis(
  min: number,
  max: number,
  bits: number | undefined,
  precision: number | undefined,
): QuantisedAxis {
  const extent = Math.fround(max - min);
  if (!(extent > 0 && extent < Number.POSITIVE_INFINITY)) {
    const allowed = 'finite bounds, min below max';
    const fix = 'Give the least and the greatest value; float32() needs no bounds.';
    throw fieldFault('field-range-invalid', 'The bounds hold nothing.', [min, max], allowed, fix);
  }
  const steps =
    precision === undefined
      ? 2 ** checkWhole('field-bits-invalid', 'The bits', bits ?? 0, 1, QUANTISED_BITS_MAX) - 1
      : stepsOf(extent, precision);
  const step = extent / steps;
  if (step < Math.max(Math.abs(min), Math.abs(max)) * FINEST) {
    throw fieldFault(
      'field-precision-invalid',
      'An f32 cannot hold values that are so close at such bounds.',
      { min, max, bits, precision },
      `steps from ${Math.max(Math.abs(min), Math.abs(max)) * FINEST} on; these are ${step}`,
      'Take fewer bits, a coarser precision, or whole numbers: int() or uint().',
    );
  }
  return { min, max, steps, bits: bitsFor(steps + 1) };
}

/** Returns the steps of a range; the nearest whole number where only rounding is in the way. */
function stepsOf(extent: number, precision: number): number {
  const exact = extent / precision;
  const nearest = Math.round(exact);
  const steps = Math.abs(exact - nearest) < 1e-6 * exact ? nearest : Math.ceil(exact);
  if (precision > 0 && steps >= 1 && steps < 2 ** QUANTISED_BITS_MAX) return steps;
  throw fieldFault(
    'field-precision-invalid',
    'There is no such precision.',
    precision,
    `from ${extent / (2 ** QUANTISED_BITS_MAX - 1)} to ${extent}`,
    'Take a coarser one, or float32().',
  );
}
