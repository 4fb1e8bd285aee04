import { expect, test } from 'vitest';
import { findLines, isCode, isText, listFiles, readText, stripComments } from './tree.ts';

const COLUMNS_MAX = 100;
const CODE_BYTES_MAX = 24_000;
const OTHER_BYTES_MAX = 400_000;

/**
 * Files that are larger than they should be, with the size in bytes they may have. An entry only
 * ever shrinks: once the file does, so must its entry.
 */
const LARGER: Readonly<Record<string, number>> = {};

const files = listFiles();
const code = files.filter(isCode);
const tests = code.filter((path) => path.startsWith('test/'));

test('the tidy tests look at the files of this checkout', () => {
  expect(files).toContain('package.json');
  expect(code).toContain('src/shared/instant.ts');
  expect(tests).toContain('test/tidy/text.test.ts');
});

test('no line ends in a space, and every text ends in one line break', () => {
  const faults = files.filter(isText).flatMap((path) => {
    const text = readText(path);
    const end = text === '' || /[^\n]\n$/.test(text) ? [] : [`${path}: its end`];
    return [...findLines(path, text, (line) => /\s$/.test(line)), ...end];
  });
  expect(faults).toEqual([]);
});

test(`no line of code is longer than ${COLUMNS_MAX} columns, except for an address`, () => {
  const isLong = (line: string): boolean => line.length > COLUMNS_MAX && !/https?:\/\//.test(line);
  expect(code.flatMap((path) => findLines(path, readText(path), isLong))).toEqual([]);
});

test('no file is larger than its kind allows, and no exception is larger than its file', () => {
  const faults = files.flatMap((path) => {
    const bytes = isText(path) ? Buffer.byteLength(readText(path)) : readText(path).length;
    const usual = isCode(path) ? CODE_BYTES_MAX : OTHER_BYTES_MAX;
    const allowed = LARGER[path] ?? usual;
    if (bytes > allowed) return [`${path}: ${bytes} bytes, ${allowed} allowed`];
    const loose = allowed > usual && bytes <= allowed - 1000;
    return loose ? [`${path}: lower its entry from ${allowed} to ${bytes}`] : [];
  });
  expect(faults).toEqual([]);
  expect(Object.keys(LARGER).filter((path) => !files.includes(path))).toEqual([]);
});

test('nothing is left to be done later', () => {
  const marker = /\b(?:T[O]DO|FIXM[E]|XX[X]|HA[C]K)\b/;
  const isFault = (line: string): boolean => marker.test(line);
  expect(files.filter(isText).flatMap((path) => findLines(path, readText(path), isFault))).toEqual(
    [],
  );
});

test('no test is left out, singled out, or checked by an assertion that hardly asserts', () => {
  const left =
    /\b(?:it|test|describe|suite|bench|context|ctx)\s*\.\s*(?:skip|only|todo|fails|runIf)/;
  const weak = /\.toBe(?:Defined|Truthy|Falsy)\(\)/;
  const isFault = (line: string): boolean => left.test(line) || weak.test(line);
  expect(tests.flatMap((path) => findLines(path, stripComments(readText(path)), isFault))).toEqual(
    [],
  );
});

test('no test replaces a part of the product by a mock', () => {
  const isFault = (line: string): boolean => /\bvi\.(?:mock|doMock|fn|spyOn)\b/.test(line);
  expect(tests.flatMap((path) => findLines(path, stripComments(readText(path)), isFault))).toEqual(
    [],
  );
});

test('every dependency has an exact version, and the lock file names no download address', () => {
  const manifest = JSON.parse(readText('package.json')) as Record<string, Record<string, string>>;
  const wanted = { ...manifest['dependencies'], ...manifest['devDependencies'] };
  const loose = Object.entries(wanted).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
  expect(loose).toEqual([]);
  const hasAddress = (line: string): boolean => /"resolved":|registry/.test(line);
  expect(findLines('package-lock.json', readText('package-lock.json'), hasAddress)).toEqual([]);
});
