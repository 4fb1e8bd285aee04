import {
  addToSite,
  AllocationSampler,
  type AllocationSite,
  keyOfSite,
} from './allocation-sites.ts';
import { AllocationWatch, COLLECTED, type PlatformScope } from './allocation-watch.ts';

/*
 * Threads    the simulation thread alone; development only.
 * Memory     its own: one row a system.
 * Progress   wait-free; each of the few runs that name a site makes the engine collect its heap.
 * Invariant  a system is reported only after the profiler has named the same function twice.
 *
 * The rule is that a tick allocates nothing. What a run leaves on the heap is measured each time,
 * but a healthy system allocates too: the engine boxes every double of code that it has not
 * optimised, and it optimises a function only when it has executed hundreds of kilobytes of its
 * bytecode. A loop over thousands of entities is there after a few ticks, a system of three
 * entities after some thousand. So a system must go on before it is judged:
 *
 *   suspected  3 of its last 8 runs allocated. A quiet spell clears it.
 *   named      it allocated in as many runs, or as many bytes, as patience says: the profiler
 *              looks at its next runs for the function that allocates most.
 *   reported   it went on for the same again and the profiler named the same function.
 *
 * Limits: what happens in fewer than 3 of 8 runs is never reported. Each system is reported once,
 * with the worst of its functions. A function that the engine never optimises, because its
 * bytecode is longer than 60 KB, is reported for the doubles it boxes, and rightly.
 */

/** Runs that a system's window holds, and how many of them make it an allocating one. */
const WINDOW_MASK = 0xff;
const ALLOCATING_RUNS = 3;

/** Runs under the profiler, and in how many of them a site must show up. */
const NAMING_RUNS = 8;
const SITE_RUNS = 3;

const NO_SYSTEM = -1;

const PATIENCE_RUNS = 5000;
const PATIENCE_BYTES = 134_217_728;

/** Says what a system allocates. */
export interface AllocationReport {
  readonly tick: number;
  /** The index that was given to {@link AllocationGuard.begin}. */
  readonly system: number;
  /** What the site allocates in one run, on average. */
  readonly bytes: number;
  readonly site: AllocationSite;
}

/** Says how long a system must go on allocating until it is named, and again until reported. */
export interface AllocationPatience {
  /** Runs that allocate; 5000 by default. */
  readonly runs?: number | undefined;
  /** Or bytes in all, half of them the named function's; 128 MiB by default. */
  readonly bytes?: number | undefined;
}

interface SeenSite {
  readonly key: string;
  readonly site: AllocationSite;
  readonly runs: number;
}

/** Finds the systems that allocate run after run, and the function that does it. */
export class AllocationGuard {
  readonly #watch: AllocationWatch;
  readonly #sampler: AllocationSampler;
  readonly #patienceRuns: number;
  readonly #patienceBytes: number;
  /** Row = system: 1 once it was reported. */
  readonly #isReported: Uint8Array;
  /** Row = system: one bit a run, the last one lowest; set when the run allocated. */
  readonly #windows: Uint8Array;
  /** Row = system: allocating runs since the last quiet spell, and what they allocated. */
  readonly #suspectRuns: Float64Array;
  readonly #suspectBytes: Float64Array;
  /** Row = system: the key of the site that was named once; empty for none. */
  readonly #candidates: string[];
  /** The system whose runs the profiler sees; one at a time. */
  #named: number = NO_SYSTEM;
  #namingRuns = 0;
  #seen: Map<string, SeenSite> = new Map();
  #report: AllocationReport | undefined;
  #simAllocs = 0;
  #simAllocBytes = 0;
  #unjudgedBytes = 0;

  private constructor(
    watch: AllocationWatch,
    sampler: AllocationSampler,
    systemCount: number,
    patience: AllocationPatience,
  ) {
    this.#watch = watch;
    this.#sampler = sampler;
    this.#patienceRuns = patience.runs ?? PATIENCE_RUNS;
    this.#patienceBytes = patience.bytes ?? PATIENCE_BYTES;
    this.#isReported = new Uint8Array(systemCount);
    this.#windows = new Uint8Array(systemCount);
    this.#suspectRuns = new Float64Array(systemCount);
    this.#suspectBytes = new Float64Array(systemCount);
    this.#candidates = Array.from({ length: systemCount }, () => '');
  }

  /**
   * Opens a guard over the systems 0 to `systemCount` - 1. Where the platform cannot tell, in
   * browsers and on Node before 20.16, it returns the reason as text.
   */
  static open(
    systemCount: number,
    patience: AllocationPatience = {},
    scope: PlatformScope = globalThis as PlatformScope,
  ): AllocationGuard | string {
    const watch = AllocationWatch.open(scope);
    if (typeof watch === 'string') return watch;
    const sampler = AllocationSampler.open(scope);
    if (typeof sampler === 'string') return sampler;
    return new AllocationGuard(watch, sampler, systemCount, patience);
  }

  /** Runs of this frame in which a reported system allocated. */
  get simAllocs(): number {
    return this.#simAllocs;
  }

  /** Bytes that reported systems allocated in this frame. */
  get simAllocBytes(): number {
    return this.#simAllocBytes;
  }

  /** Bytes by which the heap grew in runs of this frame that nothing is held against so far. */
  get unjudgedBytes(): number {
    return this.#unjudgedBytes;
  }

  /** Bytes that the watch itself takes in a window; they are taken off. */
  get floorBytes(): number {
    return this.#watch.floorBytes;
  }

  /** Sets the counters of the frame to zero and measures the floor anew. */
  beginFrame(): void {
    // A run that threw left its sampling behind.
    if (this.#sampler.isSampling) this.#sampler.stop();
    this.#simAllocs = 0;
    this.#simAllocBytes = 0;
    this.#unjudgedBytes = 0;
    this.#watch.calibrate();
  }

  /** Gives up what a run that threw has begun. */
  abandon(): void {
    if (this.#sampler.isSampling) this.#sampler.stop();
  }

  /**
   * Opens the window of one run; the next call to {@link AllocationGuard.end} closes it. Between
   * the two, call the system through `keepApart`: inlined here, its allocations would count
   * for the caller, and the caller's are nobody's.
   */
  begin(system: number): void {
    if (system !== this.#named) {
      this.#watch.arm();
      return;
    }
    if (this.#sampler.isSampling) this.#sampler.stop();
    this.#sampler.start();
  }

  /** Closes the window of one run that succeeded, in tick `tick`. */
  end(system: number, tick: number): void {
    if (system === this.#named) {
      this.#name(tick);
      return;
    }
    const bytes = this.#watch.read();
    if (bytes === COLLECTED) return;
    const window = (((this.#windows[system] as number) << 1) | (bytes > 0 ? 1 : 0)) & WINDOW_MASK;
    this.#windows[system] = window;
    if (this.#isReported[system] === 1) {
      if (bytes > 0) this.#simAllocs += 1;
      this.#simAllocBytes += bytes;
      return;
    }
    this.#unjudgedBytes += bytes;
    if (countBits(window) < ALLOCATING_RUNS) this.#acquit(system);
    else if (bytes > 0) this.#suspect(system, bytes);
  }

  /** Returns what was found since the last call, one system at a time; undefined for nothing. */
  takeReport(): AllocationReport | undefined {
    const report = this.#report;
    this.#report = undefined;
    return report;
  }

  #acquit(system: number): void {
    if (this.#suspectRuns[system] === 0) return;
    this.#restart(system, '');
  }

  /** Counts anew from here, on the way to a report if a candidate is given. */
  #restart(system: number, candidate: string): void {
    this.#suspectRuns[system] = 0;
    this.#suspectBytes[system] = 0;
    this.#candidates[system] = candidate;
  }

  #suspect(system: number, bytes: number): void {
    const runs = (this.#suspectRuns[system] as number) + 1;
    const total = (this.#suspectBytes[system] as number) + bytes;
    this.#suspectRuns[system] = runs;
    this.#suspectBytes[system] = total;
    if (runs < this.#patienceRuns && total < this.#patienceBytes) return;
    if (this.#named !== NO_SYSTEM || this.#report !== undefined) return;
    this.#named = system;
    this.#namingRuns = 0;
    this.#seen.clear();
  }

  /** Takes in what the profiler saw in one run, and judges after the last. */
  #name(tick: number): void {
    for (const site of this.#sampler.stop()) {
      const key = keyOfSite(site);
      const seen = this.#seen.get(key);
      this.#seen.set(key, {
        key,
        site: seen === undefined ? site : addToSite(seen.site, site.bytes),
        runs: (seen?.runs ?? 0) + 1,
      });
    }
    this.#namingRuns++;
    if (this.#namingRuns < NAMING_RUNS) return;
    const worst = [...this.#seen.values()]
      .filter((seen) => seen.runs >= SITE_RUNS)
      .sort((a, b) => b.site.bytes - a.site.bytes)[0];
    this.#seen.clear();
    const system = this.#named;
    this.#named = NO_SYSTEM;
    if (worst === undefined) this.#restart(system, '');
    else this.#judge(system, tick, worst);
  }

  #judge(system: number, tick: number, { key, site }: SeenSite): void {
    const bytes = Math.round(site.bytes / NAMING_RUNS);
    const runs = this.#suspectRuns[system] as number;
    if (runs < this.#patienceRuns && runs * bytes < this.#patienceBytes / 2) {
      // Many functions came to so many bytes together: none of them need have been slow.
      this.#suspectBytes[system] = 0;
    } else if (this.#candidates[system] === key) {
      this.#isReported[system] = 1;
      this.#report = { tick, system, bytes, site: { ...site, bytes } };
    } else {
      this.#restart(system, key);
    }
  }
}

function countBits(byte: number): number {
  let count = 0;
  for (let bits = byte; bits !== 0; bits &= bits - 1) count++;
  return count;
}
