import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import eslintConfig, { rules as eslintRules } from '../../lint/eslint.mjs';
import { AMBIENT_NAMES, type AmbientName } from '../../src/sim-worker/ambient-list.ts';
import { readText } from '../tidy/tree.ts';

interface Restriction {
  readonly name?: string;
  readonly object?: string;
  readonly property?: string;
  readonly message: string;
}

type Rules = Record<string, readonly ['error', ...Restriction[]]>;

interface Config {
  readonly extends?: readonly string[];
  readonly overrides: readonly { readonly files: readonly string[]; readonly rules: Rules }[];
}

interface Finding {
  readonly code: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

const RULES = ['no-restricted-globals', 'no-restricted-properties'] as const;

/** Objects of which single properties are forbidden; of the others, the whole object is. */
const SINGLE = ['Math', 'process'];

/** What the folder of the clocks and waits must use, and simulation code may not. */
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate'];

const exported = JSON.parse(readText('lint/oxlint.json')) as Config;
const own = JSON.parse(readText('.oxlintrc.json')) as Config;
const directory = mkdtempSync(join(tmpdir(), 'escapement-lint-'));

afterAll(() => rmSync(directory, { recursive: true }));

/** Makes the rules of the list that the trap guards. */
function rulesOf(names: readonly AmbientName[]): Rules {
  const globals = new Map<string, string>();
  const properties: Restriction[] = [];
  for (const { object, property, why, instead } of names) {
    const message = `${why} ${instead}`;
    if (SINGLE.includes(object)) properties.push({ object, property, message });
    else globals.set(object === '' ? property : object, message);
  }
  for (const [property, message] of globals) {
    properties.push({ object: 'globalThis', property, message });
  }
  return {
    'no-restricted-globals': [
      'error',
      ...[...globals].map(([name, message]) => ({ name, message })),
    ],
    'no-restricted-properties': ['error', ...properties],
  };
}

/** Lints one file under the exported set and returns the lines that each rule finds fault with. */
function lint(name: string, text: string): [rule: string, line: number][] {
  const config = join(directory, '.oxlintrc.json');
  const set = fileURLToPath(new URL('../../lint/oxlint.json', import.meta.url));
  const copy = join(directory, 'node_modules/escapement/lint/oxlint.json');
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(set, copy);
  const extended = ['./node_modules/escapement/lint/oxlint.json'];
  writeFileSync(config, JSON.stringify({ extends: extended }));
  writeFileSync(join(directory, name), text);
  const manifest = createRequire(import.meta.url).resolve('oxlint/package.json');
  const bin = join(dirname(manifest), 'bin/oxlint');
  const args = [bin, '--config', config, '--format', 'json', name];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: directory,
    encoding: 'utf8',
  });
  if (!stdout.startsWith('{')) throw new Error(`oxlint said: ${stdout}${stderr}`);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly Finding[] };
  return diagnostics
    .map(({ code, labels }): [string, number] => [
      code.replace(/^eslint\((.*)\)$/, '$1'),
      labels[0]?.span.line ?? 0,
    ])
    .sort((a, b) => a[1] - b[1]);
}

test('the exported rules are the list that the trap guards, each with its reason', () => {
  expect(exported.overrides).toHaveLength(1);
  expect(exported.overrides[0]?.rules).toEqual(rulesOf(AMBIENT_NAMES));
});

test('the ESLint set holds the same rules for the same files, and the operator **', () => {
  expect(eslintConfig).toEqual([
    {
      name: 'escapement/simulation-code',
      files: exported.overrides[0]?.files,
      rules: eslintRules,
    },
  ]);
  const { 'no-restricted-syntax': syntax, ...others } = eslintRules;
  expect(others).toEqual(rulesOf(AMBIENT_NAMES));
  expect(syntax?.slice(1).map((it) => (it as { selector?: string }).selector)).toEqual([
    "BinaryExpression[operator='**']",
    "AssignmentExpression[operator='**=']",
  ]);
  expect(JSON.parse(JSON.stringify(eslintConfig))).toEqual(eslintConfig);
});

test('this project keeps the exported rules, and in shared all of them but the timers', () => {
  expect(own.extends).toEqual(['./lint/oxlint.json']);
  const shared = own.overrides.find(({ files }) => files.includes('src/shared/**/*.ts'));
  const names = AMBIENT_NAMES.filter(({ property }) => !TIMERS.includes(property));
  expect(shared?.rules).toEqual(rulesOf(names));
});

test('oxlint reports every forbidden use in simulation code', () => {
  const uses = AMBIENT_NAMES.map(({ object, property }) => {
    return object === '' ? `${property}()` : `${object}.${property}()`;
  });
  const more = ['globalThis.Date', 'new Date(5)', "Math['sin']"];
  const lines = [...uses, ...more].map((use, index) => `export const a${index} = ${use};`);
  lines.push('const { random } = Math;', 'export { random };');
  const found = lint('bad.sim.ts', lines.join('\n'));
  const forbidden = lines.slice(0, -1).map((_, index) => index + 1);
  expect(found.map(([, line]) => line)).toEqual(forbidden);
  expect(new Set(found.map(([rule]) => rule))).toEqual(new Set(RULES));
});

test('oxlint finds nothing in simulation code that keeps the rules, or in other code', () => {
  const exact = ['sqrt', 'fround', 'floor', 'abs', 'imul', 'clz32', 'min', 'max', 'trunc', 'sign'];
  const lines = exact.map((name) => `export const ${name} = (x: number) => Math.${name}(x, 2);`);
  lines.push("import { atan2, cos, sin } from 'escapement/sim';");
  lines.push('export const turn = (x: number) => sin(x) + cos(x) + atan2(x, Math.PI);');
  expect(lint('good.sim.ts', lines.join('\n'))).toEqual([]);
  expect(lint('host.ts', 'export const now = Math.sin(Date.now());')).toEqual([]);
});

test('the package gives the rules away under the names that the documents say', () => {
  const script = `
    import set from 'escapement/lint/eslint';
    import json from 'escapement/lint/oxlint.json' with { type: 'json' };
    console.log(JSON.stringify([set[0].files, json.overrides[0].files]));`;
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const args = ['--no-warnings', '--input-type=module', '--eval', script];
  const [set, json] = JSON.parse(execFileSync(process.execPath, args, { cwd, encoding: 'utf8' }));
  expect(set).toEqual(json);
  expect((JSON.parse(readText('package.json')) as { files: string[] }).files).toContain('lint');
});
