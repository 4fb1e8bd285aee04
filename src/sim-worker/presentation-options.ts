import { EscapementError } from '../shared/error.ts';
import { copyInstant, createInstant, type Instant } from '../shared/instant.ts';
import { Log, type SubsystemLog } from '../shared/log.ts';
import { type ClockScope, createSystemClock } from '../shared/system-clock.ts';
import type { ComponentStore } from './component-store.ts';
import { createConsoleLog } from './console-log.ts';
import { checkTickRate, isLoopRate } from './loop-options.ts';
import type { PresentationClock } from './presentation-alpha.ts';
import type { World } from './world.ts';

/** Options of `PresentationSnapshot.create`. */
export interface PresentationOptions<N extends string = string> {
  /** Ticks a second, 20 to 120: those of the loop. To be given with a bare start reference. */
  readonly tickRateHz?: number | undefined;
  /** The component to blend: two f32 or Q16.16 numbers an entity. Default `position`. */
  readonly component?: N | undefined;
  /** Where events go; of a whole log, subsystem `presentation`. The console by default. */
  readonly log?: Log | SubsystemLog | undefined;
}

/** Returns the log that is meant. */
export function resolveLog(log: Log | SubsystemLog | undefined): SubsystemLog {
  if (log === undefined) {
    return createConsoleLog(createSystemClock(globalThis as ClockScope)).for('presentation');
  }
  return log instanceof Log ? log.for('presentation') : log;
}

/**
 * Returns the clock of a reference: a loop itself, or one without drops from a start reference,
 * which is copied. Warns and throws OPTION_INVALID for a rate outside 20 to 120 Hz, or another one
 * than the loop's.
 */
export function resolveClock(
  reference: PresentationClock | Readonly<Instant>,
  tickRateHz: number | undefined,
  log: SubsystemLog,
): PresentationClock {
  if (!('quantum' in reference)) {
    return {
      startReference: copyInstant(createInstant(), reference),
      stats: { droppedTicks: 0 },
      quantum: checkTickRate(tickRateHz as number, undefined, log),
    };
  }
  const { numerator, denominator } = reference.quantum;
  const loopHz = denominator / numerator;
  // What has a quantum needs no rate that a float can name.
  if (!isLoopRate(loopHz)) checkTickRate(loopHz, undefined, log);
  if (tickRateHz === undefined) return reference;
  const asked = checkTickRate(tickRateHz, undefined, log);
  if (asked.numerator === numerator && asked.denominator === denominator) return reference;
  const headline = 'Loop and snapshot run at different rates.';
  log.warn('tick_rate_invalid', headline, { tick_rate_hz: tickRateHz });
  throw new EscapementError('OPTION_INVALID', headline, {
    given: `a snapshot at ${tickRateHz} Hz of a loop at ${loopHz} Hz`,
    fix: 'Leave out the `tickRateHz` of the snapshot.',
  });
}

/**
 * Returns the store of the component that is to be blended. Throws NAME_UNKNOWN when there is none,
 * OPTION_INVALID when it is not two published numbers that a backend blends.
 */
export function resolvePosition(world: World, name: string): ComponentStore {
  const store = world.stores.find((one) => one.name === name);
  const fitting = world.stores.filter((one) => fault(one) === undefined).map((one) => one.name);
  const allowed = fitting.length > 0 ? fitting.join(', ') : 'this world has none that would do';
  const fix = 'Declare it as position2d(), vec2() or fixed(2), and name it as `component`.';
  if (store === undefined) {
    const given = JSON.stringify(name);
    throw new EscapementError('NAME_UNKNOWN', 'There is no such component.', {
      given,
      allowed,
      fix,
    });
  }
  const why = fault(store);
  if (why === undefined) return store;
  throw new EscapementError('OPTION_INVALID', `Component "${name}" is no position: ${why}.`, {
    given: name,
    allowed,
    fix,
  });
}

function fault({ schema, rows, width }: ComponentStore): string | undefined {
  if (rows !== undefined) return 'it is sparse';
  if (width !== 2) return `it has ${width} numbers, not 2`;
  const { scalar, blend, channelIndex } = schema;
  const isBackend = (scalar === 'f32' && blend === 'lerp') || blend === 'fixed';
  if (!isBackend) return `${scalar} with the blend ${blend} has no backend`;
  // Only what is published raises an entity's stamp when it is given.
  return channelIndex < 0 ? 'it is not published' : undefined;
}
