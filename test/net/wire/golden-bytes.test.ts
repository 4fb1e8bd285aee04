import { describe, expect, test } from 'vitest';
import { type PipelineOptions, Technique } from '../../../src/net/pipeline/definition.ts';
import { definePipeline } from '../../../src/net/pipeline/pipeline.ts';
import { direction } from '../../../src/net/record/direction-field.ts';
import { float32, quantised } from '../../../src/net/record/float-field.ts';
import { bool, int, uint } from '../../../src/net/record/integer-field.ts';
import { defineRecord } from '../../../src/net/record/record-definition.ts';
import { TokenTable } from '../../../src/net/record/token-table.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { encodeTokens } from '../../../src/net/snapshot/snapshot-tokens.ts';
import { toHex, hexOfWordList } from '../vectors/hex.ts';
import { bytesOf, planAll } from './populations.ts';

const { Delta, DeltaFieldMask, BitPacking, Quantization, OctHeading } = Technique;

const positionBounds = { min: [-220, -220, -220], max: [220, 220, 220] } as const;

/** Returns the bytes of one entity: the values of its fields, one list each. */
function oneRecord(options: PipelineOptions, id: number, values: readonly number[][]): string {
  const pipeline = definePipeline({ positionBounds, ...options });
  const snapshot = new Snapshot(pipeline.shape, 1);
  snapshot.count = 1;
  snapshot.ids[0] = id;
  values.forEach((numbers, field) => {
    snapshot.columns[field]?.values.set(numbers);
  });
  const table = new TokenTable(pipeline.shape.lanes.length);
  encodeTokens(snapshot, table);
  return toHex(bytesOf(pipeline, planAll(table, 1)));
}

const person = [[0xa5], [1, -2.5, 0], [0, 0, 1], [0x7f]];

describe('the reference record', () => {
  test.each([
    ['no technique', 0, 'bd68d3285e5827c1'],
    ['delta', Delta, 'bd68c3285e580c91'],
    ['field masks', Delta | DeltaFieldMask, '975c59a8e66a3a28'],
    ['quantised', Quantization, 'c80caa174ed54845'],
    ['octahedral', Quantization | OctHeading, '82789bbc97121e6d'],
    ['packed', Quantization | OctHeading | BitPacking, '0aa287fd230c68ec'],
  ])('has its signature: %s', (_, techniques, signature) => {
    const pipeline = definePipeline({ techniques, positionBounds });
    expect(hexOfWordList([pipeline.signatureHigh, pipeline.signatureLow])).toBe(signature);
    expect(pipeline.schemaVersion).toBe((techniques & DeltaFieldMask) === 0 ? 5 : 6);
  });

  test.each([
    [Quantization | OctHeading, '82789bbc97121e6d'],
    [Quantization | OctHeading | BitPacking, '0aa287fd230c68ec'],
  ])('has 16 bytes with octahedral headings, packed or not', (techniques, signature) => {
    expect(oneRecord({ techniques }, 0x0102_0304, person)).toBe(
      `534e504c00010005${signature}0000000003ee6b2800${'00000001'}00000000${'00000001'}00000000` +
        '00000010' +
        '01020304a580947e8b8000000000007f',
    );
  });

  test('has 18 bytes quantised and 30 raw', () => {
    const payload = (techniques: number): string => oneRecord({ techniques }, 7, person).slice(90);
    expect(payload(Quantization)).toBe('00000007a580947e8b8000000000007fff7f');
    expect(payload(0)).toBe('00000007a53f800000c02000000000000000000000000000003f8000007f');
  });

  test.each([
    [0, '8000'],
    [1, '8094'],
    [-1, '7f6b'],
    [219.99, 'fffe'],
    [500, 'ffff'],
    [-500, '0000'],
  ])('has position %d as %s', (x, token) => {
    const bytes = oneRecord({ techniques: Quantization }, 1, [[1], [x, 0, 0], [0, 0, 1], [0]]);
    expect(bytes.slice(100, 104)).toBe(token);
  });

  test.each([
    [[0, 0, 1], '00000000'],
    [[0, 0, -1], '7fff7fff'],
    [[-1, 0, 0], '80010000'],
    [[1, 2, 3], '15552aaa'],
  ])('has heading %j as %s', (heading, tokens) => {
    const techniques = Quantization | OctHeading;
    const bytes = oneRecord({ techniques }, 1, [[1], [0, 0, 0], heading, [0]]);
    expect(bytes.slice(112, 120)).toBe(tokens);
  });

  test('reports how it is laid out', () => {
    const layoutOf = (techniques: number): unknown[] => {
      const { layout, recordBits } = definePipeline({ techniques });
      return [layout, recordBits];
    };
    expect([0, 4, 12, 268].map(layoutOf)).toEqual([
      ['raw', 240],
      ['quantized', 144],
      ['quantized-oct-heading', 128],
      ['bit-packed-quantized-oct-heading', 128],
    ]);
  });
});

describe('an own record', () => {
  const record = defineRecord({
    fields: {
      place: quantised({ min: [0, 0], max: [10, 20], precision: 0.1 }),
      speed: float32(),
      level: int(5),
      isOpen: bool(),
      facing: direction(6),
    },
    position: 'place',
  });
  const values = [[2.5, 20], [1], [-3], [1], [0, 0, 1]];

  test('lies in whole bytes, lane by lane', () => {
    const bytes = oneRecord({ record }, 5, values);
    expect(bytes.slice(0, 16)).toBe('534e504c00010007');
    expect(bytes.slice(90)).toBe('00000005' + '19' + 'c8' + '3f800000' + '0d' + '01' + '00' + '00');
  });

  test('lies bit by bit when it is packed', () => {
    const bytes = oneRecord({ record, techniques: BitPacking }, 5, values);
    const bits = [
      (5).toString(2).padStart(32, '0'),
      (25).toString(2).padStart(7, '0'),
      (200).toString(2).padStart(8, '0'),
      (0x3f80_0000).toString(2).padStart(32, '0'),
      (13).toString(2).padStart(5, '0'),
      '1',
      '000000',
      '000000',
    ].join('');
    const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0');
    const hex = (padded.match(/.{8}/g) ?? []).map((byte) =>
      Number.parseInt(byte, 2).toString(16).padStart(2, '0'),
    );
    expect(bytes.slice(90)).toBe(hex.join(''));
  });

  test('with the fields of the reference record has the bytes of the reference record', () => {
    const fields = {
      classification: uint(8),
      position: quantised({ width: 3, min: -220, max: 220, bits: 16 }),
      heading: direction(16),
      hue: uint(8),
    };
    const own = oneRecord({ record: defineRecord({ fields, position: 'position' }) }, 9, person);
    const reference = oneRecord({ techniques: Quantization | OctHeading }, 9, person);
    expect(own.slice(90)).toBe(reference.slice(90));
  });

  test('has a signature that any difference of its fields changes', () => {
    const signatureOf = (
      fields: Parameters<typeof defineRecord>[0]['fields'],
      position?: string,
    ) => {
      const own = defineRecord({ fields, ...(position === undefined ? {} : { position }) });
      const { signatureHigh, signatureLow } = definePipeline({ record: own });
      return hexOfWordList([signatureHigh, signatureLow]);
    };
    const place = quantised({ min: [0, 0], max: [9, 9], bits: 8 });
    const signatures = [
      signatureOf({ a: uint(8), place }),
      signatureOf({ a: uint(8), place }, 'place'),
      signatureOf({ b: uint(8), place }),
      signatureOf({ a: uint(9), place }),
      signatureOf({ a: int(8), place }),
      signatureOf({ place, a: uint(8) }),
      signatureOf({ a: uint(8), place: quantised({ min: [0, 0], max: [9, 8], bits: 8 }) }),
    ];
    expect(new Set(signatures).size).toBe(signatures.length);
    expect(signatureOf({ a: uint(8), place })).toBe(signatures[0]);
  });
});
