import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Made or fetched, not written: nobody keeps these tidy. */
const NOT_OURS = new Set([
  'node_modules',
  '.git',
  'dist',
  'build',
  'coverage',
  'package-lock.json',
]);

const CODE = /\.(?:tsx?|mjs|js|css|html|pml)$/;
const TEXT = /\.(?:tsx?|mjs|js|css|html|pml|md|json|txt)$|^LICENSE$|^\.ci\/run$|^\.[a-z]+rc/;

/** Lists every file of the checkout by its path from the root, with forward slashes. */
export function listFiles(directory = ''): string[] {
  const entries = readdirSync(ROOT + directory, { withFileTypes: true });
  return entries
    .filter((entry) => !NOT_OURS.has(entry.name))
    .flatMap((entry) => {
      const path = directory + entry.name;
      return entry.isDirectory() ? listFiles(`${path}/`) : [path];
    })
    .sort();
}

/** Returns a file's text; the path is from the root. */
export function readText(path: string): string {
  return readFileSync(ROOT + path, 'utf8');
}

/** Says whether a path names source code in a language we write. */
export function isCode(path: string): boolean {
  return CODE.test(path);
}

/** Says whether a path names something that a person reads and edits as text. */
export function isText(path: string): boolean {
  return TEXT.test(path);
}

/** Returns TypeScript or JavaScript without its comments; lines keep their numbers. */
export function stripComments(source: string): string {
  const token =
    /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\/.*|\/\*[\s\S]*?\*\//g;
  return source.replace(
    token,
    (whole, text: string | undefined) => text ?? whole.replace(/[^\n]+/g, ''),
  );
}

/** Lists as `path:line` every line of `text` that `isFault` finds fault with. */
export function findLines(
  path: string,
  text: string,
  isFault: (line: string) => boolean,
): string[] {
  return text.split('\n').flatMap((line, index) => (isFault(line) ? [`${path}:${index + 1}`] : []));
}
