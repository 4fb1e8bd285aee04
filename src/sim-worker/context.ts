import type { SubsystemLog } from '../shared/log.ts';
import type { Random } from '../shared/math/random.ts';
import type { EventValues, InputValues, SimulationTypes } from '../shared/simulation-types.ts';
import type { CommandBuffer } from './command-buffer.ts';
import type { Columns } from './component-values.ts';
import type { World } from './world.ts';

/** What setup and queries are given. */
export interface SimulationContext<T extends SimulationTypes> {
  readonly world: World<T['components']>;
  /** Changes that wait until the system that gives them has returned. */
  readonly commands: CommandBuffer<T['components']>;
  /**
   * Raw columns by component name; the same objects for the simulation's life. A system reaches
   * those that it has declared; another one throws ACCESS_UNDECLARED.
   */
  readonly columns: Columns<T['components']>;
  /** Seeded generator whose state lies in the world: the master's, or the system's own. */
  readonly random: Random;
  readonly params: T['params'];
  readonly globals: { [K in keyof T['globals']]: number };
  readonly log: SubsystemLog;
}

/** What a system is given each tick. */
export interface TickContext<T extends SimulationTypes> extends SimulationContext<T> {
  /** The tick being made: 1 for the first. */
  readonly tick: number;
  /** Seconds from one run to the next: a quantum times the period, whatever the frame. */
  readonly dt: number;
  /** World time at the end of this tick, in seconds: tick x quantum. */
  readonly time: number;
  /** `state` inputs: the last value. `event` inputs: those this tick consumes, in order. */
  readonly inputs: {
    readonly [K in keyof T['inputs']]: T['inputs'][K]['as'] extends 'state'
      ? Readonly<InputValues<T['inputs'][K]>>
      : readonly Readonly<InputValues<T['inputs'][K]>>[];
  };
  /** Sends an event to the host. Returns false when the ring was full; that is counted. */
  readonly emit: {
    readonly [K in keyof T['events']]: (values: EventValues<T['events'][K]>) => boolean;
  };
}

/**
 * A system: a function run once a tick. Systems run in the order of registration, but for those
 * that `after` moves back.
 */
export interface SystemSpec<T extends SimulationTypes> {
  readonly name: string;
  /** Components whose columns it reads. */
  readonly reads?: readonly (keyof T['components'] & string)[];
  /** Components it writes, gives or takes; writing includes reading. Despawning needs none. */
  readonly writes?: readonly (keyof T['components'] & string)[];
  /** Names of the systems that run before it. Two writers of one component must be ordered. */
  readonly after?: readonly string[];
  /** Milliseconds it should take at most. Over it warns, three times over it reports an error. */
  readonly budgetMs?: number;
  /** Runs only in ticks that are multiples of this whole number. Default 1. */
  readonly period?: number;
  run(context: TickContext<T>): void;
}
