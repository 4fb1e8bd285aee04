import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fnv64 } from '../../src/shared/hash.ts';

function model(bytes: Iterable<number>): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

function hashOf(feed: (hash: Fnv64) => void): string {
  const hash = new Fnv64();
  feed(hash);
  return hash.hex();
}

describe('Fnv64', () => {
  it('gives the published FNV-1a values', () => {
    expect(hashOf(() => {})).toBe('cbf29ce484222325');
    expect(hashOf((hash) => hash.string('a'))).toBe('af63dc4c8601ec8c');
    expect(hashOf((hash) => hash.string('foobar'))).toBe('85944171f73967e8');
  });

  it('equals 64-bit arithmetic over any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(hashOf((hash) => hash.bytes(bytes))).toBe(model(bytes));
      }),
    );
  });

  it('does not see how bytes are split, nor those outside the range', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), (bytes, at) => {
        const cut = at % bytes.length;
        const split = hashOf((hash) => {
          hash.bytes(bytes, 0, cut);
          hash.byte(bytes[cut] ?? 0);
          hash.bytes(bytes, cut + 1, bytes.length);
        });
        expect(split).toBe(model(bytes));
      }),
    );
  });

  it('takes words most significant byte first', () => {
    expect(hashOf((hash) => hash.u32(0x81234567))).toBe(model([0x81, 0x23, 0x45, 0x67]));
    expect(hashOf((hash) => hash.u32(-1))).toBe(model([255, 255, 255, 255]));
  });

  it('takes only the low eight bits of a byte', () => {
    expect(hashOf((hash) => hash.byte(0x1ff))).toBe(model([0xff]));
    expect(hashOf((hash) => hash.byte(-1))).toBe(model([0xff]));
  });

  it('takes text as TextEncoder encodes it, lone surrogates included', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 });
    const anything = fc.oneof(
      text,
      units.map((codes) => String.fromCharCode(...codes)),
      fc.constantFrom('\ud800', '\udc00', '\udc00\ud800', 'a\ud800b', '\u{10ffff}\u07ff\u0800'),
    );
    fc.assert(
      fc.property(anything, (value) => {
        expect(hashOf((hash) => hash.string(value))).toBe(model(new TextEncoder().encode(value)));
      }),
      { numRuns: 500 },
    );
  });

  it('tells its halves unsigned, and starts over on reset', () => {
    const hash = new Fnv64();
    hash.string('foobar');
    expect([hash.high, hash.low]).toEqual([0x85944171, 0xf73967e8]);
    hash.reset();
    expect(hash.hex()).toBe('cbf29ce484222325');
  });
});
