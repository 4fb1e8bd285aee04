import { EscapementError } from '../shared/error.ts';
import { FRUSTUM_NUMBERS } from '../shared/kernels/cull.ts';
import type { Within, WithinFrustum } from './bulk-options.ts';

/** What a {@link Within} said when it was last looked at, so that a change of it is seen. */
export class WithinBounds {
  shape: 'rectangle' | 'frustum' = 'rectangle';
  /** Left, bottom, right, top; or six planes. */
  readonly bounds: Float64Array = new Float64Array(FRUSTUM_NUMBERS);
  /** How far an entity reaches, unless {@link radiusChannel} says it. */
  readonly radius: Float64Array = new Float64Array(1);
  radiusChannel: string | undefined;

  /** Takes over what is given. Returns whether it differs. Throws VALUE_INVALID. */
  take(within: Within): boolean {
    return 'planes' in within ? this.#takeFrustum(within) : this.#takeRectangle(within);
  }

  #takeRectangle(within: Exclude<Within, WithinFrustum>): boolean {
    const { bounds, radius } = this;
    const { left, bottom, right, top } = within;
    const margin = within.margin ?? 0;
    const same =
      this.shape === 'rectangle' &&
      bounds[0] === left &&
      bounds[1] === bottom &&
      bounds[2] === right &&
      bounds[3] === top &&
      radius[0] === margin;
    if (same) return false;
    const sum = left + bottom + right + top + margin;
    // What is no number makes no number of the sum; so do two infinities, which may be meant.
    if (sum !== sum && hasNone(left, bottom, right, top, margin)) throw noBounds(within);
    this.shape = 'rectangle';
    this.radiusChannel = undefined;
    bounds[0] = left;
    bounds[1] = bottom;
    bounds[2] = right;
    bounds[3] = top;
    radius[0] = margin;
    return true;
  }

  #takeFrustum(within: WithinFrustum): boolean {
    const { bounds } = this;
    const { planes } = within;
    const channel = typeof within.radius === 'string' ? within.radius : undefined;
    const radius = typeof within.radius === 'number' ? within.radius : 0;
    // All of it is looked at before any of it is taken over.
    if (radius !== radius || (channel === undefined && typeof within.radius !== 'number')) {
      throw noBounds(within);
    }
    if (planes.length !== FRUSTUM_NUMBERS || hasNaN(planes)) throw noBounds(within);
    let differs = this.shape !== 'frustum';
    this.shape = 'frustum';
    for (let i = 0; i < FRUSTUM_NUMBERS; i++) {
      const number = planes[i] as number;
      if (bounds[i] !== number) differs = true;
      bounds[i] = number;
    }
    if (this.radiusChannel !== channel || this.radius[0] !== radius) differs = true;
    this.radiusChannel = channel;
    this.radius[0] = radius;
    return differs;
  }
}

function hasNaN(numbers: Float32Array): boolean {
  for (let i = 0; i < numbers.length; i++) if (numbers[i] !== numbers[i]) return true;
  return false;
}

function hasNone(...numbers: readonly unknown[]): boolean {
  return numbers.some((number) => typeof number !== 'number' || Number.isNaN(number));
}

function noBounds(within: Within): EscapementError {
  return new EscapementError('VALUE_INVALID', '`within` says nowhere.', {
    given: JSON.stringify('planes' in within ? { ...within, planes: [...within.planes] } : within),
    allowed: 'left, bottom, right, top as numbers, or planes of 24 numbers with a radius',
    fix: 'Let frustumPlanes fill the planes.',
  });
}
