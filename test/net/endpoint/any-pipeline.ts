import fc from 'fast-check';
import {
  type AreaOfInterest,
  definePipeline,
  defineRecord,
  type LevelOfDetail,
  type Pipeline,
  type PipelineOptions,
  Technique,
} from '../../../src/net/index.ts';
import { float32, quantised } from '../../../src/net/record/float-field.ts';
import { anyField } from '../record/any-record.ts';

const { SendInterval, Incremental, Quantization, OctHeading } = Technique;
const { Delta, DeltaFieldMask, BitPacking, DeltaPacking, Entropy } = Technique;

const everywhere: AreaOfInterest = { mode: 'none', radius: 0, fovDegrees: 0 };
const areas: readonly AreaOfInterest[] = [
  { mode: 'radius', radius: 50, fovDegrees: 0 },
  { mode: 'fov', radius: 80, fovDegrees: 120 },
  { mode: 'fov', radius: 50, fovDegrees: 180 },
];

const anyBands: fc.Arbitrary<LevelOfDetail> = fc.record({
  mode: fc.constant('distance-bands' as const),
  near: fc.constantFrom(10, 20),
  medium: fc.constantFrom(30, 40),
  mediumIntervalTicks: fc.integer({ min: 2, max: 4 }),
  farIntervalTicks: fc.integer({ min: 5, max: 9 }),
});

/** Everything about a pipeline but its record and how that is represented. */
const anySelection = fc.record(
  {
    pace: fc.constantFrom(0, 0, SendInterval),
    turns: fc.constantFrom(0, Incremental),
    delta: fc.constantFrom(0, Delta, Delta | DeltaFieldMask),
    intervalTicks: fc.integer({ min: 1, max: 3 }),
    maxEntitiesPerUpdate: fc.integer({ min: 1, max: 8 }),
    area: fc.constantFrom(everywhere, ...areas),
    bands: fc.option(anyBands, { nil: undefined }),
  },
  { noNullPrototype: true },
);

const anyReference: fc.Arbitrary<PipelineOptions> = fc
  .constantFrom(0, Quantization, Quantization | OctHeading, Quantization | OctHeading | BitPacking)
  .map((techniques) => ({ techniques }));

const anyPlace = fc.oneof(
  fc.constantFrom(2 as const, 3 as const).map((width) => float32(width)),
  fc
    .tuple(fc.constantFrom(2 as const, 3 as const), fc.integer({ min: 4, max: 16 }))
    .map(([width, bits]) => quantised({ width, min: -64, max: 64, bits })),
);

/** How the rows of an own record are written. */
const writings: readonly Pick<PipelineOptions, 'techniques' | 'entropyEffort'>[] = [
  { techniques: 0 },
  { techniques: BitPacking },
  { techniques: Delta | DeltaPacking },
  { techniques: Delta | Entropy, entropyEffort: 'fast' },
  { techniques: Delta | Entropy, entropyEffort: 'strong' },
];

const anyOwn: fc.Arbitrary<PipelineOptions> = fc
  .tuple(fc.array(anyField, { maxLength: 6 }), anyPlace, fc.constantFrom(...writings))
  .map(([specs, place, writing]) => {
    const others = specs.map((spec, index) => [`f${index}`, spec] as const);
    const fields = Object.fromEntries([...others, ['place', place]]);
    return { record: defineRecord({ fields, position: 'place' }), ...writing };
  });

/** Any pipeline: all valid combinations of techniques, areas, bands, caps, intervals, records. */
export const anyPipeline: fc.Arbitrary<Pipeline> = fc
  .tuple(fc.oneof(anyReference, anyOwn), anySelection)
  .map(([represented, { pace, turns, delta, area, bands, ...limits }]) =>
    definePipeline({
      ...represented,
      ...limits,
      techniques: (represented.techniques ?? 0) | pace | turns | delta,
      areaOfInterest: area,
      ...(bands === undefined || area.mode === 'none' ? {} : { levelOfDetail: bands }),
    }),
  );

/** Says whether an update may leave out what differs. */
export function isPartial({ definition }: Pipeline): boolean {
  const isInTurn = (definition.techniques & Incremental) !== 0;
  return isInTurn || definition.levelOfDetail.mode !== 'none';
}

/** Describes a pipeline in a line, for a failure. */
export function describePipeline({ definition, layout }: Pipeline): string {
  const { record, ...rest } = definition;
  return `${layout} ${JSON.stringify(rest)} ${record?.text ?? ''}`;
}
