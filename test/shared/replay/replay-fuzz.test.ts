import { expect, it } from 'vitest';
import { EscapementError } from '../../../src/shared/error.ts';
import { readReplay } from '../../../src/shared/replay/replay-reader.ts';
import type { Keyframe, Replay } from '../../../src/shared/replay/replay.ts';
import { scaled } from '../../scaled.ts';
import { recordsOf, repairChecksums, SCHEMA, keyframeOf, writeStage } from './replay-stage.ts';

const RUNS = scaled({ tiny: 400, normal: 6000, full: 100_000 });
const SEED = Number(process.env['ESCAPEMENT_SEED'] ?? 20_261_130);

/** Deals whole numbers below a bound, by seed: one seed a file, so that each can be made again. */
class Dealer {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) | 1;
  }

  below(bound: number): number {
    this.#state = Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
    const mixed = Math.imul(this.#state ^ (this.#state >>> 13), 0x297a2d39);
    return ((mixed ^ (mixed >>> 16)) >>> 0) % bound;
  }
}

/** Numbers at which lengths, counts and ticks go wrong. */
const EDGES = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, 0xffff_ffff];

type Mutation = (bytes: Uint8Array, deal: Dealer) => Uint8Array;

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  flipBit(bytes, deal) {
    const at = deal.below(bytes.length);
    bytes[at] = (bytes[at] as number) ^ (1 << deal.below(8));
    return bytes;
  },
  setByte(bytes, deal) {
    bytes[deal.below(bytes.length)] = deal.below(256);
    return bytes;
  },
  setWord(bytes, deal) {
    const view = new DataView(bytes.buffer);
    const at = deal.below(bytes.length - 4);
    view.setUint32(at, EDGES[deal.below(EDGES.length)] as number, true);
    return bytes;
  },
  setField(bytes, deal) {
    const records = recordsOf(bytes);
    const record = records[deal.below(records.length)];
    const view = new DataView(bytes.buffer);
    const at = (record?.begin ?? 0) + 4 * deal.below(9);
    if (at + 4 > bytes.length) return bytes;
    const near = view.getUint32(at, true) + deal.below(5) - 2;
    view.setUint32(at, deal.below(2) === 0 ? near : (EDGES[deal.below(10)] as number), true);
    return bytes;
  },
  cut(bytes, deal) {
    return bytes.slice(0, deal.below(bytes.length + 1));
  },
  swapRecords(bytes, deal) {
    const records = recordsOf(bytes);
    const parts = records.map(({ begin, end }) => bytes.slice(begin, end));
    if (parts.length < 2) return bytes;
    const [a, b] = [deal.below(parts.length), deal.below(parts.length)];
    const [first, second] = [parts[a], parts[b]];
    if (first === undefined || second === undefined) return bytes;
    parts[a] = second;
    parts[b] = first;
    return new Uint8Array(Buffer.concat([bytes.slice(0, 16), ...parts]));
  },
  splice(bytes, deal) {
    const [from, to, length] = [bytes.length, bytes.length, 64].map((n) => deal.below(n + 1));
    const piece = bytes.slice(from, (from as number) + (length as number));
    const removed = deal.below(2) * (length as number);
    return new Uint8Array(
      Buffer.concat([bytes.slice(0, to), piece, bytes.slice((to as number) + removed)]),
    );
  },
};
const NAMES = Object.keys(MUTATIONS);

/** Says what is wrong with a replay that was read, if anything. */
function inconsistency(replay: Replay): string | undefined {
  const { firstTick } = replay.header;
  const { lastTick, end, truncated, byteLength } = replay;
  if (lastTick < firstTick) return 'lastTick lies before firstTick';
  if (end !== undefined && end.tick !== lastTick) return 'the end is at another tick';
  if (end === undefined && truncated === undefined) return 'it neither ends nor is truncated';
  if (truncated !== undefined && !(truncated.offset <= byteLength)) return 'offset out of range';
  let last = firstTick - 1;
  const out = new Uint32Array(2);
  for (let k = 0; k < replay.hashCount; k++) {
    const { tick, high, low } = replay.hashAt(k);
    if (!(tick > last && tick <= lastTick)) return `hash ${k} is out of order`;
    if (!replay.findHash(tick, out) || out[0] !== high || out[1] !== low)
      return `hash ${k} is lost`;
    last = tick;
  }
  let count = 0;
  let isRight = true;
  for (let tick = firstTick + 1; tick <= Math.min(lastTick, firstTick + 500); tick++) {
    const found = replay.inputsOf(tick, (input, words, begin, length) => {
      const fields = replay.header.schema.inputs[input]?.fields;
      isRight &&= fields !== undefined && begin + length <= words.length;
      count++;
    });
    isRight &&= found >= 0;
  }
  if (!isRight) return 'an input is none of the schema';
  if (lastTick <= firstTick + 500 && count !== replay.inputCount) return 'inputs are lost';
  return undefined;
}

/** Loads every keyframe; returns those that load. Any throw but a refusal goes on. */
function loadAll(replay: Replay): Keyframe[] {
  return replay.keyframes.flatMap((_, k) => {
    try {
      return [replay.loadKeyframe(k)];
    } catch (error) {
      if (error instanceof EscapementError && error.code === 'REPLAY_INVALID') return [];
      throw error;
    }
  });
}

function isStage(keyframe: Keyframe): boolean {
  const foreign = keyframe.tick === 20 ? Uint8Array.of(1, 2, 3) : undefined;
  const { world, inputs } = keyframeOf(keyframe.tick, SCHEMA);
  return (
    Buffer.compare(world, keyframe.world) === 0 &&
    inputs.join() === keyframe.inputs.join() &&
    foreign?.join() === keyframe.foreign?.join()
  );
}

/** What reading may take beside four times the file: its header's names, and the engine's own. */
const FIXED_BYTES = 4 * 2 ** 20;

function memoryBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Reads a file that was tampered with; returns how it was taken, throws with the seed if badly. */
function tryFile(bytes: Uint8Array, mustBeRight: boolean): 'refused' | 'read' {
  let replay: Replay;
  const before = memoryBytes();
  try {
    replay = readReplay(bytes);
    const taken = memoryBytes() - before;
    if (taken > 4 * bytes.length + FIXED_BYTES) throw new Error(`it took ${taken} bytes`);
  } catch (error) {
    if (error instanceof EscapementError && error.code === 'REPLAY_INVALID') return 'refused';
    throw error;
  }
  const fault = inconsistency(replay);
  if (fault !== undefined) throw new Error(fault);
  const loaded = loadAll(replay);
  if (mustBeRight && !loaded.every(isStage)) throw new Error('a keyframe is wrong');
  return 'read';
}

async function fuzz(repair: boolean): Promise<Record<'refused' | 'read', number>> {
  const whole = await writeStage();
  const counts = { refused: 0, read: 0 };
  for (let run = 0; run < RUNS; run++) {
    const seed = SEED + run;
    const deal = new Dealer(seed);
    let bytes: Uint8Array = whole.slice();
    const done: string[] = [];
    for (let left = 1 + deal.below(3); left > 0 && bytes.length > 8; left--) {
      const name = NAMES[deal.below(NAMES.length)] as string;
      bytes = (MUTATIONS[name] as Mutation)(bytes, deal);
      done.push(name);
    }
    if (repair) repairChecksums(bytes);
    try {
      counts[tryFile(bytes, !repair)]++;
    } catch (cause) {
      const what = `ESCAPEMENT_SEED=${seed} (${done.join(', ')}, repaired: ${repair})`;
      throw new Error(what, { cause });
    }
  }
  return counts;
}

it('a file that was tampered with is refused, or read up to where it is right', async () => {
  const { refused, read } = await fuzz(false);
  expect(refused + read).toBe(RUNS);
  expect(Math.min(refused, read)).toBeGreaterThan(RUNS / 20);
});

it('one that was tampered with and has right checksums is refused or consistent', async () => {
  const { refused, read } = await fuzz(true);
  expect(refused + read).toBe(RUNS);
  expect(Math.min(refused, read)).toBeGreaterThan(RUNS / 20);
});
