import type { RecordOptions } from '../shared/replay/record-options.ts';
import type { Replay } from '../shared/replay/replay.ts';
import type { RunOptions } from '../shared/run-options.ts';
import { CALIBRATION_ROUNDS, ClockProbe, OffsetEstimate } from '../shared/calibration.ts';
import { COMMAND } from '../shared/command.ts';
import { EscapementError } from '../shared/error.ts';
import { createInstant, type MonotonicClock } from '../shared/instant.ts';
import { computeLayout } from '../shared/layout.ts';
import { findLocal } from '../shared/local-simulations.ts';
import { createLog } from '../shared/log.ts';
import {
  type InlineConnection,
  type InlineSimulation,
  PROTOCOL_VERSION,
  type StartConfig,
} from '../shared/protocol.ts';
import { createRegion, openRegion, type Region } from '../shared/region.ts';
import { withRun } from '../shared/schema.ts';
import type { SimulationTypes, Typed, TypesOf } from '../shared/simulation-types.ts';
import { type ClockScope, createSystemClock } from '../shared/system-clock.ts';
import { DRIVER, HEADER } from '../shared/words.ts';
import {
  chooseTier,
  describeCapabilities,
  measureResolutionNs,
  type TierChoice,
} from './capabilities.ts';
import { HostRun } from './host-run.ts';
import { consoleSink, LogDrain } from './log-drain.ts';
import { MirrorReceiver } from './mirror-receiver.ts';
import { InlinePeer, type Peer, WorkerPeer } from './peer.ts';
import { resolveReplayedRun } from './replayed-run.ts';
import type { RunningSimulation } from './running-simulation.ts';
import { SimulationHost } from './simulation-host.ts';
import { type ResolvedOptions, resolveOptions, type StartOptions } from './start-options.ts';
import { type AnyWorker, openWorkerPort } from './worker-port.ts';

/*
 * Threads    the host's thread alone.
 * Memory     makes regions and writes the marks that prove they are shared.
 * Ordering   the mark is stored before the region is posted, the answer before `start` is answered.
 * Progress   never blocks; a start that fails leaves no thread.
 * Invariant  a simulation is handed out only when layout, sharing and clock have been compared.
 */

/** Makes the worker that runs a simulation; the user's, so that bundlers see the URL. */
export type WorkerFactory = () => AnyWorker | Promise<AnyWorker>;

/**
 * Starts a simulation in the worker that `source` makes, or on this thread from `inline(...)`, and
 * resolves when its first state is published and its clock runs. Rejects with the cause when the
 * worker does not load, throws, exits, is not isolated, disagrees about the memory layout, or
 * cannot be calibrated; nothing of it is left then.
 */
export function startSimulation<D extends Typed<SimulationTypes>>(
  factory: WorkerFactory,
  options?: StartOptions<TypesOf<D>>,
): Promise<RunningSimulation<TypesOf<D>>>;
export function startSimulation<T extends SimulationTypes>(
  inline: InlineSimulation<T>,
  options?: StartOptions<T>,
): Promise<RunningSimulation<T>>;
export async function startSimulation<T extends SimulationTypes>(
  source: WorkerFactory | InlineSimulation<T>,
  options: StartOptions<T> = {},
): Promise<RunningSimulation<T>> {
  const resolved = resolveOptions(options as StartOptions);
  if (typeof source === 'function') {
    return startInWorker<T>(source, resolved, options);
  }
  if (source?.kind === 'escapement/inline') {
    return startInline<T>(source, resolved, options);
  }
  throw new EscapementError('OPTION_INVALID', 'There is nothing to start.', {
    given: source === null ? 'null' : typeof source,
    allowed: 'a function that returns a Worker, or inline(definition)',
    fix: 'Wrap it: startSimulation(() => new Worker(...)).',
  });
}

async function startInWorker<T extends SimulationTypes>(
  factory: WorkerFactory,
  resolved: ResolvedOptions,
  options: RunOptions<T>,
): Promise<RunningSimulation<T>> {
  let worker: AnyWorker;
  try {
    worker = await factory();
  } catch (cause) {
    throw cause instanceof EscapementError
      ? cause
      : new EscapementError('WORKER_LOAD_FAILED', 'The worker factory threw.', { cause });
  }
  const port = openWorkerPort(worker);
  if (resolved.unref) port.unref();
  let peer: WorkerPeer | undefined;
  try {
    peer = await WorkerPeer.meet(port, resolved.startTimeoutMs);
    const choice = chooseTier(resolved.tier, peer.hello);
    const clock = createSystemClock(globalThis as ClockScope);
    const starter = new WorkerStarter<T>(peer, choice, resolved, clock);
    return await raceDeath(peer, finishStart(starter, resolved, options));
  } catch (cause) {
    await (peer ?? port).terminate();
    throw cause;
  }
}

async function startInline<T extends SimulationTypes>(
  inline: InlineSimulation<T>,
  resolved: ResolvedOptions,
  options: RunOptions<T>,
): Promise<RunningSimulation<T>> {
  if (resolved.tier !== 'auto' && resolved.tier !== 'calling-thread') {
    throw new EscapementError('TIER_UNAVAILABLE', 'An inline simulation has no other thread.', {
      given: `tier "${resolved.tier}"`,
      allowed: '"auto" or "calling-thread"',
    });
  }
  return finishStart(
    new InlineStarter<T>(new InlinePeer(inline as unknown as InlineConnection), resolved),
    resolved,
    options,
  );
}

/** What differs between the tiers when a run is made. */
interface Starter<T extends SimulationTypes> {
  readonly peer: Peer;
  readonly choice: TierChoice;
  readonly clock: MonotonicClock;
  readonly pacing: 'blocking' | 'event-loop' | 'manual';
  readonly sameThread: boolean;
  makeRun(run: number, options: RunOptions<T>, handedOver?: () => void): Promise<HostRun>;
  calibrate(run: HostRun): Promise<{ offsetNs: number; errorNs: number }>;
}

async function finishStart<T extends SimulationTypes>(
  starter: Starter<T>,
  resolved: ResolvedOptions,
  options: RunOptions<T>,
): Promise<RunningSimulation<T>> {
  const { peer, choice, clock, pacing, sameThread } = starter;
  const first = await starter.makeRun(1, options);
  const offset = await starter.calibrate(first);
  const resolutionNs = pacing === 'manual' ? undefined : measureResolutionNs(clock);
  if (resolutionNs !== undefined) warnOfCoarseClock(resolutionNs, clock, resolved);
  const host = new SimulationHost<T>({
    id: createId(),
    peer,
    first,
    capabilities: describeCapabilities(choice, pacing, offset.errorNs, resolutionNs),
    clock,
    logs: new LogDrain(resolved.logSink),
    makeRun: (run, runOptions, handedOver) => starter.makeRun(run, runOptions, handedOver),
    offset,
    sameThread,
  });
  if (resolved.record !== undefined) await recordOrStop(host, resolved.record);
  await first.sender.send(COMMAND.begin);
  return host;
}

/** A start that fails leaves no simulation, wherever it runs. */
async function recordOrStop<T extends SimulationTypes>(
  host: SimulationHost<T>,
  options: RecordOptions,
): Promise<void> {
  try {
    await host.record(options);
  } catch (cause) {
    // Not awaited: of a thread's end and its cause, the cause is to be heard.
    host.stop().catch(() => undefined);
    throw cause;
  }
}

/** A clock with steps of this many nanoseconds is seen to stutter. */
const COARSE_NS = 1e6;

function warnOfCoarseClock(
  resolutionNs: number,
  clock: MonotonicClock,
  { logLevel, logSink }: ResolvedOptions,
): void {
  if (resolutionNs < COARSE_NS) return;
  const { seconds, nanos } = clock.read(createInstant());
  const nowMs = (): number => seconds * 1000 + nanos / 1e6;
  const log = createLog({ level: logLevel, sink: logSink ?? consoleSink, nowMs });
  log.for('clock').warn('coarse', 'The clock of this thread is coarse: motion will stutter.', {
    resolution_ns: resolutionNs,
  });
  log.close();
}

function runConfig<T extends SimulationTypes>(
  run: number,
  peer: Peer,
  choice: TierChoice,
  resolved: ResolvedOptions,
  options: RunOptions<T>,
): { readonly config: StartConfig; readonly replay: Replay | undefined } {
  const { schema } = peer.hello;
  const { follow } = resolved;
  const resolvedRun = resolveReplayedRun(options as RunOptions, peer.hello);
  if (follow !== undefined && resolvedRun.replay !== undefined) throw replayFollows();
  const layout = computeLayout(withRun(schema, resolvedRun.run), resolved.region);
  const config: StartConfig = {
    version: PROTOCOL_VERSION,
    run,
    tier: choice.tier,
    options: resolved.region,
    layoutHash: [layout.hashHigh, layout.hashLow],
    sharingNonce: (run * 0x9e3779b1) | 1,
    ...resolvedRun.run,
    maxTicksPerAdvance: resolved.maxTicksPerAdvance,
    capScalesWithRate: resolved.capScalesWithRate,
    hostDriven: resolved.hostDriven && follow === undefined,
    // A leader that was restarted since has another region.
    follow: follow === undefined ? undefined : (findLocal(follow.id)?.handle ?? follow),
    logLevel: resolved.logLevel,
    development: resolved.development,
    profile: resolved.profile,
  };
  return { config, replay: resolvedRun.replay };
}

class WorkerStarter<T extends SimulationTypes> implements Starter<T> {
  readonly peer: WorkerPeer;
  readonly choice: TierChoice;
  readonly clock: MonotonicClock;
  readonly pacing: 'blocking' | 'event-loop';
  readonly sameThread = false;
  readonly #resolved: ResolvedOptions;
  #current: HostRun | undefined;

  constructor(
    peer: WorkerPeer,
    choice: TierChoice,
    resolved: ResolvedOptions,
    clock: MonotonicClock,
  ) {
    this.peer = peer;
    this.choice = choice;
    this.clock = clock;
    this.pacing = choice.tier === 'shared' ? peer.hello.pacing : 'event-loop';
    this.#resolved = resolved;
  }

  async makeRun(number: number, options: RunOptions<T>, handedOver?: () => void): Promise<HostRun> {
    const { peer, choice } = this;
    const { config, replay } = runConfig(number, peer, choice, this.#resolved, options);
    checkFollowed(config);
    const schema = withRun(peer.hello.schema, config);
    const layout = computeLayout(schema, config.options);
    const region = createRegion(layout, choice.tier === 'shared');
    Atomics.store(region.i32, HEADER.sharingProbe, config.sharingNonce);
    markDriver(region, config);
    const run = new HostRun(schema, region, { ...config, replay });
    const before = this.#current;
    peer.onPost = (posted) => {
      for (const each of before === undefined ? [run] : [before, run]) {
        Atomics.store(each.region.i32, HEADER.messagesPosted, posted);
        each.wake.raise();
      }
    };
    handedOver?.();
    if (choice.tier === 'transfer') {
      const mirror = new MirrorReceiver(run.region, peer, number);
      run.onWritten = () => mirror.flushSoon();
      run.onEmptied = () => mirror.refill();
      await peer.service.start(config);
    } else {
      run.claim = await peer.service.start({ ...config, memory: region.memory });
      checkSharing(run, config.sharingNonce);
    }
    this.#current = run;
    return run;
  }

  async calibrate(run: HostRun): Promise<{ offsetNs: number; errorNs: number }> {
    const probe = new ClockProbe(run.region, 0, this.clock);
    const { startTimeoutMs } = this.#resolved;
    const offset =
      this.choice.tier === 'shared'
        ? await probe.measure(CALIBRATION_ROUNDS, startTimeoutMs)
        : await this.#calibrateByMessages();
    probe.close();
    if (offset !== undefined) return offset;
    // A clock that only the host advances is never read: nothing depends on how the two compare.
    if (this.#resolved.hostDriven) return { offsetNs: 0, errorNs: Number.POSITIVE_INFINITY };
    throw new EscapementError('CLOCK_UNCALIBRATED', 'The worker’s clock could not be compared.', {
      given: `no answer to a clock probe within ${startTimeoutMs} ms`,
      fix: 'Keep setup and the first ticks short, or start paused.',
    });
  }

  async #calibrateByMessages(): Promise<{ offsetNs: number; errorNs: number } | undefined> {
    const estimate = new OffsetEstimate();
    const sent = createInstant();
    const received = createInstant();
    for (let round = 0; round < CALIBRATION_ROUNDS; round++) {
      this.clock.read(sent);
      const [seconds, nanos] = await this.peer.service.readClock();
      this.clock.read(received);
      estimate.add(sent, { seconds, nanos }, received);
    }
    return estimate.result();
  }
}

class InlineStarter<T extends SimulationTypes> implements Starter<T> {
  readonly peer: InlinePeer;
  readonly choice: TierChoice = {
    tier: 'calling-thread',
    reason: 'The definition was given inline.',
  };
  readonly clock: MonotonicClock;
  readonly pacing: 'event-loop' | 'manual';
  readonly sameThread = true;
  readonly #resolved: ResolvedOptions;

  constructor(peer: InlinePeer, resolved: ResolvedOptions) {
    this.peer = peer;
    this.clock = peer.inline.clock;
    this.pacing = peer.inline.pacing;
    this.#resolved = resolved;
  }

  async makeRun(number: number, options: RunOptions<T>, handedOver?: () => void): Promise<HostRun> {
    const { config, replay } = runConfig(number, this.peer, this.choice, this.#resolved, options);
    const schema = withRun(this.peer.hello.schema, config);
    const region = createRegion(computeLayout(schema, config.options), false);
    markDriver(region, config);
    this.peer.inline.attach(region);
    const run = new HostRun(schema, region, { ...config, replay });
    handedOver?.();
    run.claim = await this.peer.service.start(config);
    return run;
  }

  async calibrate(): Promise<{ offsetNs: number; errorNs: number }> {
    return { offsetNs: 0, errorNs: 0 };
  }
}

/** Says in a new region whether the simulation's own thread advances the clock. */
function markDriver(region: Region, { hostDriven }: StartConfig): void {
  Atomics.store(region.i32, HEADER.driver, hostDriven ? DRIVER.nobody : DRIVER.simulation);
}

/** Refuses a leader whose memory a worker would see as a copy that never changes. */
function checkFollowed({ follow }: StartConfig): void {
  if (follow === undefined) return;
  if (openRegion(follow.memory, computeLayout(follow.schema, follow.options)).shared) return;
  throw new EscapementError('NOT_SHARED', 'A worker cannot follow that simulation.', {
    given: 'a handle of memory that is not shared',
    fix: 'Start the one that leads in the shared tier, or both on this thread.',
  });
}

function replayFollows(): EscapementError {
  return new EscapementError('OPTION_INVALID', 'A replay cannot follow another simulation.', {
    given: '`follow` and `replay`',
    allowed: 'one of them: a replay has ticks of its own',
    fix: 'Start the replay without `follow`.',
  });
}

function checkSharing(run: HostRun, nonce: number): void {
  if (Atomics.load(run.region.i32, HEADER.sharingAnswer) === nonce) return;
  throw new EscapementError('NOT_SHARED', 'The worker does not see this thread’s memory.', {
    fix: 'Serve page and worker with COOP and COEP headers, or start with `tier: "transfer"`.',
  });
}

/** Settles as `work` does, or rejects when the worker dies first. */
function raceDeath<R>(peer: Peer, work: Promise<R>): Promise<R> {
  return new Promise((resolve, reject) => {
    peer.onDeath(reject);
    work.then(resolve, reject);
  });
}

let created = 0;

/** Names a simulation: unique among all threads of a process or page. */
function createId(): string {
  created++;
  const clock = createSystemClock(globalThis as ClockScope).read(createInstant());
  const crypto = (globalThis as { crypto?: { randomUUID?: () => string } }).crypto;
  return crypto?.randomUUID?.() ?? `${clock.seconds}-${clock.nanos}-${created}`;
}
