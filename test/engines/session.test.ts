import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Engine } from '../../scripts/lib/engines/find.mjs';
import { runSession } from '../../scripts/lib/engines/session.mjs';
import type { Job } from './harness/plan.ts';

const jobs: readonly Job[] = [{ kind: 'maths' }, { kind: 'control' }];

/** An engine that is a Node of its own, which runs some code; it knows the server's `url`. */
function codeAsEngine(code: string): Engine {
  return {
    id: 'node',
    title: 'code',
    start: (url) => ({
      command: process.execPath,
      args: ['-e', `const url = ${JSON.stringify(url)};\n${code}`],
    }),
  };
}

const POST = `const post = (path, body) =>
  fetch(url + path, { method: 'POST', body: JSON.stringify(body) }).then((it) => it.json());`;

function errorsOf(outcomes: readonly { error?: string }[]): readonly (string | undefined)[] {
  return outcomes.map(({ error }) => error);
}

test('an engine gets the jobs, and what it posts comes back in their order', async () => {
  const code = `${POST}
    post('/engines/hello', { agent: 'me' }).then(async (jobs) => {
      for (const { kind } of jobs) {
        await post('/engines/outcome', { hashes: { [kind]: 'x' }, ms: 1 });
      }
    });`;
  const { hello, outcomes } = await runSession(codeAsEngine(code), jobs);
  expect(hello?.agent).toBe('me');
  expect(outcomes.map(({ hashes }) => hashes)).toEqual([{ maths: 'x' }, { control: 'x' }]);
});

test('an engine that ends fails everything, with its last words', async () => {
  const code = "console.error('no display'); process.exitCode = 3;";
  const { outcomes } = await runSession(codeAsEngine(code), jobs);
  expect(errorsOf(outcomes)).toEqual([
    'no sign of life: it ended with code 3\nno display',
    'not run after that',
  ]);
});

test('an engine that cannot be started says why', async () => {
  const engine: Engine = { ...codeAsEngine(''), start: () => ({ command: '/no/such', args: [] }) };
  const { outcomes } = await runSession(engine, jobs);
  expect(outcomes[0]?.error).toContain('ENOENT');
});

test('an engine that falls silent is ended, with whatever it started', async () => {
  const file = join(tmpdir(), `escapement-silent-${process.pid}`);
  writeFileSync(file, '');
  const code = `${POST}
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ['-e', 'setInterval(Date, 1e3)']);
    require('node:fs').writeFileSync(${JSON.stringify(file)}, String(child.pid));
    post('/engines/hello', {}).then(() => post('/engines/outcome', { hashes: {}, ms: 1 }));
    setInterval(Date, 1e3);`;
  const limits = { startMs: 20_000, jobMs: 500, tickMs: 0 };
  const { outcomes } = await runSession(codeAsEngine(code), jobs, limits);
  expect(errorsOf(outcomes)).toEqual([undefined, 'nothing came for 0.5 s']);
  const child = Number(readFileSync(file, 'utf8'));
  await expect.poll(() => isRunning(child), { timeout: 5000 }).toBe(false);
});

/** Says whether a process runs; one that has ended and waits for its parent does not. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
