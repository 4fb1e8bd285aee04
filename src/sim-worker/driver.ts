import type { Anchor } from '../shared/anchor.ts';
import { createAnchor } from '../shared/anchor.ts';
import type { ClockOptions } from '../shared/clock-options.ts';
import type { CommandOutcome } from '../shared/command.ts';
import { EscapementError } from '../shared/error.ts';
import {
  copyInstant,
  createInstant,
  elapsedNs,
  type Instant,
  type MonotonicClock,
} from '../shared/instant.ts';
import type { SubsystemLog } from '../shared/log.ts';
import type { Region } from '../shared/region.ts';
import { openSignal } from '../shared/region-signal.ts';
import type { Signal } from '../shared/signal.ts';
import type { WorldClock } from '../shared/world-clock.ts';
import { HEADER, REGION_STATE } from '../shared/words.ts';
import { type Commanded, CommandDesk } from './command-desk.ts';
import { DriverStats } from './driver-stats.ts';
import { DriverWarnings } from './driver-warnings.ts';
import { Leader } from './leader.ts';
import { ProbeDesk } from './probe-desk.ts';
import type { Publisher } from './publisher.ts';
import type { ReplayDesk } from './replay-desk.ts';
import type { Simulation } from './simulation.ts';

/*
 * Threads    the simulation thread alone; the only caller of anything that advances the clock.
 * Memory     consumes the input ring, answers probes, publishes; commands come by `CommandDesk`.
 * Ordering   commands take effect before the next tick; `sequence` is raised after each record
 *            and after each answered ticket.
 * Progress   runs what was commanded and at most one capped advance of its own a call, and never
 *            waits: pacing is another's.
 * Invariant  every tick runs once, in order; what is dropped is counted.
 */

/** Published ticks of one advance: older ones could not be named by its record anyway. */
const CAPTURED_MAX = 3;

/** What a driver is made of. */
export interface DriverParts {
  readonly simulation: Simulation;
  readonly region: Region;
  readonly clock: WorldClock;
  readonly publisher: Publisher;
  readonly monotonic: MonotonicClock;
  readonly log: SubsystemLog;
  /** Whether only commands advance the clock. Default false. */
  readonly hostDriven?: boolean | undefined;
  /** The simulation whose clock this one follows, if it does. */
  readonly leader?: Leader | undefined;
  /** What is recorded of the run, and what it is replayed from. */
  readonly desk?: ReplayDesk | undefined;
}

/** Carries out commands and due ticks, and publishes what came of them. */
export class Driver implements Commanded {
  readonly region: Region;
  readonly clock: WorldClock;
  readonly stats: DriverStats = new DriverStats();
  /** When the next tick is due; meaningful while {@link hasNext}. */
  readonly next: Instant = createInstant();
  /** Whether anything becomes due by the clock alone. */
  hasNext = false;
  /** Whether the simulation has stopped or failed; nothing runs any more. */
  ended = false;
  /** What made it fail. */
  failure: EscapementError | undefined;
  /** Called after each call that changed anything; the tier without shared memory sends it on. */
  onProgress: (() => void) | undefined;
  readonly replay: ReplayDesk | undefined;

  readonly #leader: Leader | undefined;
  readonly #sequence: Signal;
  readonly #followed: Signal;
  readonly #simulation: Simulation;
  readonly #publisher: Publisher;
  readonly #monotonic: MonotonicClock;
  readonly #log: SubsystemLog;
  readonly #warnings: DriverWarnings;
  readonly #desk: CommandDesk;
  readonly #probes: ProbeDesk;
  readonly #anchor: Anchor = createAnchor();
  /** Of the leader as it stands, to see whether the published one still holds. */
  readonly #probe: Anchor = createAnchor();
  readonly #reading: Instant = createInstant();
  readonly #tickStart: Instant = createInstant();
  readonly #hostDriven: boolean;
  #begun = false;
  #changed = false;
  #progressed = false;
  /** Of the command being carried out. */
  #outcome: CommandOutcome | undefined;
  #seenWake = -1;
  #epoch = 0;

  constructor(parts: DriverParts) {
    const { region, publisher } = parts;
    this.region = region;
    this.clock = parts.clock;
    this.#leader = parts.leader;
    this.replay = parts.desk;
    this.#sequence = openSignal(region, HEADER.sequence);
    this.#followed = openSignal(region, HEADER.followed);
    this.#simulation = parts.simulation;
    this.#publisher = publisher;
    this.#monotonic = parts.monotonic;
    this.#log = parts.log;
    this.#warnings = new DriverWarnings(parts.log);
    this.#hostDriven = parts.hostDriven ?? false;
    this.#desk = new CommandDesk(this, region);
    publisher.writer.beforeRaise = () => this.#answerWithPublication();
    this.#probes = new ProbeDesk(region, parts.monotonic);
  }

  /** Whether another simulation's clock says when ticks run. */
  get follows(): boolean {
    return this.#leader !== undefined;
  }

  /**
   * Publishes the state that setup made as tick 0, or as the tick that its leader is at. The clock
   * does not run yet.
   */
  publishInitial(): void {
    if (this.#leader !== undefined) this.#joinAt(this.#leader.boundary);
    else if (this.#simulation.tick > 0) this.#joinAt(this.#simulation.tick);
    this.#publisher.scan();
    this.#publisher.capture(this.clock.tick);
    Atomics.store(this.region.i32, HEADER.state, REGION_STATE.running);
    this.#publish(true);
  }

  /**
   * Obeys commands, runs what is due at `now`, publishes if anything changed, and says in
   * {@link next} when to be called again.
   */
  runDue(now: Instant): void {
    if (this.ended) return;
    // Whoever asks or commands raises the wake word after it: unchanged, there is nothing to see,
    // and the way from waking up to the tick stays short.
    const wake = Atomics.load(this.region.i32, HEADER.wake);
    this.#simulation.inputs.drain();
    if (wake !== this.#seenWake) {
      this.#seenWake = wake;
      this.#probes.answer();
      this.#desk.drain(now);
    }
    if (!this.ended && this.#begun) this.#runDue(now);
    if (!this.ended && this.#changed) this.#publishChange();
    if (this.#desk.answer()) {
      this.#progressed = true;
      this.#sequence.raise();
    }
    if (this.#progressed) {
      this.#progressed = false;
      this.onProgress?.();
    }
    this.hasNext = !this.ended && this.#begun && !this.follows && this.clock.nextDue(this.next);
  }

  #runDue(now: Instant): void {
    if (this.#leader === undefined) this.#run(this.clock.plan(now), false);
    else this.#follow(this.#leader, now);
  }

  /** Runs what fell due by the leader's clock, all of it, and publishes what changed of it. */
  #follow(leader: Leader, now: Instant): void {
    const { clock } = this;
    let steps = 0;
    try {
      steps = leader.take();
    } catch (cause) {
      this.fail(cause);
      return;
    }
    if (leader.moved) {
      clock.seekTick(leader.boundary, now);
      this.#relocate();
    }
    if (steps > 0) {
      this.#run(clock.planTicks(steps), false);
      if (!this.ended) leader.markPublished();
      return;
    }
    leader.anchor(this.#probe, clock.tick, clock.epoch);
    if (Leader.differs(this.#probe, this.#anchor)) this.noteChange();
    if (this.stats.modeCode !== leader.published.modeCode) this.noteChange();
  }

  /** Starts the clock at a reading, unless the host drives: then nothing is due by readings. */
  begin(now: Instant): void {
    this.noteChange();
    if (this.#hostDriven || this.#begun) return;
    if (!this.follows) this.clock.plan(now);
    this.#begun = true;
  }

  /** Says that the clock was changed: a record of it is published in this call. */
  noteChange(): void {
    this.#changed = true;
  }

  /** Runs exactly that many quanta, whatever mode and cap, and publishes. */
  advanceTicks(quanta: number, out: CommandOutcome): void {
    this.#advanceFor(this.clock.planTicks(quanta), out);
  }

  /** Advances by a wall time in seconds, and publishes, even if no quantum is due. */
  advance(wallSeconds: number, out: CommandOutcome): void {
    this.#advanceFor(this.clock.planDelta(wallSeconds), out);
  }

  /**
   * Goes to a tick, which is published as one that nothing preceded: in a replay with the state it
   * had, else with the present one. Returns false for a tick that a replay does not have.
   */
  seek(tick: number, now: Instant): boolean {
    try {
      if (this.replay?.seek(tick) === false) return false;
    } catch (cause) {
      this.fail(cause);
      return true;
    }
    this.clock.seekTick(tick, now);
    this.#relocate();
    return true;
  }

  /** Changes the clock's settings; tick 0 begins a new epoch. The state stays. */
  reconfigure(options: Partial<ClockOptions>, now: Instant): void {
    this.clock.reconfigure(options, now);
    this.#relocate();
  }

  #joinAt(tick: number): void {
    const { clock } = this;
    if (tick > 0) clock.seekTick(tick, this.#monotonic.read(this.#reading));
    this.#simulation.relocate(tick, clock.quantum);
    this.stats.epochStart = tick;
  }

  #relocate(): void {
    const { clock } = this;
    this.replay?.jump();
    this.#simulation.relocate(clock.tick, clock.quantum);
    this.stats.epochStart = clock.tick;
    this.#publisher.forget();
    this.#publisher.scan();
    this.#publisher.capture(clock.tick);
    this.#publish(true);
  }

  #advanceFor(planned: number, out: CommandOutcome): void {
    this.#changed = true;
    // What was sent before the command is there by now, and its first tick has to find it.
    this.#simulation.inputs.drain();
    out.firstTick = this.clock.firstTick;
    this.#outcome = out;
    this.#run(planned, true);
    if (!this.ended && this.#changed) this.#publishChange();
    this.#outcome = undefined;
    out.steps = this.clock.tick - out.firstTick;
    // Readings take over again in this very call: readers have to learn that the clock runs.
    if (this.#begun) this.noteChange();
  }

  /** Runs planned quanta, those of them that a replay has, and publishes them. */
  #run(wanted: number, asked: boolean): void {
    const { clock } = this;
    const planned = this.replay?.limit(wanted) ?? wanted;
    if (planned > 0) this.#simulation.beginFrame();
    for (let i = 0; i < planned; i++) {
      if (!this.#runTick(i === 0, asked)) return;
      if (i === Math.max(0, planned - CAPTURED_MAX)) this.#publisher.scan();
      if (i >= planned - CAPTURED_MAX) this.#publisher.capture(clock.tick);
    }
    const dropped = clock.settle();
    if (this.replay?.isOver === true && clock.running) this.#standStill();
    if (dropped > 0) this.#warnings.dropped(dropped, clock);
    if (this.#outcome !== undefined) this.#outcome.dropped = dropped;
    this.#warnings.backward(clock.backwardReadings);
    if (planned > 0) {
      this.#publish(asked);
      this.#simulation.endFrame();
    }
  }

  /** Nothing comes after the end of a recording. */
  #standStill(): void {
    this.clock.setMode('replay', this.#monotonic.read(this.#reading));
    this.noteChange();
  }

  #readAnchor(): void {
    const { clock } = this;
    if (this.#leader === undefined) clock.anchor(this.#anchor);
    else this.#leader.anchor(this.#anchor, clock.tick, clock.epoch);
  }

  /** Completes what the present advance came to, before its publication answers it. */
  #fillOutcome(): void {
    const out = this.#outcome;
    if (out === undefined) return;
    out.steps = this.clock.tick - out.firstTick;
    out.alpha = this.#anchor.running
      ? this.clock.alphaAt(this.#monotonic.read(this.#reading))
      : this.#anchor.alpha;
  }

  /**
   * What was carried out before a publication is answered by its wake-up; an advance of a clock
   * that runs by readings only when a record says that they have taken over again.
   */
  #answerWithPublication(): void {
    if (this.#outcome === undefined || !this.#begun) this.#desk.answer();
  }

  #publishChange(): void {
    this.#publisher.scan();
    this.#publish(true);
  }

  #runTick(firstOfAdvance: boolean, asked: boolean): boolean {
    const { clock, stats } = this;
    this.#monotonic.read(this.#tickStart);
    const { profiler } = this.#simulation;
    profiler.beginTick();
    try {
      this.#simulation.runTick(firstOfAdvance);
    } catch (cause) {
      this.fail(cause);
      return false;
    }
    clock.complete();
    this.#monotonic.read(this.#reading);
    const tickNs = elapsedNs(this.#reading, this.#tickStart);
    stats.tickTime.add(tickNs);
    profiler.recordTick(tickNs);
    if (!asked) {
      this.#readAnchor();
      if (this.#anchor.running) stats.lateness.add(elapsedNs(this.#tickStart, this.#anchor.due));
    }
    return true;
  }

  #publish(withoutDelay: boolean): void {
    const { clock, stats } = this;
    this.#changed = false;
    this.#readAnchor();
    this.#fillOutcome();
    this.#monotonic.read(this.#reading);
    copyInstant(stats.published, this.#reading);
    if (this.#anchor.running && !withoutDelay && clock.tick > 0) {
      const delay = elapsedNs(this.#reading, this.#anchor.due);
      if (delay < 8 * this.#anchor.quantumWallNs) stats.delay.add(delay);
    }
    stats.readClock(clock);
    stats.inputsDropped = this.#simulation.inputs.overflowCount;
    stats.eventsDropped = this.#simulation.eventRing.droppedCount();
    if (this.#leader !== undefined) {
      stats.modeCode = this.#leader.published.modeCode;
      stats.speed = this.#leader.published.speed;
      stats.realizedSpeed = this.#leader.published.realizedSpeed;
    }
    this.#publisher.publish(this.#anchor, stats);
    this.#progressed = true;
    if (clock.epoch === this.#epoch) return;
    this.#epoch = clock.epoch;
    this.#followed.raise();
  }

  /** Marks the region as ended and wakes every waiter. Does nothing the second time. */
  end(state: number): void {
    if (this.ended) return;
    this.ended = true;
    this.hasNext = false;
    this.#leader?.close();
    Atomics.store(this.region.i32, HEADER.state, state);
    this.#sequence.raise();
    this.#followed.raise();
  }

  /** Ends the simulation as failed, with the cause. */
  fail(cause: unknown): void {
    this.failure =
      cause instanceof EscapementError
        ? cause
        : new EscapementError('SIMULATION_FAILED', 'The simulation failed.', { cause });
    this.#log.error('failed', this.failure.message, { tick: this.#simulation.tick + 1 });
    this.end(REGION_STATE.failed);
  }
}
