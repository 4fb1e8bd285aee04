import { describe, expect, it, test } from 'vitest';
import { firstDifference, goldenKey, groupByHash, judge } from './harness/compare.ts';
import type { Job, Outcome, RunJob } from './harness/plan.ts';

const WANTED = { 0: 'a', 1: 'b', 10: 'c', 100: 'd', 1000: 'e' };
const RUN: RunJob = {
  kind: 'run',
  scene: 'flock',
  way: 'worker, batch',
  ticks: 100,
  silent: false,
};
const GOLDEN = {
  flock: WANTED,
  'flock, no inputs': { 0: 'a', 1: 'x', 10: 'y', 100: 'z' },
  maths: { sin: 's', cos: 'c' },
};

function outcome(hashes: Outcome['hashes'], rest: Partial<Outcome> = {}): Outcome {
  return { hashes, ms: 1, ...rest };
}

describe('the first difference', () => {
  it('is none between a list and a longer one that begins with it', () => {
    expect(firstDifference({ 0: 'a', 1: 'b' }, WANTED)).toBe(undefined);
  });

  it('is the lowest tick, whatever order they were set in', () => {
    const given = { 1000: '?', 100: '?', 1: 'b', 0: 'a', 10: 'c' };
    expect(firstDifference(given, WANTED)).toEqual({
      at: '100',
      given: '?',
      wanted: 'd',
      before: 3,
    });
  });

  it('is a tick that the wanted list lacks', () => {
    expect(firstDifference({ 0: 'a', 2: 'b' }, WANTED)).toEqual({
      at: '2',
      given: 'b',
      wanted: undefined,
      before: 1,
    });
  });
});

describe('a run', () => {
  it('is the same when all of its hashes are golden, and its last tick has one', () => {
    const hashes = { 0: 'a', 1: 'b', 10: 'c', 100: 'd' };
    expect(judge(RUN, outcome(hashes), GOLDEN)).toEqual({ result: 'same', compared: 4, note: '' });
  });

  it('differs at the first tick that does', () => {
    const hashes = { 0: 'a', 1: 'b', 10: '?', 100: '!' };
    expect(judge(RUN, outcome(hashes), GOLDEN)).toEqual({
      result: 'different',
      compared: 2,
      note: 'tick 10: ?, not c',
    });
  });

  it('is held to the list without inputs when it had none', () => {
    const silent = { ...RUN, silent: true };
    expect(judge(silent, outcome({ 0: 'a', 1: 'x', 100: 'z' }), GOLDEN).result).toBe('same');
    expect(judge(silent, outcome({ 0: 'a', 1: 'b', 100: 'd' }), GOLDEN).note).toBe(
      'tick 1: b, not x',
    );
  });

  it.each([
    ['it ended early', { 0: 'a', 1: 'b', 10: 'c' }, 'it has no hash of tick 100, its last'],
    ['it has nothing', {}, 'it has no hash of tick 100, its last'],
    ['only its last tick was hashed', { 100: 'd' }, 'it has one hash only'],
  ])('fails when %s', (_, hashes, note) => {
    expect(judge(RUN, outcome(hashes), GOLDEN)).toEqual({ result: 'failed', compared: 0, note });
  });

  it('fails when there is nothing to compare it with', () => {
    const verdict = judge({ ...RUN, scene: 'cubes' }, outcome({ 0: 'a' }), GOLDEN);
    expect(verdict.result).toBe('failed');
    expect(verdict.note).toBe("there are no golden hashes for 'cubes'");
  });

  it('keeps apart what an engine cannot do and what went wrong', () => {
    const absent = judge(RUN, outcome({}, { unavailable: 'no shared memory' }), GOLDEN);
    expect(absent).toEqual({ result: 'unavailable', compared: 0, note: 'no shared memory' });
    const broken = judge(RUN, outcome({}, { error: 'it hung' }), GOLDEN);
    expect(broken).toEqual({ result: 'failed', compared: 0, note: 'it hung' });
  });
});

describe('the table of functions', () => {
  const job: Job = { kind: 'maths' };

  it('is the same when every function is', () => {
    expect(judge(job, outcome({ cos: 'c', sin: 's' }), GOLDEN).result).toBe('same');
  });

  it('differs by name', () => {
    expect(judge(job, outcome({ sin: 's', cos: '?' }), GOLDEN).note).toBe('cos: ?, not c');
  });

  it('fails when a function is missing', () => {
    expect(judge(job, outcome({ sin: 's' }), GOLDEN).note).toBe('the table lacks cos');
  });
});

test('a control is held to nothing', () => {
  const job: Job = { kind: 'control' };
  expect(goldenKey(job)).toBe(undefined);
  expect(judge(job, outcome({ sin: '?' }), GOLDEN).result).toBe('control');
});

test('engines are grouped by what they return', () => {
  const groups = groupByHash(
    new Map([
      ['Node', { sin: 'a', exp: 'b' }],
      ['Firefox', { sin: 'a', exp: 'c' }],
      ['Chromium', { sin: 'a', exp: 'b' }],
    ]),
  );
  expect([...groups]).toEqual([
    ['sin', [['Node', 'Firefox', 'Chromium']]],
    ['exp', [['Node', 'Chromium'], ['Firefox']]],
  ]);
});
