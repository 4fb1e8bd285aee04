import { type Comparator, type Prepared, WORKLOADS } from '../lib/ecs-workloads.ts';

/*
 * A process of its own for one workload in one library: fork of `ecs-child.js LIBRARY WORKLOAD
 * BLOCK_MS`, where WORKLOAD counts from 0. Once warm it says 0; for every message it then runs a
 * block and answers with the nanoseconds that a step took. When its parent disconnects it ends,
 * and fails where the library did not do the work.
 */

/** Odd, so that a swap shows; few, so that what doubles is still exact. */
const PROOF_STEPS = 5;

/** How many blocks' time every library is warmed for. */
const WARM_BLOCKS = 40;

/** As seen from build/bench/workers. */
const COMPARATORS = new URL('../../../bench/comparators/', import.meta.url);

async function load(library: string): Promise<Comparator> {
  if (library === 'escapement') return await import('../lib/ecs-escapement.ts');
  return (await import(new URL(`${library}.mjs`, COMPARATORS).href)) as Comparator;
}

/** Runs that many steps and returns nanoseconds a step. What is asynchronous is awaited. */
async function run(prepared: Prepared, steps: number): Promise<number> {
  const { step } = prepared;
  const begin = process.hrtime.bigint();
  const first = step();
  if (first === undefined) {
    for (let i = 1; i < steps; i++) void step();
  } else {
    await first;
    for (let i = 1; i < steps; i++) await step();
  }
  return Number(process.hrtime.bigint() - begin) / steps;
}

async function main(): Promise<void> {
  const [library = '', index = '', blockMs = ''] = process.argv.slice(2);
  const workload = WORKLOADS[Number(index)];
  if (workload === undefined) throw new Error(`There is no workload ${index}.`);
  const comparator = await load(library);
  const prepared = await workload.prepare(comparator);
  let steps = 0;
  const prove = (): void => {
    const got = prepared.check();
    const wanted = workload.expected(steps, comparator.storesSingles === true);
    if (got.length === wanted.length && wanted.every((value, i) => value === got[i])) return;
    throw new Error(
      `${library} did not do the work of ${workload.name} in ${steps} steps: ` +
        `left ${got.join(', ')} where ${wanted.join(', ')} was due.`,
    );
  };
  const block = async (count: number): Promise<number> => {
    steps += count;
    return await run(prepared, count);
  };
  await block(PROOF_STEPS);
  prove();
  // The last of these, each twice as long, says how many steps fill a block.
  let count = 1;
  let ns = await block(count);
  const wantedNs = Number(blockMs) * 1e6;
  while (count * ns < wantedNs) {
    count *= 2;
    ns = await block(count);
  }
  // A step that takes long is called seldom: some blocks first, before any is counted.
  const warmUntil = process.hrtime.bigint() + BigInt(Math.round(WARM_BLOCKS * wantedNs));
  while (process.hrtime.bigint() < warmUntil) await block(count);
  process.on('message', () => void block(count).then(answer));
  process.once('disconnect', prove);
  answer(0);
}

function answer(ns: number): void {
  process.send?.(ns);
}

await main();
