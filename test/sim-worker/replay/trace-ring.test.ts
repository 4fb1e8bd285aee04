import { describe, expect, it } from 'vitest';
import { TRACE } from '../../../src/shared/replay/trace-words.ts';
import { placeRing, ringBlockBytes } from '../../../src/shared/ring-block.ts';
import { RingReader } from '../../../src/shared/ring-reader.ts';
import { RingWriter } from '../../../src/shared/ring-writer.ts';
import type { Schema } from '../../../src/shared/schema.ts';
import { TraceRing } from '../../../src/sim-worker/trace-ring.ts';
import { underSeed } from '../dice.ts';

const schema: Schema = {
  name: 'traced',
  capacity: 1,
  quantum: { numerator: 1, denominator: 60 },
  components: [],
  globals: [],
  inputs: [
    { name: 'one', as: 'event', fields: [{ name: 'n', type: 'u32' }] },
    { name: 'none', as: 'event', fields: [] },
    {
      name: 'two',
      as: 'state',
      fields: [
        { name: 'x', type: 'f64' },
        { name: 'y', type: 'f32' },
      ],
    },
  ],
  events: [],
  params: {},
  systems: [],
  changes: false,
};

function openTrace(words: number): { trace: TraceRing; reader: RingReader; sent: number[] } {
  const block = placeRing(0, words);
  const i32 = new Int32Array(new SharedArrayBuffer(ringBlockBytes(words)));
  const sent: number[] = [];
  const trace = new TraceRing(new RingWriter(i32, block), schema, ({ tick }) => sent.push(tick));
  return { trace, reader: new RingReader(i32, block), sent };
}

function readAll(reader: RingReader): string[] {
  const found: string[] = [];
  while (reader.next())
    found.push([reader.kind, ...reader.words.subarray(0, reader.lengthWords)].join());
  return found;
}

describe('a trace ring', () => {
  it('hands over everything in order, however seldom it is emptied', () => {
    underSeed((dice) => {
      const { trace, reader } = openTrace(16);
      const told: string[] = [];
      const heard: string[] = [];
      const words = new Uint32Array(8);
      for (let tick = 1; tick <= 3000; tick++) {
        for (let k = dice.below(3); k > 0; k--) {
          const input = dice.below(3);
          const length = [1, 0, 3][input] as number;
          const begin = dice.below(5);
          for (let i = 0; i < 8; i++) words[i] = dice.word();
          told.push([TRACE.input, tick, 0, input, ...words.subarray(begin, begin + length)].join());
          trace.input(tick, input, words, begin, length);
        }
        if (dice.oneIn(4)) {
          told.push([TRACE.hash, tick, 0, tick * 3, tick * 5].join());
          trace.hash(tick, tick * 3, tick * 5);
        }
        told.push([TRACE.mark, tick, 0].join());
        trace.mark(tick);
        if (dice.oneIn(20)) heard.push(...readAll(reader));
      }
      while (!trace.flush()) heard.push(...readAll(reader));
      heard.push(...readAll(reader));
      expect(heard).toEqual(told);
    });
  });

  it('says after which tick it lost what nobody fetched, and keeps nothing after it', () => {
    const { trace, reader, sent } = openTrace(64);
    const keyframe = { world: new Uint8Array(), inputs: new Uint32Array(), foreign: undefined };
    trace.keyframe({ tick: 1, ...keyframe });
    for (let tick = 1; tick <= 1_000_000; tick++) {
      trace.hash(tick, 1, 2);
      if (tick % 60 === 0) trace.mark(tick);
    }
    trace.keyframe({ tick: 2, ...keyframe });
    const kinds: number[] = [];
    const ticks: number[] = [];
    do {
      while (reader.next()) {
        kinds.push(reader.kind);
        ticks.push(reader.words[0] as number);
      }
    } while (!trace.flush() || reader.pending() > 0);
    expect(sent).toEqual([1]);
    expect(kinds.at(-1)).toBe(TRACE.lost);
    const lastMark = ticks[kinds.lastIndexOf(TRACE.mark)];
    expect(ticks.at(-1)).toBe(lastMark);
    expect(lastMark).toBeGreaterThan(500_000);
  });

  it('writes another recording after one that was lost, and nothing of that one', () => {
    const { trace, reader, sent } = openTrace(64);
    for (let tick = 1; tick <= 1_000_000; tick++) trace.hash(tick, 1, 2);
    readAll(reader);
    trace.reset();
    trace.keyframe({
      tick: 7,
      world: new Uint8Array(),
      inputs: new Uint32Array(),
      foreign: undefined,
    });
    trace.mark(7);
    expect([trace.flush(), sent, readAll(reader)]).toEqual([true, [7], [`${TRACE.mark},7,0`]]);
  });

  it('loses nothing for a host that is always a little behind', () => {
    const { trace, reader } = openTrace(64);
    for (let tick = 1; tick <= 40; tick++) trace.hash(tick, 1, 2);
    const kinds = new Set<number>();
    for (let tick = 41; tick <= 1_000_000; tick++) {
      trace.hash(tick, 1, 2);
      reader.next();
      kinds.add(reader.kind);
    }
    expect([...kinds]).toEqual([TRACE.hash]);
    expect(reader.words[0]).toBe(1_000_000 - 40);
  });

  it('refuses a ring that could never hold an input', () => {
    expect(() => openTrace(4)).toThrow('CAPACITY_EXHAUSTED');
  });
});
