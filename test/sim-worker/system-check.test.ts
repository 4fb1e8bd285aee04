import { describe, expect, test } from 'vitest';
import { EscapementError } from '../../src/shared/error.ts';
import { checkSystem, type SystemCandidate } from '../../src/sim-worker/system-check.ts';

const COMPONENTS = ['position', 'heading'];
const TAKEN = ['move', 'draw'];
const GOOD: SystemCandidate = { name: 'steer', run: () => undefined };

const manyNames = (count: number): string[] => Array.from({ length: count }, (_, i) => `s${i}`);

function faultOf(
  change: Partial<SystemCandidate>,
  registered: readonly string[] = TAKEN,
): EscapementError | undefined {
  try {
    checkSystem({ ...GOOD, ...change }, COMPONENTS, new Set(registered));
  } catch (error) {
    if (error instanceof EscapementError) return error;
    throw error;
  }
  return undefined;
}

describe('a system is accepted', () => {
  test.each<[string, Partial<SystemCandidate>]>([
    ['with a name and a function alone', {}],
    ['with every part', { budgetMs: 0.5, after: ['move'], reads: ['position'], period: 2 }],
    ['with a component in both reads and writes', { reads: ['heading'], writes: ['heading'] }],
    [
      'after systems that are not registered, itself and one named twice',
      {
        after: ['later', 'steer', 'move', 'move'],
      },
    ],
    ['with as many dependencies as there may be', { after: manyNames(16) }],
    [
      'with empty lists and the least of each number',
      {
        after: [],
        reads: [],
        writes: [],
        budgetMs: Number.MIN_VALUE,
        period: 1,
      },
    ],
  ])('%s', (_, change) => {
    expect(faultOf(change)).toBe(undefined);
  });

  test('as the 256th', () => {
    expect(faultOf({}, manyNames(255))).toBe(undefined);
  });
});

type Fault = readonly [what: string, change: Partial<SystemCandidate>, code: string, text: string];

/** In the order in which they are looked for; several of one rank stand together. */
const RANKS: readonly (readonly Fault[])[] = [
  [
    [
      'an empty name',
      { name: '' },
      'SCHEMA_INVALID',
      'A system needs a name of its own. Given: ""',
    ],
    ['no name', { name: undefined }, 'SCHEMA_INVALID', 'Given: undefined. Allowed: any text'],
    ['a name that is no text', { name: 7 }, 'SCHEMA_INVALID', 'Given: 7. Allowed: any text'],
  ],
  [
    ['no run function', { run: undefined }, 'SCHEMA_INVALID', 'has no run function. Given: undef'],
    ['a run that is no function', { run: {} }, 'SCHEMA_INVALID', 'Given: an object. Allowed: a fu'],
  ],
  [
    [
      'a budget of 0',
      { budgetMs: 0 },
      'OPTION_INVALID',
      'has a bad budget. Given: 0. Allowed: mil',
    ],
    ['a budget below 0', { budgetMs: -1 }, 'OPTION_INVALID', 'Given: -1. Allowed: milliseconds ab'],
    ['an endless budget', { budgetMs: Infinity }, 'OPTION_INVALID', 'Given: Infinity.'],
    ['a budget of NaN', { budgetMs: Number.NaN }, 'OPTION_INVALID', 'Given: NaN.'],
    ['a budget that is text', { budgetMs: '5' }, 'OPTION_INVALID', 'Given: "5".'],
    ['a budget of null', { budgetMs: null }, 'OPTION_INVALID', 'Given: null.'],
  ],
  [
    [
      'an `after` that is no list',
      { after: 'move' },
      'SCHEMA_INVALID',
      'has a bad `after`. Given: "',
    ],
    ['an `after` of functions', { after: [GOOD.run] }, 'SCHEMA_INVALID', 'after[0] is a function'],
    ['an empty name in `after`', { after: ['move', ''] }, 'SCHEMA_INVALID', 'after[1] is "".'],
    [
      '17 dependencies',
      { after: manyNames(17) },
      'SCHEMA_INVALID',
      '17 entries. Allowed: a list of',
    ],
  ],
  [
    [
      'a name taken',
      { name: 'draw' },
      'SCHEMA_INVALID',
      'Given: "draw". Allowed: any text but move',
    ],
  ],
  [
    [
      'an unknown component read',
      { reads: ['speed'] },
      'NAME_UNKNOWN',
      'reads[0] is "speed". Allo',
    ],
    [
      'one written',
      { writes: ['position', 'toString'] },
      'NAME_UNKNOWN',
      'Allowed: position, head',
    ],
    [
      'reads that are no list',
      { reads: 'position' },
      'SCHEMA_INVALID',
      'has a bad `reads`. Given:',
    ],
    ['writes that are no list', { writes: 1 }, 'SCHEMA_INVALID', 'has a bad `writes`. Given: 1.'],
  ],
  [
    [
      'a component read twice',
      { reads: ['heading', 'heading'] },
      'SCHEMA_INVALID',
      'reads[1] is "h',
    ],
    [
      'one written twice',
      { writes: ['position', 'position'] },
      'SCHEMA_INVALID',
      'once in `writes`',
    ],
  ],
  [
    [
      'a period of 0',
      { period: 0 },
      'OPTION_INVALID',
      'has a bad period. Given: 0. Allowed: a whol',
    ],
    ['half a tick', { period: 1.5 }, 'OPTION_INVALID', 'Given: 1.5.'],
    ['a period below 0', { period: -2 }, 'OPTION_INVALID', 'Given: -2.'],
    ['a period that is text', { period: '2' }, 'OPTION_INVALID', 'Given: "2".'],
    ['an endless period', { period: Infinity }, 'OPTION_INVALID', 'Given: Infinity.'],
  ],
];

describe('a system is refused', () => {
  test.each(RANKS.flat())('with %s', (_, change, code, text) => {
    const error = faultOf(change);
    expect(error?.code).toBe(code);
    expect(error?.message).toContain(text);
    expect(error?.detail.fix).toMatch(/^[A-Z].*\.$/);
  });

  test('as the 257th', () => {
    const error = faultOf({}, manyNames(256));
    expect(error?.code).toBe('CAPACITY_EXHAUSTED');
    expect(error?.message).toBe(
      'CAPACITY_EXHAUSTED: System "steer" is one too many. Given: 256 systems are registered. ' +
        'Allowed: at most 256. Let one system do the work of several that run one after another.',
    );
  });

  test('with a component where none is declared', () => {
    const check = (): void => checkSystem({ ...GOOD, reads: ['position'] }, [], new Set());
    expect(check).toThrow('Allowed: nothing: no component is declared.');
  });
});

describe('of two faults', () => {
  const faults = RANKS.flatMap((rank, at) => rank.map(([what, change]) => ({ at, what, change })));
  const pairs = faults.flatMap((first) =>
    faults
      .filter(({ at, change }) => {
        // Two faults of one part cannot both be there.
        return first.at < at && Object.keys(change)[0] !== Object.keys(first.change)[0];
      })
      .map((second) => ({ first, second })),
  );

  test('the one that is looked for first is told', () => {
    const wrong = pairs.filter(({ first, second }) => {
      // Most texts hold the name, so both systems have the same; alone, it is not taken.
      const name = second.change.name ?? GOOD.name;
      const others = TAKEN.filter((taken) => taken !== name);
      const alone = faultOf({ name, ...first.change }, others);
      return faultOf({ ...second.change, ...first.change })?.message !== alone?.message;
    });
    expect(pairs.length).toBeGreaterThan(faults.length);
    expect(wrong.map(({ first, second }) => `${first.what}, ${second.what}`)).toEqual([]);
  });

  test('one system too many comes after every fault but its period', () => {
    const full = [...TAKEN, ...manyNames(256 - TAKEN.length)];
    const told = faults.map(({ change }) => faultOf(change, full)?.code === 'CAPACITY_EXHAUSTED');
    expect(told).toEqual(faults.map(({ at }) => at === RANKS.length - 1));
  });
});
