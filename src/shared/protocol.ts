import type { ClockMode } from './clock-options.ts';
import type { ErrorRecord } from './error.ts';
import type { FollowerClaim } from './follower-block.ts';
import type { RegionHandle } from './handle.ts';
import type { MonotonicClock } from './instant.ts';
import type { LogLevel } from './log.ts';
import type { RegionOptions } from './layout.ts';
import type { Region, RegionMemory } from './region.ts';
import type { ProfileReport, ReportBudgets } from './profile-report.ts';
import type { RecordPeriods } from './replay/record-options.ts';
import type { Keyframe } from './replay/replay.ts';
import type { ParamValue, Schema } from './schema.ts';
import type { SimulationTypes, Typed } from './simulation-types.ts';

/*
 * Everything that crosses between a host and its simulation as a message, and nothing else. State,
 * inputs, events, commands and log lines cross through the region.
 */

/** Raised when any message changes its shape; both sides compare it first. */
export const PROTOCOL_VERSION = 4;

/** Which way published ticks reach readers. */
export type Tier = 'shared' | 'transfer' | 'calling-thread';

/** The first thing a worker says, and its answer to `escapement/hello?`. */
export interface Hello {
  readonly kind: 'escapement/hello';
  readonly version: number;
  readonly schema: Schema;
  /** What the simulation's code is; empty if its author did not say. */
  readonly identity: string;
  readonly pacing: 'blocking' | 'event-loop';
  /** `crossOriginIsolated` there; undefined where the word means nothing, as on Node. */
  readonly isolated: boolean | undefined;
  readonly hasSharedMemory: boolean;
  readonly canBlock: boolean;
}

/** Asks a worker to say hello again, in case the first one came before anybody listened. */
export interface HelloRequest {
  readonly kind: 'escapement/hello?';
}

/** How a run ended; `error` is absent when it was stopped. */
export interface Ended {
  readonly kind: 'escapement/ended';
  readonly run: number;
  readonly error?: ErrorRecord | undefined;
}

/** A keyframe of a recording, sent when it was taken; its buffers come along. */
export interface KeyframeMessage {
  readonly kind: 'escapement/keyframe';
  readonly run: number;
  readonly keyframe: Keyframe;
}

/** What a simulation answers when a recording of it begins or ends. */
export interface RecordAnswer {
  /** The tick at which that happened. */
  readonly tick: number;
  /** What a tick stands for there: the clock may have been configured since the start. */
  readonly quantum: Schema['quantum'];
  /** Whether the state there is what setup made. */
  readonly isFromSetup: boolean;
  /** Whether records wait for room in the ring: once it is emptied, ask again. */
  readonly hasMore: boolean;
}

/** The whole state between two ticks. */
export interface SavedState {
  readonly keyframe: Keyframe;
  /** What a tick stands for there. */
  readonly quantum: Schema['quantum'];
}

/** How far a replay is. */
export interface ReplayStatus {
  /** Whether ticks consume what the recording says; false once it was left. */
  readonly playing: boolean;
  /** Hashes compared with the recorded ones. */
  readonly compared: number;
  /** The first state that was not the recorded one. */
  readonly divergence:
    | { readonly tick: number; readonly expected: string; readonly found: string }
    | undefined;
  /** Live inputs that were refused meanwhile. */
  readonly refusedInputs: number;
}

/** Everything that makes a run, decided by the host. */
export interface StartConfig {
  readonly version: number;
  readonly run: number;
  readonly tier: Tier;
  /** The region's memory; absent in the transfer tier, where the worker makes its own. */
  readonly memory?: RegionMemory | undefined;
  readonly options: RegionOptions;
  readonly layoutHash: readonly [high: number, low: number];
  /** Written into the region by the host; the worker must find it there. */
  readonly sharingNonce: number;
  readonly quantum: { readonly numerator: number; readonly denominator: number };
  readonly params: Readonly<Record<string, ParamValue>>;
  readonly seed: readonly [high: number, low: number];
  readonly speed: number;
  readonly mode: ClockMode;
  readonly maxTicksPerAdvance: number;
  readonly capScalesWithRate: boolean;
  /** Whether only commands advance the clock. */
  readonly hostDriven: boolean;
  readonly lockstepSteps: number;
  /** The simulation whose clock the run follows; then nothing else advances it. */
  readonly follow?: RegionHandle | undefined;
  readonly logLevel: LogLevel;
  /** Whether each run of a system is checked as in development. */
  readonly development: boolean;
  /** Whether the profiler takes samples from the start. */
  readonly profile: boolean;
  /** The bytes of a recording: ticks consume what it says. */
  readonly replay?: Uint8Array | undefined;
  /** The state to go on from, in place of what setup makes. */
  readonly restore?: Keyframe | undefined;
}

/** The hash of a simulation's state, and the tick it is of. */
export interface StateReading {
  readonly tick: number;
  /** 64 bits as 16 hexadecimal digits. */
  readonly hash: string;
}

/** What a host asks of its simulation, over Comlink or directly. */
export interface SimulationService {
  /**
   * Builds a run, runs setup, publishes tick 0 and begins to obey. Returns its place among the
   * followers of its leader, if it has one: its host ends that when the thread dies.
   */
  start(config: StartConfig): Promise<FollowerClaim | undefined>;
  /** Answers a query between two ticks. */
  query(name: string, args: readonly unknown[]): Promise<unknown>;
  /** Returns what the profiler has measured, and switches it on or off first if told to. */
  profile(enabled?: boolean, budgets?: ReportBudgets): Promise<ProfileReport>;
  /** Returns the hash of the state between two ticks. */
  stateHash(): Promise<StateReading>;
  /** Begins a recording, or ends it when no periods are given. */
  record(periods?: RecordPeriods): Promise<RecordAnswer>;
  /** Copies the whole state between two ticks. */
  save(): Promise<SavedState>;
  replayStatus(): Promise<ReplayStatus>;
  /** Lets go of the recording: ticks consume live inputs from now on. */
  leaveReplay(): Promise<ReplayStatus>;
  /** Returns the present reading of the simulation's clock, for calibration by messages. */
  readClock(): Promise<readonly [seconds: number, nanos: number]>;
}

/** A simulation that runs on the calling thread; what `inline` makes. */
export interface InlineSimulation<T extends SimulationTypes = SimulationTypes> extends Typed<T> {
  readonly kind: 'escapement/inline';
  readonly pacing: 'event-loop' | 'manual';
  /**
   * Runs what is due now, when pacing is `manual`. Returns the milliseconds until the next tick is
   * due, Infinity when nothing will become due by the clock.
   */
  runDue(): number;
}

/** An inline simulation with what only its host uses. */
export interface InlineConnection extends InlineSimulation {
  readonly clock: MonotonicClock;
  readonly service: SimulationService;
  hello(): Hello;
  /** Takes the region that the host made, before `start`. */
  attach(region: Region): void;
  /** Tells the host how the run ended. */
  onEnded(listener: (ended: Ended) => void): void;
  /** Hands the host the keyframes of a recording. */
  onKeyframe(listener: (message: KeyframeMessage) => void): void;
  /** Ends the run at once. */
  dispose(): void;
}
