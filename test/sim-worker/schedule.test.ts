import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EscapementError } from '../../src/shared/error.ts';
import { type SystemNode, scheduleSystems } from '../../src/sim-worker/schedule.ts';
import { scaled } from '../scaled.ts';

const runs = { numRuns: scaled({ tiny: 500, normal: 5000, full: 30_000 }) };
const exhaustiveRuns = { numRuns: scaled({ tiny: 50, normal: 300, full: 3000 }) };

/** In no order of their own, so that nothing can go by name unnoticed. */
const NAMES = ['gull', 'crow', 'auk', 'finch', 'bee', 'emu', 'dove'];
const COMPONENTS = ['position', 'heading', 'hunger'];
const STRANGER = 'moth';

type Part = Partial<Pick<SystemNode, 'reads' | 'writes' | 'after'>>;

/** Numbers systems as registration does. */
function register(parts: Readonly<Record<string, Part>>): SystemNode[] {
  return Object.entries(parts).map(([name, part], place) => {
    return { id: place + 1, name, reads: [], writes: [], after: [], ...part };
  });
}

function errorOf(systems: readonly SystemNode[]): EscapementError | undefined {
  try {
    scheduleSystems(systems);
  } catch (error) {
    if (error instanceof EscapementError) return error;
    throw error;
  }
  return undefined;
}

/** Returns the text of the error that scheduling these systems must throw. */
function refusalOf(parts: Readonly<Record<string, Part>>): string {
  const error = errorOf(register(parts));
  expect(error?.code).toBe('SCHEDULE_INVALID');
  return error?.message ?? '';
}

/** Random systems; in tame ones each is only after systems of a lower rank: no cycle. */
function systemsOf(options: { readonly tame: boolean }): fc.Arbitrary<SystemNode[]> {
  const one = fc.nat({ max: NAMES.length - 1 });
  const component = fc.constantFrom(...COMPONENTS);
  return fc
    .record({
      count: fc.nat({ max: NAMES.length }),
      ranks: fc.shuffledSubarray([...NAMES.keys()], { minLength: NAMES.length }),
      edges: fc.array(fc.tuple(one, one), { maxLength: 12 }),
      reads: fc.array(fc.tuple(one, component), { maxLength: 6 }),
      writes: fc.array(fc.tuple(one, component), { maxLength: 4 }),
    })
    .map(({ count, ranks, edges, reads, writes }) => {
      const names = NAMES.slice(0, count);
      const own = <T>(place: number, pairs: [number, T][]): T[] => [
        ...new Set(pairs.filter((pair) => pair[0] === place).map((pair) => pair[1])),
      ];
      const isNeed = (need: number, place: number): boolean =>
        need < count && (!options.tame || (ranks[need] ?? 0) < (ranks[place] ?? 0));
      return names.map((name, place) => ({
        id: place + 1,
        name,
        reads: own(place, reads),
        writes: own(place, writes),
        after: own(place, edges).flatMap((need) =>
          isNeed(need, place) ? [names[need] ?? ''] : [],
        ),
      }));
    });
}

const tame = systemsOf({ tame: true });
const wild = systemsOf({ tame: false });

/** Some systems name one that nobody registered. */
const strange = fc
  .tuple(fc.oneof(tame, wild), fc.option(fc.nat({ max: 2 * NAMES.length })))
  .map(([systems, place]) =>
    systems.map((system, at) =>
      at === place ? { ...system, after: [...system.after, STRANGER] } : system,
    ),
  );

/** All topological orders, by trying every system at every turn. */
function everyOrder(systems: readonly SystemNode[], begun: readonly number[] = []): number[][] {
  if (begun.length === systems.length) return [[...begun]];
  return systems
    .filter(({ id, after }) => {
      const isRun = (name: string): boolean =>
        begun.some((done) => systems[done - 1]?.name === name);
      return !begun.includes(id) && after.every(isRun);
    })
    .flatMap(({ id }) => everyOrder(systems, [...begun, id]));
}

function compareOrders(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((id, turn) => id !== b[turn]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** At each turn the smallest id of those whose needs have all run. */
function greedyOrder(systems: readonly SystemNode[]): number[] {
  const run: string[] = [];
  const order: number[] = [];
  for (;;) {
    const ready = systems.filter(
      ({ name, after }) => !run.includes(name) && after.every((need) => run.includes(need)),
    );
    if (ready.length === 0) return order;
    const next = ready.reduce((least, other) => (other.id < least.id ? other : least));
    run.push(next.name);
    order.push(next.id);
  }
}

/** By Floyd and Warshall: `paths.get(a).has(b)` when some chain of `after` leads from a to b. */
function pathsOf(systems: readonly SystemNode[]): (first: string, then: string) => boolean {
  const paths = new Set<string>();
  for (const { name, after } of systems) for (const need of after) paths.add(`${need} ${name}`);
  for (const via of NAMES) {
    for (const from of NAMES) {
      for (const to of NAMES) {
        if (paths.has(`${from} ${via}`) && paths.has(`${via} ${to}`)) paths.add(`${from} ${to}`);
      }
    }
  }
  return (first, then) => paths.has(`${first} ${then}`);
}

/** Every pair of writers of one component with no path either way, as `first second component`. */
function unorderedWriters(systems: readonly SystemNode[]): string[] {
  const hasPath = pathsOf(systems);
  return systems.flatMap((second) =>
    systems
      .filter(({ id, name }) => {
        return id < second.id && !hasPath(name, second.name) && !hasPath(second.name, name);
      })
      .flatMap((first) =>
        first.writes
          .filter((component) => second.writes.includes(component))
          .map((component) => `${first.name} ${second.name} ${component}`),
      ),
  );
}

/** By reader, then as it lists its reads, then by writer: `reader writer component`. */
function earlyReads(systems: readonly SystemNode[]): string[] {
  const hasPath = pathsOf(systems);
  const names = greedyOrder(systems).map((id) => systems[id - 1]?.name ?? '');
  return systems.flatMap((reader) =>
    reader.reads.flatMap((component) =>
      systems
        .filter(({ writes }) => writes.includes(component))
        .filter(({ name }) => names.indexOf(reader.name) < names.indexOf(name))
        .filter(({ name }) => !hasPath(reader.name, name))
        .map((writer) => `${reader.name} ${writer.name} ${component}`),
    ),
  );
}

/** What must come of it, by the order in which faults are looked for. */
function expectedOutcome(systems: readonly SystemNode[]): string {
  if (systems.some(({ after }) => after.includes(STRANGER))) return 'missing';
  const hasPath = pathsOf(systems);
  if (systems.some(({ name }) => hasPath(name, name))) return 'cycle';
  return unorderedWriters(systems).length > 0 ? 'writers' : 'sound';
}

function outcomeOf(error: EscapementError | undefined): string {
  if (error === undefined) return 'sound';
  if (error.headline.includes('not registered')) return 'missing';
  return error.headline.includes('cycle') ? 'cycle' : 'writers';
}

describe('the order', () => {
  test('is the least of all that respect the dependencies', () => {
    fc.assert(
      fc.property(tame, (systems) => {
        fc.pre(unorderedWriters(systems).length === 0);
        const [least] = everyOrder(systems).sort(compareOrders);
        expect(scheduleSystems(systems).order).toEqual(least);
        expect(greedyOrder(systems)).toEqual(least);
      }),
      exhaustiveRuns,
    );
  });

  test('is that of registration where nothing depends on anything', () => {
    expect(scheduleSystems(register({ b: {}, c: {}, a: {} })).order).toEqual([1, 2, 3]);
    expect(scheduleSystems([])).toEqual({ order: [], systemCount: 0, warnings: [] });
  });

  test('only moves a system later, for one registered after it too', () => {
    const systems = register({ a: { after: ['c'] }, b: {}, c: {}, d: {} });
    expect(scheduleSystems(systems).order).toEqual([2, 3, 1, 4]);
  });

  test('does not change when `after` lists are shuffled or repeat themselves', () => {
    const result = (systems: readonly SystemNode[]): unknown =>
      errorOf(systems)?.message ?? scheduleSystems(systems);
    fc.assert(
      fc.property(strange, fc.infiniteStream(fc.nat()), (systems, keys) => {
        const shuffled = systems.map((system) => {
          const twice = [...system.after, ...system.after, ...system.after.slice(0, 1)];
          const keyed = twice.map((name) => ({ name, key: keys.next().value ?? 0 }));
          return { ...system, after: keyed.sort((a, b) => a.key - b.key).map((k) => k.name) };
        });
        expect(result(shuffled)).toEqual(result(systems));
      }),
      runs,
    );
  });

  test('of 256 systems with 16 dependencies each, all on later ones, is the reverse', () => {
    const count = 256;
    const systems = Array.from({ length: count }, (_, place) => ({
      id: place + 1,
      name: `s${place + 1}`,
      reads: ['position'],
      writes: ['position'],
      after: Array.from({ length: Math.min(16, count - 1 - place) }, (_, k) => `s${place + 2 + k}`),
    }));
    const { order, warnings } = scheduleSystems(systems);
    expect(order).toEqual(systems.map(({ id }) => count + 1 - id));
    expect(warnings).toEqual([]);
  });

  test('is frozen, with everything that a schedule holds', () => {
    const schedule = scheduleSystems(
      register({ draw: { reads: ['position'] }, move: { writes: ['position'] } }),
    );
    const parts = [schedule, schedule.order, schedule.warnings, ...schedule.warnings];
    expect(parts.map((part) => Object.isFrozen(part))).toEqual([true, true, true, true]);
  });
});

describe('a fault', () => {
  test('is found exactly where brute force finds one: missing, then cycle, then writers', () => {
    fc.assert(
      fc.property(strange, (systems) => {
        const error = errorOf(systems);
        expect(error?.code).toBe(error && 'SCHEDULE_INVALID');
        expect(outcomeOf(error)).toBe(expectedOutcome(systems));
      }),
      runs,
    );
  });

  test('of a cycle is found where no order exists, and names one that is there', () => {
    fc.assert(
      fc.property(wild, (systems) => {
        const error = errorOf(systems);
        const isCycle = outcomeOf(error) === 'cycle';
        expect(isCycle).toBe(everyOrder(systems).length === 0);
        if (!isCycle) return;
        const names = (error?.detail.given ?? '').split(' -> ');
        const needs = (name: string): readonly string[] =>
          systems.find((system) => system.name === name)?.after ?? [];
        expect(names.length).toBeGreaterThan(1);
        expect(names.at(-1)).toBe(names[0]);
        expect(new Set(names).size).toBe(names.length - 1);
        for (const [at, name] of names.slice(1).entries()) expect(needs(name)).toContain(names[at]);
      }),
      exhaustiveRuns,
    );
  });

  test('of two writers names a pair that no path orders', () => {
    fc.assert(
      fc.property(tame, (systems) => {
        const pairs = unorderedWriters(systems);
        fc.pre(pairs.length > 0);
        const words = /"(\w+)" and "(\w+)" both write (\w+)/.exec(errorOf(systems)?.message ?? '');
        expect(pairs).toContain(words?.slice(1).join(' '));
      }),
      { numRuns: Math.ceil(runs.numRuns / 4) },
    );
  });

  test('of a missing system names both and lists what exists', () => {
    const text = refusalOf({ move: { after: ['think', 'draw'] }, draw: {} });
    expect(text).toBe(
      'SCHEDULE_INVALID: System "move" is to run after a system that is not registered. ' +
        'Given: "think". Allowed: "move", "draw". ' +
        'Correct `after` of "move", or register the system that it names.',
    );
  });

  test('of a cycle reads as the order that cannot be, and starts at the first registered', () => {
    const text = refusalOf({
      free: {},
      later: { after: ['a'] },
      b: { after: ['c'] },
      a: { after: ['b'] },
      c: { after: ['a', 'free'] },
    });
    expect(text).toContain('Given: b -> a -> c -> b. Allowed: `after` lists without a cycle.');
    expect(text).toContain('Remove one of these names from the `after` of the system');
  });

  test('of a cycle is the same whichever way the lists lead into several', () => {
    const knots = { a: { after: ['b'] }, b: { after: ['a'] }, c: { after: ['c'] } };
    expect(refusalOf({ hub: { after: ['a', 'c'] }, ...knots })).toContain('Given: a -> b -> a.');
    expect(refusalOf({ hub: { after: ['c', 'a'] }, ...knots })).toContain('Given: a -> b -> a.');
  });

  test('of a system after itself is a cycle of one', () => {
    expect(refusalOf({ a: { after: ['a'] } })).toContain('Given: a -> a.');
  });

  test('of two writers names both and the component, and is mended by `after`', () => {
    const writes = ['position'];
    const text = refusalOf({ move: { writes }, push: { writes } });
    expect(text).toContain('Systems "move" and "push" both write position, in no set order.');
    expect(text).toContain('add "move" to `after` of "push" or add "push" to `after` of "move".');
    const forwards = register({ move: { writes }, push: { writes, after: ['move'] } });
    const backwards = register({ move: { writes, after: ['push'] }, push: { writes } });
    const through = register({
      move: { writes },
      push: { writes, after: ['rest'] },
      rest: { after: ['move'] },
    });
    expect(scheduleSystems(forwards).order).toEqual([1, 2]);
    expect(scheduleSystems(backwards).order).toEqual([2, 1]);
    expect(scheduleSystems(through).order).toEqual([1, 3, 2]);
  });

  test('comes before later ones: missing before cycle, cycle before two writers', () => {
    const writes = ['position'];
    const a = { writes, after: ['b'] };
    const b = { writes, after: ['a'] };
    const c = { writes };
    expect(refusalOf({ a, b, c: { ...c, after: ['moth'] } })).toContain('"moth"');
    expect(refusalOf({ c, a, b })).toContain('a -> b -> a');
  });

  test('of numbering is ours: ids that are not dense, and names that are not their own', () => {
    const [a, b] = register({ a: {}, b: {} }) as [SystemNode, SystemNode];
    expect(() => scheduleSystems([b, a])).toThrow('dense from 1');
    expect(() => scheduleSystems([a, { ...b, name: 'a' }])).toThrow('a name of its own');
  });
});

describe('a warning', () => {
  test('is given for exactly the readers that only registration puts before a writer', () => {
    fc.assert(
      fc.property(tame, (systems) => {
        fc.pre(unorderedWriters(systems).length === 0);
        const { warnings } = scheduleSystems(systems);
        const found = warnings.map((w) => `${w.reader} ${w.writer} ${w.component}`);
        expect(found).toEqual(earlyReads(systems));
      }),
      runs,
    );
  });

  test('says what the reader sees and how to say which order is meant', () => {
    const draw = { reads: ['position'] };
    const move = { writes: ['position'] };
    expect(scheduleSystems(register({ draw, move })).warnings).toEqual([
      {
        event: 'read_before_write',
        reader: 'draw',
        writer: 'move',
        component: 'position',
        message:
          '"draw" reads position before "move" writes it, so it sees the previous tick\'s value. ' +
          'If it should not, add "move" to `after` of "draw"; ' +
          'if it should, add "draw" to `after` of "move".',
      },
    ]);
    const either = [
      register({ draw: { ...draw, after: ['move'] }, move }),
      register({ draw, move: { ...move, after: ['draw'] } }),
    ];
    expect(either.map((systems) => scheduleSystems(systems).warnings)).toEqual([[], []]);
  });

  test('is not given to a system that reads what it writes itself', () => {
    const move = { reads: ['position'], writes: ['position'] };
    expect(scheduleSystems(register({ move })).warnings).toEqual([]);
  });
});
