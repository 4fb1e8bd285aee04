import type { Anchor } from '../shared/anchor.ts';
import { createAnchor } from '../shared/anchor.ts';
import { COMMAND, COMMAND_RESULT, STEP_TICKS_MAX } from '../shared/command.ts';
import { EscapementError } from '../shared/error.ts';
import {
  copyInstant,
  createInstant,
  elapsedNs,
  type Instant,
  type MonotonicClock,
} from '../shared/instant.ts';
import type { SubsystemLog } from '../shared/log.ts';
import { MODE_CODES } from '../shared/record.ts';
import type { Region } from '../shared/region.ts';
import { openSignal } from '../shared/region-signal.ts';
import type { Signal } from '../shared/signal.ts';
import { RingReader } from '../shared/ring-reader.ts';
import { TicketWriter } from '../shared/ticket.ts';
import type { WorldClock } from '../shared/world-clock.ts';
import { HEADER, REGION_STATE } from '../shared/words.ts';
import { DriverStats } from './driver-stats.ts';
import { ProbeDesk } from './probe-desk.ts';
import type { Publisher } from './publisher.ts';
import type { Simulation } from './simulation.ts';

/*
 * Threads    the simulation thread alone; the only caller of anything that advances the clock.
 * Memory     consumes the command and input rings, answers tickets and probes, publishes.
 * Ordering   commands take effect before the next tick; `sequence` is raised after each record
 *            and after each answered ticket.
 * Progress   runs at most one capped advance a call and never waits: pacing is another's.
 * Invariant  every tick runs once, in order; what is dropped is counted.
 */

/** Published ticks of one advance: older ones could not be named by its record anyway. */
const CAPTURED_MAX = 3;

/** Commands carried out in one call; a host has fewer outstanding. */
const TICKETS_MAX = 64;

/** Carries out commands and due ticks, and publishes what came of them. */
export class Driver {
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

  readonly #sequence: Signal;
  readonly #simulation: Simulation;
  readonly #publisher: Publisher;
  readonly #monotonic: MonotonicClock;
  readonly #log: SubsystemLog;
  readonly #commands: RingReader;
  readonly #tickets: TicketWriter;
  readonly #probes: ProbeDesk;
  readonly #anchor: Anchor = createAnchor();
  readonly #reading: Instant = createInstant();
  readonly #tickStart: Instant = createInstant();
  readonly #speedWords: Uint32Array;
  readonly #speed: Float64Array = new Float64Array(1);
  #begun = false;
  #steps = 0;
  #changed = false;
  #progressed = false;
  /** Tickets carried out in this call and their results: answered once all is published. */
  readonly #answers: Int32Array = new Int32Array(2 * TICKETS_MAX);
  #answerCount = 0;
  #backwardReadings = 0;
  #seenWake = -1;

  constructor(
    simulation: Simulation,
    region: Region,
    clock: WorldClock,
    publisher: Publisher,
    monotonic: MonotonicClock,
    log: SubsystemLog,
  ) {
    this.region = region;
    this.clock = clock;
    this.#sequence = openSignal(region, HEADER.sequence);
    this.#simulation = simulation;
    this.#publisher = publisher;
    this.#monotonic = monotonic;
    this.#log = log;
    this.#commands = new RingReader(region.i32, region.layout.commands);
    this.#tickets = new TicketWriter(region.i32, region.layout.tickets);
    this.#probes = new ProbeDesk(region, monotonic);
    this.#speedWords = new Uint32Array(this.#speed.buffer);
    this.stats.quantumSeconds = clock.quantum.numerator / clock.quantum.denominator;
  }

  /** Publishes the state that setup made as tick 0. The clock does not run yet. */
  publishInitial(): void {
    this.#publisher.scan();
    this.#publisher.capture(0);
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
    if (wake !== this.#seenWake) {
      this.#seenWake = wake;
      this.#probes.answer();
      this.#drainCommands(now);
    }
    this.#simulation.inputs.drain();
    if (!this.ended) this.#advance(now);
    if (this.#answerCount > 0) this.#answerTickets();
    if (this.#progressed) {
      this.#progressed = false;
      this.onProgress?.();
    }
    this.hasNext = !this.ended && this.#begun && this.clock.nextDue(this.next);
  }

  #advance(now: Instant): void {
    const { clock } = this;
    const stepping = this.#steps > 0;
    let planned = 0;
    if (stepping) planned = clock.planTicks(this.#steps);
    else if (this.#begun) planned = clock.plan(now);
    this.#steps = 0;
    if (planned > 0) this.#simulation.beginFrame();
    for (let i = 0; i < planned; i++) {
      if (!this.#runTick(i === 0, stepping)) return;
      if (i === Math.max(0, planned - CAPTURED_MAX)) this.#publisher.scan();
      if (i >= planned - CAPTURED_MAX) this.#publisher.capture(clock.tick);
    }
    if (planned === 0 && this.#changed) this.#publisher.scan();
    const dropped = clock.settle();
    if (dropped > 0) this.#reportDropped(dropped);
    if (clock.backwardReadings > this.#backwardReadings) this.#reportBackward();
    if (planned > 0 || this.#changed) {
      this.#changed = false;
      this.#publish(stepping);
      if (planned > 0) this.#simulation.endFrame();
    }
  }

  #runTick(firstOfAdvance: boolean, stepping: boolean): boolean {
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
    if (!stepping) {
      clock.anchor(this.#anchor);
      if (this.#anchor.running) stats.lateness.add(elapsedNs(this.#tickStart, this.#anchor.due));
    }
    return true;
  }

  #publish(withoutDelay: boolean): void {
    const { clock, stats } = this;
    clock.anchor(this.#anchor);
    this.#monotonic.read(this.#reading);
    copyInstant(stats.published, this.#reading);
    if (this.#anchor.running && !withoutDelay && clock.tick > 0) {
      const delay = elapsedNs(this.#reading, this.#anchor.due);
      if (delay < 8 * this.#anchor.quantumWallNs) stats.delay.add(delay);
    }
    copyInstant(stats.start, clock.startReference);
    stats.modeCode = MODE_CODES.indexOf(clock.mode);
    stats.ticksDropped = clock.ticksDropped;
    stats.realizedSpeed = clock.realizedSpeed();
    stats.speed = clock.speed;
    stats.inputsDropped = this.#simulation.inputs.overflowCount;
    stats.eventsDropped = this.#simulation.eventRing.droppedCount();
    this.#publisher.publish(this.#anchor, stats);
    this.#progressed = true;
  }

  #drainCommands(now: Instant): void {
    const ring = this.#commands;
    while (this.#answerCount < TICKETS_MAX && ring.next()) {
      const at = 2 * this.#answerCount++;
      this.#answers[at] = ring.words[0] as number;
      this.#answers[at + 1] = this.#obey(ring.kind, ring.words, now);
    }
  }

  #answerTickets(): void {
    for (let i = 0; i < this.#answerCount; i++) {
      this.#tickets.complete(
        (this.#answers[2 * i] as number) >>> 0,
        this.#answers[2 * i + 1] as number,
      );
    }
    this.#answerCount = 0;
    this.#progressed = true;
    this.#sequence.raise();
  }

  #obey(kind: number, words: Uint32Array, now: Instant): number {
    if (this.ended) return COMMAND_RESULT.ended;
    const { clock } = this;
    this.#changed = true;
    switch (kind) {
      case COMMAND.begin:
        if (!this.#begun) clock.plan(now);
        this.#begun = true;
        return COMMAND_RESULT.done;
      case COMMAND.pause:
        clock.pause(now);
        return COMMAND_RESULT.done;
      case COMMAND.resume:
        clock.resume(now);
        return COMMAND_RESULT.done;
      case COMMAND.stepping:
        clock.setMode(words[1] === 1 ? 'stepping' : 'live', now);
        return COMMAND_RESULT.done;
      case COMMAND.step:
        return this.#step(words[1] as number);
      case COMMAND.setSpeed:
        this.#speedWords[0] = words[1] as number;
        this.#speedWords[1] = words[2] as number;
        return clock.setSpeed(this.#speed[0] as number, now)
          ? COMMAND_RESULT.done
          : COMMAND_RESULT.refused;
      case COMMAND.stop:
        this.end(REGION_STATE.stopped);
        return COMMAND_RESULT.done;
      default:
        return COMMAND_RESULT.refused;
    }
  }

  /** Queues steps; they run in this call, and their command is answered after them. */
  #step(ticks: number): number {
    if (!(ticks >= 1 && ticks <= STEP_TICKS_MAX)) return COMMAND_RESULT.refused;
    this.#steps += ticks;
    return COMMAND_RESULT.done;
  }

  /** Marks the region as ended and wakes every waiter. Does nothing the second time. */
  end(state: number): void {
    if (this.ended) return;
    this.ended = true;
    this.hasNext = false;
    Atomics.store(this.region.i32, HEADER.state, state);
    this.#sequence.raise();
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

  #reportDropped(dropped: number): void {
    this.#log.warn('tick_dropped', 'More ticks were due than the stall cap lets run.', {
      dropped,
      after_tick: this.clock.tick,
      total_dropped: this.clock.ticksDropped,
      max_ticks_per_advance: this.clock.maxTicksPerAdvance,
    });
  }

  #reportBackward(): void {
    this.#backwardReadings = this.clock.backwardReadings;
    this.#log.warn('clock_backward', 'The clock went back; that frame has no time.', {
      count: this.#backwardReadings,
    });
  }
}
