import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shapeOf } from '../../../src/shared/replay/header.ts';
import { readReplay } from '../../../src/shared/replay/replay-reader.ts';
import { ReplayWriter } from '../../../src/shared/replay/replay-writer.ts';
import type { HashEntry, InputEntry, ReplayHeader } from '../../../src/shared/replay/replay.ts';
import type { FieldType, Schema } from '../../../src/shared/schema.ts';
import { scaled } from '../../scaled.ts';
import { contentsOf, HEADER, keyframeOf, MemorySink, recordsOf, SCHEMA } from './replay-stage.ts';

const FIELD_TYPES: readonly FieldType[] = ['f32', 'f64', 'i32', 'u32', 'bool', 'entity'];

const inputs = fc.array(
  fc.record({
    as: fc.constantFrom('state' as const, 'event' as const),
    types: fc.array(fc.constantFrom(...FIELD_TYPES), { maxLength: 4 }),
  }),
  { maxLength: 200, size: 'small' },
);
const schemas: fc.Arbitrary<Schema> = fc
  .record({ capacity: fc.nat(70), changes: fc.boolean(), inputs })
  .map(({ capacity, changes, inputs: given }) => ({
    ...SCHEMA,
    capacity,
    changes,
    inputs: given.map(({ as, types }, index) => ({
      name: `input${index}`,
      as,
      fields: types.map((type, k) => ({ name: `f${k}`, type })),
    })),
  }));

const words = fc.integer({ min: 0, max: 0xffff_ffff });
/** What happens in one tick after a gap: inputs, a hash, a keyframe, a flush. */
const steps = fc.record({
  gap: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 400 })),
  inputs: fc.array(fc.tuple(fc.nat(), fc.array(words, { minLength: 8, maxLength: 8 })), {
    maxLength: 5,
  }),
  hash: fc.option(fc.tuple(words, words)),
  keyframe: fc.option(fc.option(fc.uint8Array({ maxLength: 9 })), { freq: 2 }),
  flush: fc.constantFrom('no', 'no', 'wait', 'go on'),
});
const runs = fc.record({
  schema: schemas,
  firstTick: fc.oneof(
    fc.constant(0),
    fc.maxSafeNat().map((tick) => Math.floor(tick / 2)),
  ),
  steps: fc.array(steps, { maxLength: 30, size: 'max' }),
  cut: fc.double({ min: 0, max: 1, noNaN: true }),
});

it('what is read from a file that is cut anywhere is what was flushed before', async () => {
  await fc.assert(
    fc.asyncProperty(runs, async ({ schema, firstTick, steps: all, cut }) => {
      const header: ReplayHeader = { ...HEADER, schema, firstTick };
      const lengths = shapeOf(schema).inputWords;
      const sink = new MemorySink();
      const writer = new ReplayWriter(sink, header);
      const given: InputEntry[] = [];
      const hashes: HashEntry[] = [];
      const keyframes = new Map([[firstTick, keyframeOf(firstTick, schema)]]);
      writer.addKeyframe(keyframeOf(firstTick, schema));
      let tick = firstTick;
      for (const step of all) {
        tick += step.gap;
        for (const [pick, values] of lengths.length === 0 ? [] : step.inputs) {
          const input = pick % lengths.length;
          const entry = values.slice(0, lengths[input]);
          writer.addInput(tick, input, Uint32Array.from(values), 0, entry.length);
          given.push({ tick, input, words: Uint32Array.from(entry) });
        }
        if (step.hash !== null) {
          const [high, low] = step.hash;
          writer.addHash(tick, high, low);
          hashes.push({ tick, high, low });
        }
        if (step.keyframe !== null) {
          const keyframe = keyframeOf(tick, schema, step.keyframe ?? undefined);
          keyframes.set(tick, keyframe);
          writer.addKeyframe(keyframe);
        }
        if (step.flush === 'wait') await writer.flush(tick);
        if (step.flush === 'go on') void writer.flush(tick);
      }
      await writer.close(tick, 'stopped');
      const whole = sink.bytes;
      const headerEnd = recordsOf(whole)[0]?.end ?? 0;
      const length = headerEnd + Math.round(cut * (whole.length - headerEnd));
      const replay = readReplay(whole.subarray(0, length));

      // The ticks that whole chunks before the cut go through.
      const view = new DataView(whole.buffer);
      const throughs = recordsOf(whole)
        .filter(({ type, end }) => type === 2 && end <= length)
        .map(({ begin }) => Number(view.getBigUint64(begin + 16, true)));
      const lastTick = throughs.at(-1) ?? firstTick;
      expect(replay.lastTick).toBe(lastTick);
      expect(replay.end?.reason).toBe(length === whole.length ? 'stopped' : undefined);
      expect(replay.truncated === undefined).toBe(length === whole.length);
      const wanted = given.filter((entry) => entry.tick <= lastTick);
      expect(replay.inputCount).toBe(wanted.length);
      const ticks = [...new Set(wanted.map((entry) => entry.tick))];
      // Descending, so that the walk enters its chunks anew; `contentsOf` goes ascending.
      for (const at of ticks.toReversed()) {
        const found: InputEntry[] = [];
        const count = replay.inputsOf(at, (input, source, begin, size) => {
          found.push({ tick: at, input, words: source.slice(begin, begin + size) });
        });
        expect(found).toEqual(wanted.filter((entry) => entry.tick === at));
        expect(count).toBe(found.length);
        // The walk stands behind this tick now, and goes back for it.
        expect(replay.nextInputTick(at)).toBe(at);
      }
      const walked: number[] = [];
      for (let at = replay.nextInputTick(0); at >= 0; at = replay.nextInputTick(at + 1)) {
        walked.push(at);
        if (walked.length % 2 === 0) replay.inputsOf(at, () => undefined);
      }
      expect(walked).toEqual(ticks);
      if (lastTick - firstTick < 10_000) expect(contentsOf(replay).inputs).toEqual(wanted);
      const kept = hashes.filter((entry) => entry.tick <= lastTick);
      expect(Array.from({ length: replay.hashCount }, (_, k) => replay.hashAt(k))).toEqual(kept);
      const out = new Uint32Array(2);
      for (const { tick: at, high, low } of hashes) {
        expect(replay.findHash(at, out)).toBe(at <= lastTick);
        if (at <= lastTick) expect([...out]).toEqual([high, low]);
      }
      expect(replay.findHash(lastTick + 1, out)).toBe(false);
      replay.keyframes.forEach((found, k) => {
        expect(found.tick).toBeLessThanOrEqual(lastTick);
        expect(replay.loadKeyframe(k)).toEqual(keyframes.get(found.tick));
      });
      if (length === whole.length) {
        expect(replay.keyframes.map((found) => found.tick)).toEqual([...keyframes.keys()]);
      }
    }),
    { numRuns: scaled({ tiny: 30, normal: 200, full: 3000 }) },
  );
});

it('a sink that dies at any byte leaves a file that holds all that was flushed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(6000), fc.nat(3), async (dieAt, flushEvery) => {
      const parts: Uint8Array[] = [];
      let room = dieAt;
      const writer = new ReplayWriter(
        {
          write(bytes) {
            parts.push(bytes.slice(0, room));
            room -= bytes.length;
            if (room < 0) throw new Error('killed');
          },
          close: () => {},
        },
        HEADER,
      );
      let flushed = 0;
      for (let tick = 1; tick <= 60; tick++) {
        writer.addInput(tick, 1, Uint32Array.of(tick), 0, 1);
        writer.addHash(tick, tick, tick);
        if (tick % 20 === 0) writer.addKeyframe(keyframeOf(tick));
        if (tick % (flushEvery + 1) !== 0) continue;
        const isWritten = await writer.flush(tick).then(
          () => true,
          () => false,
        );
        if (isWritten) flushed = tick;
      }
      const closed = await writer.close(60, 'stopped').catch((error: unknown) => error);
      expect(closed).toBe(writer.failure);
      const bytes = new Uint8Array(Buffer.concat(parts));
      const headerEnd = recordsOf(bytes)[0]?.end;
      if (headerEnd === undefined) {
        expect(() => readReplay(bytes)).toThrow('REPLAY_INVALID');
        return;
      }
      const replay = readReplay(bytes);
      expect(replay.lastTick).toBeGreaterThanOrEqual(flushed);
      expect(replay.lastTick).toBe(writer.lastTick);
      const { inputs: read } = contentsOf(replay);
      expect(read.map(({ tick }) => tick)).toEqual(
        Array.from({ length: replay.lastTick }, (_, k) => k + 1),
      );
    }),
    { numRuns: scaled({ tiny: 50, normal: 300, full: 5000 }) },
  );
});
