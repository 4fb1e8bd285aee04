import { workerData } from 'node:worker_threads';
import { payloadWordsMax } from '#dist/shared/ring-block.js';
import { RingWriter } from '#dist/shared/ring-writer.js';
import { dawdle, lengthOf, Patience, type RingTask, wordOf } from './ring-traffic.ts';

const task = workerData as RingTask;
const { words, block } = task;
const writer = new RingWriter(words, block);
const most = Math.min(payloadWordsMax(block.capacityWords), 40);
const payload = new Uint32Array(most);

/** A writer without its guard: it publishes the record, then fills it. */
function writeHastily(sequence: number, lengthWords: number): void {
  const { headIndex, dataIndex, capacityWords } = block;
  const head = Atomics.add(words, headIndex, 1 + lengthWords);
  dawdle(sequence);
  const mask = capacityWords - 1;
  words[dataIndex + (head & mask)] = ((sequence & 0xffff) << 16) | lengthWords;
  for (let i = 0; i < lengthWords; i++) {
    words[dataIndex + ((head + 1 + i) & mask)] = payload[i] as number;
  }
}

const patience = new Patience();
for (let sequence = 0; sequence < task.count; sequence++) {
  const lengthWords = lengthOf(sequence, most);
  for (let i = 0; i < lengthWords; i++) payload[i] = wordOf(sequence, i);
  while (task.lossless && writer.freeWords() <= lengthWords) patience.wait();
  if (task.hasty === 'producer') writeHastily(sequence, lengthWords);
  else writer.tryWrite(sequence & 0xffff, payload, lengthWords);
}
