import { readFileSync } from 'node:fs';
import { benchNames } from './lib/benches.mjs';
import { bootstrap } from './lib/bootstrap.mjs';
import { compileOrExit } from './lib/build.mjs';
import { inRoot } from './lib/paths.mjs';
import { runNode } from './lib/process.mjs';

const USAGE = `npm run bench -- NAME [--json] [--tiny]   runs one bench in a fresh process
npm run bench -- --all [--json] [--tiny]  runs each in turn
Every other argument is the bench's own. The benches:
`;

/** The benches that compare with other libraries, and where those have a package of their own. */
const COMPARING = ['ecs', 'replicate'];
const COMPARATORS = 'bench/comparators';

/** Runs benches. Standard output carries nothing but what a bench prints. */
async function main() {
  const [name, ...rest] = process.argv.slice(2);
  const names = benchNames();
  if (name === undefined) {
    process.stdout.write(USAGE + names.map(describe).join(''));
    return 0;
  }
  const chosen = name === '--all' ? names : [name];
  if (chosen.length === 0) {
    process.stderr.write('There is no bench in bench/.\n');
    return 1;
  }
  if (name !== '--all' && !names.includes(name)) {
    process.stderr.write(`There is no bench '${name}'. There are: ${names.join(', ')}.\n`);
    return 1;
  }
  await bootstrap();
  if (COMPARING.some((bench) => chosen.includes(bench))) await bootstrap(COMPARATORS);
  await compileOrExit();
  const failed = [];
  for (const bench of chosen) {
    if ((await runBench(bench, rest)) !== 0) failed.push(bench);
  }
  if (failed.length === 0) return 0;
  process.stderr.write(`failed: ${failed.join(', ')}\n`);
  return 1;
}

/**
 * @param {string} name
 * @param {readonly string[]} args
 */
async function runBench(name, args) {
  process.stderr.write(`bench ${name}\n`);
  const file = inRoot('build', 'bench', `${name}.js`);
  const env = args.includes('--tiny') ? { ESCAPEMENT_SIZE: 'tiny' } : {};
  const { code } = await runNode(['--expose-gc', file, ...args], { env });
  return code;
}

/**
 * One line of the list: the name and the first sentence of the file's first comment.
 * @param {string} name
 */
function describe(name) {
  const source = readFileSync(inRoot('bench', `${name}.ts`), 'utf8');
  const comment = /\/\*\*([\s\S]*?)\*\//.exec(source)?.[1] ?? '';
  const text = comment
    .replace(/^\s*\*/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
  const sentence = /^.*?[.:](?=\s|$)/.exec(text)?.[0] ?? text;
  return `  ${name.padEnd(12)} ${sentence}\n`;
}

process.exitCode = await main();
