import { EscapementError } from '../shared/error.ts';
import { createInstant, elapsedNs, type Instant, type MonotonicClock } from '../shared/instant.ts';
import { RollingQuantile } from '../shared/rolling-quantile.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { Frame, FrameStatus } from './frame.ts';

/** A part of what a frame draws: run once a frame, never in a tick. */
export interface RenderSystem<T extends SimulationTypes = SimulationTypes> {
  /** A name of its own among the systems of one list. */
  readonly name: string;
  /** Names of systems of the list that come before this one. */
  readonly after?: readonly string[];
  /**
   * Draws from an open frame; `alpha` is `frame.alpha`. The frame is released by the caller. A
   * function that takes only the frame is called with only that, and then a run allocates nothing.
   */
  run(frame: Frame<T>, alpha: number): void;
}

/** Figures of one render system: over its last 256 runs. */
export interface RenderSystemStats {
  readonly name: string;
  readonly enabled: boolean;
  readonly runs: number;
  /** Milliseconds; NaN before the first run. */
  readonly meanMs: number;
  readonly p99Ms: number;
}

/** Figures of a list of render systems. */
export interface RenderSystemsStats {
  /** Frames in which systems ran, and frames that had nothing to show yet. */
  readonly runs: number;
  readonly skipped: number;
  /** In the order in which they run. */
  readonly systems: readonly RenderSystemStats[];
}

/** An ordered list of systems that draw; made by `view.renderSystems`. */
export interface RenderSystems {
  /** Names in the order in which they run. */
  readonly order: readonly string[];
  /**
   * Takes one frame, runs every enabled system on it in order, and releases it. Nothing runs while
   * nothing is published. Returns the frame's status. Throws RENDER_SYSTEM_FAILED when a system
   * threw: the frame is released then too, and the systems behind it did not run.
   */
  run(now?: number): FrameStatus;
  /** Lets a system run, or not, from the next frame on. Throws NAME_UNKNOWN. */
  setEnabled(name: string, enabled: boolean): void;
  /** Figures so far. */
  stats(): RenderSystemsStats;
}

/** What frames are taken from. */
interface FrameSource<T extends SimulationTypes> {
  frame(now?: number): Frame<T>;
}

const WINDOW = 256;
/** Longer runs count as this: whole nanoseconds that fit into 32 bits. */
const TIME_NS_MAX = 1_000_000_000;

/** One system and what it cost. */
class Entry<T extends SimulationTypes> {
  readonly system: RenderSystem<T>;
  /** A double given to a function that is not inlined is boxed: only who wants alpha gets it. */
  readonly takesAlpha: boolean;
  readonly frameOnly: { run(frame: Frame<T>): void };
  enabled = true;
  runs = 0;
  readonly #times: Int32Array = new Int32Array(WINDOW);
  readonly #sorted: RollingQuantile = new RollingQuantile(WINDOW);
  #sumNs = 0;

  constructor(system: RenderSystem<T>) {
    this.system = system;
    this.takesAlpha = system.run.length !== 1;
    this.frameOnly = system as unknown as { run(frame: Frame<T>): void };
  }

  /** Takes in what a run cost: whole nanoseconds below 2^31. */
  note(ns: number): void {
    const at = this.runs % WINDOW;
    this.#sumNs += ns - (this.#times[at] as number);
    this.#times[at] = ns;
    this.#sorted.add(ns);
    this.runs++;
  }

  stats(): RenderSystemStats {
    const { runs, enabled, system } = this;
    const meanMs = this.#sumNs / Math.min(runs, WINDOW) / 1e6;
    return { name: system.name, enabled, runs, meanMs, p99Ms: this.#sorted.percentile(99) / 1e6 };
  }
}

/** The systems of one view, in order; see {@link RenderSystems}. */
export class OrderedSystems<T extends SimulationTypes = SimulationTypes> implements RenderSystems {
  readonly order: readonly string[];
  readonly #source: FrameSource<T>;
  readonly #clock: MonotonicClock;
  readonly #entries: readonly Entry<T>[];
  readonly #before: Instant = createInstant();
  readonly #after: Instant = createInstant();
  /** Place of the system that runs. */
  #at = 0;
  #runs = 0;
  #skipped = 0;

  /**
   * Orders systems. Throws OPTION_INVALID for a name that is empty or taken, NAME_UNKNOWN for one
   * in `after` that is not in the list, SCHEDULE_INVALID for systems that wait for each other.
   */
  constructor(source: FrameSource<T>, clock: MonotonicClock, systems: readonly RenderSystem<T>[]) {
    this.#source = source;
    this.#clock = clock;
    this.#entries = orderSystems(systems).map((system) => new Entry(system));
    this.order = this.#entries.map(({ system }) => system.name);
  }

  run(now?: number): FrameStatus {
    const frame = this.#source.frame(now);
    const { status } = frame;
    try {
      if (status === 'not-ready') this.#skipped++;
      else this.#runAll(frame);
    } catch (error) {
      throw this.#failure(error);
    } finally {
      frame.release();
    }
    return status;
  }

  setEnabled(name: string, enabled: boolean): void {
    const entry = this.#entries.find(({ system }) => system.name === name);
    if (entry === undefined) throw unknownSystem(name, this.order);
    entry.enabled = enabled;
  }

  stats(): RenderSystemsStats {
    return {
      runs: this.#runs,
      skipped: this.#skipped,
      systems: this.#entries.map((entry) => entry.stats()),
    };
  }

  #runAll(frame: Frame<T>): void {
    const entries = this.#entries;
    this.#runs++;
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at] as Entry<T>;
      if (!entry.enabled) continue;
      this.#at = at;
      this.#clock.read(this.#before);
      if (entry.takesAlpha) entry.system.run(frame, frame.alpha);
      else entry.frameOnly.run(frame);
      this.#clock.read(this.#after);
      entry.note(Math.min(elapsedNs(this.#after, this.#before), TIME_NS_MAX) | 0);
    }
  }

  #failure(cause: unknown): EscapementError {
    const name = this.order[this.#at] ?? '';
    const message = cause instanceof Error ? cause.message : String(cause);
    return new EscapementError(
      'RENDER_SYSTEM_FAILED',
      `Render system "${name}" threw: ${message}`,
      { fix: 'See `cause`. The frame was released; the next run begins anew.', cause },
    );
  }
}

/** Puts every system behind those it names, and keeps the order of the list otherwise. */
function orderSystems<T extends SimulationTypes>(
  systems: readonly RenderSystem<T>[],
): RenderSystem<T>[] {
  const names = systems.map(({ name }) => name);
  for (const [at, { name, after = [] }] of systems.entries()) {
    if (typeof name !== 'string' || name === '' || names.indexOf(name) !== at) {
      throw new EscapementError('OPTION_INVALID', 'Each render system needs a name of its own.', {
        given: JSON.stringify(name),
        fix: 'Give it another name: figures and errors go by it.',
      });
    }
    for (const wanted of after) if (!names.includes(wanted)) throw unknownSystem(wanted, names);
  }
  const ordered: RenderSystem<T>[] = [];
  const placed = new Set<string>();
  let rest = [...systems];
  while (rest.length > 0) {
    const next = rest.find(({ after = [] }) => after.every((name) => placed.has(name)));
    if (next === undefined) {
      throw new EscapementError('SCHEDULE_INVALID', 'Render systems wait for each other.', {
        given: rest.map(({ name, after = [] }) => `${name} after ${after.join(', ')}`).join('; '),
        fix: 'Take one of the names out of `after`.',
      });
    }
    ordered.push(next);
    placed.add(next.name);
    rest = rest.filter((system) => system !== next);
  }
  return ordered;
}

function unknownSystem(given: string, allowed: readonly string[]): EscapementError {
  return new EscapementError('NAME_UNKNOWN', 'There is no such render system.', {
    given: JSON.stringify(given),
    allowed: allowed.join(', ') || 'the list is empty',
  });
}
