import type { ClockOptions } from '../shared/clock-options.ts';
import {
  COMMAND,
  COMMAND_RESULT,
  CONFIGURE_FIELDS,
  type CommandOutcome,
  createOutcome,
  isAdvanceLength,
  SEEK_TICK_MAX,
} from '../shared/command.ts';
import { EscapementError } from '../shared/error.ts';
import type { Instant } from '../shared/instant.ts';
import { createRational } from '../shared/rational.ts';
import { MODE_CODES } from '../shared/record.ts';
import type { Region } from '../shared/region.ts';
import { RingReader } from '../shared/ring-reader.ts';
import { TicketWriter } from '../shared/ticket.ts';
import { REGION_STATE } from '../shared/words.ts';
import type { WorldClock } from '../shared/world-clock.ts';
import type { ReplayDesk } from './replay-desk.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     consumes every controller's command ring, writes its ticket results.
 * Ordering   a command takes effect before the next tick; it is answered when all that it caused is
 *            published.
 * Progress   never waits; at most as many commands a call as tickets can be outstanding.
 * Invariant  commands of one controller are carried out once each, in order; a refused one changes
 *            nothing; controllers take turns by number.
 */

/** Commands carried out in one call; a controller has fewer outstanding. */
const BATCH_MAX = 64;

/** A place for the answer to one command. */
interface Answer {
  controller: number;
  ticket: number;
  readonly outcome: CommandOutcome;
}

/** What commands act on: the driver. */
export interface Commanded {
  readonly clock: WorldClock;
  readonly ended: boolean;
  /** Whether another simulation's clock says when ticks run. */
  readonly follows: boolean;
  readonly failure: EscapementError | undefined;
  begin(now: Instant): void;
  noteChange(): void;
  advanceTicks(quanta: number, out: CommandOutcome): void;
  advance(wallSeconds: number, out: CommandOutcome): void;
  /** What is recorded of the run, and what it is replayed from. */
  readonly replay: Pick<ReplayDesk, 'isRecording' | 'isPlaying'> | undefined;
  /** Returns false for a tick that cannot be gone to. */
  seek(tick: number, now: Instant): boolean;
  reconfigure(options: Partial<ClockOptions>, now: Instant): void;
  end(state: number): void;
}

/** Carries out what the controllers command. */
export class CommandDesk {
  readonly #driver: Commanded;
  readonly #rings: readonly RingReader[];
  readonly #tickets: readonly TicketWriter[];
  /** Commands carried out in this call, answered once all is published. */
  readonly #answers: readonly Answer[];
  #count = 0;
  readonly #words: Uint32Array = new Uint32Array(2);
  readonly #double: Float64Array = new Float64Array(this.#words.buffer);

  constructor(driver: Commanded, region: Region) {
    const { controllers } = region.layout;
    this.#driver = driver;
    this.#rings = controllers.map(({ commands }) => new RingReader(region.i32, commands));
    this.#tickets = controllers.map(({ tickets }) => new TicketWriter(region.i32, tickets));
    this.#answers = Array.from({ length: BATCH_MAX * controllers.length }, () => ({
      controller: 0,
      ticket: 0,
      outcome: createOutcome(),
    }));
  }

  /** Carries out what waits. */
  drain(now: Instant): void {
    for (let controller = 0; controller < this.#rings.length; controller++) {
      const ring = this.#rings[controller] as RingReader;
      for (let taken = 0; taken < BATCH_MAX && ring.next(); taken++) {
        const answer = this.#answers[this.#count++] as Answer;
        answer.controller = controller;
        answer.ticket = ring.words[0] as number;
        clearOutcome(answer.outcome);
        this.#carryOut(ring, now, answer.outcome);
      }
    }
  }

  /** Answers what was carried out. Returns whether there was anything. */
  answer(): boolean {
    for (let i = 0; i < this.#count; i++) {
      const { controller, ticket, outcome } = this.#answers[i] as Answer;
      (this.#tickets[controller] as TicketWriter).complete(ticket >>> 0, outcome);
    }
    const any = this.#count > 0;
    this.#count = 0;
    return any;
  }

  #carryOut(ring: RingReader, now: Instant, out: CommandOutcome): void {
    const driver = this.#driver;
    if (driver.ended) {
      out.code = COMMAND_RESULT.ended;
      return;
    }
    if (driver.follows && ring.kind !== COMMAND.begin && ring.kind !== COMMAND.stop) {
      out.code = COMMAND_RESULT.follows;
      return;
    }
    const isJump = ring.kind === COMMAND.seek || ring.kind === COMMAND.configure;
    if (isJump && driver.replay?.isRecording === true) {
      out.code = COMMAND_RESULT.recorded;
      return;
    }
    if (ring.kind === COMMAND.configure && driver.replay?.isPlaying === true) {
      out.code = COMMAND_RESULT.replayed;
      return;
    }
    try {
      if (!this.#obey(ring, now, out)) out.code = COMMAND_RESULT.refused;
      else if (driver.failure !== undefined) out.code = COMMAND_RESULT.failed;
    } catch (cause) {
      // Options out of range: what a sender has checked, and a stranger's has not.
      if (!(cause instanceof EscapementError)) throw cause;
      out.code = COMMAND_RESULT.refused;
    }
  }

  /** Returns false for what is refused. */
  #obey(ring: RingReader, now: Instant, out: CommandOutcome): boolean {
    const driver = this.#driver;
    const { clock } = driver;
    const word = ring.words[1] as number;
    switch (ring.kind) {
      case COMMAND.begin:
        driver.begin(now);
        return true;
      case COMMAND.setMode: {
        const mode = MODE_CODES[word];
        if (mode === undefined) return false;
        clock.setMode(mode, now);
        break;
      }
      case COMMAND.resume:
        clock.resume(now);
        break;
      case COMMAND.step:
        if (!isAdvanceLength(word)) return false;
        driver.advanceTicks(word, out);
        return true;
      case COMMAND.advance:
        driver.advance(this.#doubleAt(ring, 0), out);
        return true;
      case COMMAND.setSpeed:
        if (!clock.setSpeed(this.#doubleAt(ring, 0), now)) return false;
        break;
      case COMMAND.setLockstepSteps:
        if (!isAdvanceLength(word)) return false;
        clock.setLockstepSteps(word);
        break;
      case COMMAND.setCap: {
        const scales = ring.words[2] as number;
        if (!isAdvanceLength(word)) return false;
        clock.setCap(word, scales > 1 ? undefined : scales === 1);
        break;
      }
      case COMMAND.seek: {
        const tick = this.#doubleAt(ring, 0);
        return tick <= SEEK_TICK_MAX && driver.seek(tick, now);
      }
      case COMMAND.configure: {
        const options = this.#configuration(ring);
        if (options === undefined) return false;
        driver.reconfigure(options, now);
        return true;
      }
      case COMMAND.stop:
        driver.end(REGION_STATE.stopped);
        return true;
      default:
        return false;
    }
    driver.noteChange();
    return true;
  }

  /** Returns the settings of a configure command; undefined for what is refused here. */
  #configuration(ring: RingReader): Partial<ClockOptions> | undefined {
    const [numerator, denominator, speed, cap, scales, steps, mode] = Array.from(
      { length: CONFIGURE_FIELDS.length },
      (_, i) => given(this.#doubleAt(ring, i)),
    );
    const isMode = mode === undefined || MODE_CODES[mode] !== undefined;
    if (!isMode || !isAdvanceLength(cap ?? 1) || !isAdvanceLength(steps ?? 1)) return undefined;
    return {
      ...(numerator !== undefined && { quantum: createRational(numerator, denominator ?? 0) }),
      speed,
      maxTicksPerAdvance: cap,
      capScalesWithRate: scales === undefined ? undefined : scales === 1,
      lockstepSteps: steps,
      mode: mode === undefined ? undefined : MODE_CODES[mode],
    };
  }

  /** Returns double `i` of a payload behind its ticket. */
  #doubleAt(ring: RingReader, i: number): number {
    this.#words[0] = ring.words[1 + 2 * i] as number;
    this.#words[1] = ring.words[2 + 2 * i] as number;
    return this.#double[0] as number;
  }
}

function given(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

function clearOutcome(outcome: CommandOutcome): void {
  outcome.code = COMMAND_RESULT.done;
  outcome.steps = 0;
  outcome.firstTick = 0;
  outcome.dropped = 0;
  outcome.alpha = 0;
}
