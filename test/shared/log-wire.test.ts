import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeLogRecord,
  encodeLogRecord,
  LOG_RECORD_BYTES_MAX,
} from '../../src/shared/log-wire.ts';
import { LOG_LEVELS, type LogRecord } from '../../src/shared/log.ts';

const SEVERITIES = LOG_LEVELS.filter((level) => level !== 'off');

function record(part: Partial<LogRecord> = {}): LogRecord {
  return {
    timestampMs: 12.5,
    severity: 'info',
    subsystem: 'loop',
    event: 'step',
    message: 'A step.',
    fields: { tick: 7, why: 'stall', live: true },
    ...part,
  };
}

/** The bytes of a record, with a canary behind them that must survive. */
function encode(given: LogRecord): Uint8Array {
  const out = new Uint8Array(LOG_RECORD_BYTES_MAX + 8).fill(0xa5);
  const length = encodeLogRecord(given, out);
  expect(length).toBeLessThanOrEqual(LOG_RECORD_BYTES_MAX);
  expect([...out.subarray(LOG_RECORD_BYTES_MAX)]).toEqual(Array(8).fill(0xa5));
  return out.subarray(0, length);
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const texts = fc.string({ unit: 'binary', maxLength: 30 });
const values = fc.oneof(
  texts,
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const records: fc.Arbitrary<LogRecord> = fc.record({
  timestampMs: fc.double({ min: 0, max: 1e15, noNaN: true }),
  severity: fc.constantFrom(...SEVERITIES),
  subsystem: texts,
  event: texts,
  message: texts,
  fields: fc.dictionary(texts, values, { maxKeys: 4, noNullPrototype: true }),
});

describe('an encoded record', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(records, (given) => {
        const known = JSON.parse(JSON.stringify(given)) as LogRecord;
        expect(decodeLogRecord(encode(given))).toEqual(known);
      }),
    );
  });

  it('loses the end of a message that is too long, and says how much', () => {
    const back = decodeLogRecord(encode(record({ message: 'x'.repeat(5000) })));
    const kept = back?.message.length ?? 0;
    expect(kept).toBeGreaterThan(850);
    expect(back).toEqual(
      record({
        message: 'x'.repeat(kept),
        fields: { tick: 7, why: 'stall', live: true, truncated: 5000 - kept },
      }),
    );
  });

  it('is cut between characters, and uses its room', () => {
    for (const pad of ['', 'a', 'aa', 'aaa']) {
      const bytes = encode(record({ message: pad + '\u{1f600}'.repeat(600) }));
      const message = decodeLogRecord(bytes)?.message ?? '';
      expect(bytes.length).toBeGreaterThan(LOG_RECORD_BYTES_MAX - 6);
      expect(message.slice(pad.length)).toMatch(/^(?:\u{1f600})+$/u);
    }
  });

  it('loses fields and the ends of names only where the message alone is not enough', () => {
    const long = 'n'.repeat(2000);
    const back = decodeLogRecord(
      encode(record({ subsystem: long, event: long, message: 'kept', fields: { long } })),
    );
    expect(back).toEqual(
      record({
        subsystem: 'n'.repeat(32),
        event: 'n'.repeat(32),
        message: 'kept',
        fields: { truncated: 0 },
      }),
    );
  });

  it('cuts names between characters too', () => {
    const subsystem = `${'n'.repeat(31)}\u{1f600}`;
    const back = decodeLogRecord(encode(record({ subsystem, fields: { long: 'n'.repeat(2000) } })));
    expect(back?.subsystem).toBe('n'.repeat(31));
  });

  it('never outgrows its bound and always comes back, however hostile', () => {
    const wild = fc.string({ unit: 'binary', maxLength: 3000, size: 'max' });
    const costly = fc.integer({ min: 0, max: 3000 }).map((length) => '\u0001'.repeat(length));
    const any = fc.oneof(wild, costly);
    fc.assert(
      fc.property(any, any, any, any, (subsystem, event, message, field) => {
        const given = record({ subsystem, event, message, fields: { field } });
        const back = decodeLogRecord(encode(given));
        expect(message.startsWith(back?.message ?? 'nothing came back')).toBe(true);
        expect(subsystem.startsWith(back?.subsystem ?? 'nothing came back')).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('carries numbers that JSON does not know as text', () => {
    const fields = { a: NaN, b: Infinity, c: -Infinity };
    const back = decodeLogRecord(encode(record({ timestampMs: NaN, fields })));
    expect(back?.fields).toEqual({ a: 'NaN', b: 'Infinity', c: '-Infinity' });
    expect(back?.timestampMs).toBe(0);
  });

  it('can be read from shared memory', () => {
    const bytes = encode(record());
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    expect(decodeLogRecord(shared)).toEqual(record());
  });
});

describe('a decoder refuses', () => {
  it('what is not a record', () => {
    const good = '[1,"info","a","b","c",{"k":1}]';
    expect(decodeLogRecord(bytesOf(good))?.fields).toEqual({ k: 1 });
    for (const text of [
      '',
      'null',
      '{}',
      good.slice(0, -1),
      `\ufeff${good}`,
      '[1,"info","a","b","c"]',
      '[1,"info","a","b","c",{},0]',
      '["1","info","a","b","c",{}]',
      '[1,"off","a","b","c",{}]',
      '[1,"loud","a","b","c",{}]',
      '[1,"info",2,"b","c",{}]',
      '[1,"info","a",null,"c",{}]',
      '[1,"info","a","b",true,{}]',
      '[1,"info","a","b","c",null]',
      '[1,"info","a","b","c",[]]',
      '[1,"info","a","b","c","f"]',
      '[1,"info","a","b","c",{"k":null}]',
      '[1,"info","a","b","c",{"k":{}}]',
    ]) {
      expect([text, decodeLogRecord(bytesOf(text))]).toEqual([text, undefined]);
    }
  });

  it('bytes that are not UTF-8, and more bytes than a record has', () => {
    expect(decodeLogRecord(Uint8Array.of(0x22, 0xff, 0x22))).toBe(undefined);
    const padded = `[1,"info","a","b","${'c'.repeat(LOG_RECORD_BYTES_MAX)}",{}]`;
    expect(decodeLogRecord(bytesOf(padded))).toBe(undefined);
  });

  it('random damage without a throw', () => {
    const at = fc.nat({ max: 80 });
    fc.assert(
      fc.property(at, fc.nat({ max: 255 }), at, (place, value, cut) => {
        const bytes = encode(record()).slice(0, Math.max(1, 80 - cut));
        bytes[place % bytes.length] = value;
        const back = decodeLogRecord(bytes);
        if (back !== undefined) expect(SEVERITIES).toContain(back.severity);
      }),
      { numRuns: 1000 },
    );
  });
});
