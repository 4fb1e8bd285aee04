import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { readDiffArguments } from '../../src/cli/commands/diff.ts';
import { readDoctorArguments } from '../../src/cli/commands/doctor.ts';
import { readRecordArguments } from '../../src/cli/commands/record.ts';
import { readReplayArguments } from '../../src/cli/commands/replay.ts';
import { readSeekArguments } from '../../src/cli/commands/seek.ts';
import { readVerifyArguments } from '../../src/cli/commands/verify.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { UsageError } from '../../src/cli/usage-error.ts';

/** A terminal that keeps what is written to it. */
class Paper implements Terminal {
  readonly isTty = false;
  readonly env = {};
  written = '';
  faults = '';

  out(text: string): void {
    this.written += text;
  }

  err(text: string): void {
    this.faults += text;
  }

  onEnd(): void {}
}

async function carryOut(...argv: string[]): Promise<Paper & { code: number }> {
  const paper = new Paper();
  return Object.assign(paper, { code: await runCommandLine(argv, paper) });
}

function usageErrorOf(read: () => unknown): UsageError {
  try {
    read();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('help', () => {
  test('lists every command, and the exit codes', async () => {
    const { code, written } = await carryOut('--help');
    expect(code).toBe(0);
    for (const { usage, summary } of COMMANDS)
      expect(written).toContain(`  ${usage.padEnd(28)}${summary}`);
    expect(written).toContain(
      'Exit codes: 0 done, 1 failed, or a difference was found, 2 wrong usage.',
    );
    expect((await carryOut('help')).written).toBe(written);
  });

  test.each(COMMANDS.map((command) => [command.name, command] as const))(
    'of %s says how to use it, its exit codes, and gives an example',
    async (name, { help }) => {
      const asked = await Promise.all([
        carryOut(name, '--help'),
        carryOut(name, 'anything', '-h'),
        carryOut('help', name),
      ]);
      for (const { code, written } of asked) expect([code, written]).toEqual([0, help]);
      expect(help.startsWith(`escapement ${name} `)).toBe(true);
      expect(help).toMatch(/\nExit codes: 0 .+, 1 .+, 2 wrong usage\.\n/);
      expect(help).toContain(`\nExample:\n  escapement ${name} `);
      expect(help.split('\n').filter((line) => line.length > 101)).toEqual([]);
    },
  );

  test.each(['--help', '-h'])('is not what %s asks for behind the end of options', async (flag) => {
    const { code, written } = await carryOut('inspect', '--', flag);
    expect([code, written]).toEqual([2, '']);
  });
});

test.each([[[]], [['explode']], [['help', 'explode']]])('%j ends with 2', async (argv) => {
  const { code, faults, written } = await carryOut(...argv);
  expect([code, written]).toEqual([2, '']);
  expect(faults).toContain('no such command');
  for (const { name } of COMMANDS) expect(faults).toContain(name);
});

test('arguments of record are those of run, and where and how it is recorded', () => {
  const line =
    'a.sim.js --out x.replay --seconds 2.5 --hash-every 1 --keyframe-every 10 --max-bytes 5000 ' +
    '--force --seed 3 --driven-by host';
  expect(readRecordArguments(line.split(' '), {})).toMatchObject({
    out: 'x.replay',
    force: true,
    seconds: 2.5,
    options: { hashEveryTicks: 1, keyframeEveryTicks: 10, maxBytes: 5000 },
    run: { path: 'a.sim.js', seed: 3, drivenBy: 'host' },
  });
});

test('arguments of verify are files, then the module', () => {
  expect(readVerifyArguments(['a', 'b', 'm.js', '--jobs', '3'])).toEqual({
    files: ['a', 'b'],
    module: 'm.js',
    name: undefined,
    jobs: 3,
    json: false,
  });
  expect(readVerifyArguments(['a', 'm.js', '--jobs', '0']).jobs).toBeGreaterThanOrEqual(1);
});

test.each([
  [['a.replay', 'b.replay'], { a: 'a.replay', b: 'b.replay', module: undefined }],
  [['a', 'b', 'm.sim.ts'], { a: 'a', b: 'b', module: 'm.sim.ts' }],
  [['a', 'm.mjs'], { a: 'a', b: undefined, module: 'm.mjs' }],
])('arguments of diff: %j', (argv, expected) => {
  expect(readDiffArguments(argv)).toMatchObject(expected);
});

test('arguments of replay and seek', () => {
  expect(readReplayArguments(['f', 'm', '--fast', '--to', '9'])).toMatchObject({
    file: 'f',
    module: 'm',
    speed: 1,
    fast: true,
    to: 9,
  });
  expect(readSeekArguments(['f', 'm', '--tick', '9', '--print', '--out', 'o'])).toMatchObject({
    file: 'f',
    module: 'm',
    tick: 9,
    print: true,
    limit: 20,
    out: 'o',
  });
});

const record = (argv: string[]): unknown => readRecordArguments(argv, {});

test.each([
  ['record: no file', record, 'm', '--out'],
  ['record: two ends', record, 'm --out o --ticks 5 --seconds 5', 'exclude'],
  ['record: no seconds', record, 'm --out o --seconds 0', '--seconds'],
  ['record: no period', record, 'm --out o --hash-every 0', '--hash-every'],
  ['record: half a period', record, 'm --out o --keyframe-every 1.5', '--keyframe-every'],
  ['record: no bytes', record, 'm --out o --max-bytes 0', '--max-bytes'],
  ['record: two modules', record, 'm n --out o', 'one module'],
  ['replay: one file', readReplayArguments, 'f', 'FILE and SIM'],
  ['replay: two paces', readReplayArguments, 'f m --fast --speed 2', 'exclude'],
  ['replay: no speed', readReplayArguments, 'f m --speed 0', '--speed'],
  ['replay: no tick', readReplayArguments, 'f m --to -1', '--to'],
  ['verify: one file', readVerifyArguments, 'f', 'files and a module'],
  ['verify: no jobs', readVerifyArguments, 'f m --jobs many', '--jobs'],
  ['diff: one file', readDiffArguments, 'a', 'two things'],
  ['diff: three files', readDiffArguments, 'a b c', 'two things'],
  ['diff: module first', readDiffArguments, 'm.js a', 'two things'],
  ['diff: modules alone', readDiffArguments, 'm.js n.js', 'two things'],
  ['seek: no tick', readSeekArguments, 'f m', '--tick'],
  ['seek: no module', readSeekArguments, 'f --tick 3', 'FILE and SIM'],
  ['doctor: no page', readDoctorArguments, 'ftp://x', 'one page'],
  ['doctor: two pages', readDoctorArguments, 'http://a http://b', 'one page'],
  ['doctor: unknown option', readDoctorArguments, '--all', '--all'],
] as const)('%s is refused', (_, read, line, names) => {
  const error = usageErrorOf(() => (read as (argv: string[]) => unknown)(line.split(' ')));
  expect(error.message).toContain(names);
  expect([error.detail.given, error.detail.allowed, error.detail.fix]).toEqual([
    expect.stringMatching(/./),
    expect.stringMatching(/./),
    expect.stringMatching(/./),
  ]);
});
