import type { Hashes, Job, Outcome } from './plan.ts';

/** The golden hashes by list: a scene, a scene without inputs, or the table of functions. */
export type Golden = Readonly<Record<string, Hashes>>;

/** How an outcome compares with the golden hashes. */
export interface Verdict {
  /** `control`: nothing is asked of it. */
  readonly result: 'same' | 'different' | 'failed' | 'unavailable' | 'control';
  /** Hashes that were compared and equal. */
  readonly compared: number;
  /** What there is to say: where it differs first, what failed, or why it is not there. */
  readonly note: string;
}

/** Returns the key of the golden list of a job; undefined for a control, which has none. */
export function goldenKey(job: Job): string | undefined {
  if (job.kind === 'control') return undefined;
  if (job.kind === 'maths') return 'maths';
  return job.silent ? `${job.scene}, no inputs` : job.scene;
}

/**
 * Compares an outcome with the golden hashes. A run must have reached its last tick, and have at
 * least one hash beside that of its beginning; a table must be whole.
 */
export function judge(job: Job, outcome: Outcome, golden: Golden): Verdict {
  const { hashes, unavailable, error } = outcome;
  if (unavailable !== undefined) {
    return { result: 'unavailable', compared: 0, note: unavailable };
  }
  if (error !== undefined) return { result: 'failed', compared: 0, note: error };
  const key = goldenKey(job);
  if (key === undefined) return { result: 'control', compared: 0, note: '' };
  const wanted = golden[key];
  if (wanted === undefined) return failed(`there are no golden hashes for '${key}'`);
  const compared = Object.keys(hashes).length;
  const different = firstDifference(hashes, wanted);
  if (different !== undefined) {
    const place = job.kind === 'maths' ? different.at : `tick ${different.at}`;
    const note = `${place}: ${different.given}, not ${different.wanted ?? 'a tick with a hash'}`;
    return { result: 'different', compared: different.before, note };
  }
  const missing = missingFrom(job, hashes, wanted);
  if (missing !== '') return failed(missing);
  return { result: 'same', compared, note: '' };
}

/** Where two lists of hashes part. */
export interface Difference {
  /** The tick, or the function. */
  readonly at: string;
  readonly given: string;
  readonly wanted: string | undefined;
  /** Hashes before it, which are equal. */
  readonly before: number;
}

/** Returns the first hash that is not as wanted: by tick ascending, or in the order given. */
export function firstDifference(given: Hashes, wanted: Hashes): Difference | undefined {
  let before = 0;
  // Names that are whole numbers come ascending, whatever order they were set in.
  for (const [at, hash] of Object.entries(given)) {
    if (wanted[at] !== hash) return { at, given: hash, wanted: wanted[at], before };
    before++;
  }
  return undefined;
}

function missingFrom(job: Job, given: Hashes, wanted: Hashes): string {
  if (job.kind === 'run') {
    if (given[job.ticks] === undefined) return `it has no hash of tick ${job.ticks}, its last`;
    return Object.keys(given).length > 1 ? '' : 'it has one hash only';
  }
  const absent = Object.keys(wanted).filter((name) => given[name] === undefined);
  return absent.length === 0 ? '' : `the table lacks ${absent.join(', ')}`;
}

function failed(note: string): Verdict {
  return { result: 'failed', compared: 0, note };
}

/** Groups engines by what they return for each name: `{ sin: [['Node 20'], ['Firefox']] }`. */
export function groupByHash(
  tables: ReadonlyMap<string, Hashes>,
): ReadonlyMap<string, readonly (readonly string[])[]> {
  const groups = new Map<string, Map<string, string[]>>();
  for (const [engine, hashes] of tables) {
    for (const [name, hash] of Object.entries(hashes)) {
      const byHash = groups.get(name) ?? new Map<string, string[]>();
      byHash.set(hash, [...(byHash.get(hash) ?? []), engine]);
      groups.set(name, byHash);
    }
  }
  return new Map([...groups].map(([name, byHash]) => [name, [...byHash.values()]]));
}
