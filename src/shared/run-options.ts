import { checkMode, type ClockMode } from './clock-options.ts';
import { checkAdvanceLength } from './command.ts';
import { EscapementError } from './error.ts';
import { givenQuantum } from './rational.ts';
import type { ParamValue, Schema } from './schema.ts';
import type { SimulationTypes } from './simulation-types.ts';

/** What may differ from one run of a simulation to the next. */
export interface RunOptions<T extends SimulationTypes = SimulationTypes> {
  /** Parameters in place of the declared ones; those not named keep their value. */
  readonly params?: Partial<T['params']>;
  /** Ticks per second in place of the declared quantum. */
  readonly tickRateHz?: number;
  /** Seconds of one tick in place of the declared quantum. Not together with `tickRateHz`. */
  readonly fixedDt?: number;
  /**
   * Seed of the generator: an integer from 0 to 2^53 - 1. Part of the run's identity. Default 0.
   */
  readonly seed?: number;
  /** World seconds per wall second at start. Default 1. */
  readonly speed?: number;
  /** Start paused at tick 0, whatever `mode`. Default false. */
  readonly paused?: boolean;
  /** What makes quanta run, at start. Default `live`. */
  readonly mode?: ClockMode;
  /** Quanta of each advance in lockstep. Default 1. */
  readonly lockstepSteps?: number;
  /**
   * The bytes of a recording to replay: its parameters, seed and rate are the run's, its inputs
   * alone are consumed, and live ones are refused. The clock stands at its first tick, in `replay`,
   * unless `mode` says otherwise; it stands still again at the last one.
   */
  readonly replay?: Uint8Array;
  /** A state that `save` returned, to go on from: its parameters, seed and rate are the run's. */
  readonly restore?: Uint8Array;
}

/** A run's own values with every default filled in. */
export interface ResolvedRun {
  readonly quantum: Schema['quantum'];
  readonly params: Readonly<Record<string, ParamValue>>;
  readonly seed: readonly [high: number, low: number];
  readonly speed: number;
  readonly mode: ClockMode;
  readonly lockstepSteps: number;
}

/** Fills in and checks what makes one run, over what the schema declares. */
export function resolveRun(options: RunOptions, schema: Schema): ResolvedRun {
  const params: Record<string, ParamValue> = { ...schema.params };
  for (const [name, value] of Object.entries(options.params ?? {})) {
    const declared = schema.params[name];
    if (declared === undefined) {
      const names = Object.keys(schema.params).join(', ') || 'none is declared';
      throw new EscapementError('NAME_UNKNOWN', 'There is no such parameter.', {
        given: JSON.stringify(name),
        allowed: names,
      });
    }
    if (typeof value !== typeof declared || Number.isNaN(value)) {
      throw invalid(`params.${name}`, value, `a ${typeof declared}`);
    }
    params[name] = value as ParamValue;
  }
  const { tickRateHz, fixedDt, seed = 0, speed = 1, paused = false } = options;
  const quantum = givenQuantum({ tickRateHz, fixedDt }) ?? schema.quantum;
  const { lockstepSteps = 1 } = options;
  checkAdvanceLength('lockstepSteps', lockstepSteps);
  if (!(speed >= 0 && Number.isFinite(speed))) throw invalid('speed', speed, '0 or more');
  return {
    quantum,
    params,
    seed: seedWords(seed),
    speed,
    mode: paused ? 'paused' : checkMode(options.mode ?? 'live'),
    lockstepSteps,
  };
}

/** Returns a seed as two unsigned halves. Throws OPTION_INVALID unless it is one. */
export function seedWords(seed: number): readonly [high: number, low: number] {
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw invalid('seed', seed, 'an integer from 0 to 2^53 - 1');
  }
  return [Math.floor(seed / 2 ** 32), seed >>> 0];
}

function invalid(name: string, given: unknown, allowed: string): EscapementError {
  return new EscapementError('OPTION_INVALID', `\`${name}\` is not possible.`, {
    given: String(given),
    allowed,
  });
}
