import { EscapementError } from '../shared/error.ts';
import { createLog } from '../shared/log.ts';
import type { StateReading } from '../shared/protocol.ts';
import type { ClockControl } from '../shared/clock-control.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import { createSystemClock, type ClockScope } from '../shared/system-clock.ts';
import { ClockDriver } from './clock-driver.ts';
import type { SimulationDefinition } from './definition.ts';
import { buildLocal, type LocalRun } from './local-simulation.ts';
import type { Simulation } from './simulation.ts';

/** A simulation elsewhere, as far as its trajectory goes: what `startSimulation` returns. */
export interface TrajectoryRun {
  readonly clock: ClockControl;
  stateHash(): Promise<StateReading>;
  stop(): Promise<void>;
}

/** Options of {@link expectSameTrajectory}. */
export interface TrajectoryOptions<T extends SimulationTypes> extends LocalRun<T> {
  /** Ticks that are compared. */
  readonly ticks: number;
  /** Quanta of the clock that one tick takes: the simulation follows a finer clock. Default 1. */
  readonly everyQuanta?: number | undefined;
  /**
   * Starts the same run on another thread, with `drivenBy: 'host'`; called once for each pacing
   * that is tried there, and stopped after it.
   */
  readonly startElsewhere?: (() => Promise<TrajectoryRun>) | undefined;
}

/** What was compared. */
export interface TrajectoryReport {
  /** The names of the pacings. */
  readonly pacings: readonly string[];
  /** States that were compared with those of the reference. */
  readonly comparisons: number;
  /** The hash of the state after the last tick: 16 hexadecimal digits. */
  readonly finalHash: string;
}

/** Drives a clock until it stands at `quanta` or beyond. */
type Pacing = (clock: ClockDriver, quanta: number) => void;

/** A frame of a display, in seconds. */
const FRAME = 1 / 60;
const GOLDEN = 0.618033988749895;
/** Steps without a tick after which a run elsewhere is given up. */
const IDLE_MAX = 2000;

/** The reference: no pacing at all. */
const batch: Pacing = (clock, quanta) => void clock.advanceTicks(quanta);

const PACINGS: ReadonlyMap<string, Pacing> = new Map<string, Pacing>([
  ['live at 0.5x', liveAt(0.5)],
  ['live at 1x', liveAt(1)],
  ['live at 2x', liveAt(2)],
  ['live at 30x', liveAt(30)],
  ['lockstep', lockstepOf(1)],
  ['lockstep, 7 at a time', lockstepOf(7)],
  ['single steps', singleSteps],
  ['stalls', stalls],
  ['modes in turn', modesInTurn],
]);

/**
 * Runs a definition under every pacing and compares the state after each tick with that of a batch
 * run: live at half, once, twice and thirty times the speed, in lockstep, in single steps, with
 * stalls that drop quanta, through all modes in turn, and, if told how, on another thread. Pacing
 * decides when a tick runs, never what it does; whoever reads a clock, an unseeded generator or
 * state outside the world breaks that. Throws TRAJECTORY_DIFFERS, naming the pacing and the first
 * tick that differs.
 */
export async function expectSameTrajectory<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
  options: TrajectoryOptions<T>,
): Promise<TrajectoryReport> {
  const { ticks, everyQuanta = 1, startElsewhere } = options;
  checkCount('ticks', ticks);
  checkCount('everyQuanta', everyQuanta);
  const reference = await trace(definition, options, batch);
  const pacings: string[] = [];
  let comparisons = 0;
  for (const [name, pacing] of PACINGS) {
    const hashes = await trace(definition, options, pacing);
    for (let tick = 0; tick <= ticks; tick++) compare(name, tick, hashes[tick], reference[tick]);
    comparisons += ticks + 1;
    pacings.push(name);
  }
  if (startElsewhere !== undefined) {
    for (const [name, step] of ELSEWHERE) {
      comparisons += await traceElsewhere(name, step, startElsewhere, reference);
      pacings.push(name);
    }
  }
  return { pacings, comparisons, finalHash: reference[ticks] as string };
}

function liveAt(speed: number): Pacing {
  return (clock, quanta) => {
    clock.setSpeed(speed);
    clock.setCap(8, true);
    while (clock.tick < quanta) clock.advance(FRAME);
  };
}

function lockstepOf(steps: number): Pacing {
  return (clock, quanta) => {
    clock.setMode('lockstep');
    clock.setLockstepSteps(steps);
    while (clock.tick < quanta) clock.advance(FRAME);
  };
}

function singleSteps(clock: ClockDriver, quanta: number): void {
  clock.setMode('stepping');
  while (clock.tick < quanta) clock.stepOnce();
}

/** Frames of up to half a second under a small cap: most of what is due is dropped. */
function stalls(clock: ClockDriver, quanta: number): void {
  clock.setCap(3);
  for (let frame = 1; clock.tick < quanta; frame++) {
    // The golden section spreads the lengths evenly, in no order.
    clock.advance(((frame * GOLDEN) % 1) * 0.5);
  }
}

function modesInTurn(clock: ClockDriver, quanta: number): void {
  const modes = ['live', 'paused', 'lockstep', 'stepping', 'replay'] as const;
  for (let frame = 0; clock.tick < quanta; frame++) {
    clock.setMode(modes[frame % modes.length] as (typeof modes)[number]);
    clock.advance(FRAME);
    if (frame % 3 === 0) clock.stepOnce();
  }
}

/** Ways to go on by some ticks on another thread. */
const ELSEWHERE: ReadonlyMap<string, (clock: ClockControl) => Promise<unknown>> = new Map<
  string,
  (clock: ClockControl) => Promise<unknown>
>([
  ['elsewhere, 7 at a time', (clock: ClockControl) => clock.advanceTicks(7)],
  ['elsewhere, single steps', (clock: ClockControl) => clock.stepOnce()],
  [
    'elsewhere, live at 2x',
    async (clock: ClockControl) => {
      await clock.setSpeed(2);
      await clock.advance(FRAME);
    },
  ],
]);

async function traceElsewhere(
  name: string,
  step: (clock: ClockControl) => Promise<unknown>,
  start: () => Promise<TrajectoryRun>,
  reference: readonly string[],
): Promise<number> {
  const run = await start();
  let comparisons = 0;
  let last = -1;
  let idle = 0;
  try {
    for (;;) {
      const { tick, hash } = await run.stateHash();
      if (tick >= reference.length) return comparisons;
      compare(name, tick, hash, reference[tick]);
      comparisons++;
      idle = tick === last ? idle + 1 : 0;
      last = tick;
      if (idle > IDLE_MAX) throw standsStill(name, tick);
      if (tick === reference.length - 1) return comparisons;
      await step(run.clock);
    }
  } finally {
    await run.stop();
  }
}

/** Returns the hashes of the states after ticks 0, 1, ... under a pacing. */
async function trace<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
  options: TrajectoryOptions<T>,
  pacing: Pacing,
): Promise<string[]> {
  const { ticks, everyQuanta = 1, params, tickRateHz, fixedDt, seed } = options;
  const monotonic = createSystemClock(globalThis as ClockScope);
  const log = createLog({ level: 'off', nowMs: () => 0, sink: () => undefined });
  const run = { params, tickRateHz, fixedDt, seed };
  const { simulation, quantum } = buildLocal<T>(definition, run, { log, clock: monotonic });
  await simulation.setup();
  const hashes = [simulation.readState().hash];
  const clock = new ClockDriver({
    quantum: {
      numerator: quantum.numerator,
      denominator: quantum.denominator * everyQuanta,
    },
    clock: monotonic,
    onTick: (quantaRun) => {
      const isDue = quantaRun % everyQuanta === 0;
      if (isDue && simulation.tick < ticks) runTick(simulation, hashes);
    },
  });
  pacing(clock, ticks * everyQuanta);
  simulation.world.clear();
  log.close();
  return hashes;
}

function runTick<T extends SimulationTypes>(simulation: Simulation<T>, hashes: string[]): void {
  simulation.beginFrame();
  simulation.runTick(true);
  simulation.endFrame();
  hashes.push(simulation.readState().hash);
}

function compare(
  pacing: string,
  tick: number,
  hash: string | undefined,
  reference: string | undefined,
): void {
  if (hash === reference) return;
  throw new EscapementError('TRAJECTORY_DIFFERS', 'A run differs under another pacing.', {
    given: `state ${hash ?? 'missing'} after tick ${tick}, ${pacing}`,
    allowed: `state ${reference ?? 'missing'}, as in one batch`,
    fix:
      'Look for what a system takes from outside: a clock, Math.random, the order of a Map, ' +
      'state kept outside the world. `development: true` finds some of it.',
  });
}

function standsStill(pacing: string, tick: number): EscapementError {
  return new EscapementError('STATE_INVALID', 'The run elsewhere does not go on.', {
    given: `tick ${tick}, ${pacing}`,
    fix: 'Start it with `drivenBy: "host"`, live and not paused.',
  });
}

function checkCount(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw new EscapementError('OPTION_INVALID', `\`${name}\` is not possible.`, {
    given: String(value),
    allowed: 'an integer of at least 1',
  });
}
