import { EscapementError } from '../shared/error.ts';
import { createInstant, elapsedNs, type Instant, type MonotonicClock } from '../shared/instant.ts';
import type { SubsystemLog } from '../shared/log.ts';
import type { ProfileReport, ReportBudgets } from '../shared/profile-report.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { SystemSpec, TickContext } from './context.ts';
import { buildBudgetReport } from './budget-report.ts';
import { DevelopmentChecks } from './development-checks.ts';
import { Profiler } from './profiler.ts';
import {
  type ScheduleWarning,
  scheduleFault,
  scheduleSystems,
  type SystemNode,
  type SystemSchedule,
} from './schedule.ts';
import { createContext, secondsBetweenRuns, type TickParts } from './system-context.ts';
import { checkSystem, nodeOf } from './system-check.ts';
import { type Overrun, OVERRUN, reportOverrun, type SystemTimer } from './system-timer.ts';
import type { World } from './world.ts';

/** What a set of systems takes beside its world. */
export interface SystemSetOptions {
  /** Times the systems; without it nothing is measured. */
  readonly clock?: MonotonicClock | undefined;
  /** Where schedule faults and overruns are told: subsystem `system`. */
  readonly log?: SubsystemLog | undefined;
  /** Whether the profiler starts enabled. Default true. */
  readonly profile?: boolean | undefined;
  /** Where the checks of development report; without it there are none. */
  readonly development?: SubsystemLog | undefined;
}

/** A registered system and the one context that each of its runs is given. */
interface RegisteredSystem {
  readonly id: number;
  readonly name: string;
  readonly period: number;
  readonly node: SystemNode;
  readonly context: { -readonly [K in keyof TickContext<SimulationTypes>]: unknown };
  readonly spec: SystemSpec<SimulationTypes>;
}

/**
 * The systems of a world, registered one by one, and the tick that runs them. Ids are dense from 1
 * in the order of registration; system k draws from generator k of the world.
 */
export class SystemSet<T extends SimulationTypes = SimulationTypes> {
  readonly world: World<T['components']>;

  readonly #parts: TickParts;
  readonly #clock: MonotonicClock | undefined;
  readonly #log: SubsystemLog | undefined;
  readonly #systems: RegisteredSystem[] = [];
  readonly #names: Set<string> = new Set();
  readonly #components: readonly string[];
  readonly #begin: Instant = createInstant();
  readonly #end: Instant = createInstant();
  readonly #frameBegin: Instant = createInstant();
  readonly #development: SubsystemLog | undefined;
  #checks: DevelopmentChecks | undefined;
  #profiler: Profiler = new Profiler([]);
  #schedule: SystemSchedule | undefined;
  /** Of this frame: ticks made, and events of budgets. */
  #frameTicks = 0;
  #frameOverruns = 0;

  constructor(
    world: World<T['components']>,
    parts: TickParts,
    { clock, log, profile = true, development }: SystemSetOptions = {},
  ) {
    this.world = world;
    this.#parts = parts;
    this.#clock = clock;
    this.#log = log;
    if (!profile) this.#profiler.disable();
    this.#development = development;
    this.#components = world.stores.map(({ name }) => name);
  }

  /** Registered systems. */
  get count(): number {
    return this.#systems.length;
  }

  /** The systems as they were registered, in that order. */
  get specs(): readonly SystemSpec<SimulationTypes>[] {
    return this.#systems.map(({ spec }) => spec);
  }

  /** Events of budgets in this frame: a run of three budgets makes two. */
  get frameOverruns(): number {
    return this.#frameOverruns;
  }

  /** What one tick stands for, in seconds. */
  get quantum(): TickParts['quantum'] {
    return this.#parts.quantum;
  }

  /** Lets a tick stand for another time, from the next one on. */
  setQuantum(quantum: TickParts['quantum']): void {
    this.#parts.quantum = quantum;
    for (const { context, period } of this.#systems) {
      context.dt = secondsBetweenRuns(period, quantum);
    }
  }

  /** Returns what the profiler has measured, judged by `budgets`: the declared ones by default. */
  profile(budgets?: ReportBudgets): ProfileReport {
    return buildBudgetReport(this.#profiler, budgets);
  }

  /** What the systems of the schedule in force took; each {@link use} begins another one. */
  get profiler(): Profiler {
    return this.#profiler;
  }

  /**
   * Registers a system and returns its id. A schedule made before is stale from then on. Throws
   * what `checkSystem` refuses, and CAPACITY_EXHAUSTED when the world has no generator left for it.
   */
  register(spec: SystemSpec<T>): number {
    checkSystem(spec, this.#components, this.#names);
    const id = this.count + 1;
    const random = this.world.generators[id];
    if (random === undefined) throw noGenerator(spec.name, this.count);
    const context = createContext(this.world as unknown as World, this.#parts, random, spec);
    this.#names.add(spec.name);
    this.#systems.push({
      id,
      name: spec.name,
      period: spec.period ?? 1,
      node: nodeOf(spec, id),
      context,
      spec: spec as unknown as SystemSpec<SimulationTypes>,
    });
    return id;
  }

  /**
   * Orders the systems registered so far, and logs a warning for each that reads what a later one
   * writes without saying so. Throws SCHEDULE_INVALID. The schedule is in force once it is given to
   * {@link use}.
   */
  schedule(): SystemSchedule {
    const schedule = scheduleSystems(this.#systems.map(({ node }) => node));
    for (const warning of schedule.warnings) this.#warn(warning);
    return schedule;
  }

  /** Runs by this schedule from now on. Whether it fits is found out by {@link scheduleFault}. */
  use(schedule: SystemSchedule): void {
    this.#schedule = schedule;
    const { enabled } = this.#profiler;
    this.#profiler = new Profiler(this.specs);
    if (!enabled) this.#profiler.disable();
    if (this.#development === undefined) return;
    const world = this.world as unknown as World;
    this.#checks = new DevelopmentChecks(world, this.specs, this.#development);
  }

  /** Opens a frame: the windows of the guardrails start over. */
  beginFrame(): void {
    this.#frameTicks = 0;
    this.#frameOverruns = 0;
    this.world.beginFrame();
    this.#checks?.beginFrame();
    if (this.#profiler.beginFrame()) this.#clock?.read(this.#frameBegin);
  }

  /** Closes the frame; one that made a tick is recorded. */
  endFrame(): void {
    const profiler = this.#profiler;
    if (this.#frameTicks === 0 || this.#clock === undefined || !profiler.enabled) return;
    this.#clock.read(this.#end);
    profiler.recordFrame(
      elapsedNs(this.#end, this.#frameBegin),
      this.#frameTicks,
      this.#checks?.simAllocs ?? Number.NaN,
      this.#checks?.simAllocBytes ?? Number.NaN,
      this.#frameOverruns,
      this.#parts.tick,
    );
  }

  /** Returns why no tick can run, and logs it; undefined when the schedule in force is sound. */
  scheduleFault(): EscapementError | undefined {
    const fault =
      this.#schedule === undefined
        ? NOT_SCHEDULED
        : scheduleFault(this.#schedule, this.#systems.length);
    if (fault === undefined) return undefined;
    const event = fault.code === 'SCHEDULE_STALE' ? 'schedule_stale' : 'schedule_invalid';
    this.#log?.error(event, fault.message, {
      scheduled_systems: this.#schedule?.systemCount ?? 0,
      current_systems: this.#systems.length,
    });
    return fault;
  }

  /**
   * Makes one tick: the systems that are due in it, in the schedule's order; the commands of each
   * apply after it. Throws SIMULATION_FAILED naming system and tick, and SCHEDULE_STALE or
   * SCHEDULE_INVALID before any system runs.
   */
  runTick(tick: number): void {
    const schedule = this.#schedule;
    if (schedule === undefined || schedule.systemCount !== this.#systems.length) {
      throw this.scheduleFault() as EscapementError;
    }
    const { order } = schedule;
    this.#parts.tick = tick;
    try {
      this.world.beginTick();
    } catch (cause) {
      throw failure('a command given before it', tick, cause);
    }
    for (let k = 0; k < order.length; k++) {
      const system = this.#systems[(order[k] as number) - 1] as RegisteredSystem;
      if (system.period === 1 || tick % system.period === 0) this.#runSystem(system, tick);
    }
    this.#frameTicks++;
  }

  #runSystem(system: RegisteredSystem, tick: number): void {
    const { context } = system;
    const { numerator, denominator } = this.#parts.quantum;
    context.tick = tick;
    context.time = (tick * numerator) / denominator;
    const checks = this.#checks;
    const clock = this.#clock;
    const isSampled = this.#profiler.beginSystem();
    // A budget is watched over whether or not the profiler takes samples.
    const isTimed = clock !== undefined && (isSampled || system.spec.budgetMs !== undefined);
    try {
      checks?.begin(system.id, system.name, tick);
      if (isTimed) clock.read(this.#begin);
      const returned: unknown =
        checks === undefined
          ? system.spec.run(context as TickContext<SimulationTypes>)
          : checks.run(context);
      this.world.commands.apply();
      if (isTimed) clock.read(this.#end);
      if (typeof returned === 'object') refuseLater(returned);
      checks?.end();
    } catch (cause) {
      throw failure(`system "${system.name}"`, tick, cause);
    } finally {
      checks?.release();
    }
    if (isTimed) this.#record(system, isSampled);
  }

  #record(system: RegisteredSystem, isSampled: boolean): void {
    const profiler = this.#profiler;
    const ns = elapsedNs(this.#end, this.#begin);
    const timer = profiler.systems[system.id - 1] as SystemTimer;
    const overrun: Overrun =
      isSampled && profiler.enabled ? profiler.recordSystem(system.id - 1, ns) : timer.judge(ns);
    if (overrun === OVERRUN.none) return;
    this.#frameOverruns += overrun;
    if (this.#log !== undefined) reportOverrun(this.#log, timer, overrun);
  }

  #warn({ event, message, reader, writer, component }: ScheduleWarning): void {
    this.#log?.warn(event, message, { reader, writer, component });
  }
}

const NOT_SCHEDULED = new EscapementError('SCHEDULE_INVALID', 'The systems have no schedule.', {
  given: 'a tick before the first schedule',
  fix: 'Give what `schedule()` returns to `use`.',
});

/** Refuses what a system has begun and would go on with after its tick. */
function refuseLater(returned: unknown): void {
  if (!(returned instanceof Promise)) return;
  // It is refused here; that it may fail later as well must not end the process.
  returned.catch(() => undefined);
  throw new EscapementError('SCHEMA_INVALID', 'A system returned a promise.', {
    given: 'an async `run`',
    allowed: 'a function that is done when it returns',
    fix: 'Await in `setup` or on the host, and hand the result over as an input.',
  });
}

function failure(who: string, tick: number, cause: unknown): EscapementError {
  return new EscapementError(
    'SIMULATION_FAILED',
    `The simulation failed: ${who} threw in tick ${tick}.`,
    { cause },
  );
}

function noGenerator(name: string, count: number): EscapementError {
  return new EscapementError('CAPACITY_EXHAUSTED', `System "${name}" is one too many.`, {
    given: `${count} systems are registered`,
    allowed: `${count}`,
    fix: 'Raise `maxSystems` where the world is made.',
  });
}
