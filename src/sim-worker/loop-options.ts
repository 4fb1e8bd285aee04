import { EscapementError } from '../shared/error.ts';
import type { SubsystemLog } from '../shared/log.ts';
import { quantumOf, type Rational } from '../shared/rational.ts';

const TICK_RATE_HZ_MIN = 20;
const TICK_RATE_HZ_MAX = 120;
const MAX_CATCH_UP_TICKS_MAX = 2 ** 31 - 1;

/** Says whether a loop can run at so many ticks a second. */
export function isLoopRate(tickRateHz: number): boolean {
  return tickRateHz >= TICK_RATE_HZ_MIN && tickRateHz <= TICK_RATE_HZ_MAX;
}

/**
 * Returns the quantum of a loop's rate, a number from 20 to 120 Hz that is a fraction with small
 * terms; else warns, if there is a log, and throws OPTION_INVALID. So it does for another rate than
 * that of `targets`, the quantum of what the loop drives: its `dt` would not be the loop's.
 */
export function checkTickRate(
  tickRateHz: number,
  targets: { readonly numerator: number; readonly denominator: number } | undefined,
  log: SubsystemLog | undefined,
): Rational {
  const error =
    rateError(tickRateHz) ??
    (targets === undefined || isSame(quantumOf({ tickRateHz }), targets)
      ? undefined
      : otherRate(tickRateHz, targets));
  if (error === undefined) return quantumOf({ tickRateHz });
  log?.warn('tick_rate_invalid', error.message, { tick_rate_hz: tickRateHz });
  throw error;
}

function rateError(tickRateHz: number): EscapementError | undefined {
  let cause: unknown;
  if (isLoopRate(tickRateHz)) {
    try {
      quantumOf({ tickRateHz });
      return undefined;
    } catch (error) {
      cause = error;
    }
  }
  return new EscapementError('OPTION_INVALID', 'A loop cannot run at that rate.', {
    given: `a \`tickRateHz\` of ${tickRateHz}`,
    allowed: `${TICK_RATE_HZ_MIN} to ${TICK_RATE_HZ_MAX}, a fraction with small terms`,
    fix: 'Give `tickRateHz` where the ticks are declared; 60 is usual.',
    cause,
  });
}

function isSame(
  a: { readonly numerator: number; readonly denominator: number },
  b: { readonly numerator: number; readonly denominator: number },
): boolean {
  return a.numerator === b.numerator && a.denominator === b.denominator;
}

function otherRate(
  tickRateHz: number,
  { numerator, denominator }: { readonly numerator: number; readonly denominator: number },
): EscapementError {
  return new EscapementError('OPTION_INVALID', 'Loop and systems run at different rates.', {
    given: `a loop at ${tickRateHz} Hz, systems at ${denominator / numerator} Hz`,
    fix: 'Leave out the `tickRateHz` of the loop, or declare both alike.',
  });
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
