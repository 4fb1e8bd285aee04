import type { ClockControl } from '../shared/clock-control.ts';
import type { EscapementError } from '../shared/error.ts';
import type { CaughtUp } from '../shared/follower-wait.ts';
import type { WaitOptions } from '../shared/follower.ts';
import type { SimulationHandle } from '../shared/handle.ts';
import type { ProfileReport, ReportBudgets } from '../shared/profile-report.ts';
import type { StateReading } from '../shared/protocol.ts';
import type { RunOptions } from '../shared/run-options.ts';
import type {
  InputSpec,
  InputValues,
  SimulationEvent,
  SimulationTypes,
  Typed,
} from '../shared/simulation-types.ts';
import type { TickChange } from '../shared/tick-wait.ts';
import type { Capabilities } from './capabilities.ts';
import type { EventDrain } from './event-drain.ts';
import type { CatchUpOptions } from './host-waits.ts';
import type { RecordOptions } from '../shared/replay/record-options.ts';
import type { Recording } from './recording.ts';
import type { ReplayControl } from './replay-control.ts';
import type { SimulationState, SimulationStats } from './stats.ts';

/** Sends one kind of input. Returns false when the ring was full; that is counted. */
export type InputSender<I extends InputSpec> = (values: Readonly<InputValues<I>>) => boolean;

/** Turns the queries of a definition into what the host calls. */
export type QueryCalls<Q extends SimulationTypes['queries']> = {
  readonly [K in keyof Q]: Q[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : never;
};

/** Options of `profile`. */
export interface ProfileOptions {
  /** Switches the measuring on or off first; a restart keeps that. */
  readonly enabled?: boolean;
  /** What the report is held to, in place of the declared budgets. */
  readonly budgets?: ReportBudgets;
}

/** A running simulation, as the thread that started it sees it. */
export interface RunningSimulation<T extends SimulationTypes = SimulationTypes> extends Typed<T> {
  /** Which tier ticks come over, and why. */
  readonly capabilities: Capabilities;
  readonly state: SimulationState;
  readonly clock: ClockControl;
  /** A sender by input name. */
  readonly inputs: { readonly [K in keyof T['inputs']]: InputSender<T['inputs'][K]> };
  readonly events: EventDrain<SimulationEvent<T>>;
  /** Questions answered between ticks, by name. */
  readonly queries: QueryCalls<T['queries']>;
  /** The tick in force; it may be older than the next line of your code. */
  readonly tick: number;
  /** Resolves when the simulation has ended: with the cause, or undefined when it was stopped. */
  readonly ended: Promise<EscapementError | undefined>;
  /** Returns what another thread needs to read this simulation; post it, never transfer it. */
  share(): SimulationHandle<T>;
  /** Returns the figures of the last publication. */
  stats(): SimulationStats;
  /**
   * Returns what the profiler has measured of ticks, frames and systems. A message to the
   * simulation: for a panel, not for every frame.
   */
  profile(options?: ProfileOptions): Promise<ProfileReport>;
  /**
   * Returns the hash of the state between two ticks, and its tick: the same over all tiers, paces
   * and engines. A message to the simulation.
   */
  stateHash(): Promise<StateReading>;
  /**
   * Begins to record the run from its present state on: what it consumes, tick by tick, hashes and
   * copies of its state. To record from the first tick, give `record` at start. Rejects with
   * OPTION_INVALID, and STATE_INVALID while another recording goes on. `clock.seekTick` and
   * `configure` are refused meanwhile; a restart, a stop, a failure and a jump of the clock that it
   * follows end it. None of these waits for a slow sink: `recording.stop()` does, then too.
   */
  record(options?: RecordOptions): Promise<Recording>;
  /** The recording that was begun last; it may have ended. */
  readonly recording: Recording | undefined;
  /** The recording that the run is replayed from; undefined when it was started live. */
  readonly replay: ReplayControl | undefined;
  /**
   * Returns the whole state between two ticks, as bytes: `restart({ restore })`, or a start with
   * it, goes on from there. A message to the simulation.
   */
  save(): Promise<Uint8Array>;
  /**
   * Runs setup again, in a new region. Views move over at their next frame. What the options do not
   * name is the definition's again, not what the run before had.
   */
  restart(options?: RunOptions<T>): Promise<void>;
  /** Ends the simulation and its thread. Idempotent, leaves nothing behind, and needs no `this`. */
  readonly stop: (options?: { readonly timeoutMs?: number }) => Promise<void>;
  /**
   * Resolves when the tick is no longer `tick`, or with the reason why that will not be: a loop
   * over it must look at `reason`, since a simulation that has ended answers at once, for ever.
   */
  waitForTickChange(tick: number, timeoutMs?: number, options?: WaitOptions): Promise<TickChange>;
  /** Does the same, blocking; throws CANNOT_BLOCK where the thread may not. */
  waitForTickChangeBlocking(tick: number, timeoutMs?: number, options?: WaitOptions): TickChange;
  /**
   * Resolves when every follower that is open now, or the one that is named, has run and published
   * all steps due up to the present tick, or with the reason why that will not be, and who is
   * behind. Without followers that is at once. Rejects with VALUE_INVALID for a number that no
   * follower can have, and for a bad time-out.
   */
  waitCaughtUp(options?: CatchUpOptions): Promise<CaughtUp>;
  /** Does the same, blocking; throws CANNOT_BLOCK where the thread may not. */
  waitCaughtUpBlocking(options?: CatchUpOptions): CaughtUp;
  /**
   * Ends a follower whose thread was terminated and could not close it: its place is free again,
   * and nobody waits for it any more. Returns false when there was none. Throws VALUE_INVALID for
   * what is no number of a follower.
   */
  retireFollower(follower: number): boolean;
  [Symbol.asyncDispose](): Promise<void>;
}
