import { describe, expect, test } from 'vitest';
import { type PipelineOptions, Technique } from '../../../src/net/pipeline/definition.ts';
import { definePipeline } from '../../../src/net/pipeline/pipeline.ts';
import { uint } from '../../../src/net/record/integer-field.ts';
import { quantised } from '../../../src/net/record/float-field.ts';
import { defineRecord } from '../../../src/net/record/record-definition.ts';

const { Delta, DeltaFieldMask, BitPacking, Quantization, OctHeading, DeltaPacking, Entropy } =
  Technique;

const record = defineRecord({ fields: { level: uint(5) } });
const placed = defineRecord({
  fields: { place: quantised({ min: [0, 0], max: [9, 9], bits: 8 }) },
  position: 'place',
});
const near = { mode: 'radius', radius: 5, fovDegrees: 0 } as const;

/** Returns the fault of a definition; `ok` without one. */
function faultOf(options: PipelineOptions): string {
  try {
    definePipeline(options);
    return 'ok';
  } catch (error) {
    const { code, fault, detail } = error as { code: string; fault: string; detail: object };
    expect([code, Object.keys(detail)]).toEqual(['PIPELINE_INVALID', ['given', 'allowed', 'fix']]);
    return fault;
  }
}

describe('a pipeline with an own record', () => {
  test.each<[string, PipelineOptions]>([
    ['ok', { record }],
    ['ok', { record, techniques: BitPacking }],
    ['ok', { record, techniques: Delta | DeltaFieldMask | BitPacking }],
    ['ok', { record, techniques: Delta | DeltaFieldMask | DeltaPacking }],
    ['ok', { record, techniques: Delta | DeltaFieldMask | Entropy, entropyEffort: 'strong' }],
    ['ok', { record, techniques: Delta, entropyEffort: 'none' as never }],
    ['delta-packing-with-entropy', { record, techniques: Delta | DeltaPacking | Entropy }],
    ['bit-packing-of-coded-records', { record, techniques: Delta | BitPacking | DeltaPacking }],
    ['bit-packing-of-coded-records', { record, techniques: Delta | BitPacking | Entropy }],
    [
      'entropy-effort-unknown',
      { record, techniques: Delta | Entropy, entropyEffort: 'packed' as never },
    ],
    ['ok', { record: placed, areaOfInterest: near }],
    ['reference-technique-with-own-record', { record, techniques: Quantization }],
    ['reference-technique-with-own-record', { record, techniques: OctHeading }],
    ['field-mask-needs-delta', { record, techniques: DeltaFieldMask }],
    ['delta-packing-needs-delta', { record, techniques: DeltaPacking }],
    ['entropy-needs-delta', { record, techniques: Entropy }],
    ['interest-needs-position', { record, areaOfInterest: near }],
    ['unsupported-techniques', { record, techniques: 64 }],
    ['unsupported-techniques', { record, techniques: 1.5 }],
    ['unsupported-techniques', { record, techniques: -1 }],
    ['record-not-defined', { record: { shape: record } as never }],
  ])('is %s: %j', (fault, options) => {
    expect(faultOf(options)).toBe(fault);
  });

  test('has schema 7, whatever its techniques', () => {
    const versions = [0, BitPacking, Delta | DeltaFieldMask].map(
      (techniques) => definePipeline({ record, techniques }).schemaVersion,
    );
    expect(versions).toEqual([7, 7, 7]);
  });
});

test('the signature and the layout tell how records are coded', () => {
  const pipelines = [
    definePipeline({ record, techniques: Delta }),
    definePipeline({ record, techniques: Delta | DeltaPacking }),
    definePipeline({ record, techniques: Delta | Entropy }),
    definePipeline({ record, techniques: Delta | Entropy, entropyEffort: 'strong' }),
  ];
  expect(pipelines.map(({ layout }) => layout)).toEqual([
    'own',
    'delta-packed-own',
    'entropy-fast-own',
    'entropy-strong-own',
  ]);
  const signatures = pipelines.map((it) => it.signatureHigh * 2 ** 32 + it.signatureLow);
  expect(new Set(signatures).size).toBe(4);
  const unused = definePipeline({ record, techniques: Delta, entropyEffort: 'strong' });
  expect(unused.signatureLow).toBe(pipelines[0]?.signatureLow);
});

test('own techniques are refused with the reference record', () => {
  for (const techniques of [Delta | DeltaPacking, Delta | Entropy]) {
    expect(faultOf({ techniques })).toBe('unsupported-techniques');
  }
});

test('a definition that is left out is every tick, all entities, whole records of floats', () => {
  const { definition, layout, allowsPatch } = definePipeline();
  expect([definition.intervalTicks, definition.maxEntitiesPerUpdate]).toEqual([1, 512]);
  expect(definition.positionBounds).toEqual({ min: [-400, -400, -400], max: [400, 400, 400] });
  expect([definition.areaOfInterest.mode, definition.levelOfDetail.mode]).toEqual(['none', 'none']);
  expect([layout, allowsPatch]).toEqual(['raw', false]);
});
