import { ClockCommands } from '../shared/clock-commands.ts';
import type { ClockControl } from '../shared/clock-control.ts';
import { COMMAND } from '../shared/command.ts';
import { EscapementError } from '../shared/error.ts';
import { FieldCodec, type FieldValues } from '../shared/field-codec.ts';
import { HANDLE_VERSION, type RegionHandle } from '../shared/handle.ts';
import type { MonotonicClock } from '../shared/instant.ts';
import type { RunOptions } from '../shared/run-options.ts';
import { hostController } from '../shared/layout.ts';
import {
  type LocalSimulation,
  registerLocal,
  unregisterLocal,
} from '../shared/local-simulations.ts';
import type { ProfileReport } from '../shared/profile-report.ts';
import type { Ended, StateReading } from '../shared/protocol.ts';
import type { SimulationEvent, SimulationTypes } from '../shared/simulation-types.ts';
import type { CaughtUp } from '../shared/follower-wait.ts';
import type { WaitOptions } from '../shared/follower.ts';
import { readTick, type TickChange } from '../shared/tick-wait.ts';
import { HEADER, REGION_STATE } from '../shared/words.ts';
import type { Capabilities } from './capabilities.ts';
import { type EventDrain, EventRingDrain } from './event-drain.ts';
import { HostReplay } from './host-replay.ts';
import type { HostRun } from './host-run.ts';
import { type CatchUpOptions, HostWaits } from './host-waits.ts';
import { RunAnnouncement } from './run-announcement.ts';
import type { LogDrain } from './log-drain.ts';
import type { Peer } from './peer.ts';
import type { RecordOptions } from '../shared/replay/record-options.ts';
import type { Recording } from './recording.ts';
import type { ReplayControl } from './replay-control.ts';
import type { ProfileOptions, QueryCalls, RunningSimulation } from './running-simulation.ts';
import { withTimeout } from './with-timeout.ts';
import { readStats, type SimulationState, type SimulationStats, stateName } from './stats.ts';

/*
 * Threads    the host's thread alone.
 * Memory     loads the region's state; everything else goes through the parts it is made of.
 * Ordering   `HostRun` marks the state before it raises `sequence`.
 * Progress   nothing blocks but the two waits that say so.
 * Invariant  every promise handed out settles: with its result, or with what ended the simulation.
 */

/** What the host needs to make another run. */
export interface RunFactory<T extends SimulationTypes> {
  /** `handedOver` is called when the simulation is told, and its present run ends. */
  (run: number, options: RunOptions<T>, handedOver?: () => void): Promise<HostRun>;
}

/** Parts a host is made of. */
export interface HostParts<T extends SimulationTypes> {
  readonly id: string;
  readonly peer: Peer;
  readonly first: HostRun;
  readonly capabilities: Capabilities;
  readonly clock: MonotonicClock;
  readonly logs: LogDrain;
  readonly makeRun: RunFactory<T>;
  readonly offset: { readonly offsetNs: number; readonly errorNs: number };
  readonly sameThread: boolean;
}

const STOP_TIMEOUT_MS = 2000;

/** The host of one simulation; see {@link RunningSimulation}. */
export class SimulationHost<T extends SimulationTypes> implements RunningSimulation<T> {
  readonly capabilities: Capabilities;
  readonly clock: ClockControl = new ClockCommands(
    () => this.#current(),
    () => this.#run.region,
  );
  readonly inputs: RunningSimulation<T>['inputs'];
  readonly events: EventDrain<SimulationEvent<T>>;
  readonly queries: QueryCalls<T['queries']>;
  readonly ended: Promise<EscapementError | undefined>;

  readonly #parts: HostParts<T>;
  readonly #waits: HostWaits;
  readonly #rejects: Set<(cause: EscapementError) => void> = new Set();
  readonly #local: LocalSimulation;
  readonly #replay: HostReplay;
  readonly #announcement: RunAnnouncement = new RunAnnouncement(() => this.#local.handle);
  #run: HostRun;
  #over: EscapementError | undefined;
  #stopping: Promise<void> | undefined;
  #restarting: Promise<void> | undefined;
  #resolveEnded: (cause: EscapementError | undefined) => void = () => undefined;
  #workerEnded: () => void = () => undefined;
  #lastStats: SimulationStats | undefined;
  #profiling: boolean | undefined;

  constructor(parts: HostParts<T>) {
    this.#parts = parts;
    this.#run = parts.first;
    this.#replay = new HostReplay(
      parts.peer,
      () => this.#current(),
      (work) => this.#orEnd(work),
    );
    this.#waits = new HostWaits(() => this.#run, parts.clock);
    this.capabilities = parts.capabilities;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    const { schema } = parts.first;
    this.inputs = this.#makeInputs() as RunningSimulation<T>['inputs'];
    this.events = new EventRingDrain<SimulationEvent<T>>(schema.events, () => this.#run);
    this.queries = this.#makeQueries() as QueryCalls<T['queries']>;
    parts.peer.onEnded((ended) => this.#onEnded(ended));
    parts.peer.onDeath((cause) => this.#fail(cause));
    parts.logs.attach(() => this.#run);
    const { clock, offset, sameThread } = parts;
    this.#local = {
      handle: this.share() as unknown as RegionHandle,
      clock,
      offsetNs: offset.offsetNs,
      offsetErrorNs: offset.errorNs,
      sameThread,
    };
    registerLocal(this.#local);
  }

  get state(): SimulationState {
    return stateName(Atomics.load(this.#run.region.i32, HEADER.state));
  }

  get tick(): number {
    return readTick(this.#run.region).tick;
  }

  share(): RegionHandle<T> {
    const { region, schema, run, layout } = this.#run;
    return {
      kind: 'escapement/simulation',
      version: HANDLE_VERSION,
      id: this.#parts.id,
      run,
      schema,
      options: {
        readers: layout.readers,
        controllers: layout.controllers.length,
        followers: layout.followerCount,
        commandWords: hostController(layout).commands.capacityWords,
        inputWords: layout.inputs.capacityWords,
        eventWords: layout.events.capacityWords,
        logWords: layout.logs.capacityWords,
        traceWords: layout.trace.capacityWords,
      },
      memory: region.memory,
    };
  }

  stats(): SimulationStats {
    const state = Atomics.load(this.#run.region.i32, HEADER.state);
    const stats = readStats(this.#run.reader, state) ?? this.#lastStats;
    if (stats === undefined) {
      throw new EscapementError('STATE_INVALID', 'Nothing has been published yet.');
    }
    this.#lastStats = stats;
    return stats;
  }

  restart(options: RunOptions<T> = {}): Promise<void> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    const before = this.#restarting ?? Promise.resolve();
    const restarting = before.then(() => this.#restart(options));
    this.#restarting = restarting.catch(() => undefined);
    return restarting;
  }

  async #restart(options: RunOptions<T>): Promise<void> {
    const old = this.#run;
    let handedOver = false;
    const making = this.#parts.makeRun(old.run + 1, options, () => {
      handedOver = true;
    });
    const run = await this.#orEnd(
      making.catch((cause: unknown) => {
        // The simulation has ended the old run by then: nobody would answer any more.
        if (handedOver) this.#fail(asEscapementError(cause));
        throw cause;
      }),
    );
    this.#replay.conclude('stopped');
    this.#run = run;
    this.#lastStats = undefined;
    this.#local.handle = this.share() as unknown as RegionHandle;
    this.#announcement.announce(run.region.shared);
    old.markState(REGION_STATE.replaced);
    old.end(new EscapementError('STOPPED', 'The run ended because the simulation was restarted.'));
    const { service } = this.#parts.peer;
    if (this.#profiling !== undefined) await this.#orEnd(service.profile(this.#profiling));
    await this.#orEnd(run.sender.send(COMMAND.begin));
  }

  readonly stop: RunningSimulation<T>['stop'] = (options = {}) => {
    this.#stopping ??= this.#stop(options.timeoutMs ?? STOP_TIMEOUT_MS);
    return this.#stopping;
  };

  async #stop(timeoutMs: number): Promise<void> {
    if (!(await withTimeout(this.#endThread(timeoutMs), timeoutMs))) {
      throw new EscapementError('STOP_TIMEOUT', 'The worker did not end; its thread has leaked.', {
        given: `no end within ${timeoutMs} ms`,
      });
    }
  }

  async #endThread(timeoutMs: number): Promise<void> {
    if (this.#over === undefined) {
      const gone = new Promise<void>((resolve) => {
        this.#workerEnded = resolve;
      });
      this.#run.sender.send(COMMAND.stop).catch(() => undefined);
      // A simulation in a long tick, or one that never comes back, is ended from outside.
      await withTimeout(gone, Math.min(500, timeoutMs / 2));
    }
    this.#finish(
      new EscapementError('STOPPED', 'The simulation was stopped.', {
        fix: 'Start another one with startSimulation.',
      }),
      REGION_STATE.stopped,
      undefined,
    );
    await this.#parts.peer.terminate();
  }

  waitForTickChange(
    tick: number,
    timeoutMs: number = Number.POSITIVE_INFINITY,
    options: WaitOptions = {},
  ): Promise<TickChange> {
    return this.#waits.tickChange(tick, timeoutMs, options);
  }

  waitForTickChangeBlocking(
    tick: number,
    timeoutMs: number = Number.POSITIVE_INFINITY,
    options: WaitOptions = {},
  ): TickChange {
    return this.#waits.tickChangeBlocking(tick, timeoutMs, options);
  }

  waitCaughtUp(options: CatchUpOptions = {}): Promise<CaughtUp> {
    return this.#waits.caughtUp(options);
  }

  waitCaughtUpBlocking(options: CatchUpOptions = {}): CaughtUp {
    return this.#waits.caughtUpBlocking(options);
  }

  retireFollower(follower: number): boolean {
    return this.#waits.retire(follower);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #current(): HostRun {
    if (this.#over !== undefined) throw this.#over;
    return this.#run;
  }

  #makeInputs(): Record<string, (values: Readonly<FieldValues>) => boolean> {
    const senders: Record<string, (values: Readonly<FieldValues>) => boolean> = {};
    this.#run.schema.inputs.forEach((schema, kind) => {
      const codec = new FieldCodec(`input "${schema.name}"`, schema.fields);
      const payload = new Uint32Array(codec.lengthWords);
      this.#run.inputs.check(codec.lengthWords);
      senders[schema.name] = (values) => {
        const run = this.#current();
        codec.encode(values, payload, 0);
        const sent = run.inputs.tryWrite(kind, payload, codec.lengthWords);
        run.onWritten?.();
        // The driver takes inputs when it wakes for a tick; only a filling ring hurries it.
        if (run.inputs.fill() > 0.5) run.wake.raise();
        return sent;
      };
    });
    return senders;
  }

  profile({ enabled, budgets }: ProfileOptions = {}): Promise<ProfileReport> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    this.#profiling = enabled ?? this.#profiling;
    return this.#orEnd(this.#parts.peer.service.profile(enabled, budgets));
  }

  stateHash(): Promise<StateReading> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    return this.#orEnd(this.#parts.peer.service.stateHash());
  }

  async record(options: RecordOptions = {}): Promise<Recording> {
    // A run that is being replaced is not worth recording any more.
    await this.#restarting;
    return this.#replay.record(options);
  }

  get recording(): Recording | undefined {
    return this.#replay.recording;
  }

  get replay(): ReplayControl | undefined {
    return this.#replay.replay;
  }

  save(): Promise<Uint8Array> {
    return this.#replay.save();
  }

  /** Any name is a call: only the simulation knows which queries it has, and says so. */
  #makeQueries(): unknown {
    const ask = (name: string, args: readonly unknown[]): Promise<unknown> => {
      if (this.#over !== undefined) return Promise.reject(this.#over);
      return this.#orEnd(this.#parts.peer.service.query(name, args));
    };
    return new Proxy(
      {},
      {
        get: (_, name) => {
          // A promise would be asked for `then`; that is no query.
          if (typeof name === 'symbol' || name === 'then') return undefined;
          return (...args: readonly unknown[]) => ask(name, args);
        },
      },
    );
  }

  /** Settles as `work` does, or rejects with what ended the simulation, whichever comes first. */
  #orEnd<R>(work: Promise<R>): Promise<R> {
    if (this.#over !== undefined) {
      // Nobody answers any more.
      work.catch(() => undefined);
      return Promise.reject(this.#over);
    }
    return new Promise<R>((resolve, reject) => {
      this.#rejects.add(reject);
      work.then(resolve, reject).finally(() => this.#rejects.delete(reject));
    });
  }

  #onEnded(ended: Ended): void {
    if (ended.run !== this.#run.run) return;
    this.#workerEnded();
    if (ended.error !== undefined) this.#fail(EscapementError.fromRecord(ended.error));
  }

  #fail(cause: EscapementError): void {
    this.#workerEnded();
    if (this.#over !== undefined) return;
    this.#finish(cause, REGION_STATE.failed, cause);
    this.#stopping ??= this.#parts.peer.terminate();
  }

  #finish(over: EscapementError, state: number, cause: EscapementError | undefined): void {
    if (this.#over !== undefined) return;
    this.#parts.logs.close();
    this.#replay.conclude(cause === undefined ? 'stopped' : 'failed');
    this.#over = over;
    this.#run.markState(state);
    this.#run.end(over);
    for (const reject of this.#rejects) reject(over);
    this.#rejects.clear();
    unregisterLocal(this.#parts.id);
    this.#announcement.close();
    this.#resolveEnded(cause);
  }
}

function asEscapementError(cause: unknown): EscapementError {
  if (cause instanceof EscapementError) return cause;
  return new EscapementError('SIMULATION_FAILED', 'The simulation did not start again.', { cause });
}
