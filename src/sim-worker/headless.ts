import { dueInstant } from '../shared/due.ts';
import { EscapementError } from '../shared/error.ts';
import {
  copyInstant,
  createInstant,
  elapsedNs,
  type Instant,
  type MonotonicClock,
} from '../shared/instant.ts';
import { quantumOf, type Rational } from '../shared/rational.ts';
import { type ClockScope, createSystemClock } from '../shared/system-clock.ts';
import { eventLoopTurn } from './event-loop-turn.ts';
import { GameLoop, type GameLoopOptions, type LoopStatus, type LoopTarget } from './game-loop.ts';

/** The longest sleep: a clock that was set back far must not keep a stop from being obeyed. */
const SLEEP_MS_MAX = 50;

/** How long a run without sleeps keeps the event loop waiting, give or take a frame. */
const TURN_PERIOD_NS = 10e6;

/** Something that is given up when a run is over. */
export interface HeadlessResource {
  dispose(): void;
}

/** A loop's target that may hold something to give up when the run is over. */
export interface HeadlessTarget extends LoopTarget {
  /** Asked now and then in `fast`: what is to be waited for before the run goes on, if anything. */
  relief?(): Promise<unknown> | undefined;
  dispose?(): void;
}

/** What of an `AbortSignal` a run needs. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener?(type: 'abort', listener: () => void): void;
}

/** Options of a {@link HeadlessRunner}. */
export interface HeadlessOptions extends Omit<GameLoopOptions, 'maxCatchUpTicks'> {
  /** Ticks after which the run is over; 0, the default, for never. */
  readonly maxTicks?: number | undefined;
  /** `real-time`, the default, follows the clock; `fast` makes time go by as ticks run. */
  readonly pacing?: 'real-time' | 'fast' | undefined;
  /**
   * The loop's `maxCatchUpTicks`, refused under that name: 5 by default in `real-time`. In `fast`
   * each frame runs exactly that many, 1 by default.
   */
  readonly frameBudgetTicks?: number | undefined;
  /** Called after each frame, the first one too, with the loop's own reading and last tick. */
  readonly onFrame?: ((reading: Readonly<Instant>, tick: number) => void) | undefined;
  /** Ends the run as {@link HeadlessRunner.stop} does. */
  readonly signal?: StopSignal | undefined;
  /** Given up in this order, after the loop was stopped and the target given up. */
  readonly resources?: readonly HeadlessResource[] | undefined;
}

/**
 * How a run ended. `done`: `maxTicks` ticks ran. `stopped`: it was told to before that. `refused`:
 * nothing ran, since the runner had run already, runs, or was stopped. The others are the loop's.
 */
export type HeadlessStatus = 'done' | 'refused' | Exclude<LoopStatus, 'ok'>;

/** What a run came to. */
export interface HeadlessResult {
  /** The last completed tick. */
  readonly tick: number;
  /** Frames, the first one, which sets the reference, included. */
  readonly frames: number;
  readonly status: HeadlessStatus;
  /** What failed: the loop, `onFrame`, or giving up something. */
  readonly error?: EscapementError | undefined;
}

/** A clock that stands still between jumps. */
class JumpingClock implements MonotonicClock {
  readonly now: Instant = createInstant();

  read(out: Instant): Instant {
    return copyInstant(out, this.now);
  }
}

/**
 * Runs a target without a picture: one frame that sets the reference, then frames until `maxTicks`
 * ticks are complete, or for ever. At the end, whatever brought it about, the loop is stopped and
 * the target and the resources are given up, in this order and once.
 *
 * `real-time` sleeps until the next tick is due, exactly: timers do for the whole milliseconds, and
 * the event loop turns through the rest. It does not sleep when a tick is due already, nor after
 * the last one. A late frame runs up to `frameBudgetTicks` ticks, so that the end may be passed by
 * all but one of those; with 1 it is met. `fast` meets it always, and gives the event loop a turn
 * every few milliseconds, so that a stop is obeyed.
 */
export class HeadlessRunner {
  /** The loop: for its anchor, its alpha and its counts. */
  readonly loop: GameLoop;
  readonly #target: HeadlessTarget;
  readonly #options: HeadlessOptions;
  readonly #maxTicks: number;
  readonly #frameTicks: number;
  readonly #quantum: Rational;
  /** The loop's clock in `fast`. */
  readonly #jumping: JumpingClock | undefined;
  /** What waiting goes by: the loop's clock in `real-time`, the platform's in `fast`. */
  readonly #clock: MonotonicClock;
  readonly #now: Instant = createInstant();
  readonly #next: Instant = createInstant();
  readonly #lastTurn: Instant = createInstant();
  #phase: 'new' | 'running' | 'over' = 'new';
  #stopping = false;
  #error: EscapementError | undefined;
  #wake: () => void = () => {};

  /**
   * Makes a runner and its loop; runs nothing. Throws OPTION_INVALID. `exact` is a quantum that is
   * right already, whatever rate it makes.
   */
  constructor(target: HeadlessTarget, options: HeadlessOptions = {}, exact?: Rational) {
    const { maxTicks = 0, pacing = 'real-time', frameBudgetTicks } = options;
    checkOptions(maxTicks, pacing, options.clock, frameBudgetTicks);
    const fast = pacing === 'fast';
    this.#target = target;
    this.#options = options;
    this.#maxTicks = maxTicks;
    this.#jumping = fast ? new JumpingClock() : undefined;
    this.#clock = options.clock ?? createSystemClock(globalThis as ClockScope);
    const loopOptions: GameLoopOptions = {
      ...options,
      maxCatchUpTicks: frameBudgetTicks ?? (fast ? 1 : undefined),
      clock: this.#jumping ?? this.#clock,
    };
    this.loop = new GameLoop(target, loopOptions, exact);
    this.#frameTicks = this.loop.maxCatchUpTicks;
    this.#quantum = exact ?? quantumOf({ tickRateHz: this.loop.tickRateHz });
  }

  /**
   * Runs to the end and returns how it ended; never rejects. A runner runs once: while it runs and
   * afterwards it refuses.
   */
  async run(): Promise<HeadlessResult> {
    if (this.#phase !== 'new') return this.#result('refused');
    this.#phase = 'running';
    const { signal } = this.#options;
    const stop = (): void => this.stop();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted === true) this.stop();
    let status: HeadlessStatus;
    try {
      status = await this.#drive();
    } catch (cause) {
      status = 'failed';
      this.#fail('The headless run failed.', cause);
    }
    signal?.removeEventListener?.('abort', stop);
    this.#shutDown();
    return this.#result(status);
  }

  /**
   * Ends the run before its next frame; one that has not begun will be refused. Returns at once:
   * what there is to give up is given up when {@link run} resolves. Idempotent.
   */
  stop(): void {
    this.#stopping = true;
    this.#wake();
    if (this.#phase === 'new') this.#shutDown();
  }

  async #drive(): Promise<HeadlessStatus> {
    const { loop } = this;
    this.#clock.read(this.#lastTurn);
    while (!this.#stopping) {
      const status = loop.frame();
      if (status !== 'ok') {
        this.#error = loop.lastError;
        return status;
      }
      this.#options.onFrame?.(loop.lastReading, loop.currentTick);
      if (this.#maxTicks > 0 && loop.currentTick >= this.#maxTicks) return 'done';
      if (this.#jumping === undefined) await this.#untilDue();
      else {
        this.#jump(this.#jumping);
        if (this.#isTurnDue()) await this.#turn();
      }
    }
    return 'stopped';
  }

  /** Lets the time of a frame go by: exactly the budget becomes due, or what is left to the end. */
  #jump(clock: JumpingClock): void {
    const { loop } = this;
    const { startReference, currentTick, stats } = loop;
    if (startReference === undefined) return;
    const left = this.#maxTicks > 0 ? this.#maxTicks - currentTick : this.#frameTicks;
    const due = currentTick + stats.droppedTicks + Math.min(left, this.#frameTicks);
    const { numerator, denominator } = this.#quantum;
    dueInstant(clock.now, startReference, due, denominator, numerator);
  }

  #isTurnDue(): boolean {
    this.#clock.read(this.#now);
    return elapsedNs(this.#now, this.#lastTurn) >= TURN_PERIOD_NS;
  }

  async #turn(): Promise<void> {
    await eventLoopTurn();
    await this.#target.relief?.();
    this.#clock.read(this.#lastTurn);
  }

  /** Returns once the next tick is due, after at least one turn, or when stopped. */
  async #untilDue(): Promise<void> {
    let waited = false;
    while (!this.#stopping && this.loop.nextDue(this.#next)) {
      this.#clock.read(this.#now);
      const ms = elapsedNs(this.#next, this.#now) / 1e6;
      if (ms <= 0 && waited) return;
      if (ms < 1) await eventLoopTurn();
      else await this.#sleep(Math.min(SLEEP_MS_MAX, Math.floor(ms)));
      waited = true;
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #shutDown(): void {
    this.#phase = 'over';
    this.loop.stop();
    this.#giveUp(this.#target);
    for (const resource of this.#options.resources ?? []) this.#giveUp(resource);
  }

  #giveUp(resource: { dispose?(): void }): void {
    try {
      resource.dispose?.();
    } catch (cause) {
      this.#fail('Something could not be given up.', cause);
    }
  }

  /** Keeps the first failure: those that follow may come of it. */
  #fail(headline: string, cause: unknown): void {
    this.#error ??= new EscapementError('SIMULATION_FAILED', headline, { cause });
  }

  #result(status: HeadlessStatus): HeadlessResult {
    const { loop } = this;
    const { frames } = loop.stats;
    return { tick: loop.currentTick, frames, status, error: this.#error };
  }
}

function checkOptions(
  maxTicks: number,
  pacing: 'real-time' | 'fast',
  clock: MonotonicClock | undefined,
  frameBudgetTicks: number | undefined,
): void {
  if (
    frameBudgetTicks !== undefined &&
    !(Number.isInteger(frameBudgetTicks) && frameBudgetTicks >= 1)
  ) {
    throw new EscapementError('OPTION_INVALID', '`frameBudgetTicks` is out of range.', {
      given: String(frameBudgetTicks),
      allowed: 'an integer of at least 1',
      fix: 'Leave it out for 5, or 1 where `pacing` is `fast`.',
    });
  }
  if (!(Number.isSafeInteger(maxTicks) && maxTicks >= 0)) {
    throw new EscapementError('OPTION_INVALID', '`maxTicks` is out of range.', {
      given: String(maxTicks),
      allowed: 'an integer of at least 0',
      fix: 'Use 0 to run for ever.',
    });
  }
  if (pacing !== 'real-time' && pacing !== 'fast') {
    throw new EscapementError('OPTION_INVALID', 'That is no pacing.', {
      given: String(pacing),
      allowed: 'real-time, fast',
      fix: 'Use `fast` to run without waiting.',
    });
  }
  if (pacing === 'real-time' || clock === undefined) return;
  throw new EscapementError('OPTION_INVALID', 'A fast run makes its own time.', {
    given: '`clock` and `pacing: "fast"`',
    allowed: 'one of them',
    fix: 'Leave `clock` out, or use `real-time`.',
  });
}
