import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  CHUNK_HEAD_BYTES,
  DEFLATE_RATIO_MAX,
  FORMAT_VERSION,
  HEADER_DEPTH_MAX,
  HEADER_TOKENS_MAX,
  KEYFRAME_HEAD_BYTES,
  MAGIC,
  MAX_BYTES_DEFAULT,
  RECORD_TYPE,
  RECORD_TYPE_OPTIONAL,
} from '../../../src/shared/replay/format.ts';
import { REPLAY_END_REASONS } from '../../../src/shared/replay/replay.ts';
import { HEADER, SCHEMA } from './replay-stage.ts';

const path = new URL('../../../docs/replay-format.md', import.meta.url);
const page = readFileSync(path, 'utf8');

/** What a pattern finds on the page: its two groups, one behind the other. */
function rows(pattern: RegExp): string[] {
  return [...page.matchAll(pattern)].map((match) => match.slice(1, 3).join(' '));
}

test('the page names every type of record and every reason by its code', () => {
  const types = Object.entries(RECORD_TYPE).map(([name, code]) => `${code} ${name}`);
  expect(rows(/^\| (\d) \| ([a-z]{2,}) \| [a-z]/gm)).toEqual(types);
  const reasons = REPLAY_END_REASONS.map((reason, code) => `${code} ${reason}`);
  expect(rows(/^\| (\d) \| `([a-z]+)` \|/gm)).toEqual(reasons);
});

test('the page says the magic, the version and the limits that the code has', () => {
  const magic = MAGIC.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const said = [
    `magic: \`${magic}\``,
    `version: ${FORMAT_VERSION} `,
    `| nesting | ${HEADER_DEPTH_MAX} brackets |`,
    `outside texts | ${HEADER_TOKENS_MAX.toLocaleString('en')} |`,
    `at most ${DEFLATE_RATIO_MAX} times`,
    `| ${RECORD_TYPE_OPTIONAL} to 255 |`,
    `${MAX_BYTES_DEFAULT / 2 ** 20} MiB`,
    `| ${CHUNK_HEAD_BYTES} | | inputs, then hashes`,
    `| ${KEYFRAME_HEAD_BYTES} | | state:`,
  ];
  expect(said.filter((text) => !page.includes(text))).toEqual([]);
});

test('the page names every field of a header and of a schema', () => {
  const fields = [...Object.keys(HEADER), ...Object.keys(SCHEMA)];
  expect(fields.filter((field) => !page.includes(`\`${field}\``))).toEqual([]);
});
