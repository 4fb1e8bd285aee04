import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { formatDiff } from '../../src/cli/difference-text.ts';
import { FileSink, writeWhole } from '../../src/cli/file-sink.ts';
import { inspect } from '../../src/cli/commands/inspect.ts';
import { jsonLine } from '../../src/cli/json-line.ts';
import { pick } from '../../src/cli/load-definition.ts';
import { readReplayBytes, readReplayFile } from '../../src/cli/replay-file.ts';
import { formatTable, tabulate } from '../../src/cli/state-table.ts';
import { counted, formatBytes } from '../../src/cli/status-report.ts';
import { UsageError } from '../../src/cli/usage-error.ts';
import { MemorySink } from '../../src/shared/replay/memory-sink.ts';
import { ReplayWriter } from '../../src/shared/replay/replay-writer.ts';
import { openReplay } from '../../src/sim-worker/index.ts';
import type { StateDifference } from '../../src/sim-worker/difference-list.ts';
import { defineDrift, recordDrift } from '../sim-worker/replay/drift.ts';

const scratch = mkdtempSync(join(tmpdir(), 'escapement-files-'));
const inScratch = (name: string): string => join(scratch, name);
afterAll(() => rmSync(scratch, { recursive: true }));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a file that is recorded to', () => {
  test('has its name from its first bytes on, and holds all that was written', async () => {
    const path = inScratch('a.replay');
    const sink = await FileSink.open(path, false);
    expect(existsSync(path)).toBe(false);
    await sink.write(bytes('head'));
    expect(readFileSync(path, 'utf8')).toBe('head');
    await sink.write(bytes(' and more'));
    expect(readFileSync(path, 'utf8')).toBe('head and more');
    await sink.close();
    expect(readdirSync(scratch)).toEqual(['a.replay']);
  });

  test('replaces another only if it may', async () => {
    const path = inScratch('b.replay');
    writeFileSync(path, 'before');
    await expect(FileSink.open(path, false)).rejects.toBeInstanceOf(UsageError);
    await expect(writeWhole(path, bytes('x'), false)).rejects.toBeInstanceOf(UsageError);
    const sink = await FileSink.open(path, true);
    expect(readFileSync(path, 'utf8')).toBe('before');
    await sink.write(bytes('after'));
    await sink.close();
    expect(readFileSync(path, 'utf8')).toBe('after');
    await writeWhole(path, bytes('whole'), true);
    expect(readFileSync(path, 'utf8')).toBe('whole');
  });

  test('leaves nothing when nothing was written, and says when it cannot be made', async () => {
    const before = readdirSync(scratch);
    const sink = await FileSink.open(inScratch('c.replay'), false);
    expect(readdirSync(scratch)).toEqual(before);
    await sink.discard();
    expect(readdirSync(scratch)).toEqual(before);
    const nowhere = inScratch('no/such/directory.replay');
    await expect(FileSink.open(nowhere, false)).rejects.toBeInstanceOf(UsageError);
  });
});

test('a file that begins as no recording does is not read further', async () => {
  const path = inScratch('sparse.replay');
  writeFileSync(path, 'no recording at all, and then very long');
  truncateSync(path, 2 ** 30);
  expect(await readReplayBytes(path)).toEqual(bytes('no recording at '));
  await expect(readReplayFile(path)).rejects.toMatchObject({ code: 'REPLAY_INVALID' });
  truncateSync(path, 2 ** 31);
  await expect(readReplayBytes(path)).rejects.toThrow('cannot be read');
  rmSync(path);
});

test('what steers a terminal is written out, not obeyed, wherever a file brings it', async () => {
  const replay = await recordDrift({ ticks: 1 });
  const sink = new MemorySink();
  const identity = '\u001B[2J\u009B31m\nend: all is well \u202Eünd';
  const writer = new ReplayWriter(sink, { ...replay.header, identity });
  writer.addKeyframe(replay.loadKeyframe(0));
  await writer.close(0, 'stopped');
  const path = inScratch('steering.replay');
  writeFileSync(path, sink.bytes());
  let out = '';
  const terminal = {
    isTty: true,
    env: {},
    out: (text: string) => void (out += text),
    err: () => undefined,
    onEnd: () => undefined,
  };
  expect(await inspect.run([path], terminal)).toBe(0);
  expect(out).toContain('version \\u{1b}[2J\\u{9b}31m\\u{a}end: all is well \\u{202e}ünd,');
  expect(out.split('\n').filter((line) => /\p{Cc}/u.test(line))).toEqual([]);
  rmSync(path);
});

describe('the definition of a module', () => {
  const [one, other] = [defineDrift(0), defineDrift(1)];
  const file = { path: 'm.js' };

  test('is the only one, however often it is exported, or the one that is named', () => {
    expect(pick(file, { one, again: one, count: 3, nothing: null }, undefined)).toBe(one);
    expect(pick(file, { one, other }, 'other')).toBe(other);
  });

  test.each([
    ['several', { one, other }, undefined, 'one of them: one, other'],
    ['none', { count: 3 }, undefined, 'defineSimulation'],
    ['none of that name', { one, other }, 'third', 'one, other'],
    ['another thing of that name', { one, count: 3 }, 'count', 'one'],
  ])('is refused when there is %s', (_, exports, name, allowed) => {
    let refused: unknown;
    try {
      pick(file, exports, name);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(UsageError);
    expect((refused as UsageError).detail.allowed).toContain(allowed);
  });
});

test('a state is printed as a table, bounded', async () => {
  const replay = await recordDrift({ ticks: 5 });
  const run = await openReplay(defineDrift(), replay);
  const { world } = run.save();
  const table = tabulate(replay.header.schema, world, 2);
  expect(table).toMatchObject({
    entities: 13,
    globals: { total: 0, flags: 0 },
    rows: [
      { slot: 0, components: { position: [0, 0], hits: 0, weight: 0.1, charge: 0, marked: true } },
      { slot: 1, components: { position: [1, 0], hits: 1, trail: [1, 2, 3, 4] } },
    ],
  });
  expect(Object.keys(table.rows[1]?.components ?? {})).not.toContain('charge');
  const text = formatTable(table);
  expect(text).toContain(
    'globals: total 0, flags 0\nentities: 13\n  slot 0, entity 16: position [0, 0]',
  );
  expect(text.endsWith('  and 11 more\n')).toBe(true);
});

test('differences are told in short numbers, with the bits of floats', () => {
  const difference = (found: Partial<StateDifference>): StateDifference => ({
    kind: 'value',
    name: 'position',
    slot: 3,
    entity: 67,
    field: 1,
    fieldName: 'y',
    a: 0,
    b: 1,
    ...found,
  });
  const a = Math.fround(0.1);
  const lines = formatDiff(
    {
      total: 9,
      groups: [
        { kind: 'value', name: 'position', count: 8 },
        { kind: 'lives', name: '', count: 1 },
      ],
      differences: [
        difference({ a, b: Math.fround(a + 2 ** -27), bits: ['3dcccccd', '3dccccce'] }),
        difference({ name: 'trail', fieldName: '[1].x', a: 1, b: 2 }),
        difference({ kind: 'lives', name: '', fieldName: '', a: true, b: false }),
        difference({ kind: 'global', name: 'total', slot: -1, entity: 0, fieldName: '' }),
      ],
    },
    (component) => (component === 'position' ? ['steer', 'move'] : []),
  );
  expect(lines).toEqual([
    '  8 in component position, written by: steer, move',
    '  1 in who lives',
    '    position.y of slot 3, entity 67: A 0.1, B 0.10000001 (bits 3dcccccd, 3dccccce)',
    '    trail[1].x of slot 3, entity 67: A 1, B 2',
    '    who lives of slot 3, entity 67: A yes, B no',
    '    global total: A 0, B 1',
    '    and 5 more',
  ]);
});

test('lines are JSON whatever the numbers, and figures are short', () => {
  expect(jsonLine({ a: Number.NaN, b: [Infinity, 1] })).toBe('{"a":"NaN","b":["Infinity",1]}\n');
  expect([formatBytes(999), formatBytes(12_345), formatBytes(45_600_000)]).toEqual([
    '999 bytes',
    '12.3 kB',
    '45.6 MB',
  ]);
  expect([counted(1, 'hash', 'hashes'), counted(0, 'hash', 'hashes')]).toEqual([
    '1 hash',
    '0 hashes',
  ]);
});
