import { describe, expect, it } from 'vitest';
import { readReplay } from '../../../src/shared/replay/replay-reader.ts';
import { fileOf, HEADER, headerRecord, refusalOf, SCHEMA } from './replay-stage.ts';

describe('a header', () => {
  const without = (part: object): string | undefined =>
    refusalOf(fileOf(headerRecord({ ...HEADER, ...part })));
  const schema = (part: object): string | undefined => without({ schema: { ...SCHEMA, ...part } });
  const component = (part: object): string | undefined =>
    schema({ components: [{ ...SCHEMA.components[0], ...part }] });

  it('is refused for every part that no run has', () => {
    const refusals = [
      without({ formatVersion: 2 }),
      without({ library: 1 }),
      without({ identity: null }),
      without({ seed: [1] }),
      without({ seed: [1, 2 ** 32] }),
      without({ seed: { 0: 1, 1: 2, length: 2 } }),
      without({ params: { a: null } }),
      without({ params: [] }),
      without({ firstTick: -1 }),
      without({ firstTick: 0.5 }),
      without({ hashEveryTicks: '60' }),
      without({ keyframeEveryTicks: -1 }),
      without({ schema: undefined }),
      schema({ capacity: 2 ** 20 + 1 }),
      schema({ capacity: -1 }),
      schema({ name: 7 }),
      schema({ quantum: { numerator: 0, denominator: 1 } }),
      schema({ quantum: { numerator: 2, denominator: 120 } }),
      schema({ quantum: { numerator: 1e9, denominator: 1 } }),
      schema({ components: {} }),
      schema({ components: Array(257).fill(SCHEMA.components[0]) }),
      schema({ components: [SCHEMA.components[0], SCHEMA.components[0]] }),
      schema({ globals: [{ name: 'a', type: 'bool' }] }),
      schema({ inputs: [{ name: 'a', as: 'both', fields: [] }] }),
      schema({ inputs: [{ name: 'a', as: 'event' }] }),
      schema({ inputs: [{ name: 'a', as: 'event', fields: [{ name: 'x', type: 'u16' }] }] }),
      schema({ events: [{ name: 'a b', fields: [] }] }),
      schema({ params: 'none' }),
      schema({ systems: [1] }),
      schema({ changes: 1 }),
      component({ width: -2 }),
      component({ width: 5 }),
      component({ width: 1.5 }),
      component({ width: null }),
      component({ width: 8, element: 3 }),
      component({ scalar: 'toString' }),
      component({ scalar: 'i32' }),
      component({ blend: 'constructor' }),
      component({ period: null }),
      component({ rows: 0 }),
      component({ rows: 4 }),
      component({ name: '__proto__' }),
      component({ channelIndex: 1 }),
      component({ channelIndex: -2 }),
      component({ width: 0, blend: 'step' }),
    ];
    for (const refusal of refusals) {
      expect(refusal).toMatch(/^REPLAY_INVALID: `.+` in the header of this replay is not possible/);
    }
  });

  it('is refused for keys that would change a prototype', () => {
    const text = JSON.stringify(HEADER).replace('"params":{', '"params":{"__proto__":1,');
    expect(refusalOf(fileOf(headerRecord(text)))).toContain('`schema.params` in the header');
    expect(({} as Record<string, unknown>)['1']).toBe(undefined);
  });

  it('may hold fields that are not known: they are left out', () => {
    const more = { ...HEADER, machine: 'x', schema: { ...SCHEMA, later: { a: [1] } } };
    const params = { ...HEADER.params, count: 0 };
    const { header } = readReplay(fileOf(headerRecord(more)));
    expect(header).toEqual({ ...HEADER, params });
    expect(Object.keys(header.schema)).toEqual(Object.keys(SCHEMA));
  });

  it('is refused before anything is taken in memory for its size', () => {
    const hostile: (object | string)[] = [
      '['.repeat(2 ** 20),
      `${'['.repeat(9)}${']'.repeat(9)}`,
      `[${'[],'.repeat(2 ** 17)}[]]`,
      `"${'x'.repeat(2 ** 20)}"`,
      '{"formatVersion":1',
      '{"formatVersion":1e999}',
      'NaN',
      '',
      {
        ...HEADER,
        schema: {
          ...SCHEMA,
          capacity: 2 ** 20,
          components: Array.from({ length: 256 }, (_, index) => ({
            scalar: 'f64',
            width: 1024,
            element: 4,
            blend: 'step',
            period: 0,
            name: `c${index}`,
            channelIndex: -1,
          })),
        },
      },
    ];
    for (const header of hostile) {
      const bytes = fileOf(headerRecord(header));
      refusalOf(bytes);
      const before = process.memoryUsage();
      const refusal = refusalOf(bytes);
      const after = process.memoryUsage();
      expect(refusal).toContain('REPLAY_INVALID');
      const taken = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
      expect(taken).toBeLessThan(4 * bytes.length + 4 * 2 ** 20);
    }
    const noText = fileOf([1, 0, Uint8Array.of(0x22, 0xff, 0x22)]);
    expect(refusalOf(noText)).toContain('what is no JSON in UTF-8');
  });
});
