import { parentPort, workerData } from 'node:worker_threads';
import { payloadWordsMax } from '#dist/shared/ring-block.js';
import { RingReader } from '#dist/shared/ring-reader.js';
import {
  dawdle,
  lengthOf,
  Patience,
  type RingReport,
  type RingTask,
  wordOf,
} from './ring-traffic.ts';

const task = workerData as RingTask;
const { words, block, count } = task;
const reader = new RingReader(words, block);
const most = Math.min(payloadWordsMax(block.capacityWords), 40);
let records = 0;
let last = -1;

/** A reader without its guard: it gives the record's words back, then copies them. */
function nextHastily(): boolean {
  const { tailIndex, dataIndex, capacityWords } = block;
  if (reader.pending() === 0) return false;
  const tail = Atomics.load(words, tailIndex);
  const mask = capacityWords - 1;
  const header = words[dataIndex + (tail & mask)] as number;
  reader.kind = header >>> 16;
  reader.lengthWords = header & 0xffff;
  Atomics.store(words, tailIndex, tail + 1 + reader.lengthWords);
  dawdle(records);
  for (let i = 0; i < reader.lengthWords; i++) {
    reader.words[i] = words[dataIndex + ((tail + 1 + i) & mask)] as number;
  }
  return true;
}

/** Says what is wrong with the record just read. */
function faultOfRecord(): string | undefined {
  const sequence = reader.words[0] as number;
  if (task.lossless && sequence !== last + 1) return `${sequence} came after ${last}`;
  if (sequence <= last || sequence >= count) return `${sequence} came after ${last}`;
  if (reader.kind !== (sequence & 0xffff)) return `${sequence} has kind ${reader.kind}`;
  if (reader.lengthWords !== lengthOf(sequence, most)) {
    return `${sequence} has ${reader.lengthWords} words`;
  }
  for (let i = 1; i < reader.lengthWords; i++) {
    if (reader.words[i] !== wordOf(sequence, i)) return `${sequence} is torn at word ${i}`;
  }
  last = sequence;
  return undefined;
}

function consume(): string | undefined {
  const patience = new Patience();
  while (records + reader.droppedCount() < count) {
    try {
      if (!(task.hasty === 'consumer' ? nextHastily() : reader.next())) {
        patience.wait();
        continue;
      }
    } catch (error) {
      return String(error);
    }
    records++;
    const fault = faultOfRecord();
    if (fault !== undefined) return fault;
  }
  return reader.next() ? 'more records than were written' : undefined;
}

const fault = consume();
const report: RingReport = { records, dropped: reader.droppedCount(), fault };
parentPort?.postMessage(report);
