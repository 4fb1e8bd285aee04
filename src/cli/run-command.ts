import type { RunningSimulation } from '../main/running-simulation.ts';
import type { StartOptions } from '../main/start-options.ts';
import { startSimulation } from '../main/start-simulation.ts';
import { EscapementError } from '../shared/error.ts';
import { formatLogLine } from '../shared/log-line.ts';
import type { ClockControl, ClockStatus } from '../shared/clock-control.ts';
import { ControlServer } from './control-server.ts';
import type { ControlledSimulation } from './controlled-simulation.ts';
import { typeParams } from './param-values.ts';
import type { ControlArguments, RunArguments } from './run-arguments.ts';
import { loadSimulation } from './simulation-worker.ts';
import { formatStatusJson, formatStatusLine } from './status-report.ts';
import type { Terminal } from './terminal.ts';

/** Why a run came to its end. */
type EndReason = 'ticks' | 'signal' | 'remote' | 'ended';

/** Ticks of one command while the command line itself drives: short, so that a signal is heard. */
const BATCH_TICKS = 1000;

const STATUS_MS = 1000;

/**
 * Runs a simulation until it ends, has reached `--ticks`, or is told to stop. Returns when its
 * thread is gone. Throws what made the start or the simulation fail.
 */
export async function runSimulationModule(args: RunArguments, terminal: Terminal): Promise<void> {
  const simulation = await start(args, terminal);
  const run = new CommandRun(args, terminal, simulation);
  try {
    await run.untilEnd();
  } finally {
    await run.close();
  }
}

async function start(args: RunArguments, terminal: Terminal): Promise<RunningSimulation> {
  const { worker, hello } = await loadSimulation(args.path, args.startTimeoutMs, {
    // What a simulation prints must not come between the lines of JSON.
    stdout: args.json,
  });
  if (args.json) worker.stdout.on('data', (bytes: Buffer) => terminal.err(bytes.toString()));
  try {
    return await startSimulation(() => worker, startOptions(args, terminal, hello.schema.params));
  } catch (cause) {
    await worker.terminate();
    throw cause;
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
  #server: ControlServer | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #over = false;

  constructor(args: RunArguments, terminal: Terminal, simulation: RunningSimulation) {
    this.#args = args;
    this.#terminal = terminal;
    this.#simulation = simulation;
    this.#clock = simulation.clock;
  }

  /** Resolves at the end of the run; rejects with what made the simulation fail. */
  async untilEnd(): Promise<void> {
    const { control, ticks, drivenBy } = this.#args;
    let end: (reason: EndReason) => void = () => undefined;
    const told = new Promise<EndReason>((resolve) => {
      end = resolve;
    });
    this.#terminal.onEnd(() => end('signal'));
    if (control !== undefined) await this.#serve(control, () => end('remote'));
    this.#timer = setInterval(() => this.#report(), STATUS_MS);
    const waits: Promise<EndReason>[] = [told, this.#simulation.ended.then(() => 'ended')];
    if (ticks !== undefined) {
      const drives = drivenBy === 'host' && control === undefined;
      waits.push(drives ? this.#drive(ticks) : this.#reach(ticks));
    }
    const reason = await Promise.race(waits);
    this.#over = true;
    if (reason !== 'ended') return this.#tellEnd(reason);
    const cause = await this.#simulation.ended;
    this.#tellEnd(cause === undefined ? 'ended' : 'failed');
    if (cause !== undefined) throw cause;
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
      }
      return 'ticks';
    } catch (cause) {
      await this.#simulation.ended;
      if (this.#over || cause instanceof EscapementError) return 'ended';
      throw cause;
    }
  }

  #report(): void {
    const status = this.#status();
    if (status === undefined) return;
    if (this.#args.json) this.#terminal.out(formatStatusJson(status));
    else if (this.#terminal.isTty) this.#terminal.out(`\r\u001B[K${formatStatusLine(status)}`);
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
