import { TokenTable } from '../../../src/net/record/token-table.ts';
import type { Lane } from '../../../src/net/record/lane.ts';
import type { CodedReplica } from '../../../src/net/entropy/coded-replica.ts';
import type { UpdateCoder } from '../../../src/net/entropy/update-coder.ts';
import type { CodingEffort } from '../../../src/net/entropy/coding-effort.ts';
import type { UpdateContent } from '../../../src/net/entropy/row-walk.ts';

export const EFFORTS: readonly CodingEffort[] = ['packed', 'fast', 'strong'];

/** A whole number from 0 to below `end`, by a generator that is a function of its seed. */
export type Dice = (end: number) => number;

export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

/** Tokens by id: what a table holds, said plainly. */
export type Population = Map<number, number[]>;

/** The lanes of cubes: orientation, position, whether one is touched. */
export const cubeLanes: readonly Lane[] = [
  { field: 0, kind: 'category', bits: 2 },
  { field: 0, kind: 'linear', bits: 9 },
  { field: 0, kind: 'linear', bits: 9 },
  { field: 0, kind: 'linear', bits: 9 },
  { field: 1, kind: 'linear', bits: 18 },
  { field: 1, kind: 'linear', bits: 18 },
  { field: 1, kind: 'linear', bits: 14 },
  { field: 2, kind: 'category', bits: 1 },
];

export function toTable(population: Population, laneCount: number): TokenTable {
  const table = new TokenTable(laneCount, population.size);
  for (const [id, tokens] of [...population].toSorted(([a], [b]) => a - b)) {
    table.ids[table.count] = id;
    table.tokens.set(tokens, table.count * laneCount);
    table.count++;
  }
  return table;
}

export function toPopulation(table: TokenTable): Population {
  const population: Population = new Map();
  for (let row = 0; row < table.count; row++) {
    const first = row * table.laneCount;
    const tokens = [...table.tokens.subarray(first, first + table.laneCount)];
    population.set(table.ids[row] as number, tokens);
  }
  return population;
}

/** Everything in a replica that has to be equal on both sides. */
export function toPlain(replica: CodedReplica): unknown {
  const { count, laneCount, ids, tokens } = replica.table;
  return {
    tick: replica.tick,
    span: replica.span,
    ids: [...ids.subarray(0, count)],
    tokens: [...tokens.subarray(0, count * laneCount)],
    motion: [...replica.motion.subarray(0, count * laneCount)],
    moved: [...replica.moved.subarray(0, count)],
    errors: [...replica.errors.subarray(0, count * laneCount)],
    words: sum(replica.models.words),
    reals: sum(new Uint32Array(replica.models.reals.buffer)),
  };
}

/** Returns a number that tells what words are, as good as surely. */
function sum(words: Uint32Array): number {
  let hash = 0x811c_9dc5;
  for (const word of words) {
    hash = Math.imul(hash ^ word, 0x0100_0193);
    hash ^= hash >>> 15;
  }
  return hash;
}

/** Returns the bytes of an update. */
export function encode(
  coder: UpdateCoder,
  baseline: CodedReplica | null,
  tick: number,
  content: UpdateContent,
  result: CodedReplica,
): Uint8Array {
  const bytes = new Uint8Array(coder.encode(baseline, tick, content, result));
  coder.copyTo(bytes, 0);
  return bytes;
}

/** Says that all rows of a table are sent. */
export function sendAll(table: TokenTable, deletes: readonly number[] = []): UpdateContent {
  const rows = Uint32Array.from({ length: table.count }, (_, row) => row);
  return {
    table,
    rows,
    rowCount: table.count,
    deletes: Uint32Array.from(deletes),
    deleteCount: deletes.length,
  };
}

/** Moves tokens a little, throws some elsewhere, takes some out and puts some in. */
export function disturb(population: Population, lanes: readonly Lane[], dice: Dice): void {
  const spread = 1 + dice(40);
  const limit = lanes.map(({ bits }) => 2 ** bits);
  const anywhere = (): number[] => limit.map((end) => dice(end));
  for (const [id, tokens] of population) {
    const fate = dice(40);
    if (fate === 0) population.delete(id);
    else if (fate === 1) population.set(id, anywhere());
    else if (fate < 20) {
      const moved = tokens.map((token, lane) => {
        const end = limit[lane] as number;
        const step = dice(3) === 0 ? 0 : dice(2 * spread) - spread;
        return (((token + step) % end) + end) % end;
      });
      population.set(id, moved);
    }
  }
  for (let born = dice(4); born > 0; born--) {
    const id = dice(8) === 0 ? 0xffff_ffff - dice(3) : dice(200);
    if (!population.has(id)) population.set(id, anywhere());
  }
}
