import { expect, test } from 'vitest';
import { HEADER, READER, SHARED_WORDS } from '../../src/shared/words.ts';
import { readText } from './tree.ts';

const COLUMNS = ['Name', 'Writer', 'Readers', 'Edge', 'Meaning'];

/** Reads the rows of the one table with our columns; code marks count for nothing. */
function readTable(markdown: string): string[][] {
  const rows = markdown.split('\n').map((line) => (line.startsWith('|') ? readCells(line) : []));
  const head = rows.findIndex((cells) => cells.join() === COLUMNS.join());
  if (head < 0) return [];
  const end = rows.findIndex((cells, index) => index > head && cells.length === 0);
  return rows.slice(head + 2, end < 0 ? rows.length : end);
}

function readCells(line: string): string[] {
  const inner = line.trim().replace(/^\||\|$/g, '');
  return inner
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').replaceAll('`', '').trim());
}

test('the table of shared words in the memory model is the one in the code, row by row', () => {
  const rows = readTable(readText('docs/memory-model.md'));
  const wanted = SHARED_WORDS.map((word) =>
    [word.name, word.writer, word.readers, word.edge, word.meaning].map((cell) =>
      cell.replaceAll('`', ''),
    ),
  );
  expect(rows).toEqual(wanted);
});

test('every word of the header and of a reader stands in the table of shared words', () => {
  const named = new Set(SHARED_WORDS.flatMap((word) => word.name.match(/\w+/g) ?? []));
  const missing = [...Object.keys(HEADER), ...Object.keys(READER)].filter((it) => !named.has(it));
  expect(missing).toEqual([]);
});
