import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = 'examples/rollback/main.ts';

/**
 * Runs the example as its README does, and returns how it ended and what it printed. A match that
 * is watched prints megabytes.
 */
function run(args: readonly string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', MAIN, ...args],
    { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 },
  );
  return { code: status, out: stdout, err: stderr };
}

describe('the rollback example', () => {
  test('runs with every command of its README', () => {
    const readme = readFileSync(`${ROOT}examples/rollback/README.md`, 'utf8');
    const commands = [...readme.matchAll(/^npx tsx (\S+) ?(.*)$/gm)];
    expect(commands.map(([, file]) => file)).toEqual([MAIN, MAIN, MAIN]);
    for (const [, , given = ''] of commands) {
      const args = given.split(' ').filter((arg) => arg !== '');
      const { code, out, err } = run([...args, '--ticks', '90']);
      expect([code, err]).toEqual([0, '']);
      expect(out).toContain('Both players saw the same game, tick by tick.\n');
      expect(out.includes('\x1b[H')).toBe(args.includes('--watch'));
    }
  });

  test('prints its figures as JSON, the same in every process', () => {
    const args = ['--ticks', '300', '--seed', '9', '--json'];
    const [one, two] = [run(args), run(args)];
    expect(one).toEqual(two);
    const { status, players } = JSON.parse(one.out) as {
      status: string;
      players: readonly { readonly comparedTick: number; readonly hash: string }[];
    };
    expect(status).toBe('over');
    expect(players.map(({ comparedTick }) => comparedTick)).toEqual([300, 300]);
    expect(new Set(players.map(({ hash }) => hash)).size).toBe(1);
  });

  test('ends with 1 where the games differ, and with 2 for what it cannot do', () => {
    const flawed = run(['--flaw', '123']);
    expect([flawed.code, flawed.err]).toEqual([1, '']);
    expect(flawed.out).toContain('The games differ from tick 123 on.\n');
    const wrong = run(['--loss', '2']);
    expect([wrong.code, wrong.out]).toEqual([2, '']);
    expect(wrong.err).toContain('--loss 2: a number from 0 to 1.\n');
  });
});
