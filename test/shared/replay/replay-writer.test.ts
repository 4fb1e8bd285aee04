import { describe, expect, it } from 'vitest';
import { EscapementError } from '../../../src/shared/error.ts';
import { readReplay } from '../../../src/shared/replay/replay-reader.ts';
import { ReplayWriter } from '../../../src/shared/replay/replay-writer.ts';
import type { ReplayHeader, ReplaySink } from '../../../src/shared/replay/replay.ts';
import { bytesLeft } from '../../heap-growth.ts';
import {
  contentsOf,
  HEADER,
  keyframeOf,
  MemorySink,
  recordsOf,
  SCHEMA,
  writeStage,
} from './replay-stage.ts';

const FIRE = Uint8Array.of(0x11, 0x22, 0x33, 0x44);
const fireWords = new Uint32Array(FIRE.buffer);

/** A sink whose writes settle when they are told to. */
class HeldSink implements ReplaySink {
  readonly lengths: number[] = [];
  readonly open: (() => void)[] = [];
  mostOpen = 0;

  write(bytes: Uint8Array): Promise<void> {
    this.lengths.push(bytes.length);
    return new Promise((resolve) => {
      this.open.push(resolve);
      this.mostOpen = Math.max(this.mostOpen, this.open.length);
    });
  }

  close(): void {}

  /** Lets the write that is under way end, and the next one begin. */
  async release(): Promise<void> {
    this.open.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof EscapementError ? error.code : String(error);
  }
  return 'nothing was thrown';
}

describe('a file', () => {
  it('is these bytes: prelude, header, chunk and end', async () => {
    const sink = new MemorySink();
    const schema = { ...SCHEMA, components: [], globals: [], systems: [], changes: false };
    const writer = new ReplayWriter(sink, { ...HEADER, schema, firstTick: 0x1_0000_0000 });
    writer.addInput(0x1_0000_0001, 1, fireWords, 0, 1);
    writer.addInput(0x1_0000_0001, 2, fireWords, 0, 0);
    writer.addInput(0x1_0000_0101, 1, fireWords, 0, 1);
    writer.addHash(0x1_0000_0002, 0x01020304, 0xfffefdfc);
    await writer.close(0x1_0000_0102, 'lost');
    const hex = Buffer.from(sink.bytes).toString('hex');
    const [header, chunk, end] = recordsOf(sink.bytes);
    expect(hex.slice(0, 32)).toBe('894553435250' + '0d0a' + '01000000' + '00000000');
    const json = sink.bytes.subarray((header?.begin ?? 0) + 8, (header?.end ?? 0) - 8);
    expect(Buffer.from(json).toString()).toBe(
      '{"formatVersion":1,"library":"0.1.0","schema":{"name":"stage","capacity":8,' +
        '"quantum":{"numerator":1,"denominator":60},"components":[],"globals":[],"inputs":[' +
        '{"name":"pointer","as":"state","fields":[{"name":"x","type":"f64"},' +
        '{"name":"down","type":"bool"}]},{"name":"fire","as":"event","fields":' +
        '[{"name":"target","type":"entity"}]},{"name":"ready","as":"event","fields":[]}],' +
        '"events":[{"name":"hit","fields":[{"name":"by","type":"u32"}]}],' +
        '"params":{"count":3,"label":"a","fast":true},"systems":[],"changes":false},' +
        '"identity":"one","seed":[1,4294967295],"params":{"count":-0,"label":"ä","fast":false},' +
        '"firstTick":4294967296,"hashEveryTicks":60,"keyframeEveryTicks":600}',
    );
    expect(hex.slice((chunk?.begin ?? 0) * 2, (chunk?.end ?? 0) * 2)).toBe(
      '02000000' +
        '30000000' + // a chunk of 48 bytes
        '0000000001000000' +
        '0201000001000000' +
        '03000000' +
        '01000000' +
        '0101' +
        '11223344' +
        '0002' +
        '800201' +
        '11223344' + // three inputs
        '02' +
        'fcfdfeff' +
        '04030201' + // one hash
        CHUNK_SUM,
    );
    expect(hex.slice((end?.begin ?? 0) * 2)).toBe(
      '04000000' +
        '28000000' +
        '0201000001000000' +
        '0300000000000000' +
        '0100000000000000' +
        '00000000' +
        '01000000' +
        '02000000' +
        '00000000' +
        END_SUM,
    );
  });

  it('holds what was added, and says so', async () => {
    const bytes = await writeStage();
    const replay = readReplay(bytes);
    expect([replay.header, replay.byteLength]).toEqual([HEADER, bytes.length]);
    expect(Object.is(replay.header.params['count'], -0)).toBe(true);
    expect([replay.lastTick, replay.end]).toEqual([40, { tick: 40, reason: 'stopped' }]);
    expect(replay.truncated).toBe(undefined);
    const { inputs, hashes } = contentsOf(replay);
    expect([inputs.length, replay.inputCount, hashes.length]).toEqual([32, 32, 10]);
    expect(inputs.slice(0, 4)).toEqual([
      { tick: 1, input: 0, words: Uint32Array.of(1, 2, 1) },
      { tick: 3, input: 0, words: Uint32Array.of(3, 2, 1) },
      { tick: 5, input: 0, words: Uint32Array.of(5, 2, 1) },
      { tick: 5, input: 1, words: Uint32Array.of(5e6) },
    ]);
    expect(hashes[1]).toEqual({ tick: 8, high: 0xffff_0008, low: 616 });
    expect(replay.keyframes.map(({ tick }) => tick)).toEqual([20, 40]);
    expect(replay.loadKeyframe(0)).toEqual(keyframeOf(20, SCHEMA, Uint8Array.of(1, 2, 3)));
    expect(replay.loadKeyframe(1)).toEqual(keyframeOf(40));
  });

  it('holds keyframes as they are where nothing compresses', async () => {
    const kept = globalThis.CompressionStream;
    Object.assign(globalThis, { CompressionStream: undefined });
    const bytes = await writeStage().finally(() => {
      Object.assign(globalThis, { CompressionStream: kept });
    });
    const replay = readReplay(bytes);
    const [first] = replay.keyframes;
    expect(first?.storedBytes).toBe(first?.rawBytes);
    expect(replay.loadKeyframe(0)).toEqual(keyframeOf(20, SCHEMA, Uint8Array.of(1, 2, 3)));
  });

  it('tells no foreign state from foreign state without bytes', async () => {
    const sink = new MemorySink();
    const writer = new ReplayWriter(sink, HEADER);
    writer.addKeyframe(keyframeOf(0));
    writer.addKeyframe(keyframeOf(1, SCHEMA, new Uint8Array(0)));
    await writer.close(1, 'failed');
    const replay = readReplay(sink.bytes);
    expect([0, 1].map((k) => replay.loadKeyframe(k).foreign)).toEqual([
      undefined,
      new Uint8Array(0),
    ]);
  });
});

// Golden: another sum is another format.
const CHUNK_SUM = '2142f45d628efe35';
const END_SUM = '302f08ee5ea200ee';

describe('a full file', () => {
  it('never passes maxBytes, ends with a reason, and later adds are counted', async () => {
    const whole = await writeStage();
    const begin = recordsOf(whole)[0]?.end ?? 0;
    for (let maxBytes = begin + 56; maxBytes < whole.length + 20; maxBytes += 13) {
      const sink = new MemorySink();
      const writer = new ReplayWriter(sink, HEADER, { maxBytes });
      for (let tick = 1; tick <= 60; tick++) {
        writer.addInput(tick, 1, fireWords, 0, 1);
        writer.addHash(tick, tick, tick);
        if (tick % 10 === 0) writer.addKeyframe(keyframeOf(tick));
        if (tick % 6 === 0) await writer.flush(tick);
      }
      await writer.close(60, 'stopped');
      const { bytes } = sink;
      expect(bytes.length).toBeLessThanOrEqual(maxBytes);
      expect([writer.bytesWritten, sink.closeCount]).toEqual([bytes.length, 1]);
      const replay = readReplay(bytes);
      expect([replay.truncated, writer.failure]).toEqual([undefined, undefined]);
      expect(replay.end).toEqual({ tick: writer.lastTick, reason: writer.end });
      expect([replay.inputCount, replay.hashCount]).toEqual([writer.lastTick, writer.lastTick]);
      expect(writer.lastTick === 60).toBe(writer.end === 'stopped');
    }
  });

  it('bounds what is staged and never flushed', async () => {
    const sink = new MemorySink();
    const writer = new ReplayWriter(sink, HEADER, { maxBytes: 5000 });
    for (let tick = 1; tick <= 1000; tick++) writer.addInput(tick, 1, fireWords, 0, 1);
    expect(writer.ignoredCount).toBeGreaterThan(100);
    await writer.flush(1000);
    expect([writer.end, writer.lastTick]).toEqual(['full', 0]);
    writer.addHash(2000, 1, 1);
    writer.addKeyframe(keyframeOf(2000));
    await writer.close(2000, 'stopped');
    expect([writer.end, sink.closeCount]).toEqual(['full', 1]);
  });

  it('refuses a maxBytes without room for a header and an end', () => {
    for (const maxBytes of [0, -1, 55, 1000, 1e9 + 0.5, Number.NaN]) {
      const make = (): unknown => new ReplayWriter(new MemorySink(), HEADER, { maxBytes });
      expect(codeOf(make)).toBe('OPTION_INVALID');
    }
  });
});

describe('the sink', () => {
  it('gets one write at a time, and what comes meanwhile is one chunk', async () => {
    const sink = new HeldSink();
    const writer = new ReplayWriter(sink, HEADER);
    await sink.release();
    let done = 0;
    const flushes = [1, 2, 3, 4, 5].map((tick) => {
      writer.addInput(tick, 1, fireWords, 0, 1);
      return writer.flush(tick).then(() => done++);
    });
    while (sink.open.length > 0) await sink.release();
    await Promise.all(flushes);
    expect([sink.mostOpen, sink.lengths.length, done, writer.lastTick]).toEqual([1, 2, 5, 5]);
    const more = [6, 7, 8].map((tick) => writer.flush(tick));
    await sink.release();
    while (sink.open.length > 0) await sink.release();
    await Promise.all(more);
    expect([sink.mostOpen, writer.lastTick]).toEqual([1, 8]);
    expect(sink.lengths.length).toBeLessThanOrEqual(4);
  });

  it('lets 64 MiB of keyframes wait; others are left out and counted', async () => {
    const sink = new HeldSink();
    const writer = new ReplayWriter(sink, HEADER);
    const foreign = new Uint8Array(20 * 2 ** 20);
    for (let tick = 1; tick <= 10; tick++) writer.addKeyframe(keyframeOf(tick, SCHEMA, foreign));
    expect(writer.keyframesSkipped).toBe(7);
    let isClosed = false;
    const closed = writer.close(10, 'lost').then(() => {
      isClosed = true;
    });
    while (!isClosed) await sink.release();
    await closed;
    expect([writer.keyframesSkipped, writer.end]).toEqual([7, 'lost']);
  });

  it('fails for good: the first fault stays, and nothing is written after it', async () => {
    for (let good = 0; good < 4; good++) {
      const parts: Uint8Array[] = [];
      let closeCount = 0;
      const writer = new ReplayWriter(
        {
          write(bytes) {
            if (parts.length === good) throw new Error('disk full');
            parts.push(bytes);
          },
          close: () => void closeCount++,
        },
        HEADER,
      );
      let rejected = 0;
      const note = (error: unknown): void => {
        expect(error).toBe(writer.failure);
        rejected++;
      };
      for (let tick = 1; tick <= 5; tick++) {
        writer.addInput(tick, 1, fireWords, 0, 1);
        await writer.flush(tick).catch(note);
      }
      await writer.close(6, 'stopped').catch(note);
      await writer.close(6, 'stopped').catch(note);
      expect(writer.failure?.code).toBe('RECORDING_FAILED');
      expect(writer.failure?.message).toContain('disk full');
      expect([parts.length, closeCount, writer.end]).toEqual([good, 1, undefined]);
      expect(rejected).toBe(5 - Math.max(0, good - 1) + 2);
    }
  });

  it('that cannot be closed is a failure of the recording', async () => {
    const writer = new ReplayWriter(
      { write: () => {}, close: () => Promise.reject(new Error('gone')) },
      HEADER,
    );
    const fault: unknown = await writer.close(0, 'stopped').catch((error: unknown) => error);
    expect(fault).toBe(writer.failure);
    expect(writer.failure?.message).toContain('gone');
  });
});

describe('what a writer is told', () => {
  it('has to be in order and of the schema', () => {
    const writer = new ReplayWriter(new MemorySink(), HEADER);
    writer.addInput(5, 1, fireWords, 0, 1);
    writer.addHash(5, 1, 1);
    const wrong = [
      () => writer.addInput(4, 1, fireWords, 0, 1),
      () => writer.addInput(6, 3, fireWords, 0, 1),
      () => writer.addInput(6, 1, fireWords, 0, 0),
      () => writer.addInput(6, 1, fireWords, 1, 1),
      () => writer.addInput(6.5, 1, fireWords, 0, 1),
      () => writer.addHash(5, 1, 1),
      () => writer.addKeyframe({ ...keyframeOf(5), world: new Uint8Array(3) }),
      () => writer.addKeyframe({ ...keyframeOf(5), inputs: new Uint32Array(4) }),
    ];
    for (const work of wrong) expect(codeOf(work)).toContain('broken invariant');
  });

  it('is refused at once if no reader would take the header', () => {
    const wrong: Partial<ReplayHeader>[] = [
      { params: { x: Number.POSITIVE_INFINITY } },
      { firstTick: -1 },
      { seed: [0, 2 ** 32] },
      { schema: { ...SCHEMA, capacity: 2 ** 21 } },
      { identity: 'x'.repeat(2 ** 20) },
    ];
    for (const part of wrong) {
      const make = (): unknown => new ReplayWriter(new MemorySink(), { ...HEADER, ...part });
      expect(codeOf(make)).toBe('REPLAY_INVALID');
    }
  });
});

it('adding an input or a hash leaves nothing on the heap once there is room', async () => {
  const writer = new ReplayWriter(new MemorySink(), HEADER, { maxBytes: 2 ** 40 });
  for (let k = 0; k < 2 ** 17; k++) writer.addInput(1, 1, fireWords, 0, 1);
  for (let tick = 1; tick <= 2 ** 17; tick++) writer.addHash(tick, 1, 2);
  await writer.flush(2 ** 17);
  let tick = 2 ** 17;
  const left = bytesLeft(1000, () => {
    tick++;
    writer.addInput(tick, 1, fireWords, 0, 1);
    writer.addHash(tick, 1, 2);
  });
  expect(left).toBe(0);
});
