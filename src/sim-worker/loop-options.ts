import { EscapementError } from '../shared/error.ts';
import type { SubsystemLog } from '../shared/log.ts';
import { quantumOf, type Rational } from '../shared/rational.ts';

const TICK_RATE_HZ_MIN = 20;
const TICK_RATE_HZ_MAX = 120;
const MAX_CATCH_UP_TICKS_MAX = 2 ** 31 - 1;

/**
 * Returns the quantum of a loop's rate, a number from 20 to 120 Hz that is a fraction with small
 * terms; else warns, if there is a log, and throws OPTION_INVALID.
 */
export function checkTickRate(tickRateHz: number, log: SubsystemLog | undefined): Rational {
  let cause: unknown;
  if (tickRateHz >= TICK_RATE_HZ_MIN && tickRateHz <= TICK_RATE_HZ_MAX) {
    try {
      return quantumOf({ tickRateHz });
    } catch (error) {
      cause = error;
    }
  }
  const error = new EscapementError('OPTION_INVALID', '`tickRateHz` is out of range.', {
    given: String(tickRateHz),
    allowed: `${TICK_RATE_HZ_MIN} to ${TICK_RATE_HZ_MAX}, a fraction with small terms`,
    fix: 'Leave it out for 60.',
    cause,
  });
  log?.warn('tick_rate_invalid', error.message, { tick_rate_hz: tickRateHz });
  throw error;
}

/**
 * Checks how many ticks one frame may run, an integer of at least 1; else warns, if there is a log,
 * and throws OPTION_INVALID.
 */
export function checkCatchUp(maxCatchUpTicks: number, log: SubsystemLog | undefined): void {
  const isInteger = Number.isInteger(maxCatchUpTicks);
  if (isInteger && maxCatchUpTicks >= 1 && maxCatchUpTicks <= MAX_CATCH_UP_TICKS_MAX) return;
  const error = new EscapementError('OPTION_INVALID', '`maxCatchUpTicks` is out of range.', {
    given: String(maxCatchUpTicks),
    allowed: `an integer from 1 to ${MAX_CATCH_UP_TICKS_MAX}`,
    fix: 'Leave it out for 5.',
  });
  log?.warn('catchup_invalid', error.message, { max_catch_up: maxCatchUpTicks });
  throw error;
}
