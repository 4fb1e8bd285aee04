import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { WORKLOADS, type Workload } from './lib/ecs-workloads.ts';
import { report, round, sized } from './lib/report.ts';

/**
 * What one step of the usual ECS workloads costs, beside four other libraries. Each workload runs
 * in each library in a process of its own, since what one leaves in the engine's type feedback
 * slows another. The processes stand side by side and run one short block each, in turns, so that
 * a slow second of the machine meets all of them. Of all the processes of a library the fastest
 * block counts: what else runs on the machine, and an unlucky compilation, only ever add.
 */
const OTHERS = ['bitecs', 'becsy', 'koota', 'miniplex'] as const;
const LIBRARIES = ['escapement', ...OTHERS] as const;
type Library = (typeof LIBRARIES)[number];

const rounds = sized(1, 3, 5);
const blockMs = sized(1, 10, 10);
const blocks = sized(3, 100, 150);

const CHILD = fileURLToPath(new URL('./workers/ecs-child.js', import.meta.url));

/** A warm process that runs a block of steps whenever it is told. */
class Runner {
  fastestNs: number = Number.POSITIVE_INFINITY;
  readonly #child: ChildProcess;
  readonly #library: Library;

  constructor(library: Library, workload: number) {
    this.#library = library;
    const args = [library, String(workload), String(blockMs)];
    this.#child = fork(CHILD, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  /** Resolves with the next answer of the process. */
  async answer(): Promise<number> {
    const ended = new AbortController();
    const { signal } = ended;
    const exit = once(this.#child, 'exit', { signal }).then(() => {
      throw new Error(`${this.#library} failed; its words are above.`);
    });
    try {
      const [ns] = (await Promise.race([once(this.#child, 'message', { signal }), exit])) as [
        number,
      ];
      return ns;
    } finally {
      ended.abort();
      exit.catch(() => undefined);
    }
  }

  async runBlock(): Promise<void> {
    this.#child.send('block');
    this.fastestNs = Math.min(this.fastestNs, await this.answer());
  }

  /** Lets the process check its work, and end. */
  async end(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.disconnect();
    const [code] = (await exit) as [number | null];
    if (code !== 0) throw new Error(`${this.#library} failed; its words are above.`);
  }
}

/** Returns nanoseconds a step of every library, as one fresh process of each measured them. */
async function measure(workload: number): Promise<Map<Library, number>> {
  const runners = new Map<Library, Runner>();
  for (const library of LIBRARIES) {
    const runner = new Runner(library, workload);
    await runner.answer();
    runners.set(library, runner);
  }
  for (let i = 0; i < blocks; i++) {
    for (const runner of runners.values()) await runner.runBlock();
  }
  for (const runner of runners.values()) await runner.end();
  return new Map(Array.from(runners, ([library, runner]) => [library, runner.fastestNs]));
}

async function compare(workload: Workload, index: number): Promise<void> {
  const turns: Map<Library, number>[] = [];
  for (let turn = 0; turn < rounds; turn++) turns.push(await measure(index));
  const nsOf = (library: Library): number =>
    Math.min(...turns.map((times) => times.get(library) ?? Number.NaN));
  const ns = nsOf('escapement');
  const best = OTHERS.reduce((least, other) => (nsOf(other) < nsOf(least) ? other : least));
  const ratio = ns / nsOf(best);
  report('ecs', {
    workload: workload.name,
    entities: workload.entities,
    ns: round(ns),
    bestNs: round(nsOf(best)),
    best,
    ratioToBest: round(ratio),
    bitecsNs: round(nsOf('bitecs')),
    becsyNs: round(nsOf('becsy')),
    kootaNs: round(nsOf('koota')),
    miniplexNs: round(nsOf('miniplex')),
    bound: workload.bound,
    ok: ratio <= workload.bound,
  });
}

for (const [index, workload] of WORKLOADS.entries()) await compare(workload, index);
