import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Golden } from './harness/compare.ts';
import { controlTable, mathsTable } from './harness/maths-table.ts';

const text = readFileSync(new URL('golden.json', import.meta.url), 'utf8');
const golden = JSON.parse(text) as Golden;

test('case 109: sines and cosines of 65,536 angles, and the rest of the maths, are golden', () => {
  expect(mathsTable()).toEqual(golden['maths']);
});

test('case 109: the functions of the engine itself are others', () => {
  const own = controlTable();
  const ours = mathsTable();
  const different = Object.keys(own).filter((name) => own[name] !== ours[name]);
  expect(different).toContain('sin');
  expect(different).toContain('cos');
});
