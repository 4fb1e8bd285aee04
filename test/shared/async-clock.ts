import type {
  AdvanceResult,
  ClockConfig,
  ClockControl,
  ClockStatus,
} from '../../src/shared/clock-control.ts';
import type { ClockMode } from '../../src/shared/clock-options.ts';
import { EscapementError } from '../../src/shared/error.ts';
import { ClockDriver } from '../../src/sim-worker/clock-driver.ts';

/**
 * A clock that answers later, as one on another thread does: commands are carried out in order, at
 * once or only when {@link deliver} is called. Notes what it was sent.
 */
export class AsyncClock implements ClockControl {
  readonly driver: ClockDriver;
  readonly sent: string[] = [];
  /** Whether commands wait for {@link deliver}. */
  held = false;
  /** Refuses every command with this. */
  fault: unknown;
  readonly #waiting: (() => void)[] = [];

  constructor(driver: ClockDriver = new ClockDriver({ fixedDt: 0.01 })) {
    this.driver = driver;
  }

  /** Carries out what waits, and lets those who wait for it go on. */
  async deliver(): Promise<void> {
    for (const act of this.#waiting.splice(0)) act();
    for (let i = 0; i < 10; i++) await Promise.resolve();
  }

  take(): string[] {
    return this.sent.splice(0);
  }

  pause(): Promise<void> {
    return this.#send('pause', () => this.driver.pause());
  }

  resume(): Promise<void> {
    return this.#send('resume', () => this.driver.resume());
  }

  setMode(mode: ClockMode): Promise<void> {
    return this.#send(`mode ${mode}`, () => this.driver.setMode(mode));
  }

  setSpeed(speed: number): Promise<void> {
    return this.#send(`speed ${speed}`, () => this.driver.setSpeed(speed));
  }

  setLockstepSteps(steps: number): Promise<void> {
    return this.#send(`lockstep ${steps}`, () => this.driver.setLockstepSteps(steps));
  }

  setCap(cap: number, scales?: boolean): Promise<void> {
    return this.#send(`cap ${cap}`, () => this.driver.setCap(cap, scales));
  }

  seekTick(tick: number): Promise<void> {
    return this.#send(`seek ${tick}`, () => this.driver.seekTick(tick));
  }

  configure(config: ClockConfig): Promise<void> {
    return this.#send('configure', () => this.driver.configure(config));
  }

  stepOnce(): Promise<AdvanceResult> {
    return this.#send('step', () => ({ ...this.driver.stepOnce() }));
  }

  advanceTicks(count: number): Promise<AdvanceResult> {
    return this.#send(`ticks ${count}`, () => ({ ...this.driver.advanceTicks(count) }));
  }

  advance(wallSeconds: number): Promise<AdvanceResult> {
    return this.#send(`advance ${wallSeconds}`, () => ({ ...this.driver.advance(wallSeconds) }));
  }

  status(): ClockStatus {
    const { tick, epoch, time, mode, speed, realizedSpeed, dropped, fixedDt } = this.driver;
    const { lockstepSteps, alpha, running } = this.driver;
    const timing = { tick, epoch, time, alpha, fixedDt, dropped };
    return { ...timing, mode, speed, realizedSpeed, lockstepSteps, running };
  }

  #send<T>(what: string, act: () => T): Promise<T> {
    this.sent.push(what);
    return new Promise<T>((resolve, reject) => {
      const carryOut = (): void => {
        try {
          if (this.fault !== undefined) throw this.fault;
          resolve(act());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      if (this.held) this.#waiting.push(carryOut);
      else carryOut();
    });
  }
}

/** An error as a simulation that has ended answers with. */
export function stoppedError(): EscapementError {
  return new EscapementError('STOPPED', 'The simulation has stopped.');
}
