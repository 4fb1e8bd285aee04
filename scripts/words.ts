import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SHARED_WORDS } from '../src/shared/words.ts';

/** Writes the table of shared words from the code into the memory model; a test compares them. */
const page = fileURLToPath(new URL('../docs/memory-model.md', import.meta.url));
const head = '| Name | Writer | Readers | Edge | Meaning |\n| --- | --- | --- | --- | --- |\n';
const text = readFileSync(page, 'utf8');
const begin = text.indexOf(head);
if (begin < 0) throw new Error(`${page} has no table of shared words to replace`);
const rows = SHARED_WORDS.map(
  ({ name, writer, readers, edge, meaning }) =>
    `| ${name} | ${writer} | ${readers} | ${edge} | ${meaning} |\n`,
);
const after = text.slice(begin + head.length).replace(/^(?:\|.*\n)*/, '');
writeFileSync(page, text.slice(0, begin) + head + rows.join('') + after);
process.stdout.write(`${rows.length} words\n`);
