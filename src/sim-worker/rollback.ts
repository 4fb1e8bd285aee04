import { EscapementError } from '../shared/error.ts';
import type { Log } from '../shared/log.ts';
import { createLog } from '../shared/log.ts';
import type { InputValues, SimulationTypes } from '../shared/simulation-types.ts';
import { type ClockScope, createSystemClock } from '../shared/system-clock.ts';
import type { SimulationDefinition } from './definition.ts';
import { type GivenInputs, InputHistory } from './input-history.ts';
import { buildLocal, type LocalRun } from './local-simulation.ts';
import type { Simulation } from './simulation.ts';
import { StateHistory } from './state-history.ts';
import type { World } from './world.ts';

/** Options of {@link openRollback}: those of a run, and how far it can go back. */
export interface RollbackOptions<T extends SimulationTypes> extends LocalRun<T> {
  /** Ticks that can be made again: 1 to 600. Default 8. */
  readonly keepTicks?: number | undefined;
  /** Where log lines go; nowhere by default. */
  readonly log?: Log | undefined;
}

/** Inputs of a tick, by name. */
export type TickInputValues<T extends SimulationTypes> = {
  readonly [K in keyof T['inputs']]?: Readonly<InputValues<T['inputs'][K]>>;
};

/**
 * Opens a run that takes inputs late: the state of the last ticks is kept, and an input for one of
 * them is as good as one that came in time. For clients that predict, and for lockstep that does
 * not wait. Setup has run. Throws as `openHeadless` does.
 */
export async function openRollback<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
  options: RollbackOptions<T> = {},
): Promise<Rollback<T>> {
  const { keepTicks = 8, log, ...run } = options;
  if (!(Number.isInteger(keepTicks) && keepTicks >= 1 && keepTicks <= KEEP_MAX)) {
    throw new EscapementError('OPTION_INVALID', '`keepTicks` is not possible.', {
      given: String(keepTicks),
      allowed: `an integer from 1 to ${KEEP_MAX}`,
    });
  }
  const silent = log ?? createLog({ level: 'off', nowMs: () => 0, sink: () => undefined });
  const clock = createSystemClock(globalThis as ClockScope);
  const { simulation } = buildLocal<T>(definition, run as LocalRun<T>, {
    log: silent,
    clock,
    profile: false,
  });
  await simulation.setup();
  return new Rollback<T>(simulation, keepTicks);
}

/** Ten seconds at 60 Hz. */
const KEEP_MAX = 600;

/**
 * A run whose last ticks can be made again with other inputs. Each tick costs one bulk copy of the
 * world's block beside itself; a correction costs another, and the ticks.
 */
export class Rollback<T extends SimulationTypes = SimulationTypes> {
  /** How far back an input can come: ticks. */
  readonly keepTicks: number;
  readonly #simulation: Simulation<T>;
  readonly #inputs: InputHistory;
  readonly #states: StateHistory;
  /** The first tick whose inputs have changed since it ran; 0 if none: no tick that ran is 0. */
  #stale = 0;

  /** Called by {@link openRollback}; the simulation must be another's no more. */
  constructor(simulation: Simulation<T>, keepTicks: number) {
    this.#simulation = simulation;
    this.keepTicks = keepTicks;
    // As many to come: inputs of another player may be ahead of this one.
    this.#inputs = new InputHistory(simulation.schema.inputs, 2 * keepTicks + 1);
    this.#states = new StateHistory(simulation as unknown as Simulation, keepTicks + 1);
    simulation.inputs.source = this.#inputs;
    this.#states.save();
  }

  /** The last completed tick. */
  get tick(): number {
    return this.#simulation.tick;
  }

  /** The world, as the present tick left it. Inputs that came late count after {@link settle}. */
  get world(): World<T['components']> {
    return this.#simulation.world;
  }

  /** The first tick whose inputs can still be changed. */
  get oldestTick(): number {
    return this.#states.oldestTick + 1;
  }

  /**
   * Gives inputs to a tick, past or to come. A `state` input replaces what that tick was given
   * before, and holds until another; an `event` is added. A tick that ran is made again only if it
   * would now see something else: where a guess was right, nothing is. Returns false, and changes
   * nothing, for a tick that can no longer be changed, or is further ahead than {@link keepTicks}.
   * Throws NAME_UNKNOWN and VALUE_INVALID, and has then changed nothing.
   */
  give(tick: number, inputs: TickInputValues<T>): boolean {
    if (!this.#accepts(tick)) return false;
    const isGood = this.#isGood(tick);
    const seen = this.#states.inputsOf(isGood ? tick : this.tick);
    if (this.#inputs.add(tick, inputs as GivenInputs, seen) && isGood) this.#stale = tick;
    return true;
  }

  /** Takes back all inputs of a tick, as {@link give} gives them: a guess that was wrong. */
  withdraw(tick: number): boolean {
    if (!this.#accepts(tick)) return false;
    const hadEvent = this.#inputs.clear(tick);
    if (this.#isGood(tick) && (hadEvent || this.#hasNewState(tick))) this.#stale = tick;
    return true;
  }

  /**
   * Makes the ticks again whose inputs have changed since they ran, up to the present one. Returns
   * how many those were. What is seen afterwards goes on as if the inputs had come in time.
   */
  settle(): number {
    const present = this.tick;
    const from = this.#stale;
    if (from === 0) return 0;
    this.#stale = 0;
    this.#states.restore(from - 1);
    while (this.tick < present) this.#runTick();
    return present - from + 1;
  }

  /** Makes the next tick, after those that have to be made again. Returns how many those were. */
  advance(): number {
    const again = this.settle();
    this.#runTick();
    return again;
  }

  /** Returns the hash of the present state: 16 hexadecimal digits. */
  stateHash(): string {
    return this.world.stateHash.hex(this.tick);
  }

  /**
   * Writes the hash of the state after a tick, the present one or one of the {@link keepTicks}
   * before it: `out[0]` is its upper half, `out[1]` its lower. For players who compare what is
   * confirmed while they are ahead of it. Returns false, and writes nothing, for a tick that is not
   * kept, or has to be made again. An earlier tick than the present costs two bulk copies. Throws
   * VALUE_INVALID where there is no room for two words.
   */
  readHash(tick: number, out: Uint32Array): boolean {
    if (!(out instanceof Uint32Array) || out.length < 2) throw noRoom(out);
    const isKept = Number.isSafeInteger(tick) && tick >= this.#states.oldestTick;
    if (!isKept || !this.#isGood(tick)) return false;
    const present = this.tick;
    if (tick !== present) this.#states.restore(tick);
    this.world.stateHash.compute(tick, out);
    if (tick !== present) this.#states.restore(present);
    return true;
  }

  /** Ends the run and clears the world. */
  close(): void {
    this.#simulation.world.clear();
  }

  /** Says whether a tick ran, with the inputs that it has. */
  #isGood(tick: number): boolean {
    return tick <= this.tick && (this.#stale === 0 || tick < this.#stale);
  }

  /** Says whether a tick saw other `state` inputs than the one before it. */
  #hasNewState(tick: number): boolean {
    const before = this.#states.inputsOf(tick - 1);
    const after = this.#states.inputsOf(tick);
    for (let word = 0; word < after.length; word++) {
      if (before[word] !== after[word]) return true;
    }
    return false;
  }

  #accepts(tick: number): boolean {
    return (
      Number.isSafeInteger(tick) && tick >= this.oldestTick && tick <= this.tick + this.keepTicks
    );
  }

  #runTick(): void {
    this.#simulation.beginFrame();
    this.#simulation.runTick(true);
    this.#simulation.endFrame();
    this.#states.save();
  }
}

function noRoom(given: unknown): EscapementError {
  return new EscapementError('VALUE_INVALID', 'A hash does not fit.', {
    given: given instanceof Uint32Array ? `${given.length} words` : typeof given,
    allowed: 'a Uint32Array with two words or more',
    fix: 'Make it once: new Uint32Array(2).',
  });
}
