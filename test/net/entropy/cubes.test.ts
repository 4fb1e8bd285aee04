import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { UpdateCoder } from '../../../src/net/entropy/update-coder.ts';
import { TokenTable } from '../../../src/net/record/token-table.ts';
import { scaled } from '../../scaled.ts';
import { cubeLanes, EFFORTS, encode, sendAll, toPlain } from './population.ts';

const path = fileURLToPath(new URL('../../../../shared/data/cubes_a.bin.gz', import.meta.url));
const CUBES = 901;
const LAG = 6;
/** Payload in kbit/s at 60 packets a second, over the whole recording. */
const BOUNDS = { packed: 232, fast: 216, strong: 166 };

/** Read where it is: the recording is no part of the project. */
function readNumbers(): Int32Array[] {
  if (!existsSync(path)) {
    process.stdout.write('cubes: no recording in ../shared/data, 1 recording passed over\n');
    return [];
  }
  const data = gunzipSync(readFileSync(path));
  return [new Int32Array(data.buffer, data.byteOffset, data.length / 4)];
}

const recordings = readNumbers();
const frames = scaled({ tiny: 90, normal: 2837, full: 2837 });

test('the recording is played where it is', () => {
  expect(recordings.length).toBe(existsSync(path) ? 1 : 0);
});

describe.each(recordings)('recorded cubes, each frame against the sixth before it', (numbers) => {
  const width = CUBES * cubeLanes.length;

  test.each(EFFORTS)('%s', (effort) => {
    const server = new UpdateCoder(cubeLanes, effort);
    const client = new UpdateCoder(cubeLanes, effort);
    const sent = Array.from({ length: LAG * 2 }, () => server.createReplica());
    const held = Array.from({ length: LAG * 2 }, () => client.createReplica());
    const table = new TokenTable(cubeLanes.length, CUBES);
    table.count = CUBES;
    for (let row = 0; row < CUBES; row++) table.ids[row] = row;
    const content = sendAll(table);
    let bytesSum = 0;
    let wrong = 0;
    for (let frame = 0; frame < frames; frame++) {
      for (let i = 0; i < width; i++) {
        const lane = i % cubeLanes.length;
        const number = numbers[frame * width + i] as number;
        table.tokens[i] = lane === 4 || lane === 5 ? number + 131_072 : number;
      }
      const slot = frame % sent.length;
      const base = (frame + LAG) % sent.length;
      const [result, replica] = [sent[slot], held[slot]] as [(typeof sent)[0], (typeof held)[0]];
      const isFirst = frame < LAG;
      const baseline = isFirst ? null : (sent[base] as typeof result);
      const bytes = encode(server, baseline, frame, content, result);
      const known = isFirst ? null : (held[base] as typeof replica);
      const status = client.decode(known, frame, bytes, 0, bytes.length, replica);
      if (status !== 'decoded') wrong++;
      for (let i = 0; i < width; i++) if (replica.table.tokens[i] !== table.tokens[i]) wrong++;
      if (frame === frames - 1) expect(toPlain(replica)).toEqual(toPlain(result));
      if (!isFirst) bytesSum += bytes.length;
    }
    expect(wrong).toBe(0);
    const kbps = (bytesSum / (frames - LAG)) * 8 * 0.06;
    process.stdout.write(
      `cubes ${effort}: ${kbps.toFixed(1)} kbit/s over ${frames - LAG} packets\n`,
    );
    expect(kbps).toBeLessThan(BOUNDS[effort]);
  });
});
