import { setTimeout as pause } from 'node:timers/promises';
import type { RunningSimulation } from '../main/running-simulation.ts';
import type { ReplayStatus } from '../shared/protocol.ts';
import { EscapementError } from '../shared/error.ts';
import { jsonLine } from './json-line.ts';
import { counted, formatStatusJson, formatStatusLine } from './status-report.ts';
import type { Terminal } from './terminal.ts';

/** How a recording is played. */
export interface ReplayRunOptions {
  readonly file: string;
  readonly speed: number;
  readonly fast: boolean;
  /** The tick to stop at. */
  readonly to: number;
  readonly json: boolean;
  readonly statusMs: number;
}

type Divergence = NonNullable<ReplayStatus['divergence']>;

/** Ticks of one command as fast as they go: short, so that a divergence and a signal are heard. */
const BATCH_TICKS = 1000;

/** How often a replay in real time is asked what it came to. */
const LOOK_MS = 50;

/** One replay in a worker: plays it, and tells how it goes. */
export class ReplayRun {
  readonly #simulation: RunningSimulation;
  readonly #terminal: Terminal;
  readonly #options: ReplayRunOptions;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isStopped = false;

  constructor(simulation: RunningSimulation, terminal: Terminal, options: ReplayRunOptions) {
    this.#simulation = simulation;
    this.#terminal = terminal;
    this.#options = options;
  }

  /**
   * Plays to the end and resolves with the first hash that was not met. Rejects with what made the
   * simulation fail.
   */
  async untilEnd(): Promise<Divergence | undefined> {
    this.#terminal.onEnd(() => {
      this.#isStopped = true;
    });
    this.#timer = setInterval(() => this.#report(), this.#options.statusMs);
    try {
      const { clock } = this.#simulation;
      if (!this.#options.fast) {
        await clock.setSpeed(this.#options.speed);
        await clock.resume();
      }
      let status = await this.#status();
      while (!this.#isOver(status)) {
        await this.#goOn();
        status = await this.#status();
      }
      clearInterval(this.#timer);
      // What is told of one moment must be of that moment.
      if (!this.#options.fast) status = await this.#halt();
      this.#tellEnd(status);
      return status.divergence;
    } catch (cause) {
      // A command that was refused because the simulation failed says less than the failure does.
      if (this.#simulation.stats().state !== 'failed') throw cause;
      throw (await this.#simulation.ended) ?? cause;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#simulation.stop();
  }

  async #goOn(): Promise<void> {
    const { fast, to } = this.#options;
    const { clock } = this.#simulation;
    const left = to - this.#simulation.tick;
    if (fast) await clock.advanceTicks(Math.min(left, BATCH_TICKS));
    else if (left > this.#ticksBetweenLooks()) await pause(LOOK_MS);
    else await this.#goTo(to);
  }

  /** The last ticks are counted: by the clock it would go too far. */
  async #goTo(to: number): Promise<void> {
    const { clock } = this.#simulation;
    await clock.pause();
    const left = to - this.#simulation.tick;
    if (left > 0) await clock.advanceTicks(left);
  }

  #ticksBetweenLooks(): number {
    const { fixedDt } = this.#simulation.clock.status();
    const seconds = (2 * LOOK_MS * this.#options.speed) / 1000;
    return Math.ceil(seconds / fixedDt) + 1;
  }

  async #halt(): Promise<ReplayStatus> {
    await this.#simulation.clock.pause();
    const status = await this.#status();
    // Where the clock went further than it should, what lies there was not asked for.
    const isBehind = (status.divergence?.tick ?? 0) > this.#options.to;
    return isBehind ? { ...status, divergence: undefined } : status;
  }

  async #status(): Promise<ReplayStatus> {
    const { replay } = this.#simulation;
    if (replay === undefined) throw new EscapementError('STATE_INVALID', 'There is no replay.');
    return replay.status();
  }

  #isOver({ divergence }: ReplayStatus): boolean {
    return this.#isStopped || divergence !== undefined || this.#simulation.tick >= this.#options.to;
  }

  #report(): void {
    try {
      const status = this.#simulation.clock.status();
      if (this.#options.json) this.#terminal.out(formatStatusJson(status));
      else if (this.#terminal.isTty) this.#terminal.out(`\r\u001B[K${formatStatusLine(status)}`);
    } catch {
      // The simulation has ended: what waits for it says so.
    }
  }

  #tellEnd({ compared, divergence }: ReplayStatus): void {
    const { file, json } = this.#options;
    const { tick } = this.#simulation;
    if (json) {
      const reason = divergence !== undefined ? 'different' : this.#isStopped ? 'signal' : 'done';
      this.#terminal.out(jsonLine({ event: 'ended', reason, tick, compared, divergence }));
      return;
    }
    if (this.#terminal.isTty) this.#terminal.out('\r\u001B[K');
    const found =
      divergence === undefined
        ? `as recorded to tick ${tick}`
        : `different at tick ${divergence.tick}: recorded ${divergence.expected}, ` +
          `found ${divergence.found}`;
    this.#terminal.out(`${file}: ${found}; ${counted(compared, 'hash', 'hashes')} compared\n`);
  }
}
