import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { WORKLOADS, type Workload } from './lib/ecs-workloads.ts';
import { median } from './lib/measure.ts';
import { report, round, sized } from './lib/report.ts';

/**
 * What one step of the usual ECS workloads costs, beside four other libraries. Each workload runs
 * in each library in a process of its own, since what one leaves in the engine's type feedback
 * slows another; the libraries take turns, and the medians over all turns are compared. A process
 * counts its fastest block: other work on the machine only ever adds.
 */
const OTHERS = ['bitecs', 'becsy', 'koota', 'miniplex'] as const;
const LIBRARIES = ['escapement', ...OTHERS] as const;
type Library = (typeof LIBRARIES)[number];

const rounds = sized(1, 5, 9);
const blockMs = sized(1, 10, 10);
const blocks = sized(3, 30, 50);

const CHILD = fileURLToPath(new URL('./workers/ecs-child.js', import.meta.url));

/** Returns nanoseconds a step as a fresh process measured them. */
function measure(library: Library, workload: number): number {
  const args = [CHILD, library, String(workload), String(blockMs), String(blocks)];
  const child = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.status !== 0) throw new Error(`${library} failed; its words are above.`);
  return Number(child.stdout);
}

function compare(workload: Workload, index: number): void {
  const turns = new Map<Library, number[]>(LIBRARIES.map((library) => [library, []]));
  for (let turn = 0; turn < rounds; turn++) {
    for (const [library, times] of turns) times.push(measure(library, index));
  }
  const nsOf = (library: Library): number => median(turns.get(library) ?? []);
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

for (const [index, workload] of WORKLOADS.entries()) compare(workload, index);
