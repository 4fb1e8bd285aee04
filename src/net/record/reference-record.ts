import type { FieldCodec } from './field-codec.ts';
import { type FieldSpec, fieldSpec } from './field-spec.ts';
import { FloatCodec } from './float-codec.ts';
import { HeadingCodec } from './heading-codec.ts';
import { IntegerCodec } from './integer-codec.ts';
import type { LaneKind } from './lane.ts';
import { OctahedralCodec } from './octahedral-codec.ts';
import { QuantisedCodec } from './quantised-codec.ts';
import { shapeOf } from './record-definition.ts';
import type { RecordShape } from './record-shape.ts';

function byteCodec(kind: LaneKind): FieldCodec {
  return new IntegerCodec('u32', 0, 255, 8, kind);
}

/**
 * The fields of the reference record, as their places among the fields and their bits in a mask.
 */
export const ReferenceField: {
  readonly Classification: 0;
  readonly Position: 1;
  readonly Heading: 2;
  readonly Hue: 3;
} = { Classification: 0, Position: 1, Heading: 2, Hue: 3 };

/** How the reference record represents a position and a heading. */
export interface ReferenceOptions {
  /** The box of quantised positions; absent: positions and headings stay floats. */
  readonly bounds?: { readonly min: readonly number[]; readonly max: readonly number[] };
  /** Headings as two octahedral numbers; needs `bounds`. */
  readonly isOctahedral?: boolean;
}

/**
 * Returns the reference record: classification (u8, 0 is invalid), position (three floats), heading
 * (three floats of length 1) and hue (u8, a circle).
 */
export function referenceRecord(options: ReferenceOptions = {}): RecordShape {
  const { bounds, isOctahedral = false } = options;
  let position: FieldCodec = new FloatCodec(3);
  let heading: FieldCodec = position;
  if (bounds !== undefined) {
    const axes = [0, 1, 2].map((axis) => {
      const [min, max] = [bounds.min[axis] as number, bounds.max[axis] as number];
      return { min, max, steps: 0xffff, bits: 16 };
    });
    position = new QuantisedCodec(axes);
    heading = isOctahedral ? new OctahedralCodec(16, true) : new HeadingCodec();
  }
  const fields: [string, FieldSpec][] = [
    ['classification', fieldSpec('uint', 8, byteCodec('category'), 'nonzero')],
    ['position', fieldSpec('float32', bounds, position, 'finite', 'lerp')],
    ['heading', fieldSpec('direction', isOctahedral, heading, 'unit', 'direction')],
    ['hue', fieldSpec('uint', 8, byteCodec('circular'), 'none', 'circular', 256)],
  ];
  return shapeOf(fields, ReferenceField.Position);
}
