import { EscapementError } from '../shared/error.ts';
import type { FollowerClaim } from '../shared/follower-block.ts';
import type { MonotonicClock } from '../shared/instant.ts';
import { JointSignal } from '../shared/joint-signal.ts';
import { computeLayout, type Layout } from '../shared/layout.ts';
import { createLog, type Log } from '../shared/log.ts';
import { encodeLogRecord, LOG_RECORD_BYTES_MAX } from '../shared/log-wire.ts';
import { PROTOCOL_VERSION, type StartConfig } from '../shared/protocol.ts';
import type { PublicationWriter } from '../shared/publication-writer.ts';
import { createRational } from '../shared/rational.ts';
import { createRegion, openRegion, type Region } from '../shared/region.ts';
import { openSignal } from '../shared/region-signal.ts';
import { readReplay } from '../shared/replay/replay-reader.ts';
import { checkIdentity } from '../shared/replay/replay-identity.ts';
import type { Replay } from '../shared/replay/replay.ts';
import { RingWriter } from '../shared/ring-writer.ts';
import { type Schema, withRun } from '../shared/schema.ts';
import type { Signal } from '../shared/signal.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import { HEADER } from '../shared/words.ts';
import { WorldClock } from '../shared/world-clock.ts';
import type { SimulationDefinition } from './definition.ts';
import { Driver } from './driver.ts';
import { Leader } from './leader.ts';
import { Publisher } from './publisher.ts';
import { ReplayDesk, type SendKeyframe } from './replay-desk.ts';
import { Simulation } from './simulation.ts';
import type { World } from './world.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     opens the host's region, or makes one; answers the host's mark.
 * Ordering   the message that carried the region orders its identity words.
 * Progress   builds once, before the first tick.
 * Invariant  a run is built only over a memory whose layout both sides computed alike.
 */

/** One run of a definition, built and set up, its first state published. */
export interface Run {
  readonly config: StartConfig;
  readonly region: Region;
  readonly simulation: Simulation;
  readonly driver: Driver;
  readonly desk: ReplayDesk;
  readonly publication: PublicationWriter;
  readonly wake: Signal;
  readonly log: Log;
  /** Its place among the followers of its leader. */
  readonly claim: FollowerClaim | undefined;
}

/**
 * Builds a run from the host's decisions: checks that both sides mean the same memory, runs setup
 * and publishes tick 0. `attached` is the region itself when host and simulation share a thread.
 */
export async function buildRun<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
  config: StartConfig,
  clock: MonotonicClock,
  attached: Region | undefined,
  sendKeyframe: SendKeyframe,
): Promise<Run> {
  if (config.version !== PROTOCOL_VERSION) throw versionMismatch(config.version);
  const schema = withRun(definition.schema, config);
  const layout = computeLayout(schema, config.options);
  checkLayout(layout, config);
  const region = attached ?? openMemory(config, layout);
  const log = createRunLog(region, config, clock);
  const simulation = new Simulation<T>(definition, {
    region,
    schema,
    params: config.params,
    seed: config.seed,
    log,
    clock,
    development: config.development,
    profile: config.profile,
  });
  await simulation.setup();
  const desk = new ReplayDesk(
    simulation as unknown as Simulation,
    region,
    config.run,
    sendKeyframe,
  );
  if (config.restore !== undefined) simulation.restoreKeyframe(config.restore);
  if (config.replay !== undefined) desk.play(openRecording(config.replay, definition, schema));
  const publisher = new Publisher(schema, region, simulation.world as unknown as World);
  const worldClock = createWorldClock(schema, config);
  const leader = await followLeader(schema, config, clock);
  const driver = new Driver({
    simulation: simulation as unknown as Simulation,
    region,
    clock: worldClock,
    publisher,
    monotonic: clock,
    log: log.for('driver'),
    hostDriven: config.hostDriven,
    leader,
    desk,
  });
  try {
    driver.publishInitial();
  } catch (cause) {
    leader?.close();
    throw cause;
  }
  return {
    config,
    region,
    simulation: simulation as unknown as Simulation,
    driver,
    desk,
    publication: publisher.writer,
    wake: wakeOf(region, leader),
    log,
    claim: leader?.claim,
  };
}

/** Reads a recording and checks that it is of this run: the host has, of the run it means. */
function openRecording(
  bytes: Uint8Array,
  definition: { readonly version: string },
  schema: Schema,
): Replay {
  const replay = readReplay(bytes);
  checkIdentity(replay.header, { schema, version: definition.version });
  return replay;
}

async function followLeader(
  schema: Schema,
  { follow }: StartConfig,
  clock: MonotonicClock,
): Promise<Leader | undefined> {
  if (follow === undefined) return undefined;
  const { numerator, denominator } = schema.quantum;
  return Leader.follow(follow, createRational(numerator, denominator), clock);
}

/** What the driver sleeps on: its own wake word, and what its leader publishes. */
function wakeOf(region: Region, leader: Leader | undefined): Signal {
  const wake = openSignal(region, HEADER.wake);
  return leader === undefined ? wake : new JointSignal(wake, () => leader.sequence);
}

function createWorldClock(schema: Schema, config: StartConfig): WorldClock {
  return new WorldClock({
    quantum: createRational(schema.quantum.numerator, schema.quantum.denominator),
    speed: config.speed,
    maxTicksPerAdvance: config.maxTicksPerAdvance,
    capScalesWithRate: config.capScalesWithRate,
    lockstepSteps: config.lockstepSteps,
    mode: config.mode,
  });
}

function checkLayout(layout: Layout, config: StartConfig): void {
  const [high, low] = config.layoutHash;
  if (layout.hashHigh === high && layout.hashLow === low) return;
  throw new EscapementError('LAYOUT_MISMATCH', 'Host and worker computed different layouts.', {
    given: `${high.toString(16)}:${low.toString(16)}`,
    allowed: `${layout.hashHigh.toString(16)}:${layout.hashLow.toString(16)}`,
    fix: 'Load the same version of escapement on both threads.',
  });
}

/** Opens the host's memory and proves that it is shared, or makes this worker's own. */
function openMemory(config: StartConfig, layout: Layout): Region {
  if (config.memory === undefined) return createRegion(layout, false);
  const region = openRegion(config.memory, layout);
  const found = Atomics.load(region.i32, HEADER.sharingProbe);
  if (!region.shared || found !== config.sharingNonce) {
    throw new EscapementError('NOT_SHARED', 'The memory arrived as a copy, not as itself.', {
      given: region.shared ? 'shared memory without the host’s mark' : 'unshared memory',
      fix: 'Serve the page with COOP and COEP headers, or start with `tier: "transfer"`.',
    });
  }
  Atomics.store(region.i32, HEADER.sharingAnswer, found);
  return region;
}

function createRunLog(region: Region, config: StartConfig, clock: MonotonicClock): Log {
  const ring = new RingWriter(region.i32, region.layout.logs);
  const bytes = new Uint8Array(LOG_RECORD_BYTES_MAX + 4);
  const words = new Uint32Array(bytes.buffer);
  const reading = { seconds: 0, nanos: 0 };
  return createLog({
    level: config.logLevel,
    nowMs: () => {
      clock.read(reading);
      return reading.seconds * 1000 + reading.nanos / 1e6;
    },
    sink: (record) => {
      const length = encodeLogRecord(record, bytes.subarray(4));
      words[0] = length;
      ring.tryWrite(0, words, 1 + Math.ceil(length / 4));
    },
  });
}

function versionMismatch(given: number): EscapementError {
  return new EscapementError('LAYOUT_MISMATCH', 'Host and worker speak different protocols.', {
    given: `version ${given}`,
    allowed: `version ${PROTOCOL_VERSION}`,
    fix: 'Load the same version of escapement on both threads.',
  });
}
