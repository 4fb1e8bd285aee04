import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClientReplicationState } from '../../../src/net/pipeline/client-state.ts';
import { Technique } from '../../../src/net/pipeline/definition.ts';
import { definePipeline, type Pipeline } from '../../../src/net/pipeline/pipeline.ts';
import type { SnapshotRules } from '../../../src/net/snapshot/snapshot-rules.ts';
import { TickSource } from '../../../src/net/pipeline/tick-source.ts';
import { UpdateEncoder } from '../../../src/net/pipeline/update-encoder.ts';
import { direction } from '../../../src/net/record/direction-field.ts';
import type { FieldColumn } from '../../../src/net/record/field-codec.ts';
import { float32, quantised } from '../../../src/net/record/float-field.ts';
import { int, uint } from '../../../src/net/record/integer-field.ts';
import { defineRecord } from '../../../src/net/record/record-definition.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { scaled } from '../../scaled.ts';
import { PipelineWriter } from '../../../src/net/pipeline/pipeline-writer.ts';

/** No rules: what is no valid population has to come out the same as well. */
const ANYTHING: SnapshotRules = { check: () => null, holds: () => true };

const { Quantization, OctHeading, BitPacking, Delta, DeltaFieldMask } = Technique;
const own = defineRecord({
  fields: {
    place: quantised({ width: 3, min: [-5, 0, 10], max: [5, 0.25, 11], bits: 15 }),
    facing: direction(9),
    flat: quantised({ width: 2, min: -1, max: 1, precision: 0.001 }),
    four: quantised({ width: 4, min: 0, max: 100, bits: 20 }),
    speed: float32(),
    kind: uint(7),
    score: int(12),
  },
});
const pipelines: readonly (readonly [string, Pipeline])[] = [
  ['raw', definePipeline({ techniques: Delta })],
  ['quantised', definePipeline({ techniques: Quantization | Delta | DeltaFieldMask })],
  ['packed', definePipeline({ techniques: Quantization | OctHeading | BitPacking | Delta })],
  ['own', definePipeline({ techniques: BitPacking | Delta, record: own })],
];

/** Enough for a kernel, and no multiple of four. */
const MOST = 331;
const LEAST = 270;

/** What is of most interest to rounding, clamping and signs. */
const EDGES = [0, -0, 1, -1, 0.5, -0.5, 1e-40, -1e-40, 1e-30, 3e38, -3e38, 400, -400, 0.25, 11];

/** A step from tick to tick: who is there, how many change, and how. */
const anyStep = fc.record({
  count: fc.oneof(fc.constant(MOST), fc.integer({ min: LEAST, max: MOST })),
  share: fc.constantFrom(0, 0.02, 0.3, 1),
  isEdgy: fc.boolean(),
  age: fc.integer({ min: 1, max: 4 }),
  isPrepared: fc.boolean(),
  seed: fc.nat(),
});

test.each(pipelines)('a kernel makes of a %s record what plain loops make', (_, pipeline) => {
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 2, maxLength: 9 }), (steps) => {
      const kernel = new Side(pipeline, true);
      const plain = new Side(pipeline, false);
      const world = new Snapshot(pipeline.shape, MOST);
      for (const [index, step] of steps.entries()) {
        change(world, step, index + 1);
        kernel.load(world, step.isPrepared);
        plain.load(world, false);
        expect(kernel.content()).toEqual(plain.content());
        // The one knows what has changed since its baseline, the other compares all of it.
        expect(kernel.encode(step.age, true)).toEqual(plain.encode(step.age, false));
      }
    }),
    { numRuns: scaled({ tiny: 10, normal: 40, full: 1000 }) },
  );
});

test('a kernel is used from 256 entities on, unless it is declined', () => {
  const pipeline = pipelines[2]?.[1] as Pipeline;
  const packerFor = (count: number, kernel: boolean): boolean => {
    const side = new Side(pipeline, kernel);
    const world = new Snapshot(pipeline.shape, count);
    const step = { count, share: 1, isEdgy: false, seed: 1 };
    change(world, step, 1);
    side.load(world, false);
    return side.tick.tokens.packer !== null;
  };
  expect(packerFor(256, true)).toBe(true);
  expect(packerFor(255, true)).toBe(false);
  expect(packerFor(256, false)).toBe(false);
});

test('a value that is refused leaves a kernel as ready as plain loops', () => {
  const pipeline = pipelines[2]?.[1] as Pipeline;
  const kernel = new Side(pipeline, true);
  const plain = new Side(pipeline, false);
  const untouched = new Side(pipeline, false);
  const world = new Snapshot(pipeline.shape, MOST);
  const step = { count: MOST, share: 1, isEdgy: false, age: 1, isPrepared: false, seed: 5 };
  const [kinds, position] = world.columns.map(({ values }) => values) as [
    Uint32Array,
    Float32Array,
  ];
  for (let tick = 1; tick < 6; tick++) {
    change(world, { ...step, share: 0.3, seed: tick }, tick);
    if (tick === 3) {
      // A field before it has changed as well, and is as it was when the population is repaired.
      const [kind, place] = [kinds[5] as number, position[300] as number];
      [kinds[5], position[300]] = [kind ^ 2, Number.NaN];
      for (const side of [kernel, plain]) {
        expect(() => side.load(world, false)).toThrow('NaN');
        expect(() => side.encode(1, true)).toThrow('no snapshot');
      }
      [kinds[5], position[300]] = [kind, place];
    }
    for (const side of [kernel, plain, untouched]) side.load(world, false);
    expect(kernel.content()).toEqual(plain.content());
    expect(columnsOf(kernel.tick.canonical)).toEqual(columnsOf(untouched.tick.canonical));
    expect(kernel.encode(1, true)).toEqual(plain.encode(1, false));
  }
});

/** A source and an encoder, with what a client was sent. */
class Side {
  readonly tick: TickSource;
  readonly encoder: UpdateEncoder;
  readonly state = new ClientReplicationState();
  readonly #writer: PipelineWriter;
  readonly #sent: { sequence: number; snapshot: Snapshot }[] = [];

  constructor(pipeline: Pipeline, kernel: boolean) {
    const { shape, definition: settings } = pipeline;
    this.#writer = new PipelineWriter(pipeline);
    this.tick = new TickSource(shape, { kernel, rules: ANYTHING });
    this.encoder = new UpdateEncoder({ settings, shape, writer: this.#writer, rules: ANYTHING });
  }

  load(world: Snapshot, isPrepared: boolean): void {
    if (!isPrepared) {
      this.tick.load(world);
      return;
    }
    const prepared = this.tick.prepare(world.count);
    prepared.copyFrom(world);
    this.tick.load(prepared);
  }

  encode(age: number, trusted: boolean): unknown {
    const base = this.#sent.at(-Math.min(age, this.#sent.length));
    const result = new Snapshot(this.tick.shape);
    const baseline = base === undefined ? null : { ...base, trusted };
    const update = this.encoder.encode(this.tick, this.state, { baseline, result });
    update.commit();
    this.#sent.push({ sequence: update.plan.sequence, snapshot: result });
    return {
      bytes: Buffer.from(update.bytes.subarray(0, update.byteCount)).toString('hex'),
      result: columnsOf(result),
      delta: update.delta,
    };
  }

  content(): unknown {
    const { source, canonical, tokens, clampedValues, requantisedRows } = this.tick;
    const count = tokens.count * tokens.laneCount;
    return {
      source: columnsOf(source),
      canonical: columnsOf(canonical),
      tokens: Buffer.from(tokens.tokens.slice(0, count).buffer).toString('hex'),
      counts: [source.count, tokens.count, clampedValues, requantisedRows],
    };
  }
}

function columnsOf({ shape, count, ids, columns }: Snapshot): unknown {
  const parts = columns.map(({ bits }, field) => {
    const width = shape.fields[field]?.codec.width ?? 0;
    return Buffer.from(bits.slice(0, count * width).buffer).toString('hex');
  });
  return [Buffer.from(ids.slice(0, count).buffer).toString('hex'), ...parts];
}

/** Goes on to the next tick: the last of the population come or go, and some rows change. */
function change(
  world: Snapshot,
  { count, share, isEdgy, seed }: { count: number; share: number; isEdgy: boolean; seed: number },
  tick: number,
): void {
  let state = seed | 1;
  const next = (): number => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    state ^= state >>> 13;
    return (state >>> 0) / 2 ** 32;
  };
  const before = world.count;
  world.tick = tick;
  world.count = count;
  for (let row = 0; row < count; row++) {
    world.ids[row] = row * 3 + 1 + (row >= LEAST ? count : 0);
    if (row < before && next() >= share) continue;
    for (const { index, codec } of world.shape.fields) {
      if (row < before && next() < 0.3) continue;
      const { values } = world.columns[index] as FieldColumn;
      for (let at = row * codec.width; at < (row + 1) * codec.width; at++)
        values[at] = anyNumber(codec.scalar, isEdgy && next() < 0.5, next);
    }
  }
}

function anyNumber(scalar: string, isEdgy: boolean, next: () => number): number {
  if (scalar !== 'f32') return Math.floor(next() * (scalar === 'i32' ? 5000 : 140)) + 1;
  return isEdgy ? (EDGES[Math.floor(next() * EDGES.length)] as number) : next() * 24 - 12;
}
