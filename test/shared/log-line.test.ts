import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatLogLine } from '../../src/shared/log-line.ts';
import type { LogFields, LogRecord } from '../../src/shared/log.ts';

function record(message: string, fields: LogFields = {}): LogRecord {
  return {
    timestampMs: 5,
    severity: 'warn',
    subsystem: 'driver',
    event: 'tick_dropped',
    message,
    fields,
  };
}

describe('a log line', () => {
  it('names severity, subsystem, event, message and fields', () => {
    const line = formatLogLine(record('Too late.', { tick: 7, why: 'stall', live: true }));
    expect(line).toBe('[warn] driver/tick_dropped: Too late. | tick=7 why=stall live=true');
  });

  it('has no bar without fields', () => {
    expect(formatLogLine(record('Too late.'))).toBe('[warn] driver/tick_dropped: Too late.');
  });

  it('quotes keys and values that hold a space, a sign of the line, or nothing', () => {
    const fields = { a: 'x y', b: 'k=v', c: '', d: 'say "no"', e: 'c:\\dir', f: 'a|b', 'g h': 1 };
    expect(formatLogLine(record('', fields)).split(' | ')[1]).toBe(
      'a="x y" b="k=v" c="" d="say \\"no\\"" e="c:\\\\dir" f="a|b" "g h"=1',
    );
  });

  it('stays one line without control characters, whatever it is given', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, text, (message, key, value) => {
        const line = formatLogLine(record(`${message}\n\u001b[31m\u2028`, { [key]: value }));
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
    );
    expect(formatLogLine(record('a\nb\u0007'))).toBe('[warn] driver/tick_dropped: a\\nb\\u0007');
    expect(formatLogLine(record('', { a: 'x\ny' }))).toContain(' | a="x\\ny"');
  });

  it('begins with the given wall-clock time in UTC to the microsecond', () => {
    const line = formatLogLine(record('Late.'), 1_796_012_345_678.25);
    expect(line).toBe('2026-11-30T04:19:05.678250Z [warn] driver/tick_dropped: Late.');
  });

  it('gives every moment of the years 0 to 9999 the date that Date gives it', () => {
    const moments = fc.integer({ min: -62_167_219_200_000, max: Date.UTC(9999, 11, 31) });
    fc.assert(
      fc.property(moments, (ms) => {
        const expected = new Date(ms).toISOString().replace('Z', '000Z');
        expect(formatLogLine(record(''), ms).split(' ')[0]).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('carries a fraction that rounds up into the next second', () => {
    expect(formatLogLine(record(''), 999.9999).split(' ')[0]).toBe('1970-01-01T00:00:01.000000Z');
  });

  it('prints a time that is no date as it is', () => {
    expect(formatLogLine(record(''), NaN).split(' ')[0]).toBe('NaN');
    expect(formatLogLine(record(''), 1e20).split(' ')[0]).toBe('100000000000000000000');
  });
});
