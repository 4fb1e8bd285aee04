import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { UpdateCoder } from '#dist/net/entropy/update-coder.js';
import type { CodingEffort } from '#dist/net/entropy/coding-effort.js';
import type { Lane } from '#dist/net/record/lane.js';
import { TokenTable } from '#dist/net/record/token-table.js';
import { median } from './lib/measure.ts';
import { report, round, sized } from './lib/report.ts';

/**
 * The networked-physics compression challenge: a recording of 901 cubes, frame i against frame i-6
 * as 100 ms of latency have it, 60 packets a second. A baseline is what encoding frame i-6 against
 * i-12 left, so the chains of baselines are six. The payload is counted, with all counts in it.
 *
 * `entropy` is the strong effort. Options: `--data FILE`; otherwise the recording beside the
 * project. `--fast` measures the fast effort as well, which has no bound of its own here.
 */
const CUBES = 901;
const LAG = 6;
const WIDTH = 8;
const HALF = 131_072;

/** Orientation as smallest three, position, touched or not. */
const lanes: Lane[] = [
  { field: 0, kind: 'category', bits: 2 },
  ...[9, 9, 9].map((bits): Lane => ({ field: 0, kind: 'linear', bits })),
  ...[18, 18, 14].map((bits): Lane => ({ field: 1, kind: 'linear', bits })),
  { field: 2, kind: 'category', bits: 1 },
];

const stages: [string, CodingEffort, number | undefined][] = [
  ['packed', 'packed', 270],
  ['entropy', 'strong', 201],
];
if (process.argv.includes('--fast')) stages.push(['fast', 'fast', undefined]);

const argument = process.argv.indexOf('--data');
const path = argument < 0 ? '../shared/data/cubes_a.bin.gz' : (process.argv[argument + 1] ?? '');
if (!existsSync(path)) {
  report('cubes', { stage: 'none', why: `no recording at ${path}; say where with --data FILE` });
  process.exit(argument < 0 ? 0 : 1);
}
const data = gunzipSync(readFileSync(path));
const numbers = new Int32Array(data.buffer, data.byteOffset, data.length >> 2);
const recorded = Math.floor(numbers.length / (CUBES * WIDTH));
const frames = Math.min(recorded, sized(120, recorded, recorded));

const table = new TokenTable(WIDTH, CUBES);
table.count = CUBES;
for (let row = 0; row < CUBES; row++) table.ids[row] = row;

function load(frame: number): void {
  const first = frame * CUBES * WIDTH;
  for (let i = 0; i < CUBES * WIDTH; i++) {
    const lane = i & 7;
    table.tokens[i] = (numbers[first + i] as number) + (lane === 4 || lane === 5 ? HALF : 0);
  }
}

const content = {
  table,
  rows: Uint32Array.from({ length: CUBES }, (_, row) => row),
  rowCount: CUBES,
  deletes: new Uint32Array(0),
  deleteCount: 0,
};

for (const [stage, effort, bound] of stages) {
  const [encoder, decoder] = [new UpdateCoder(lanes, effort), new UpdateCoder(lanes, effort)];
  const sent = Array.from({ length: 2 * LAG }, () => encoder.createReplica());
  const held = Array.from({ length: 2 * LAG }, () => decoder.createReplica());
  const bytes = new Uint8Array(CUBES * WIDTH * 8);
  const [encodeUs, decodeUs]: [number[], number[]] = [[], []];
  let [sum, most, wrong] = [0, 0, 0];
  for (let frame = 0; frame < frames; frame++) {
    load(frame);
    const at = frame % sent.length;
    const base = frame < LAG ? -1 : (frame - LAG) % sent.length;
    const begin = process.hrtime.bigint();
    const result = sent[at] as (typeof sent)[0];
    const size = encoder.encode(sent[base] ?? null, frame, content, result);
    encoder.copyTo(bytes, 0);
    const middle = process.hrtime.bigint();
    const replica = held[at] as typeof result;
    const status = decoder.decode(held[base] ?? null, frame, bytes, 0, size, replica);
    const end = process.hrtime.bigint();
    if (status !== 'decoded') wrong++;
    const { tokens } = replica.table;
    for (let i = 0; i < CUBES * WIDTH; i++) if (tokens[i] !== table.tokens[i]) wrong++;
    if (frame < LAG) continue;
    sum += size;
    most = Math.max(most, size);
    encodeUs.push(Number(middle - begin) / 1000);
    decodeUs.push(Number(end - middle) / 1000);
  }
  const kbps = ((sum / (frames - LAG)) * 8 * 60) / 1000;
  report('cubes', {
    stage,
    packets: frames - LAG,
    kbps: round(kbps),
    encodeUsPerFrame: round(median(encodeUs)),
    decodeUsPerFrame: round(median(decodeUs)),
    maxPacketBytes: most,
    lossless: wrong === 0,
    ...(bound === undefined ? {} : { bound }),
    ok: wrong === 0 && kbps < (bound ?? Number.POSITIVE_INFINITY),
  });
}
