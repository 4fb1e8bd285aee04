import { Worker } from 'node:worker_threads';
import { computeLayout, publishedComponents, type RegionOptions } from '#dist/shared/layout.js';
import { PublicationReader } from '#dist/shared/publication-reader.js';
import { RECORD_FLAG, RECORD_WORD } from '#dist/shared/record.js';
import { createRegion, type Region, type RegionMemory } from '#dist/shared/region.js';
import type { Schema } from '#dist/shared/schema.js';
import { scalar } from 'escapement/sim';

/** Numbers of each slot: all of them hold the slot's tick. */
export const TORN_FLOATS = 4096;

/** What the writer's thread needs. */
export interface TornTask {
  readonly schema: Schema;
  readonly options: RegionOptions;
  readonly memory: RegionMemory;
  /** Word 0 tells it to stop, word 1 counts what it published. */
  readonly control: Int32Array;
}

const schema: Schema = {
  name: 'torn',
  capacity: TORN_FLOATS,
  quantum: { numerator: 1, denominator: 60 },
  components: [{ ...scalar(), name: 'value', channelIndex: 0 }],
  globals: [],
  inputs: [],
  events: [],
  params: {},
  systems: [],
  changes: false,
};
const words = 64;
const options = {
  readers: 1,
  controllers: 1,
  followers: 0,
  commandWords: words,
  inputWords: words,
  eventWords: words,
  logWords: words,
  traceWords: words,
};

/** What a race came to. */
export interface Outcome {
  readonly reads: number;
  readonly torn: number;
  readonly published: number;
}

/**
 * Lets the writer overtake the reader between its load and its announcement, now and then: the
 * moment at which a thread may be stopped for any length of time.
 */
function hesitate(): void {
  if (++hesitations % 4 !== 0) return;
  for (let i = 0; i < 5000; i++) spun += i;
}
let hesitations = 0;
let spun = 0;

/** Set when the record's three places are three ticks on end. */
const CONSECUTIVE = RECORD_FLAG.pair | RECORD_FLAG.earlierPair;

/** Whether a pinned record names anything but three whole, consecutive ticks. */
function isTorn(region: Region, reader: PublicationReader): boolean {
  const { u32, layout, buffer } = region;
  const tick = u32[reader.recordWord + RECORD_WORD.tickLow] as number;
  const flags = u32[reader.recordWord + RECORD_WORD.flags] as number;
  const channel = layout.slotColumns[publishedComponents(schema).length - 1] as number;
  for (let place = 0; place < 3; place++) {
    const slot = u32[reader.recordWord + RECORD_WORD.slot + place] as number;
    const floats = new Float32Array(
      buffer,
      layout.slots + slot * layout.slotBytes + channel,
      TORN_FLOATS,
    );
    const known = place === 2 || (flags & CONSECUTIVE) === CONSECUTIVE;
    const first = floats[0] as number;
    if (known && first !== tick - (2 - place)) return true;
    for (let i = 1; i < TORN_FLOATS; i++) if (floats[i] !== first) return true;
  }
  return false;
}

/**
 * Lets a writer publish at full speed against a reader that checks every number it pins, with the
 * confirming load of the protocol or without it.
 */
export async function race(confirm: boolean, milliseconds: number): Promise<Outcome> {
  const region = createRegion(computeLayout(schema, options), true);
  const control = new Int32Array(new SharedArrayBuffer(8));
  const task: TornTask = { schema, options, memory: region.memory, control };
  const worker = new Worker(new URL('../workers/torn-writer.js', import.meta.url), {
    workerData: task,
  });
  const ended = new Promise((resolve, reject) => {
    worker.once('exit', resolve);
    worker.once('error', reject);
  });
  await new Promise((resolve) => worker.once('online', resolve));
  while (Atomics.load(control, 1) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const reader = new PublicationReader(region, 0, { confirm, hesitate });
  let reads = 0;
  let torn = 0;
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    if (reader.pin() < 0) continue;
    reads++;
    if (isTorn(region, reader)) torn++;
    reader.release();
  }
  Atomics.store(control, 0, 1);
  await ended;
  return { reads, torn, published: Atomics.load(control, 1) };
}
