import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { findLines, listFiles, readText, stripComments } from './tree.ts';

/** Rooms of the middle floor: they meet only through shared memory and what `shared` describes. */
const MIDDLE = ['sim-worker', 'main', 'render', 'net'];

/** Powers that every engine computes without a rounding of its own. */
const EXACT_POWER = /\b2 \*\* |\b\d+ \*\* \d+\b/g;

/** What forbids the wall clock must name it. */
const NAMES_THE_CLOCK = ['src/sim-worker/ambient-list.ts', 'src/sim-worker/ambient-trap.ts'];

const sources = listFiles('src/').filter((path) => path.endsWith('.ts'));
const simulationCode = [
  ...sources.filter((path) => roomOf(path) === 'shared'),
  ...listFiles('scenes/').filter((path) => path.endsWith('.sim.ts')),
];

function roomOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** Lists what a source file imports: paths from the root, or names of packages. */
function importsOf(path: string): string[] {
  const specifiers = /\bfrom\s*'([^']+)'|\bimport\s*\(?\s*'([^']+)'/g;
  return [...stripComments(readText(path)).matchAll(specifiers)].map((match) => {
    const name = match[1] ?? match[2] ?? '';
    return name.startsWith('.') ? posix.join(posix.dirname(path), name) : name;
  });
}

/** The one file of `shared` that stands on a package, and on which. */
const INFLATES = 'src/shared/replay/deflate.ts imports fflate';

test('shared imports nothing but shared: no other room, and no package but to inflate', () => {
  const faults = sources
    .filter((path) => roomOf(path) === 'shared')
    .flatMap((path) => importsOf(path).map((target) => `${path} imports ${target}`))
    .filter((fault) => !/imports src\/shared\//.test(fault));
  expect(faults).toEqual([INFLATES]);
});

test('the rooms of the middle floor import shared and themselves, never each other', () => {
  const faults = sources
    .filter((path) => MIDDLE.includes(roomOf(path)))
    .flatMap((path) =>
      importsOf(path)
        .filter((target) => /^(?:\.\.|src\/|escapement|#)/.test(target))
        .filter((target) => !['shared', roomOf(path)].includes(roomOf(target)))
        .map((target) => `${path} imports ${target}`),
    );
  expect(faults).toEqual([]);
});

test('a file that touches shared memory opens with the five lines that say how', () => {
  const inOrder = ['Threads', 'Memory', 'Ordering', 'Progress', 'Invariant']
    .map((word) => `\\n \\* ${word}\\b[^\\n]+(?:\\n \\*(?: [^\\n]*)?)*?`)
    .join('');
  // Imports may come first; a declaration may not.
  const head = new RegExp(
    `^(?:(?!\\n(?:export |class |function |const |let ))[\\s\\S])*?${inOrder}`,
  );
  const faults = sources.filter((path) => {
    const text = readText(path);
    return /\bAtomics\s*[.[]/.test(stripComments(text)) && !head.test(`\n${text}`);
  });
  expect(faults).toEqual([]);
});

test('no source reads the wall clock', () => {
  const isFault = (line: string): boolean => /\bDate\b/.test(line);
  const others = sources.filter((path) => !NAMES_THE_CLOCK.includes(path));
  expect(others.flatMap((path) => findLines(path, stripComments(readText(path)), isFault))).toEqual(
    [],
  );
});

test('simulation code raises only two, or one whole literal by another, to a power', () => {
  const isFault = (line: string): boolean => /\*\*/.test(line.replace(EXACT_POWER, ''));
  expect(
    simulationCode.flatMap((path) => findLines(path, stripComments(readText(path)), isFault)),
  ).toEqual([]);
});
