import { EscapementError } from './error.ts';

/** How long a follower's step is, said in exactly one of two ways. */
export type FollowerStep =
  | {
      /** Quanta a step, an integer from 1 to 100,000,000; a reconfigured clock leaves it so. */
      readonly everyTicks: number;
      readonly step?: undefined;
    }
  | {
      /**
       * Seconds a step, a whole number of quanta. When the clock's quantum changes, the period
       * does: the follower keeps the step.
       */
      readonly step: number;
      readonly everyTicks?: undefined;
    };

/** Returns the step that was given; throws OPTION_INVALID unless it is in exactly one way. */
export function checkFollowerStep(given: FollowerStep): FollowerStep {
  const { everyTicks, step } = Object(given) as FollowerStep;
  if ((everyTicks === undefined) !== (step === undefined))
    return { everyTicks, step } as FollowerStep;
  throw new EscapementError('OPTION_INVALID', 'A step must be given in exactly one way.', {
    given: everyTicks === undefined ? 'none' : 'both ways at once',
    allowed: 'one of everyTicks, step',
    fix: 'Write `{ everyTicks: 6 }`, or `{ step: 0.06 }` in seconds.',
  });
}
