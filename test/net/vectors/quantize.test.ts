import { expect, test } from 'vitest';
import type { FieldCodec } from '../../../src/net/record/field-codec.ts';
import { HeadingCodec } from '../../../src/net/record/heading-codec.ts';
import { OctahedralCodec } from '../../../src/net/record/octahedral-codec.ts';
import { QuantisedCodec } from '../../../src/net/record/quantised-codec.ts';
import { referenceRecord } from '../../../src/net/record/reference-record.ts';
import { validateSnapshot } from '../../../src/net/snapshot/snapshot-check.ts';
import { decodeOne, encodeOne } from '../record/one-row.ts';
import { floatsOfHex } from './definition.ts';
import { hexOfWordList, wordsOfHex } from './hex.ts';
import { readVectors, report } from './read-vectors.ts';
import { snapshotOf } from './rows.ts';

interface Line {
  readonly t: string;
  readonly min: string;
  readonly max: string;
  readonly values: readonly (readonly (string | number)[])[];
}

const octahedral = new OctahedralCodec(16, true);
const heading = new HeadingCodec();
const reference = referenceRecord();

function tokensOf(token: string | number | undefined): number[] {
  return typeof token === 'number' ? [token] : (token?.match(/.{4}/g) ?? []).map(hexToNumber);
}

function hexToNumber(digits: string): number {
  return Number.parseInt(digits, 16);
}

function decodedHex(codec: FieldCodec, tokens: readonly number[]): string {
  return hexOfWordList(decodeOne(codec, tokens).bits);
}

/** One number in snorm16; the codec does three, and normalises what it decodes. */
function snormToken(value: string): number {
  return encodeOne(heading, [...wordsOfHex(value), 0, 0]).tokens[0] ?? -1;
}

/** What the vectors say of decoding one such number, without the length. */
function snormValue(token: number): string {
  return hexOfWordList(new Uint32Array(Float32Array.of(((token << 16) >> 16) / 32_767).buffer));
}

function check({ t, min, max, values }: Line): unknown[] | undefined {
  switch (t) {
    case 'unorm16':
    case 'unorm16_decode': {
      const [low = 0, high = 0] = floatsOfHex(min + max);
      const codec = new QuantisedCodec([{ min: low, max: high, steps: 65_535, bits: 16 }]);
      if (t === 'unorm16_decode')
        return values.map(([token]) => [token, decodedHex(codec, tokensOf(token))]);
      return values.map(([value]) => {
        const [token = -1] = encodeOne(codec, wordsOfHex(String(value))).tokens;
        return [value, token, decodedHex(codec, [token])];
      });
    }
    case 'snorm16':
      return values.map(([value]) => {
        const token = snormToken(String(value));
        return [value, token.toString(16).padStart(4, '0'), snormValue(token)];
      });
    case 'snorm16_decode':
      return values.map(([token]) => [token, snormValue(hexToNumber(String(token)))]);
    case 'oct':
      return values.map(([value]) => {
        const { tokens } = encodeOne(octahedral, wordsOfHex(String(value)));
        const digits = tokens.map((token) => token.toString(16).padStart(4, '0')).join('');
        return [value, digits, decodedHex(octahedral, tokens)];
      });
    case 'oct_decode':
      return values.map(([token]) => [token, decodedHex(octahedral, tokensOf(token))]);
    case 'heading_ok':
      return values.map(([value]) => {
        const zero = '0'.repeat(24);
        const world = snapshotOf(reference, { tick: '0', e: [[1, 1, zero, String(value), 0]] });
        return [value, validateSnapshot(world) === 'ok' ? 1 : 0];
      });
    default:
      return undefined;
  }
}

test('values become tokens and values again as the vectors say', () => {
  let checked = 0;
  for (const { at, record } of readVectors()) {
    const entry = record as unknown as Line;
    const found = check(entry);
    if (found === undefined) continue;
    checked++;
    expect([at, ...found]).toEqual([at, ...entry.values]);
  }
  report('quantize', checked);
});
