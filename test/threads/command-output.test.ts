import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { builtModule } from './built-worker.ts';
import { command, endCommands } from './command-process.ts';

const DRIFT = builtModule('drift.sim');

const scratch = mkdtempSync(join(tmpdir(), 'escapement-output-'));
const inScratch = (name: string): string => join(scratch, name);
const GOOD = inScratch('good.replay');

afterEach(endCommands);
afterAll(() => rmSync(scratch, { recursive: true }));

beforeAll(async () => {
  const run = command([
    'record',
    DRIFT,
    '--out',
    GOOD,
    '--ticks',
    '50',
    '--driven-by',
    'host',
    '--hash-every',
    '1',
  ]);
  expect([await run.code, run.err]).toEqual([0, '']);
});

/** Writes a module that exports the plain simulation, and does something else as well. */
function moduleWith(name: string, source: string): string {
  const path = inScratch(name);
  writeFileSync(path, `export { plain } from '${pathToFileURL(DRIFT).href}';\n${source}\n`);
  return path;
}

describe('output that nobody reads', () => {
  test.each([
    ['help', ['help'], 0],
    ['inspect', ['inspect', GOOD, '--hashes'], 0],
    ['doctor', ['doctor'], 0],
    ['verify', ['verify', GOOD, GOOD, DRIFT, '--export', 'plain'], 0],
    ['verify', ['verify', inScratch('none.replay'), GOOD, DRIFT, '--export', 'plain'], 1],
  ])('is no fault of %s, whose exit code stays what it is', async (_, args, code) => {
    const run = command(args);
    run.child.stdout?.destroy();
    expect([await run.code, run.err]).toEqual([code, '']);
  });
});

test('a module that leaves a timer behind does not keep the process', async () => {
  const module = moduleWith('timer.mjs', 'setInterval(() => undefined, 1000);');
  const run = command(['verify', GOOD, module, '--export', 'plain']);
  expect([await run.code, run.err]).toEqual([0, '']);
});

test('a setup that throws is a failure, not a refusal', async () => {
  const module = inScratch('thrower.mjs');
  const source = pathToFileURL(DRIFT).href;
  const setup = "() => { throw new Error('on purpose'); }";
  writeFileSync(
    module,
    `import { plain as real } from '${source}';\nexport const sim = { ...real, setup: ${setup} };`,
  );
  const run = command(['verify', GOOD, module, '--json']);
  expect(await run.code).toBe(1);
  expect(run.lines()[0]).toMatchObject({ verdict: 'failed', error: { code: 'SIMULATION_FAILED' } });
});

test('a thread that ends takes no verdict but its own with it', async () => {
  const source = "import { isMainThread } from 'node:worker_threads';\nif (!isMainThread)";
  const module = moduleWith('ender.mjs', `${source} process.exit(3);`);
  const files = [GOOD, inScratch('none.replay'), GOOD];
  const run = command(['verify', ...files, module, '--export', 'plain', '--jobs', '2', '--json']);
  expect(await run.code).toBe(1);
  const found = run.lines().map(({ event, verdict }) => verdict ?? event);
  expect(found).toEqual(['failed', 'failed', 'failed', 'verified']);
});

describe('a file that is no recording', () => {
  test.each([
    ['a folder', scratch, 2, 'The recording cannot be read.'],
    ['none', inScratch('none.replay'), 2, 'There is no such recording.'],
  ])('is named: %s', async (_, path, code, headline) => {
    const run = command(['inspect', path]);
    expect([await run.code, run.err]).toEqual([code, expect.stringContaining(headline)]);
  });
});

describe('a place where nothing can be saved', () => {
  test.each([
    ['no name', ''],
    ['a folder', scratch],
    ['a folder that is not there', inScratch('none/out.replay')],
  ])('is refused before anything runs: %s', async (_, out) => {
    const run = command(
      ['seek', GOOD, inScratch('no-module.js'), '--tick', '5'].concat(['--force', `--out=${out}`]),
    );
    expect(await run.code).toBe(2);
    expect(run.err).toContain('The file cannot be made.');
  });
});
