import { HANDLE_VERSION, type RegionHandle, type SimulationHandle } from './handle.ts';
import { EscapementError } from './error.ts';
import { computeLayout } from './layout.ts';
import { findLocal, type LocalSimulation } from './local-simulations.ts';
import { openRegion, type Region } from './region.ts';
import { HEADER, REGION_STATE } from './words.ts';

/*
 * Threads    the one that opened the handle.
 * Memory     the region's state word.
 * Ordering   a restart makes the newer run known before it marks the older one as replaced; where
 *            that is a message it may come later, and the older run is kept until then.
 * Progress   never waits; one channel a watch, closed with it.
 * Invariant  a newer run is never exchanged for an older one.
 */

/** What a thread posts to learn of the newest run; its host answers with the handle. */
export const WHICH_RUN = 'escapement/which-run?';

interface Channel {
  postMessage(message: unknown): void;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  unref?(): void;
  close(): void;
}

/** Knows the newest run of a simulation, so that what is opened on a handle outlives a restart. */
export class RunWatch {
  readonly local: LocalSimulation | undefined;
  readonly #channel: Channel | undefined;
  #announced: RegionHandle | undefined;
  /** The newest run that a successor was asked for. */
  #askedBehind = 0;

  constructor(id: string) {
    this.local = findLocal(id);
    if (this.local === undefined) this.#channel = this.#listen(id);
  }

  /** Returns the handle of a run that has taken the place of this one, if it is known. */
  successor(region: Region, run: number): RegionHandle | undefined {
    if (Atomics.load(region.i32, HEADER.state) !== REGION_STATE.replaced) return undefined;
    const next = this.local?.handle ?? this.#announced;
    if (next !== undefined && next.run > run) return next;
    // Its announcement may have come before anybody listened here: a handle travels too.
    if (this.#askedBehind < run) {
      this.#askedBehind = run;
      this.#channel?.postMessage(WHICH_RUN);
    }
    return undefined;
  }

  /** Listens no more. */
  close(): void {
    this.#channel?.close();
  }

  #listen(id: string): Channel | undefined {
    const { BroadcastChannel } = globalThis as { BroadcastChannel?: new (name: string) => Channel };
    if (BroadcastChannel === undefined) return undefined;
    const channel = new BroadcastChannel(`escapement/${id}`);
    channel.onmessage = ({ data }) => {
      if (data !== WHICH_RUN) this.#announced = data as RegionHandle;
    };
    channel.unref?.();
    return channel;
  }
}

/** Returns a handle as what it is; throws VALUE_INVALID for anything else. */
export function checkHandle(handle: unknown): RegionHandle {
  const given = handle as Partial<SimulationHandle> | null;
  const isHandle = given?.kind === 'escapement/simulation';
  if (isHandle && given.version === HANDLE_VERSION) return handle as RegionHandle;
  throw new EscapementError('VALUE_INVALID', 'This is no handle of a simulation.', {
    given: isHandle ? `version ${given.version}` : typeof handle,
    allowed: `what sim.share() returns (version ${HANDLE_VERSION})`,
    fix: 'Post sim.share() to this thread in a message and use it there.',
  });
}

/**
 * Opens the region of a run in order to write into it. Throws LAYOUT_MISMATCH, and NOT_SHARED when
 * what is written there would not be seen: the memory came as a copy from another thread, or it is
 * `commands` that are to be written, and the simulation is on another thread without shared memory,
 * where the host's own are carried over and no others.
 */
export function openRun(handle: RegionHandle, watch: RunWatch, commands: boolean): Region {
  const region = openRegion(handle.memory, computeLayout(handle.schema, handle.options));
  const { local } = watch;
  const seen = commands ? local?.sameThread === true : local !== undefined;
  if (region.shared || seen) return region;
  throw new EscapementError('NOT_SHARED', 'The simulation would not see what is written here.', {
    given: 'a handle of memory that is not shared',
    fix: 'Use `sim.clock` on the thread of the host, or start in the shared tier.',
  });
}
