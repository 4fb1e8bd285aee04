import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StateBlock } from '../../../src/sim-worker/state-block.ts';
import { diffStates, type WholeState } from '../../../src/sim-worker/state-diff.ts';
import { fieldName } from '../../../src/sim-worker/field-names.ts';
import { scaled } from '../../scaled.ts';
import { openReplay } from '../../../src/sim-worker/index.ts';
import { defineDrift, POPULATION, recordDrift } from './drift.ts';

const drift = defineDrift();
const { schema } = drift;

async function stateOf(): Promise<WholeState> {
  const run = await openReplay(drift, await recordDrift({ ticks: 10 }));
  run.seek(10);
  return run.save();
}

function copyOf({ world, inputs, foreign }: WholeState): WholeState {
  return { world: world.slice(), inputs: inputs.slice(), foreign };
}

/** Compares a state with a copy that `change` was let at. */
function afterChange(state: WholeState, change: (block: StateBlock) => void) {
  const other = copyOf(state);
  change(new StateBlock(schema, other.world));
  return diffStates(schema, state, other);
}

function storeOf(block: StateBlock, name: string) {
  const store = block.stores.find((each) => each.name === name);
  if (store === undefined) throw new Error(`the scene has ${name}`);
  return store;
}

describe('two states', () => {
  test('that are equal, or are but for -0 and the bits of NaN, do not differ', async () => {
    const state = await stateOf();
    expect(diffStates(schema, state, copyOf(state))).toEqual({
      total: 0,
      groups: [],
      differences: [],
    });
    const [one, other] = [copyOf(state), copyOf(state)];
    const [a, b] = [one, other].map(
      ({ world }) => storeOf(new StateBlock(schema, world), 'position').column,
    ) as [Float32Array, Float32Array];
    [a[0], b[0], a[1], b[1]] = [0, -0, Number.NaN, Number.NaN];
    new Uint32Array(b.buffer, b.byteOffset, 2)[1] = 0x7fc0_0001;
    expect(diffStates(schema, one, other).total).toBe(0);
  });

  test.each([
    ['position', 2 * 5 + 1, { slot: 5, field: 1, fieldName: 'y' }],
    ['tint', 4 * 2 + 3, { slot: 2, field: 3, fieldName: 'a' }],
    ['spin', 4 * 2, { slot: 2, field: 0, fieldName: 'x' }],
    ['trail', 4 * 1 + 2, { slot: 1, field: 2, fieldName: '[1].x' }],
    ['weight', 7, { slot: 7, field: 0, fieldName: '' }],
    // The third row of a sparse component is that of slot 4.
    ['charge', 2, { slot: 4, field: 0, fieldName: '' }],
  ])('differ in one number of %s alone when it was changed', async (name, at, place) => {
    const diff = afterChange(await stateOf(), (block) => {
      storeOf(block, name).column[at] = 77;
    });
    expect(diff.groups).toEqual([{ kind: 'value', name, count: 1 }]);
    expect(diff.differences).toMatchObject([{ kind: 'value', name, b: 77, ...place }]);
  });

  test('differ in who lives and in the handles of slots', async () => {
    const state = await stateOf();
    const [entity] = new StateBlock(schema, state.world).handles;
    const diff = afterChange(state, (block) => {
      block.alive[0] = (block.alive[0] as number) & ~1;
      block.handles[POPULATION] = 999;
    });
    expect(diff.differences).toMatchObject([
      { kind: 'lives', slot: 0, entity, a: true, b: false },
      { kind: 'handle', slot: POPULATION, entity: 0, a: 0, b: 999 },
    ]);
  });

  test('differ in who has a component, and who is seen or blended', async () => {
    const diff = afterChange(await stateOf(), (block) => {
      const { presence } = storeOf(block, 'marked');
      presence[0] = (presence[0] as number) ^ 0b10;
      block.hidden[0] = 0b100;
      block.unblended[0] = 0b1000;
    });
    expect(diff.differences).toMatchObject([
      { kind: 'visible', slot: 2, a: true, b: false },
      { kind: 'blended', slot: 3, a: true, b: false },
      { kind: 'has', name: 'marked', slot: 1, a: false, b: true },
    ]);
  });

  test('differ in generators, state inputs and what is kept elsewhere', async () => {
    const state = { ...(await stateOf()), foreign: new Uint8Array([1, 2, 3]) };
    const other = { ...copyOf(state), foreign: new Uint8Array([1, 9, 3]) };
    const block = new StateBlock(schema, other.world);
    block.random[6 + 2] = 5;
    other.inputs[1] = 1;
    const diff = diffStates(schema, state, other);
    expect(diff.differences).toMatchObject([
      { kind: 'generator', name: 'steer', fieldName: '[2]', b: 5 },
      { kind: 'input', name: 'pointer', fieldName: 'down', a: false, b: true },
      { kind: 'foreign', fieldName: '[1]', a: 2, b: 9 },
    ]);
  });

  test('differ in a global by its value, with the bits of a float', async () => {
    const state = await stateOf();
    const other = copyOf(state);
    const { length } = other.world;
    const total = new StateBlock(schema, other.world).global(0);
    // The global is the one f64 of this value in the block.
    const words = new Float64Array(other.world.buffer, 0, Math.floor(length / 8));
    const at = words.indexOf(total);
    words[at] = total + 1;
    expect(diffStates(schema, state, other).differences).toEqual([
      {
        kind: 'global',
        name: 'total',
        slot: -1,
        entity: 0,
        field: -1,
        fieldName: '',
        a: 5,
        b: 6,
        bits: ['4014000000000000', '4018000000000000'],
      },
    ]);
  });

  test('have exactly the differences that were made, counted beyond what is listed', async () => {
    const state = await stateOf();
    const columns = ['position', 'velocity', 'hits', 'tint'] as const;
    const change = fc.record({
      name: fc.constantFrom(...columns),
      slot: fc.nat({ max: POPULATION - 1 }),
      field: fc.nat({ max: 3 }),
      by: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), fc.nat({ max: 12 }), (changes, limit) => {
        const other = copyOf(state);
        const block = new StateBlock(schema, other.world);
        const made = new Set<string>();
        for (const { name, slot, field, by } of changes) {
          const { width, column } = storeOf(block, name);
          const at = slot * width + (field % width);
          if (made.has(`${name} ${at}`)) continue;
          column[at] = (column[at] as number) + by;
          made.add(`${name} ${at}`);
        }
        const diff = diffStates(schema, state, other, limit);
        expect(diff.total).toBe(made.size);
        expect(diff.groups.reduce((sum, { count }) => sum + count, 0)).toBe(made.size);
        expect(diff.differences.length).toBe(Math.min(limit, made.size));
      }),
      { numRuns: scaled({ tiny: 50, normal: 300, full: 5000 }) },
    );
  });
});

test('a number of a component is named as people call it', () => {
  const component = (name: string) => {
    const found = schema.components.find((each) => each.name === name);
    if (found === undefined) throw new Error(`the scene has ${name}`);
    return found;
  };
  const names = (name: string, count: number): string[] =>
    Array.from({ length: count }, (_, field) => fieldName(component(name), field));
  expect(names('spin', 4)).toEqual(['x', 'y', 'z', 'w']);
  expect(names('tint', 4)).toEqual(['r', 'g', 'b', 'a']);
  expect(names('trail', 4)).toEqual(['[0].x', '[0].y', '[1].x', '[1].y']);
  expect(names('hits', 1)).toEqual(['']);
});
