import type {
  AdvanceResult,
  ClockConfig,
  ClockControl,
  ClockStatus,
} from '../../src/shared/clock-control.ts';
import type { ClockMode, ClockOptions } from '../../src/shared/clock-options.ts';
import { EscapementError } from '../../src/shared/error.ts';
import { createInstant, type Instant } from '../../src/shared/instant.ts';
import { type QuantumOptions, quantumOf } from '../../src/shared/rational.ts';
import type { TickChange } from '../../src/shared/tick-wait.ts';
import { WorldClock } from '../../src/shared/world-clock.ts';
import type { ControlledSimulation } from '../../src/cli/controlled-simulation.ts';

/** A world clock without a world, in virtual time: what a control server controls in tests. */
export class ClockStage implements ControlledSimulation, ClockControl {
  readonly clock: ClockControl = this;
  readonly world: WorldClock = new WorldClock({ quantum: { numerator: 1, denominator: 100 } });
  /** Milliseconds that each command takes before it has its effect. */
  commandMs = 0;
  readonly ended: Promise<EscapementError | undefined>;
  #end: (cause: EscapementError | undefined) => void = () => undefined;
  #over: 'stopped' | 'failed' | undefined;
  #now: Instant = createInstant(1);
  readonly #waits: Set<() => void> = new Set();

  constructor() {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.world.plan(this.#now);
  }

  /** Lets wall time pass: as many quanta as it is worth run. */
  pass(seconds: number): void {
    this.#now = createInstant(this.#now.seconds + seconds);
    this.#run(this.world.plan(this.#now));
  }

  end(cause?: EscapementError): void {
    this.#over = cause === undefined ? 'stopped' : 'failed';
    this.#end(cause);
    this.#wake();
  }

  async pause(): Promise<void> {
    return this.#change(() => this.world.pause(this.#now));
  }

  async resume(): Promise<void> {
    return this.#change(() => this.world.resume(this.#now));
  }

  async setMode(mode: ClockMode): Promise<void> {
    return this.#change(() => this.world.setMode(mode, this.#now));
  }

  stepOnce(): Promise<AdvanceResult> {
    return this.advanceTicks(1);
  }

  async advanceTicks(count: number): Promise<AdvanceResult> {
    await this.#travel();
    return this.#run(this.world.planTicks(count));
  }

  async advance(wallSeconds: number): Promise<AdvanceResult> {
    await this.#travel();
    return this.#run(this.world.planDelta(wallSeconds));
  }

  async setSpeed(speed: number): Promise<void> {
    return this.#change(() => {
      if (this.world.setSpeed(speed, this.#now)) return;
      throw new EscapementError('COMMAND_REFUSED', 'That is no speed.', { given: String(speed) });
    });
  }

  async setLockstepSteps(steps: number): Promise<void> {
    return this.#change(() => this.world.setLockstepSteps(steps));
  }

  async setCap(maxTicksPerAdvance: number, capScalesWithRate?: boolean): Promise<void> {
    return this.#change(() => this.world.setCap(maxTicksPerAdvance, capScalesWithRate));
  }

  async seekTick(tick: number): Promise<void> {
    return this.#change(() => this.world.seekTick(tick, this.#now));
  }

  async configure(config: ClockConfig): Promise<void> {
    const { fixedDt, tickRateHz, quantum, ...rest } = config;
    const ways = Object.entries({ fixedDt, tickRateHz, quantum });
    const given = ways.filter(([, way]) => way !== undefined);
    const changes =
      given.length === 0 ? {} : { quantum: quantumOf(Object.fromEntries(given) as QuantumOptions) };
    return this.#change(() => {
      this.world.reconfigure({ ...rest, ...changes } as Partial<ClockOptions>, this.#now);
    });
  }

  status(): ClockStatus {
    const { tick, epoch, worldTime, mode, speed, ticksDropped, quantum } = this.world;
    const { lockstepSteps, running } = this.world;
    return {
      tick,
      epoch,
      time: worldTime,
      mode,
      speed,
      realizedSpeed: this.world.realizedSpeed(),
      dropped: ticksDropped,
      fixedDt: quantum.numerator / quantum.denominator,
      lockstepSteps,
      alpha: this.world.alphaAt(this.#now),
      running,
    };
  }

  async waitForTickChange(tick: number, timeoutMs = Number.POSITIVE_INFINITY): Promise<TickChange> {
    const { epoch } = this.world;
    const end = performance.now() + timeoutMs;
    for (;;) {
      const now = { tick: this.world.tick, epoch: this.world.epoch };
      if (now.epoch !== epoch) return { reason: 'epoch-changed', ...now };
      if (now.tick !== tick) return { reason: 'changed', ...now };
      if (this.#over !== undefined) return { reason: this.#over, ...now };
      if (performance.now() >= end) return { reason: 'timed-out', ...now };
      await this.#news(end - performance.now());
    }
  }

  #news(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waits.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(ms, 1000));
      this.#waits.add(wake);
    });
  }

  /** Lets a command take its time, and refuses it after the end. */
  async #travel(): Promise<void> {
    if (this.commandMs > 0) await new Promise((done) => setTimeout(done, this.commandMs));
    if (this.#over === undefined) return;
    throw new EscapementError('STOPPED', 'The simulation was stopped.');
  }

  async #change(act: () => void): Promise<void> {
    await this.#travel();
    act();
    this.#wake();
  }

  #run(count: number): AdvanceResult {
    const { firstTick } = this.world;
    for (let i = 0; i < count; i++) this.world.complete();
    const dropped = this.world.settle();
    this.#wake();
    return { firstTick, steps: count, dropped, alpha: this.world.alphaAt(this.#now) };
  }

  #wake(): void {
    for (const wake of this.#waits) wake();
  }
}
