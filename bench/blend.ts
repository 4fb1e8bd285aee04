import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BlendedChannel } from './lib/blend-states.ts';
import { median } from './lib/measure.ts';
import { report, round, sized } from './lib/report.ts';

/**
 * What blending all entities costs a frame, beside a memcpy and the loop a user writes. Three
 * processes stand side by side and run one short block each, in turns: the kernels, the loops in
 * JavaScript beside them, and a plain loop over plain arrays, warmed alone. The copy moves half of
 * the bytes that a blend reads and writes; it is the faster of `TypedArray.set` and `memory.copy`,
 * in the kernels' process and memory. A matrix is three blends and a composition.
 */
const RATIO_BOUND = 2;
const SPEEDUP_BOUND = 4;

const blocks = sized(2, 41, 101);
const blockMs = sized(1, 10, 10);
const warmMs = sized(1, 300, 500);
const SIDES = ['simd', 'js', 'plain'] as const;
type Side = (typeof SIDES)[number];

const CHILD = fileURLToPath(new URL('./workers/blend-child.js', import.meta.url));

/** A warm process that runs a block whenever it is told. */
class Runner {
  readonly side: Side;
  readonly #child: ChildProcess;

  constructor(side: Side, channel: BlendedChannel, entities: number) {
    this.side = side;
    const args = [side, channel, ...[entities, blockMs, warmMs].map(String)];
    this.#child = fork(CHILD, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  /** Resolves with the next answer of the process. */
  async answer(): Promise<readonly number[]> {
    const ended = new AbortController();
    const { signal } = ended;
    const exit = once(this.#child, 'exit', { signal }).then(() => {
      throw new Error(`The process for ${this.side} failed; its words are above.`);
    });
    try {
      const message = once(this.#child, 'message', { signal });
      const [numbers] = (await Promise.race([message, exit])) as [readonly number[]];
      return numbers;
    } finally {
      ended.abort();
      exit.catch(() => undefined);
    }
  }

  runBlock(): Promise<readonly number[]> {
    this.#child.send('block');
    return this.answer();
  }

  async end(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.disconnect();
    await exit;
  }
}

/** Refuses to compare what does not come to the same. */
function checkSums(sums: readonly number[]): void {
  const [first = 0] = sums;
  if (sums.every((sum) => Math.abs(sum - first) <= 1e-5 * first)) return;
  throw new Error(`The results add up to ${sums.join(', ')}.`);
}

async function measure(channel: BlendedChannel, entities: number): Promise<void> {
  const runners: Runner[] = [];
  const sums: number[] = [];
  for (const side of SIDES) {
    const runner = new Runner(side, channel, entities);
    sums.push((await runner.answer())[0] ?? Number.NaN);
    runners.push(runner);
  }
  checkSums(sums);
  const turns: number[][] = [];
  for (let block = 0; block < blocks; block++) {
    const turn: number[] = [];
    for (const runner of runners) turn.push(...(await runner.runBlock()));
    turns.push(turn);
  }
  for (const runner of runners) await runner.end();
  const column = (index: number): number[] => turns.map((turn) => turn[index] as number);
  const [simdNs, setNs, copyNs, jsNs, plainNs] = [0, 1, 2, 3, 4].map(column) as [
    number[],
    number[],
    number[],
    number[],
    number[],
  ];
  const memcpyNs = median(setNs) < median(copyNs) ? setNs : copyNs;
  for (const path of ['simd', 'js'] as const) {
    const times = path === 'simd' ? simdNs : jsNs;
    const ratioToMemcpy = median(times.map((ns, turn) => ns / (memcpyNs[turn] as number)));
    const speedup = median(times.map((ns, turn) => (plainNs[turn] as number) / ns));
    const bounds =
      path === 'js'
        ? {}
        : {
            ...(channel === 'lerp' ? { ratioBound: RATIO_BOUND } : {}),
            speedupBound: SPEEDUP_BOUND,
            ok: speedup >= SPEEDUP_BOUND && (channel !== 'lerp' || ratioToMemcpy <= RATIO_BOUND),
          };
    report('blend', {
      channel,
      path,
      entities,
      ns: round(median(times)),
      nsPerEntity: round(median(times) / entities),
      memcpyNs: round(median(memcpyNs)),
      plainJsNs: round(median(plainNs)),
      ratioToMemcpy: round(ratioToMemcpy),
      speedupOverPlainJs: round(speedup),
      ...bounds,
    });
  }
}

for (const channel of ['lerp', 'slerp', 'matrix'] as const) {
  for (const entities of sized(
    [1000],
    [10_000, 100_000, 1_000_000],
    [10_000, 100_000, 1_000_000],
  )) {
    await measure(channel, entities);
  }
}
