import type { FieldCodec, FieldScalar, LaneSpec } from '../../src/net/record/field-codec.ts';
import type { RecordShape } from '../../src/net/record/record-shape.ts';

/** How the reference record is represented. */
export type PlainLayout = 'raw' | 'quantised' | 'oct';

const f = Math.fround;
/** Numbers of one row in, tokens of one row out, and back. */
interface RowCodec {
  readonly scalar: FieldScalar;
  readonly width: number;
  readonly lanes: readonly LaneSpec[];
  encodeRow(numbers: number[], bits: number[]): { tokens: number[]; clamped: number };
  decodeRow(tokens: number[]): number[];
}

function codecOf(row: RowCodec): FieldCodec {
  const { width, lanes } = row;
  return {
    scalar: row.scalar,
    width,
    lanes,
    encode({ values, bits }, first, last, tokens, stride, lane) {
      let clamped = 0;
      for (let at = first; at < last; at++) {
        const numbers = Array.from(values.slice(at * width, (at + 1) * width));
        const words = Array.from(bits.slice(at * width, (at + 1) * width));
        const encoded = row.encodeRow(numbers, words);
        clamped += encoded.clamped;
        for (const [l, token] of encoded.tokens.entries()) tokens[at * stride + lane + l] = token;
      }
      return clamped;
    },
    decode(tokens, stride, lane, first, last, { values, bits }) {
      for (let at = first; at < last; at++) {
        const start = at * stride + lane;
        const words = Array.from(tokens.slice(start, start + lanes.length));
        const isRaw = lanes.every(({ bits: size, kind }) => size === 32 && kind === 'opaque');
        if (isRaw) bits.set(words, at * width);
        else values.set(row.decodeRow(words), at * width);
      }
    },
  };
}

function lanes(kind: LaneSpec['kind'], bits: number, count: number): LaneSpec[] {
  return Array.from({ length: count }, () => ({ kind, bits }));
}

const raw = (width: number): RowCodec => ({
  scalar: 'f32',
  width,
  lanes: lanes('opaque', 32, width),
  encodeRow: (_, bits) => ({ tokens: bits, clamped: 0 }),
  decodeRow: (tokens) => tokens,
});

const byte = (kind: LaneSpec['kind']): RowCodec => ({
  scalar: 'u32',
  width: 1,
  lanes: lanes(kind, 8, 1),
  encodeRow: (_, bits) => ({ tokens: bits, clamped: 0 }),
  decodeRow: (tokens) => tokens,
});

/** Half away from zero, and never -0. */
function round(value: number): number {
  return value < 0 ? 0 - Math.floor(0.5 - value) : Math.floor(value + 0.5);
}

function quantised(bounds: readonly [readonly number[], readonly number[]]): RowCodec {
  const [min, max] = bounds.map((numbers) => numbers.map(f)) as [number[], number[]];
  const range = min.map((least, k) => f((max[k] as number) - least));
  return {
    scalar: 'f32',
    width: 3,
    lanes: lanes('linear', 16, 3),
    encodeRow(numbers) {
      const isOutside = numbers.some(
        (value, k) => value < (min[k] as number) || value > (max[k] as number),
      );
      const tokens = numbers.map((value, k) => {
        const share = f(f(value - (min[k] as number)) / (range[k] as number));
        return round(f(Math.min(1, Math.max(0, share)) * 65_535));
      });
      return { tokens, clamped: isOutside ? 1 : 0 };
    },
    decodeRow: (tokens) =>
      tokens.map((token, k) => f((min[k] as number) + f(f(token / 65_535) * (range[k] as number)))),
  };
}

function normalise([x = 0, y = 0, z = 0]: number[]): number[] {
  const length = f(Math.sqrt(f(f(f(x * x) + f(y * y)) + f(z * z))));
  return length > 0 ? [f(x / length), f(y / length), f(z / length)] : [1, 0, 0];
}

const snorm = (value: number): number =>
  round(f(Math.min(1, Math.max(-1, value)) * 32_767)) & 0xffff;
const fromSnorm = (token: number): number => f(((token << 16) >> 16) / 32_767);

const heading: RowCodec = {
  scalar: 'f32',
  width: 3,
  lanes: lanes('linear', 16, 3),
  encodeRow: (numbers) => ({ tokens: numbers.map(snorm), clamped: 0 }),
  decodeRow: (tokens) => normalise(tokens.map(fromSnorm)),
};

const octahedral: RowCodec = {
  scalar: 'f32',
  width: 3,
  lanes: lanes('linear', 16, 2),
  encodeRow(numbers) {
    const [nx = 0, ny = 0, nz = 0] = normalise(numbers);
    const inverse = f(1 / f(f(Math.abs(nx) + Math.abs(ny)) + Math.abs(nz)));
    const [x, y, z] = [f(nx * inverse), f(ny * inverse), f(nz * inverse)];
    const folded = z < 0 ? fold(x, y) : [x, y];
    return { tokens: folded.map(snorm), clamped: 0 };
  },
  decodeRow(tokens) {
    const [x = 0, y = 0] = tokens.map(fromSnorm);
    const z = f(f(1 - Math.abs(x)) - Math.abs(y));
    return normalise(z < 0 ? [...fold(x, y), z] : [x, y, z]);
  },
};

function fold(x: number, y: number): number[] {
  return [f(f(1 - Math.abs(y)) * (x < 0 ? -1 : 1)), f(f(1 - Math.abs(x)) * (y < 0 ? -1 : 1))];
}

/** The reference record with codecs that are plain to read, and slow. */
export function plainReference(
  layout: PlainLayout,
  bounds: readonly [readonly number[], readonly number[]] = [
    [-400, -400, -400],
    [400, 400, 400],
  ],
): RecordShape {
  const direction = { raw: raw(3), quantised: heading, oct: octahedral }[layout];
  const codecs: [string, RowCodec][] = [
    ['classification', byte('category')],
    ['position', layout === 'raw' ? raw(3) : quantised(bounds)],
    ['heading', direction],
    ['hue', byte('circular')],
  ];
  let lane = 0;
  const fields = codecs.map(([name, row], index) => {
    const unchecked = { check: 'none', blend: 'step', turn: 0 } as const;
    const field = { name, index, codec: codecOf(row), lane, ...unchecked };
    lane += row.lanes.length;
    return field;
  });
  const placed = fields.flatMap(({ codec, index }) =>
    codec.lanes.map((spec) => ({ ...spec, field: index })),
  );
  return { fields, lanes: placed, position: 1 };
}
