import { assert } from '../shared/assert.ts';
import type { PlatformScope } from './allocation-watch.ts';
import { HEAP_UNREADABLE } from './allocation-watch.ts';

/*
 * Threads    the thread whose allocations are asked for; development only.
 * Memory     the engine's own profile, made while sampling and dropped when it stops.
 * Progress   synchronous; `stop` makes the engine collect its whole heap once.
 * Invariant  at most one sampling at a time.
 *
 * How it works: the sampling heap profiler of V8, reached through an inspector session of this
 * thread with itself. An interval of one byte takes every allocation, and what was collected
 * meanwhile is counted too. The engine notes the function on top of the stack.
 *
 * Limits: a site is a function and the place where it begins, not the line within it. A function
 * that the engine has inlined is named by the one that it was inlined into, and not at all where
 * that one called the sampler: `keepApart` prevents it. Bytes that a builtin or a module of Node
 * allocates count for the function that called it.
 */

/** Names a function that allocates. Line and column are where it begins, from 1. */
export interface AllocationSite {
  /** Empty for a function without a name. */
  readonly functionName: string;
  /** Of its module; empty for evaluated code. */
  readonly url: string;
  readonly line: number;
  readonly column: number;
  readonly bytes: number;
}

interface ProfileNode {
  readonly callFrame: {
    readonly functionName: string;
    readonly scriptId: string;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly selfSize: number;
  readonly children: readonly ProfileNode[];
}

interface Answer {
  readonly profile?: { readonly head: ProfileNode };
}

type Callback = (error: unknown, answer: Answer | undefined) => void;

interface InspectorSession {
  connect(): void;
  disconnect(): void;
  post(method: string, params: object, callback: Callback): void;
}

interface InspectorModule {
  Session: new () => InspectorSession;
}

const SAMPLING = {
  samplingInterval: 1,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
};
const NONE = {};
const SESSION_URL = 'node:inspector';
/** The script of what is built into the engine. */
const NO_SCRIPT = '0';

/** Finds the functions that allocate while it samples. */
export class AllocationSampler {
  readonly #session: InspectorSession;
  #isSampling = false;
  #refused = false;
  #head: ProfileNode | undefined;
  /** Prepared, so that the sampling sees nothing of this class. */
  readonly #onAnswer: Callback = (error, answer) => {
    this.#refused = error !== null && error !== undefined;
    this.#head = answer?.profile?.head;
  };

  private constructor(session: InspectorSession) {
    this.#session = session;
  }

  /** Makes a sampler; where there is no inspector, returns the reason as text. */
  static open(scope: PlatformScope = globalThis as PlatformScope): AllocationSampler | string {
    const { process } = scope;
    if (process?.getBuiltinModule === undefined) return HEAP_UNREADABLE;
    const inspector = process.getBuiltinModule('node:inspector') as InspectorModule | undefined;
    if (inspector === undefined) return 'this Node was built without its inspector';
    return new AllocationSampler(new inspector.Session());
  }

  /** Whether it samples now. */
  get isSampling(): boolean {
    return this.#isSampling;
  }

  /** Begins to sample. Does nothing where another session of this thread samples already. */
  start(): void {
    assert(!this.#isSampling, 'one sampling at a time');
    this.#session.connect();
    this.#session.post('HeapProfiler.startSampling', SAMPLING, this.#onAnswer);
    this.#isSampling = !this.#refused;
    if (this.#refused) this.#session.disconnect();
  }

  /**
   * Ends the sampling and returns the functions that allocated since it began, most bytes first.
   * What the engine allocates by itself, and what this class does, is left out.
   */
  stop(): AllocationSite[] {
    if (!this.#isSampling) return [];
    this.#isSampling = false;
    this.#session.post('HeapProfiler.stopSampling', NONE, this.#onAnswer);
    this.#session.disconnect();
    const sites = new Map<string, AllocationSite>();
    if (this.#head !== undefined) collectSites(this.#head, undefined, sites);
    this.#head = undefined;
    return [...sites.values()].sort((a, b) => b.bytes - a.bytes);
  }
}

/**
 * Returns a function that does the same and is never inlined into its caller, so that what it
 * allocates is its own: engines do not inline calls through a proxy.
 */
export function keepApart<Work extends (...args: never[]) => unknown>(work: Work): Work {
  return new Proxy(work, {});
}

/** Returns the functions that allocate while `work` runs, most bytes first. */
export function findAllocationSites(
  sampler: AllocationSampler,
  work: () => void,
): AllocationSite[] {
  sampler.start();
  let sites: AllocationSite[] = [];
  try {
    work();
  } finally {
    sites = sampler.stop();
  }
  return sites;
}

/** Returns what tells one site from another. */
export function keyOfSite(site: AllocationSite): string {
  return `${site.url}:${site.line}:${site.column}:${site.functionName}`;
}

/** Returns `site` with some bytes more. */
export function addToSite(site: AllocationSite, bytes: number): AllocationSite {
  return { ...site, bytes: site.bytes + bytes };
}

/**
 * Adds up a node and all below it. `caller` is the nearest function of a user's above it. What the
 * frames allocated that called the sampler is not the work's.
 */
function collectSites(
  node: ProfileNode,
  caller: AllocationSite | undefined,
  sites: Map<string, AllocationSite>,
): void {
  const { functionName, scriptId, url, lineNumber, columnNumber } = node.callFrame;
  if (url === SESSION_URL) return;
  const isOwn = scriptId !== NO_SCRIPT && !url.startsWith('node:');
  let site = isOwn
    ? { functionName, url, line: lineNumber + 1, column: columnNumber + 1, bytes: 0 }
    : caller;
  if (callsSession(node)) site = undefined;
  if (site !== undefined && node.selfSize > 0) {
    const key = keyOfSite(site);
    sites.set(key, addToSite(sites.get(key) ?? site, node.selfSize));
  }
  for (const child of node.children) collectSites(child, site, sites);
}

function callsSession(node: ProfileNode): boolean {
  return node.children.some((child) => child.callFrame.url === SESSION_URL || callsSession(child));
}
