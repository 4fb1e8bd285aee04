import { expect, test } from 'vitest';
import {
  composePage,
  countResults,
  layOut,
  listControl,
  listTrouble,
  tableBy,
} from '../../scripts/lib/engines/report.mjs';
import type { Verdict } from './harness/compare.ts';
import type { Job } from './harness/plan.ts';

const run = { kind: 'run', ticks: 100, silent: false } as const;
const jobs: readonly Job[] = [
  { kind: 'maths' },
  { kind: 'control' },
  { ...run, scene: 'flock', way: 'one thread, batch' },
  { ...run, scene: 'flock', way: 'worker, batch' },
  { ...run, scene: 'storm', way: 'worker, batch' },
];
const same: Verdict = { result: 'same', compared: 5, note: '' };
const control: Verdict = { result: 'control', compared: 0, note: '' };
const different: Verdict = { result: 'different', compared: 3, note: 'tick 60: a, not b' };
const failed: Verdict = { result: 'failed', compared: 0, note: 'it hung' };
const absent: Verdict = { result: 'unavailable', compared: 0, note: 'no shared memory' };

const hello = { agent: '', isolated: true, waitAsync: true, threads: 2 };
const results = [
  { title: 'Node', jobs, verdicts: [same, control, same, same, same], ms: 1, hello },
  { title: 'Fox', jobs, verdicts: [same, control, different, absent, failed], ms: 1, hello },
  { title: 'Kit', jobs: [], verdicts: [], ms: 0, missing: 'not installed' },
];

test('a job counts once, and a control not at all', () => {
  expect(countResults(results)).toEqual({ passed: 5, failed: 2, skipped: 2 });
});

test('a table has a row for each scene or way, and a column for each engine that ran', () => {
  expect(tableBy(results, 'scene', ['maths', 'storm', 'flock', 'cubes'])).toEqual([
    ['scene', 'Node', 'Fox'],
    ['maths', 'same, 5', 'same, 5'],
    ['storm', 'same, 5', 'FAILED, 1 of 1'],
    ['flock', 'same, 10', 'DIFFERENT, 1 of 2'],
  ]);
  expect(tableBy(results, 'way', ['worker, batch'])).toEqual([
    ['way', 'Node', 'Fox'],
    ['worker, batch', 'same, 10', 'FAILED, 1 of 2'],
  ]);
});

test('whatever is not the same has a line with the reason', () => {
  expect(listTrouble(results)).toEqual([
    'Fox: flock (one thread, batch): different: tick 60: a, not b',
    'Fox: flock (worker, batch): not there: no shared memory',
    'Fox: storm (worker, batch): failed: it hung',
    'Kit: not run: not installed',
  ]);
});

test('the engines’ own functions are told apart', () => {
  const groups = new Map([
    ['sin', [['Node', 'Fox']]],
    ['exp', [['Node'], ['Fox']]],
  ]);
  expect(listControl(groups)).toEqual(['Math.sin: all agree', 'Math.exp: Node | Fox']);
});

test('a table is laid out in columns', () => {
  expect(
    layOut([
      ['a', 'bcd', 'e'],
      ['fg', 'h', ''],
    ]),
  ).toEqual(['a   bcd  e', 'fg  h']);
});

test('the page names every engine, run or not', () => {
  const machine = {
    commit: 'abc',
    changed: false,
    node: 'v20',
    cpu: '2 x some',
    memoryGiB: 8,
    platform: 'linux x64',
  };
  const plan = { ticks: 100, scenes: ['flock'], ways: ['worker, batch'] };
  const page = composePage(results, new Map(), plan, machine);
  expect(page).toContain('- 100 ticks; 5 runs and tables are the golden ones, 2 are not, 2 could');
  expect(page).toContain('| Kit | not run |');
  expect(page).toContain('- Fox: storm (worker, batch): failed: it hung');
});
