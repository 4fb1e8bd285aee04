import type { RecordingResult } from '../shared/replay/memory-sink.ts';
import type { RunningSimulation } from '../main/running-simulation.ts';
import { setTimeout as pause } from 'node:timers/promises';
import type { Recording } from '../main/recording.ts';
import type { StartOptions } from '../main/start-options.ts';
import { startSimulation } from '../main/start-simulation.ts';
import { EscapementError } from '../shared/error.ts';
import type { Hello } from '../shared/protocol.ts';
import { formatLogLine } from '../shared/log-line.ts';
import type { ClockControl, ClockStatus } from '../shared/clock-control.ts';
import { ControlServer } from './control-server.ts';
import type { ControlledSimulation } from './controlled-simulation.ts';
import { typeParams } from './param-values.ts';
import type { ControlArguments, RunArguments } from './run-arguments.ts';
import { loadSimulation } from './simulation-worker.ts';
import { formatStatusJson, formatStatusLine, type RecordedSoFar } from './status-report.ts';
import type { Terminal } from './terminal.ts';

/** Why a run came to its end. */
export type EndReason = 'ticks' | 'signal' | 'remote' | 'ended' | 'recorded';

/** Ticks of one command while the command line itself drives: short, so that a signal is heard. */
const BATCH_TICKS = 1000;

/** How often a recording is looked at while something depends on it. */
const LOOK_MS = 20;

/** What is done to a run beside running it. */
export interface RunExtras {
  /** What is added to the options of the start. */
  readonly start?: Pick<StartOptions, 'record'> | undefined;
  /** The tick at which to stop, where the arguments do not say. */
  readonly ticks?: number | undefined;
  /** Takes what was recorded when the run is over, whatever ended it. */
  onRecorded?(result: RecordingResult): void;
}

/**
 * Runs a simulation until it ends, has reached `ticks`, is told to stop, or its recording is over.
 * Returns when its thread is gone. Throws what made the start, the simulation or its recording
 * fail.
 */
export async function runSimulationModule(
  args: RunArguments,
  terminal: Terminal,
  extras: (hello: Hello) => Promise<RunExtras> | RunExtras = () => ({}),
): Promise<EndReason> {
  const { worker, hello } = await loadSimulation(args.path, args.startTimeoutMs, {
    // What a simulation prints must not come between the lines of JSON.
    stdout: args.json,
  });
  if (args.json) worker.stdout.on('data', (bytes: Buffer) => terminal.err(bytes.toString()));
  let simulation: RunningSimulation;
  let added: RunExtras;
  try {
    added = await extras(hello);
    const options = startOptions(args, terminal, hello.schema.params);
    simulation = await startSimulation(() => worker, { ...options, ...added.start });
  } catch (cause) {
    await worker.terminate();
    throw cause;
  }
  const run = new CommandRun(args, terminal, simulation, added);
  try {
    return await run.untilEnd();
  } finally {
    await run.close();
  }
}

function startOptions(
  args: RunArguments,
  terminal: Terminal,
  declared: Parameters<typeof typeParams>[1],
): StartOptions {
  const { seed, rateHz, speed, mode, drivenBy } = args;
  return {
    params: typeParams(args.params, declared),
    mode,
    drivenBy,
    logLevel: args.logLevel,
    logSink: (record) => terminal.err(`${formatLogLine(record)}\n`),
    startTimeoutMs: args.startTimeoutMs,
    ...(seed === undefined ? {} : { seed }),
    ...(rateHz === undefined ? {} : { tickRateHz: rateHz }),
    ...(speed === undefined ? {} : { speed }),
  };
}

/** One run: its simulation, its control server, and what it tells. */
class CommandRun {
  readonly #args: RunArguments;
  readonly #terminal: Terminal;
  readonly #simulation: RunningSimulation;
  readonly #clock: ClockControl;
  readonly #extras: RunExtras;
  #server: ControlServer | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #over = false;

  constructor(
    args: RunArguments,
    terminal: Terminal,
    simulation: RunningSimulation,
    extras: RunExtras,
  ) {
    this.#extras = extras;
    this.#args = args;
    this.#terminal = terminal;
    this.#simulation = simulation;
    this.#clock = simulation.clock;
  }

  /** Resolves at the end of the run; rejects with what made the simulation fail. */
  async untilEnd(): Promise<EndReason> {
    const { control, drivenBy } = this.#args;
    const ticks = this.#args.ticks ?? this.#extras.ticks;
    let end: (reason: EndReason) => void = () => undefined;
    const told = new Promise<EndReason>((resolve) => {
      end = resolve;
    });
    this.#terminal.onEnd(() => end('signal'));
    if (control !== undefined) await this.#serve(control, () => end('remote'));
    this.#timer = setInterval(() => this.#report(), this.#args.statusMs);
    const waits: Promise<EndReason>[] = [told, this.#simulation.ended.then(() => 'ended')];
    if (ticks !== undefined) {
      const drives = drivenBy === 'host' && control === undefined;
      waits.push(drives ? this.#drive(ticks) : this.#reach(ticks));
    }
    if (this.#simulation.recording !== undefined) waits.push(this.#recordingOver());
    const reason = await Promise.race(waits);
    this.#over = true;
    clearInterval(this.#timer);
    const cause = reason === 'ended' ? await this.#simulation.ended : undefined;
    // It has an end of its own when the simulation failed, and then says until where.
    const recorded = await this.#simulation.recording?.stop();
    this.#tellEnd(cause === undefined ? reason : 'failed');
    if (recorded !== undefined) this.#extras.onRecorded?.(recorded);
    if (cause !== undefined) throw cause;
    return reason;
  }

  /** Ends what still runs: the reports, the server, the simulation. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#simulation.stop();
    await this.#server?.close();
  }

  async #serve(control: ControlArguments, stop: () => void): Promise<void> {
    const { host, port, token, tokenIsOwn, allowStop } = control;
    const simulation: ControlledSimulation = {
      clock: this.#clock,
      ended: this.#simulation.ended,
      waitForTickChange: (tick, timeoutMs) => this.#simulation.waitForTickChange(tick, timeoutMs),
    };
    const server = await ControlServer.open({
      simulation,
      host,
      port,
      token,
      stop: allowStop ? stop : undefined,
    });
    this.#server = server;
    this.#terminal.err(`control: ${server.url}\n`);
    if (tokenIsOwn) this.#terminal.err(`token: ${token}\n`);
    this.#tell({ event: 'control', url: server.url, port: server.port });
  }

  async #reach(ticks: number): Promise<EndReason> {
    let tick = 0;
    while (tick < ticks && !this.#over) {
      const change = await this.#simulation.waitForTickChange(tick);
      if (change.reason === 'stopped' || change.reason === 'failed') return 'ended';
      ({ tick } = change);
    }
    return 'ticks';
  }

  async #drive(ticks: number): Promise<EndReason> {
    try {
      for (let left = ticks; left > 0 && !this.#over; left -= BATCH_TICKS) {
        await this.#clock.advanceTicks(Math.min(left, BATCH_TICKS));
        await this.#letRecord();
      }
      return 'ticks';
    } catch (cause) {
      await this.#simulation.ended;
      if (this.#over || cause instanceof EscapementError) return 'ended';
      throw cause;
    }
  }

  /** Resolves when nothing more is recorded, though nobody asked for that. */
  async #recordingOver(): Promise<EndReason> {
    const recording = this.#simulation.recording as Recording;
    while (!this.#over && recording.end === undefined && recording.failure === undefined) {
      await pause(LOOK_MS);
    }
    return 'recorded';
  }

  /** Lets the file catch up with ticks that go as fast as they can. */
  async #letRecord(): Promise<void> {
    const { recording } = this.#simulation;
    const ahead = (): number => this.#simulation.tick - (recording?.lastTick ?? Infinity);
    while (!this.#over && recording?.end === undefined && ahead() > 2 * BATCH_TICKS) {
      if (recording?.failure !== undefined) return;
      await pause(LOOK_MS);
    }
  }

  #report(): void {
    const status = this.#status();
    if (status === undefined) return;
    const recorded = recordedSoFar(this.#simulation.recording);
    if (this.#args.json) this.#terminal.out(formatStatusJson(status, recorded));
    else if (this.#terminal.isTty) {
      this.#terminal.out(`\r\u001B[K${formatStatusLine(status, recorded)}`);
    }
  }

  /** The status; undefined once the simulation has ended, when the clock may refuse to say. */
  #status(): ClockStatus | undefined {
    try {
      return this.#clock.status();
    } catch {
      return undefined;
    }
  }

  #tellEnd(reason: EndReason | 'failed'): void {
    if (!this.#args.json && this.#terminal.isTty) this.#report();
    if (!this.#args.json && this.#terminal.isTty) this.#terminal.out('\n');
    const { tick, worldTime, ticksDropped } = this.#simulation.stats();
    this.#tell({ event: 'ended', reason, tick, time: worldTime, dropped: ticksDropped });
  }

  #tell(event: object): void {
    if (this.#args.json) this.#terminal.out(`${JSON.stringify(event)}\n`);
  }
}

function recordedSoFar(recording: Recording | undefined): RecordedSoFar | undefined {
  if (recording === undefined) return undefined;
  return { tick: recording.lastTick, bytes: recording.bytesWritten };
}
