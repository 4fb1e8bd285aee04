import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { AssertionError } from '../../src/shared/assert.ts';
import { EscapementError } from '../../src/shared/error.ts';
import { createInstant } from '../../src/shared/instant.ts';
import { type ClockScope, createSystemClock } from '../../src/shared/system-clock.ts';
import { AMBIENT_NAMES } from '../../src/sim-worker/ambient-list.ts';
import { AmbientTrap, printName } from '../../src/sim-worker/ambient-trap.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';

type Callable = (...args: unknown[]) => unknown;

const NAMES = AMBIENT_NAMES.map(printName);
const RANDOM_BYTES = new Uint8Array(1);

/** Calls a name as simulation code would, through the global scope. */
function call(name: string): unknown {
  const [first = '', second] = name.split('.');
  const scope = globalThis as unknown as Record<string, unknown>;
  const found = scope[first];
  if (second === undefined) return (found as Callable)(() => undefined);
  const object = found as Record<string, Callable>;
  return object[second]?.(name === 'crypto.getRandomValues' ? RANDOM_BYTES : undefined);
}

/** Runs `work` inside of the trap and returns what it throws. */
function caught(trap: AmbientTrap, work: () => unknown): unknown {
  trap.engage('system "move"');
  try {
    work();
  } catch (error) {
    return error;
  } finally {
    trap.release();
  }
  return undefined;
}

/** Describes every guarded property, and what stands there. */
function describeAll(): unknown[] {
  return AMBIENT_NAMES.map(({ object, property }) => {
    const scope = globalThis as unknown as Record<string, object>;
    let holder: object | null = object === '' ? globalThis : (scope[object] ?? null);
    while (holder !== null && !Object.hasOwn(holder, property)) {
      holder = Object.getPrototypeOf(holder);
    }
    return holder === null ? undefined : Object.getOwnPropertyDescriptor(holder, property);
  });
}

let trap = new AmbientTrap();
const original = describeAll();

afterEach(() => {
  if (trap.isEngaged) trap.release();
  trap = new AmbientTrap();
  expect(describeAll()).toEqual(original);
});

test('nothing of the list is missing from this platform, or cannot be guarded', () => {
  expect(trap.unguarded).toEqual([]);
  expect(original.filter((descriptor) => descriptor === undefined)).toEqual([]);
});

test.each(NAMES)(
  '%s throws inside, says where and what to use instead, and works outside',
  (name) => {
    const timer = call(name);
    clearTimeout(timer as NodeJS.Timeout);
    const error = caught(trap, () => call(name)) as EscapementError;
    expect(error).toBeInstanceOf(EscapementError);
    expect(error.code).toBe('AMBIENT_FORBIDDEN');
    expect(error.message).toContain(`${name} in system "move"`);
    const listed = AMBIENT_NAMES.find((it) => printName(it) === name);
    expect(error.message).toContain(listed?.instead);
    const later = call(name);
    clearTimeout(later as NodeJS.Timeout);
    expect(describeAll()).toEqual(original);
  },
);

test('a date of a given time is pure and works inside, one of now or of a text does not', () => {
  const seen: unknown[] = [];
  expect(
    caught(trap, () => {
      seen.push(new Date(86_400_000).toISOString(), new Date(0) instanceof Date);
      seen.push(Date.UTC(2020, 0), new Date(new Date(5)).getTime());
    }),
  ).toBe(undefined);
  expect(seen).toEqual(['1970-01-02T00:00:00.000Z', true, Date.UTC(2020, 0), 5]);
  for (const make of [() => new Date(), () => new Date('2020-01-01'), () => new Date(2020, 1)]) {
    expect(caught(trap, make)).toBeInstanceOf(EscapementError);
  }
});

test('names that were taken for the object still meet the guard, and so does hrtime.bigint', () => {
  const maths = Math;
  const clock = performance;
  expect(caught(trap, () => maths.cbrt(8))).toBeInstanceOf(EscapementError);
  expect(caught(trap, () => clock.now())).toBeInstanceOf(EscapementError);
  expect(caught(trap, () => process.hrtime.bigint())).toBeInstanceOf(EscapementError);
});

test('what is exact on every engine is left alone', () => {
  let sum = 0;
  const work = (): void => {
    sum += Math.sqrt(4) + Math.fround(1) + Math.floor(1.5) + Math.abs(-1) + Math.imul(2, 3);
    sum += Math.clz32(1) + Math.min(1, 2) + Math.max(1, 2) + Math.trunc(1.5) + Math.sign(2);
  };
  expect(caught(trap, work)).toBe(undefined);
  expect(sum).toBe(47);
});

test('clocks of the engine that were made before can be read inside', () => {
  const reading = createInstant();
  for (const scope of [globalThis as ClockScope, { performance }]) {
    const clock = createSystemClock(scope);
    expect(caught(trap, () => clock.read(reading))).toBe(undefined);
    expect(reading.seconds + reading.nanos).toBeGreaterThan(0);
  }
});

test('after any run of systems that return or throw, every property is what it was', () => {
  const step = fc.record({ name: fc.constantFrom(...NAMES, ''), throws: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      for (const { name, throws } of steps) {
        const error = caught(trap, () => {
          if (name !== '') call(name);
          if (throws) throw new RangeError('a system of the user');
        });
        if (name !== '') expect(error).toBeInstanceOf(EscapementError);
        else expect(error instanceof RangeError).toBe(throws);
        expect(describeAll()).toEqual(original);
      }
    }),
    { numRuns: scaled({ tiny: 20, normal: 100, full: 1000 }) },
  );
});

test('a trap is engaged once and released once', () => {
  expect(() => trap.release()).toThrow(AssertionError);
  trap.engage('a');
  expect(() => trap.engage('b')).toThrow(AssertionError);
  expect(() => Math.sin(1)).toThrow('in a.');
  trap.release();
  expect(() => trap.release()).toThrow(AssertionError);
});

test('another trap inside names its own system and leaves the outer one as it was', () => {
  const inner = new AmbientTrap();
  trap.engage('outer');
  inner.engage('inner');
  expect(() => Math.random()).toThrow('in inner.');
  expect(() => trap.release()).toThrow(AssertionError);
  inner.release();
  expect(() => Math.random()).toThrow('in outer.');
  trap.release();
});

test('a replacement that the host made meanwhile is what is put back', () => {
  const random = Math.random;
  const replacement = (): number => 0.25;
  try {
    Math.random = replacement;
    expect(caught(trap, () => Math.random())).toBeInstanceOf(EscapementError);
    expect(Math.random).toBe(replacement);
  } finally {
    Math.random = random;
  }
});

test('an object of which one name is frozen is listed and left alone', () => {
  const maths = Object.fromEntries(
    AMBIENT_NAMES.filter((it) => it.object === 'Math').map((it) => [it.property, call]),
  );
  Object.defineProperty(maths, 'cos', { writable: false });
  const scope = { Math: maths, setTimeout: call };
  const over = new AmbientTrap(scope);
  expect(over.unguarded).toEqual(NAMES.filter((name) => name.startsWith('Math.')));
  over.engage('a');
  expect(new Set(Object.values(maths))).toEqual(new Set([call]));
  expect(() => scope.setTimeout('later')).toThrow('setTimeout in a.');
  over.release();
  expect(scope).toEqual({ Math: maths, setTimeout: call });
});

test('engaging and releasing leave nothing on the heap', () => {
  const bytes = bytesLeft(1000, () => {
    trap.engage('a');
    trap.release();
  });
  expect(bytes).toBe(0);
});
