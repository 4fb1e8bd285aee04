import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { readText, stripComments } from './tree.ts';

const ENTRIES = [
  'src/main/index.ts',
  'src/sim-worker/index.ts',
  'src/render/index.ts',
  'src/net/index.ts',
  'src/render/three/index.ts',
  'src/render/webgl/index.ts',
  'src/render/pixi/index.ts',
];

/** An exported name and the file that is said to declare it. */
interface Exported {
  readonly name: string;
  readonly path: string;
}

/** Lists what a door exports: it holds nothing but lists of names, each from one file. */
function exportsOf(door: string): Exported[] {
  const lists = /\bexport\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'([^']+)'/g;
  return [...stripComments(readText(door)).matchAll(lists)].flatMap((match) => {
    const path = posix.join(posix.dirname(door), match[2] ?? '');
    const names = (match[1] ?? '').split(',').map((entry) => entry.trim());
    return names
      .filter((entry) => entry !== '')
      .map((entry) => ({ name: entry.replace(/^type\s+|\s+as\s+.*$/g, ''), path }));
  });
}

/** Says whether the declaration of a name comes right behind a doc comment. */
function isDocumented({ name, path }: Exported): boolean {
  const text = readText(path);
  const kinds = '(?:abstract class|class|async function\\*?|function\\*?|const|interface|type)';
  const found = new RegExp(`^export (?:declare )?${kinds} ${name}\\b`, 'm').exec(text);
  if (found === null) return false;
  const before = text.slice(0, found.index).trimEnd();
  return (
    before.endsWith('*/') && before.lastIndexOf('/**') > before.lastIndexOf('*/', before.length - 3)
  );
}

test.each(ENTRIES)('%s is a list of exports and nothing else', (door) => {
  const rest = stripComments(readText(door)).replace(
    /\bexport\s+(?:type\s+)?\{[^}]*\}\s*from\s*'[^']+';/g,
    '',
  );
  expect(rest.trim()).toBe('');
  expect(exportsOf(door)).not.toEqual([]);
});

test.each(ENTRIES)('every name that %s exports has a doc comment where it is declared', (door) => {
  const bare = exportsOf(door).filter((exported) => !isDocumented(exported));
  expect(bare).toEqual([]);
});
