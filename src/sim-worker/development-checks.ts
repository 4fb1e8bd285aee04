import type { SubsystemLog } from '../shared/log.ts';
import { AccessCheck } from './access-check.ts';
import { AllocationGuard, type AllocationReport } from './allocation-guard.ts';
import { keepApart } from './allocation-sites.ts';
import { AmbientTrap } from './ambient-trap.ts';
import type { World } from './world.ts';

/** What the checks have to know of a system. */
export interface CheckedSystem {
  readonly name: string;
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  readonly run: (context: never) => unknown;
}

/**
 * What development looks at in every run of a system: that it uses no component it has not
 * declared, calls nothing of the platform that would make runs differ, and allocates nothing run
 * after run. The first two throw; an allocation is logged with the function it comes from, once a
 * system, and counted per frame.
 */
export class DevelopmentChecks {
  /** Why allocations are not watched here; undefined when they are. */
  readonly unwatched: string | undefined;
  readonly #access: AccessCheck;
  readonly #trap: AmbientTrap = new AmbientTrap();
  readonly #allocations: AllocationGuard | undefined;
  readonly #systems: readonly CheckedSystem[];
  /** Each system's run, never inlined: what it allocates must not count for its caller. */
  readonly #runs: readonly ((context: never) => unknown)[];
  readonly #log: SubsystemLog | undefined;
  #id = 0;
  #tick = 0;
  #isEngaged = false;

  /** `systems` in the order of registration; `log` is that of subsystem `alloc`. */
  constructor(world: World, systems: readonly CheckedSystem[], log: SubsystemLog | undefined) {
    this.#access = new AccessCheck(world, systems);
    this.#systems = systems;
    this.#runs = systems.map(({ run }) => keepApart(run));
    this.#log = log;
    const guard = AllocationGuard.open(systems.length);
    if (typeof guard === 'string') {
      this.unwatched = guard;
      log?.warn('unwatched', 'Allocations are not watched here.', { reason: guard });
    } else this.#allocations = guard;
  }

  /** Runs of this frame in which a system known to allocate did so; NaN where unwatched. */
  get simAllocs(): number {
    return this.#allocations?.simAllocs ?? Number.NaN;
  }

  /** Bytes that they allocated. */
  get simAllocBytes(): number {
    return this.#allocations?.simAllocBytes ?? Number.NaN;
  }

  /** Opens a frame. */
  beginFrame(): void {
    this.#allocations?.beginFrame();
  }

  /** Begins the run of the system `id` in a tick. */
  begin(id: number, name: string, tick: number): void {
    this.#id = id;
    this.#tick = tick;
    this.#access.begin(id);
    this.#trap.engage(name);
    this.#isEngaged = true;
    this.#allocations?.begin(id - 1);
  }

  /** Runs the system that was begun. */
  run(context: unknown): unknown {
    const run = this.#runs[this.#id - 1] as (context: never) => unknown;
    return run.call(this.#systems[this.#id - 1], context as never);
  }

  /** Ends a run that succeeded. Throws ACCESS_UNDECLARED. */
  end(): void {
    this.#allocations?.end(this.#id - 1, this.#tick);
    this.release();
    this.#access.end();
    const report = this.#allocations?.takeReport();
    if (report !== undefined) this.#tell(report);
  }

  /** Lets go of a run, however it ended. */
  release(): void {
    if (!this.#isEngaged) return;
    this.#isEngaged = false;
    this.#trap.release();
    this.#access.release();
    this.#allocations?.abandon();
  }

  #tell({ tick, system, bytes, site }: AllocationReport): void {
    const { functionName, url, line, column } = site;
    this.#log?.error(
      'sim_tick_allocation',
      'A system allocates run after run. Make it once, in setup, and reuse it.',
      {
        tick,
        system: this.#systems[system]?.name ?? '',
        bytes,
        site: `${functionName || '(anonymous)'} ${url}:${line}:${column}`,
      },
    );
  }
}
