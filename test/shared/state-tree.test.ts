import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStateTree, type StateTree, type StateValue } from '../../src/shared/state-tree.ts';
import { scaled } from '../scaled.ts';
import { codeOf } from './clock-frames.ts';

type Told = [string, StateValue | undefined, StateValue | undefined];

const runs = { numRuns: scaled({ tiny: 200, normal: 2000, full: 50_000 }) };
const PATHS = ['sim', 'sim.speed', 'sim.speed.max', 'sim.mode', 'simple', 'a', 'a.b-c.d_e'];

const path = fc.constantFrom(...PATHS);
const value = fc.oneof(
  fc.constantFrom<StateValue>(0, -0, 1, 0.5, Number.NaN, Infinity, '', '0', 'live', true, false),
  fc.double(),
  fc.string(),
);
const change = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(path, value) },
  { weight: 1, arbitrary: fc.tuple(path, fc.constant(undefined)) },
);

const apply = (tree: StateTree, [key, to]: readonly [string, StateValue | undefined]): void => {
  if (to === undefined) tree.delete(key);
  else tree.set(key, to);
};

const noting = (tree: StateTree, prefix: string): Told[] => {
  const told: Told[] = [];
  tree.observe(prefix, (...each) => told.push(each));
  return told;
};

/** Word by word, as it is documented. */
const covers = (prefix: string, key: string): boolean =>
  prefix.split('.').every((word, i) => prefix === '' || key.split('.')[i] === word);

describe('a state tree', () => {
  test('holds what a map holds, and tells each real change once, in order', () => {
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 40 }),
        fc.subarray(['', ...PATHS]),
        fc.boolean(),
        (changes, prefixes, late) => {
          const tree = createStateTree();
          const model = new Map<string, StateValue>();
          const told = late ? [] : prefixes.map((prefix) => noting(tree, prefix));
          const expected: Told[] = [];
          for (const each of changes) {
            const [key, to] = each;
            const previous = model.get(key);
            apply(tree, each);
            const isSame = previous === to || (Number.isNaN(previous) && Number.isNaN(to));
            // 0 and -0 are the same: what is there stays.
            if (!isSame) {
              if (to === undefined) model.delete(key);
              else model.set(key, to);
              expected.push([key, to, previous]);
            }
            expect(tree.version).toBe(expected.length);
            for (const known of PATHS) {
              expect(tree.get(known)).toEqual(model.get(known));
              expect(tree.has(known)).toBe(model.has(known));
            }
          }
          expect(tree.keys()).toEqual([...model.keys()].sort());
          for (const [i, list] of told.entries()) {
            const prefix = prefixes[i] as string;
            expect(list).toEqual(expected.filter(([key]) => covers(prefix, key)));
            expect(tree.keys(prefix)).toEqual(
              [...model.keys()].filter((key) => covers(prefix, key)).sort(),
            );
          }
        },
      ),
      runs,
    );
  });

  test('lets a key take another type', () => {
    const tree = createStateTree();
    for (const each of [2, '2', true, Number.NaN, 2, 'warp', 0.5]) {
      tree.set('sim.speed', each);
      expect(tree.get('sim.speed')).toEqual(each);
    }
    expect(tree.version).toBe(7);
  });

  test('counts no change for the same value again, NaN and 0 included', () => {
    const tree = createStateTree();
    const set = (to: StateValue): number => {
      tree.set('x', to);
      return tree.version;
    };
    expect([set(Number.NaN), set(Number.NaN), set(0), set(-0), set('0'), set('0')]).toEqual([
      1, 1, 2, 2, 3, 3,
    ]);
    expect([tree.delete('x'), tree.delete('x'), tree.version]).toEqual([true, false, 4]);
  });

  test.each(['', '.', 'a.', '.a', 'a..b', 'a b', 'ä', 'a/b', 'x'.repeat(201)])(
    'refuses the path %j',
    (bad) => {
      const tree = createStateTree();
      expect(codeOf(() => tree.set(bad, 1))).toBe('VALUE_INVALID');
      if (bad !== '') expect(codeOf(() => tree.observe(bad, () => {}))).toBe('VALUE_INVALID');
      expect([tree.get(bad), tree.has(bad), tree.delete(bad), tree.version]).toEqual([
        undefined,
        false,
        false,
        0,
      ]);
    },
  );

  test.each([undefined, null, {}, [1], 1n, Symbol('s'), () => 1])('refuses the value %s', (bad) => {
    const tree = createStateTree();
    expect(codeOf(() => tree.set('a', bad as unknown as number))).toBe('VALUE_INVALID');
    tree.set('a', 1);
    expect(codeOf(() => tree.set('a', bad as unknown as number))).toBe('VALUE_INVALID');
    expect([tree.get('a'), tree.version]).toEqual([1, 1]);
  });
});

describe('listeners', () => {
  test('are told before set returns, and no more once they unsubscribed, twice or not', () => {
    const tree = createStateTree();
    const told: Told[] = [];
    const end = tree.observe('a', (...each) => told.push(each));
    tree.set('a', 1);
    expect(told).toEqual([['a', 1, undefined]]);
    end();
    end();
    tree.set('a', 2);
    expect(told.length).toBe(1);
  });

  test('one listener observed twice is two, each ended on its own', () => {
    const tree = createStateTree();
    let count = 0;
    const listener = (): void => {
      count++;
    };
    const end = tree.observe('a', listener);
    tree.observe('a', listener);
    tree.set('a', 1);
    end();
    tree.set('a', 2);
    expect(count).toBe(3);
  });

  test('removed while a change is told are not told of it; added ones hear of later ones', () => {
    const tree = createStateTree();
    const told: string[] = [];
    const end = { second: (): void => {} };
    tree.observe('a', (_, value) => {
      told.push(`first ${String(value)}`);
      if (value !== 1) return;
      end.second();
      tree.set('a', 2);
      tree.observe('a', (_path, to) => told.push(`late ${String(to)}`));
      tree.set('a', 3);
    });
    end.second = tree.observe('a', (_, value) => told.push(`second ${String(value)}`));
    tree.set('a', 1);
    expect(told).toEqual(['first 1', 'first 2', 'first 3', 'late 3']);
  });

  test('that set keys see the tree at once, and all are told in the order of the changes', () => {
    const tree = createStateTree();
    const told: string[] = [];
    tree.observe('a', (_, value) => {
      tree.set('b', Number(value) * 2);
      told.push(`b is ${String(tree.get('b'))}`);
    });
    tree.observe('', (key, value) => told.push(`${key} = ${String(value)}`));
    tree.set('a', 1);
    expect(told).toEqual(['b is 2', 'a = 1', 'b = 2']);
  });

  test('that throw keep no other from being told, and do not throw into the setter', () => {
    const errors: unknown[] = [];
    const tree = createStateTree({ onListenerError: (error) => errors.push(error) });
    const fault = new Error('a fault');
    tree.observe('a', () => {
      throw fault;
    });
    const told = noting(tree, 'a');
    tree.set('a', 1);
    tree.set('a', 2);
    expect(told.map(([, value]) => value)).toEqual([1, 2]);
    expect(errors).toEqual([fault, fault]);
  });

  test('that throw are reported by the platform, in a microtask, unless an option takes it', () => {
    const later: (() => void)[] = [];
    const platform = globalThis.queueMicrotask;
    globalThis.queueMicrotask = (callback) => void later.push(callback);
    try {
      const tree = createStateTree();
      tree.observe('', () => {
        throw new Error('a fault');
      });
      tree.set('a', 1);
    } finally {
      globalThis.queueMicrotask = platform;
    }
    expect(later.length).toBe(1);
    expect(() => later[0]?.()).toThrow('a fault');
  });

  test('that answer each other without an end are stopped and reported', () => {
    const errors: unknown[] = [];
    const tree = createStateTree({ onListenerError: (error) => errors.push(error) });
    tree.observe('a', (_, value) => tree.set('a', Number(value) + 1));
    tree.set('a', 1);
    expect(errors.map((error) => (error as { code: string }).code)).toEqual(['STATE_INVALID']);
    const told = noting(tree, 'b');
    tree.set('b', 1);
    expect(told).toEqual([['b', 1, undefined]]);
  });
});
