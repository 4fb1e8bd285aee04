import fc from 'fast-check';
import { ClockKeys } from '../../src/shared/clock-keys.ts';
import type { ClockMode } from '../../src/shared/clock-options.ts';
import type { StateValue } from '../../src/shared/state-tree.ts';

/** Random programs over a state tree, a clock and what binds them. */

export const KEYS: ClockKeys = ClockKeys.under();

const MODES: readonly ClockMode[] = ['live', 'paused', 'stepping', 'lockstep', 'replay'];

export type Op =
  | { readonly op: 'write'; readonly lane: keyof ClockKeys; readonly value: StateValue }
  | { readonly op: 'delete'; readonly lane: keyof ClockKeys }
  | { readonly op: 'mode'; readonly mode: ClockMode }
  | { readonly op: 'speed'; readonly speed: number }
  | { readonly op: 'lockstep'; readonly steps: number }
  | { readonly op: 'request'; readonly steps: number }
  | { readonly op: 'drive'; readonly delta: number };

/** Readable, unreadable and odd values of each control. */
const VALUES: Readonly<Record<string, readonly StateValue[]>> = {
  speed: [0, 0.5, 1, 2, '2', ' 1.5 ', '1e1', 1 / 3, 600, -1, Number.NaN, 'fast', '', true, 5000],
  paused: [true, false, 1, 0, 'true', 'false', '1', '0', 2, 'yes', '', Number.NaN],
  mode: ['live', 'lockstep', 'stepping', 'replay', 'paused', 'warp', '', 1, true],
  lockstepSteps: [1, 2, 5, '3', 0, -1, 2.5, 'two', Infinity, 2 ** 40, false],
  step: [0, 1, 2, 3, 5, '4', -2, 1.5, 'next', Number.NaN, true],
};

const control = fc.constantFrom<keyof ClockKeys>(
  'speed',
  'paused',
  'mode',
  'lockstepSteps',
  'step',
);

const write = control.chain((lane) =>
  fc.record({
    op: fc.constant('write' as const),
    lane: fc.constant(lane),
    value: fc.constantFrom(...(VALUES[lane] as readonly StateValue[])),
  }),
);

const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 8, arbitrary: write },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('delete' as const), lane: control }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('mode' as const), mode: fc.constantFrom(...MODES) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('speed' as const),
      speed: fc.constantFrom(0, 0.25, 1, 3),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('lockstep' as const), steps: fc.constantFrom(1, 4) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('request' as const), steps: fc.nat(3) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('drive' as const),
      delta: fc.constantFrom(0, 0.001, 1 / 60, 0.05, 1),
    }),
  },
);

export const program: fc.Arbitrary<Op[]> = fc.array(op, { maxLength: 60, size: 'max' });

/** What may be in the tree before anything is bound to it. */
export const before: fc.Arbitrary<Op[]> = fc.array(write, { maxLength: 4 });
