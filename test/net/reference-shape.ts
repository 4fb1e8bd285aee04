import type { FieldCodec, FieldScalar } from '../../src/net/record/field-codec.ts';
import type { FieldBlend, FieldCheck, RecordShape } from '../../src/net/record/record-shape.ts';

/** A field of a test: it goes over the wire as it is. */
export interface RawField {
  readonly name: string;
  readonly scalar: FieldScalar;
  readonly width: number;
  readonly check?: FieldCheck;
  readonly blend?: FieldBlend;
  readonly turn?: number;
}

/** Makes a codec whose tokens are the bits of the numbers. */
function rawCodec(scalar: FieldScalar, width: number): FieldCodec {
  return {
    scalar,
    width,
    lanes: Array.from({ length: width }, () => ({ kind: 'opaque', bits: 32 })),
    encode({ bits }, first, last, tokens, stride, lane) {
      for (let row = first; row < last; row++) {
        for (let part = 0; part < width; part++)
          tokens[row * stride + lane + part] = bits[row * width + part] as number;
      }
      return 0;
    },
    decode(tokens, stride, lane, first, last, { bits }) {
      for (let row = first; row < last; row++) {
        for (let part = 0; part < width; part++)
          bits[row * width + part] = tokens[row * stride + lane + part] as number;
      }
    },
  };
}

/** Makes a shape of raw fields. */
export function rawShape(fields: readonly RawField[]): RecordShape {
  let lane = 0;
  const shapes = fields.map((field, index) => {
    const { name, scalar, width, check = 'none', blend = 'step', turn = 0 } = field;
    const place = lane;
    lane += width;
    return { name, index, codec: rawCodec(scalar, width), lane: place, check, blend, turn };
  });
  const lanes = shapes.flatMap(({ index, codec }) =>
    codec.lanes.map((lane_) => ({ ...lane_, field: index })),
  );
  return { fields: shapes, lanes, position: fields.findIndex(({ name }) => name === 'position') };
}

/** The reference record: a classification, a position, a heading and a hue. */
export function referenceShape(): RecordShape {
  return rawShape([
    { name: 'classification', scalar: 'u32', width: 1, check: 'nonzero' },
    { name: 'position', scalar: 'f32', width: 3, check: 'finite', blend: 'lerp' },
    { name: 'heading', scalar: 'f32', width: 3, check: 'unit', blend: 'direction' },
    { name: 'hue', scalar: 'u32', width: 1, blend: 'circular', turn: 256 },
  ]);
}
