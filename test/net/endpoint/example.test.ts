import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { shown } from './example.ts';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');

test('the example of the page runs, and the client sees the end', () => {
  const code = read('example.ts').replace('export { shown };\n', '');
  expect(read('../../../docs/net.md')).toContain(`\`\`\`ts\n${code}\`\`\``);
  expect([shown?.count, shown?.ids[0], shown?.columns[1]?.values[0]]).toEqual([1, 7, 1.5]);
});
