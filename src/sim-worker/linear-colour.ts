import { EscapementError } from '../shared/error.ts';
import { pow } from '../shared/math/exp.ts';

/** Below this an sRGB value is a straight line of the light it stands for (IEC 61966-2-1). */
const STRAIGHT_MAX = 0.04045;

/**
 * Returns the light that an sRGB colour code such as 0xff8800 stands for, as red, green and blue in
 * [0, 1], and `opacity`: what a `colour()` component holds. Throws VALUE_INVALID for what is no
 * code of 24 bits, and for an opacity beyond [0, 1].
 */
export function linearColour(
  code: number,
  opacity = 1,
): [red: number, green: number, blue: number, opacity: number] {
  if (!(Number.isInteger(code) && code >= 0 && code <= 0xffffff && opacity >= 0 && opacity <= 1)) {
    throw new EscapementError('VALUE_INVALID', 'That is no colour.', {
      given: `code ${code}, opacity ${opacity}`,
      allowed: 'a whole number from 0 to 0xffffff, and an opacity from 0 to 1',
    });
  }
  return [lightOf(code >> 16), lightOf((code >> 8) & 0xff), lightOf(code & 0xff), opacity];
}

function lightOf(byte: number): number {
  const value = byte / 255;
  return value <= STRAIGHT_MAX ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}
