import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { KEYS } from '../../src/cli/control-keys.ts';
import { CLOSE_CODE, CONTROL_LIMITS, CONTROL_PROTOCOL } from '../../src/cli/control-protocol.ts';
import { VERBS } from '../../src/cli/control-verbs.ts';

const path = fileURLToPath(new URL('../../docs/control-protocol.md', import.meta.url));
const page = readFileSync(path, 'utf8');

/** The cells of each row of the table below a heading. */
function tableBelow(heading: string): string[][] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((line) => line.split('|').map((cell) => cell.trim()));
}

const namesIn = (cell = ''): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');

test('the page has the verbs of the server, and the fields of each', () => {
  const written = tableBelow('Verbs').map(([, verb, fields]) => {
    const names = namesIn(fields).map((name) => name.replace(/[[\]]/g, ''));
    return [namesIn(verb)[0], names];
  });
  expect(written).toEqual(Object.entries(VERBS).map(([name, { fields }]) => [name, fields]));
});

test('the page has the keys of the server', () => {
  expect(tableBelow('Keys').map(([, key]) => namesIn(key)[0])).toEqual([...KEYS]);
});

test('the page has the limits of the server, in their order', () => {
  const written = tableBelow('Limits').map(([, , limit]) => Number.parseInt(limit ?? '', 10));
  expect(written).toEqual(Object.values(CONTROL_LIMITS));
});

test('the page names the protocol and every close code of its own', () => {
  expect(page).toContain(`**\`${CONTROL_PROTOCOL}\`**`);
  for (const code of Object.values(CLOSE_CODE)) expect(page).toContain(`| ${code} |`);
});
