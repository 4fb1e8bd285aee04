import type { UpdateWriter } from '../../../src/net/pipeline/update-writer.ts';
import type { FieldCodec, FieldScalar } from '../../../src/net/record/field-codec.ts';
import type { FieldShape, RecordShape } from '../../../src/net/record/record-shape.ts';
import type { UpdatePlan } from '../../../src/net/wire/update-plan.ts';

const UNCHECKED = { check: 'none', blend: 'step', turn: 0 } as const;

/**
 * A codec that allocates nothing: floats to a step of 1/64 within 16 bits, integers as they are.
 */
export function leanCodec(scalar: FieldScalar, width: number): FieldCodec {
  const isFloat = scalar === 'f32';
  return {
    scalar,
    width,
    lanes: Array.from({ length: width }, () => ({ kind: 'linear' as const, bits: 16 })),
    encode({ values }, first, last, tokens, stride, lane) {
      for (let row = first; row < last; row++)
        for (let k = 0; k < width; k++) {
          const value = values[row * width + k] as number;
          tokens[row * stride + lane + k] = isFloat ? Math.floor(value * 64 + 32_768.5) : value;
        }
      return 0;
    },
    decode(tokens, stride, lane, first, last, { values }) {
      for (let row = first; row < last; row++)
        for (let k = 0; k < width; k++) {
          const token = tokens[row * stride + lane + k] as number;
          values[row * width + k] = isFloat ? (token - 32_768) / 64 : token;
        }
    },
  };
}

/** A record of a number and a place, `dimensions` wide. */
export function leanRecord(dimensions = 3): RecordShape {
  const position = leanCodec('f32', dimensions);
  const fields: FieldShape[] = [
    { name: 'level', index: 0, codec: leanCodec('u32', 1), lane: 0, ...UNCHECKED },
    { name: 'position', index: 1, codec: position, lane: 1, ...UNCHECKED },
  ];
  const lanes = fields.flatMap(({ codec, index }) =>
    codec.lanes.map((spec) => ({ ...spec, field: index })),
  );
  return { fields, lanes, position: 1 };
}

/** Writes the counts of an update only: for tests of what is selected. */
export class CountingWriter implements UpdateWriter {
  readonly representation: UpdateWriter['representation'] = { layout: 'none', recordBits: 96 };
  readonly headerBytes: number = 0;
  readonly bytes: Uint8Array = new Uint8Array(8);

  write(plan: UpdatePlan): number {
    this.bytes[0] = plan.rowCount;
    return 8;
  }
}
