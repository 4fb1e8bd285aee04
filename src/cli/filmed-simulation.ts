import type { RunningSimulation } from '../main/running-simulation.ts';
import { startSimulation } from '../main/start-simulation.ts';
import { formatLogLine } from '../shared/log-line.ts';
import type { RegionHandle } from '../shared/handle.ts';
import type { LogLevel, LogRecord } from '../shared/log.ts';
import type { Rational } from '../shared/rational.ts';
import type { ParamValue } from '../shared/schema.ts';
import { typeParams } from './param-values.ts';
import { loadSimulation } from './simulation-worker.ts';

/** What runs while a film is taken; plain data, so that it can be posted to another thread. */
export interface FilmedRun {
  readonly path: string;
  readonly params: ReadonlyMap<string, string>;
  readonly seed: number | undefined;
  readonly rateHz: number | undefined;
  /** The bytes of the recording that is filmed, in memory that threads share. */
  readonly replay: Uint8Array | undefined;
  readonly logLevel: LogLevel;
  readonly startTimeoutMs: number;
  /** Whether standard output belongs to nobody else. */
  readonly quiet: boolean;
  /** Whether what the simulation says was said before, where the run was recorded. */
  readonly isEcho: boolean;
}

/** What a simulation that is filmed turned out to be. */
export interface FilmedAs {
  readonly simulation: string;
  readonly params: Readonly<Record<string, ParamValue>>;
  readonly quantum: Rational;
}

/** A simulation that was loaded and started, and stands at its first tick. */
export interface FilmedSimulation {
  readonly simulation: RunningSimulation;
  readonly of: FilmedAs;
}

/** Loads a simulation and starts it for a film. `err` takes what it says. */
export async function startFilmed(
  run: FilmedRun,
  err: (text: string) => void,
): Promise<FilmedSimulation> {
  const { path, quiet, isEcho, startTimeoutMs, seed, rateHz, replay } = run;
  const say = isEcho ? (): void => undefined : err;
  const { worker, hello } = await loadSimulation(path, startTimeoutMs, {
    stdout: quiet || isEcho,
    stderr: isEcho,
  });
  if (isEcho) worker.stderr.resume();
  if (quiet || isEcho) worker.stdout.on('data', (bytes: Buffer) => say(bytes.toString()));
  try {
    const simulation = await startSimulation(() => worker, {
      params: typeParams(run.params, hello.schema.params),
      drivenBy: 'host',
      profile: false,
      logLevel: run.logLevel,
      logSink: (record) => {
        if (!isAboutBudgets(record)) say(`${formatLogLine(record)}\n`);
      },
      startTimeoutMs,
      ...(seed === undefined ? {} : { seed }),
      ...(rateHz === undefined ? {} : { tickRateHz: rateHz }),
      ...(replay === undefined ? {} : { replay }),
    });
    const { name, quantum, params } = schemaInForce(simulation);
    return { simulation, of: { simulation: name, params, quantum } };
  } catch (cause) {
    await worker.terminate();
    throw cause;
  }
}

/** Budgets are wall time, which a film has nothing to do with. */
function isAboutBudgets({ subsystem, event, fields }: LogRecord): boolean {
  const about = event === 'rate_limited' ? String(fields['event']) : event;
  return subsystem === 'system' && about.startsWith('budget_');
}

function schemaInForce(simulation: RunningSimulation): RegionHandle['schema'] {
  return (simulation.share() as unknown as RegionHandle).schema;
}
