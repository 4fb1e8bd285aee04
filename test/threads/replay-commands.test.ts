import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  symlinkSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readReplay, startSimulation } from 'escapement';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { builtModule } from './built-worker.ts';
import { type Command, command, endCommands, root } from './command-process.ts';

const DRIFT = builtModule('drift.sim');
const BUMPED = builtModule('drift-bumped.sim');
const PLAIN = [DRIFT, '--export', 'plain'];

const scratch = mkdtempSync(join(tmpdir(), 'escapement-replays-'));
const inScratch = (name: string): string => join(scratch, name);
const GOOD = inScratch('good.replay');
const OTHER = inScratch('other.replay');
const CUT = inScratch('cut.replay');
const TEXT = inScratch('text.replay');

afterEach(endCommands);
afterAll(() => rmSync(scratch, { recursive: true }));

/** Records as fast as it goes, to exactly that tick. */
function record(module: string, out: string, ticks: number, ...more: string[]): Command {
  const args = ['--out', out, '--ticks', String(ticks), '--driven-by', 'host', '--hash-every', '1'];
  return command(['record', module, ...args, ...more]);
}

async function ended(run: Command): Promise<{ code: number | null; out: string; err: string }> {
  const code = await run.code;
  return { code, out: run.out, err: run.err };
}

beforeAll(async () => {
  const runs = [
    record(DRIFT, GOOD, 600, '--keyframe-every', '100', '--seed', '5'),
    record(BUMPED, OTHER, 600, '--keyframe-every', '100', '--seed', '5'),
  ];
  for (const run of runs) expect(await ended(run)).toMatchObject({ code: 0, err: '' });
  const bytes = readFileSync(GOOD);
  // Into the last record, which says that the file is whole.
  writeFileSync(CUT, bytes.subarray(0, bytes.length - 20));
  writeFileSync(TEXT, 'no recording at all\n');
});

describe('escapement record', () => {
  test('writes what the options name, and says so', async () => {
    const out = inScratch('options.replay');
    const run = command(
      ['record', DRIFT, '--out', out, '--seconds', '0.5', '--driven-by', 'host', '--json']
        .concat(['--param', 'population=7', '--seed', '9', '--rate', '50'])
        .concat(['--hash-every', '5', '--keyframe-every', '10']),
    );
    expect(await run.code).toBe(0);
    const bytes = readFileSync(out);
    const { header, lastTick, end, hashCount, keyframes } = readReplay(bytes);
    expect(header).toMatchObject({
      identity: '1',
      seed: [0, 9],
      params: { population: 7, failAt: 0 },
      firstTick: 0,
      hashEveryTicks: 5,
      keyframeEveryTicks: 10,
    });
    expect(header.schema.quantum).toEqual({ numerator: 1, denominator: 50 });
    expect([lastTick, end, hashCount]).toEqual([25, { tick: 25, reason: 'stopped' }, 6]);
    expect(keyframes.map(({ tick }) => tick)).toEqual([0, 10, 20]);
    expect(run.lines().at(-1)).toEqual({
      event: 'recorded',
      file: out,
      firstTick: 0,
      lastTick: 25,
      bytesWritten: bytes.length,
      reason: 'stopped',
    });
  });

  test('ends cleanly at a signal', async () => {
    const out = inScratch('signal.replay');
    const run = command(['record', DRIFT, '--out', out, '--json', '--status-every', '0.05']);
    await run.find(/"recorded":\{"tick":[1-9]/);
    run.child.kill('SIGINT');
    expect(await run.code).toBe(0);
    const replay = readReplay(readFileSync(out));
    expect([replay.end?.reason, replay.truncated]).toEqual(['stopped', undefined]);
    expect(replay.lastTick).toBe(run.lines().at(-1)?.['lastTick']);
  });

  test('is bounded in size, and stops there', async () => {
    const out = inScratch('full.replay');
    const run = record(DRIFT, out, 100_000, '--max-bytes', '20000');
    expect(await run.code).toBe(0);
    expect(run.out).toContain('it ended there because the file has its --max-bytes');
    const bytes = readFileSync(out);
    expect(bytes.length).toBeLessThanOrEqual(20_000);
    expect(readReplay(bytes).end?.reason).toBe('full');
  });

  test('of a simulation that fails keeps what led there, and ends with 1', async () => {
    const out = inScratch('failed.replay');
    const run = record(DRIFT, out, 100, '--param', 'failAt=50');
    expect(await run.code).toBe(1);
    expect(run.err).toContain('failed on purpose');
    const replay = readReplay(readFileSync(out));
    expect([replay.lastTick, replay.end?.reason]).toEqual([49, 'failed']);
    const verified = await ended(command(['verify', out, ...PLAIN]));
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('50 hashes')]);
  });

  test('replaces a file only if it may, and leaves none when the start fails', async () => {
    const before = readFileSync(GOOD);
    const refused = record(DRIFT, GOOD, 5);
    expect(await refused.code).toBe(2);
    expect(refused.err).toContain('--force');
    expect(readFileSync(GOOD).equals(before)).toBe(true);
    const out = inScratch('again.replay');
    writeFileSync(out, 'something');
    expect(await record(DRIFT, out, 5, '--force').code).toBe(0);
    expect(readReplay(readFileSync(out)).lastTick).toBe(5);
    const never = inScratch('never.replay');
    const failed = record(DRIFT, never, 5, '--param', 'population=many');
    expect(await failed.code).toBe(2);
    expect(existsSync(never)).toBe(false);
  });

  test('runs TypeScript as it is', async () => {
    const out = inScratch('typed.replay');
    const source = root('bench/workers/idle.sim.ts');
    expect(await record(source, out, 20).code).toBe(0);
    const verified = await ended(command(['verify', out, source]));
    expect(verified).toEqual({
      code: 0,
      out: `${out}: same: 21 hashes compared, ticks 0 to 20\n`,
      err: '',
    });
  });

  test('runs TypeScript of a project whose modules are of the older kind', async () => {
    const project = inScratch('project');
    mkdirSync(join(project, 'node_modules'), { recursive: true });
    symlinkSync(root(''), join(project, 'node_modules/escapement'), 'dir');
    writeFileSync(join(project, 'package.json'), '{"name":"project"}');
    const source = join(project, 'idle.sim.ts');
    copyFileSync(root('bench/workers/idle.sim.ts'), source);
    const out = join(project, 'idle.replay');
    expect(await record(source, out, 20).code).toBe(0);
    expect(await ended(command(['verify', out, source]))).toMatchObject({ code: 0, err: '' });
  });
});

describe('escapement verify', () => {
  test('says how many hashes it compared', async () => {
    expect(await ended(command(['verify', GOOD, ...PLAIN]))).toEqual({
      code: 0,
      out: `${GOOD}: same: 601 hashes compared, ticks 0 to 600\n`,
      err: '',
    });
  });

  test('stops at tick 300, where one value is one unit off', async () => {
    const { code, out } = await ended(command(['verify', GOOD, BUMPED]));
    expect(code).toBe(1);
    expect(out).toContain(`${GOOD}: different at tick 300: recorded `);
    expect(out).toContain('301 hashes compared, ticks 0 to 300');
  });

  test('gives the same verdicts in the same order, however many at once', async () => {
    const files = [GOOD, OTHER, CUT, TEXT, inScratch('none.replay'), GOOD, OTHER];
    const runs = await Promise.all(
      ['1', '3'].map((jobs) =>
        ended(command(['verify', ...files, ...PLAIN, '--json', '--jobs', jobs])),
      ),
    );
    expect(runs[1]).toEqual(runs[0]);
    const lines = (runs[0]?.out ?? '').trimEnd().split('\n');
    const verdicts = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(
      ['same', 'different', 'same', 'refused', 'refused', 'same', 'different'].concat([
        undefined,
      ] as unknown as string[]),
    );
    expect(verdicts.slice(0, -1).map(({ file }) => file)).toEqual(files);
    expect(verdicts[1]).toMatchObject({ divergence: { tick: 300 }, compared: 301 });
    expect(verdicts[2]).toMatchObject({ truncated: { why: expect.stringMatching(/./) } });
    expect(verdicts.at(-1)).toEqual({ event: 'verified', files: 7, same: 3 });
    expect(runs[0]?.code).toBe(1);
  });

  test('counts a file without hashes as no success', async () => {
    const saved = inScratch('saved.replay');
    const seek = command(['seek', GOOD, ...PLAIN, '--tick', '7', '--out', saved]);
    expect(await seek.code).toBe(0);
    const { code, out } = await ended(command(['verify', saved, ...PLAIN]));
    expect([code, out]).toEqual([1, `${saved}: nothing to compare: it holds no hash\n`]);
  });

  test('says when a module imports another copy, and keeps its prints apart', async () => {
    const copy = inScratch('node_modules/escapement');
    mkdirSync(copy, { recursive: true });
    writeFileSync(join(copy, 'package.json'), '{"type":"module","exports":{"./sim":"./sim.js"}}');
    writeFileSync(join(copy, 'sim.js'), 'export {};');
    const path = inScratch('copied.mjs');
    const drift = JSON.stringify(pathToFileURL(DRIFT).href);
    writeFileSync(path, `export { plain } from ${drift};\nconsole.log('printed');`);
    const { code, out, err } = await ended(command(['verify', GOOD, path]));
    expect([code, out]).toEqual([0, expect.stringMatching(/^\S+: same: 601 hashes[^\n]+\n$/)]);
    expect(err).toContain(`imports another copy of this: ${join(copy, 'sim.js')}\n`);
    expect(err).toContain('printed\n');
  });

  test('ends with 1 and says so when a module ends the process', async () => {
    const path = inScratch('leaves.sim.mjs');
    writeFileSync(path, 'process.exit(0);');
    const run = await ended(command(['verify', GOOD, path]));
    expect(run).toEqual({
      code: 1,
      out: '',
      err: 'escapement: The process was ended before the command was done.\n',
    });
  });

  test('refuses a module that exports several definitions, or none', async () => {
    const several = await ended(command(['verify', GOOD, DRIFT]));
    expect([several.code, several.err]).toEqual([2, expect.stringContaining('bumped, plain')]);
    const unknown = await ended(command(['verify', GOOD, DRIFT, '--export', 'other']));
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('bumped, plain')]);
    const none = inScratch('none.mjs');
    writeFileSync(none, 'export const one = 1;');
    const without = await ended(command(['verify', GOOD, none]));
    expect([without.code, without.err]).toEqual([2, expect.stringContaining('exports one')]);
    writeFileSync(none, 'throw new Error("on purpose");');
    const throws = await ended(command(['verify', GOOD, none]));
    expect([throws.code, throws.err]).toEqual([1, expect.stringContaining('on purpose')]);
  });
});

describe('escapement diff', () => {
  test('of a recording and a build that is one unit off names tick, field and values', async () => {
    const { code, out } = await ended(command(['diff', GOOD, BUMPED]));
    expect(code).toBe(1);
    expect(out).toContain('first different tick: 300\nstates of tick 300: 1 difference\n');
    expect(out).toContain('  1 in component hits, written by: count\n');
    expect(out).toMatch(/ {4}hits of slot 3, entity \d+: A 3, B 4\n/);
  });

  test('tells programs the same', async () => {
    const run = command(['diff', GOOD, BUMPED, '--json']);
    expect(await run.code).toBe(1);
    expect(run.lines()).toMatchObject([
      {
        event: 'diff',
        same: false,
        lastGood: 299,
        firstBad: 300,
        exact: true,
        compared: 301,
        divergence: { tick: 300 },
        state: {
          tick: 300,
          total: 1,
          groups: [{ kind: 'value', name: 'hits', count: 1, writtenBy: ['count'] }],
          differences: [{ name: 'hits', slot: 3, field: 0, a: 3, b: 4 }],
        },
      },
    ]);
  });

  test('of two recordings names the same, from the files alone and with a build', async () => {
    const files = await ended(command(['diff', GOOD, OTHER]));
    expect(files.code).toBe(1);
    expect(files.out).toContain('first different tick: 300\nstates of tick 300: 1 difference\n');
    const narrowed = command(['diff', GOOD, OTHER, ...PLAIN, '--json']);
    expect(await narrowed.code).toBe(1);
    expect(narrowed.lines()[0]).toMatchObject({
      reproduces: [true, false],
      firstBad: 300,
      state: { total: 1 },
    });
  });

  test('ends with 0 for what is equal', async () => {
    const files = await ended(command(['diff', GOOD, GOOD]));
    const build = await ended(command(['diff', GOOD, ...PLAIN]));
    expect([files.code, build.code]).toEqual([0, 0]);
    expect(files.out.endsWith('601 hashes and 7 keyframes compared\nequal\n')).toBe(true);
    expect(build.out).toBe(`${GOOD}: 601 hashes compared, ticks 0 to 600\nequal\n`);
  });
});

describe('escapement seek', () => {
  test('prints the hash and the state, bounded', async () => {
    const args = ['seek', GOOD, ...PLAIN, '--tick', '300', '--print', '--limit', '2'];
    const { code, out } = await ended(command(args));
    const hash = /^tick 300: hash ([0-9a-f]{16}), recorded \1\n/.exec(out);
    expect([code, hash?.index]).toEqual([0, 0]);
    expect(out).toContain('globals: total 150\nentities: 20\n  slot 0, entity ');
    expect(out).toContain('  and 18 more\n');
    const json = command([...args, '--json']);
    expect(await json.code).toBe(0);
    expect(json.lines()).toMatchObject([
      { event: 'sought', tick: 300, hash: hash?.[1], recorded: hash?.[1], entities: 20 },
    ]);
  });

  test('ends with 1 where a hash is not met, with 2 for a tick that is not there', async () => {
    const lone = inScratch('lone.replay');
    expect(await record(DRIFT, lone, 400, '--keyframe-every', '1000').code).toBe(0);
    const off = await ended(command(['seek', lone, BUMPED, '--tick', '350']));
    expect(off.code).toBe(1);
    expect(off.out).toContain('not as recorded: the hash of tick 300 was not met\n');
    const before = await ended(command(['seek', lone, BUMPED, '--tick', '299']));
    expect(before.code).toBe(0);
    const nowhere = inScratch('nowhere.replay');
    expect(await command(['seek', nowhere, BUMPED, '--tick', '1']).code).toBe(2);
    const beyond = await ended(command(['seek', GOOD, BUMPED, '--tick', '601']));
    expect([beyond.code, beyond.err]).toEqual([2, expect.stringContaining('ticks 0 to 600')]);
  });

  test('saves a state from which a simulation goes on as recorded', async () => {
    const saved = inScratch('state.replay');
    const seek = command(['seek', GOOD, ...PLAIN, '--tick', '250', '--out', saved]);
    expect(await seek.code).toBe(0);
    await using simulation = await startSimulation(() => new Worker(DRIFT), {
      restore: readFileSync(saved),
      drivenBy: 'host',
      logLevel: 'off',
    });
    await simulation.clock.advanceTicks(50);
    const { tick, hash } = await simulation.stateHash();
    const words = new Uint32Array(2);
    expect([tick, readReplay(readFileSync(GOOD)).findHash(300, words)]).toEqual([300, true]);
    expect(hash).toBe(Array.from(words, (word) => word.toString(16).padStart(8, '0')).join(''));
  });
});

describe('escapement replay', () => {
  test('plays as fast as it goes and compares every hash', async () => {
    const run = await ended(command(['replay', GOOD, DRIFT, '--fast']));
    expect(run).toEqual({
      code: 0,
      out: `${GOOD}: as recorded to tick 600; 601 hashes compared\n`,
      err: '',
    });
  });

  test('plays in time, at a speed, to a tick', async () => {
    const args = ['replay', GOOD, DRIFT, '--speed', '20', '--to', '300', '--json'];
    const run = command([...args, '--status-every', '0.02']);
    expect(await run.code).toBe(0);
    const lines = run.lines();
    expect(lines[0]).toMatchObject({ event: 'status', mode: 'live' });
    const last = lines.at(-1) as { tick: number; compared: number };
    expect(last).toMatchObject({ event: 'ended', reason: 'done' });
    expect(last.tick).toBeGreaterThanOrEqual(300);
    expect(last.compared).toBe(last.tick + 1);
  });

  test('ends with 1 at the first hash that is not met', async () => {
    const run = command(['replay', GOOD, BUMPED, '--fast', '--json']);
    expect(await run.code).toBe(1);
    expect(run.lines().at(-1)).toMatchObject({ reason: 'different', divergence: { tick: 300 } });
  });

  test('ends with 1 for a recording of another simulation, and for no recording', async () => {
    const other = await ended(command(['replay', GOOD, builtModule('probe.sim')]));
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('REPLAY_MISMATCH')]);
    const text = await ended(command(['replay', TEXT, DRIFT]));
    expect([text.code, text.err]).toEqual([1, expect.stringContaining('REPLAY_INVALID')]);
  });
});

describe('escapement inspect', () => {
  test('says what is in a file, and where it is cut off', async () => {
    const whole = await ended(command(['inspect', GOOD]));
    expect([whole.code, whole.err]).toEqual([0, '']);
    expect(whole.out).toContain('simulation: drifting, version 1, 100 ticks a second\n');
    expect(whole.out).toContain('ticks:      0 to 600, 6.00 s\n');
    expect(whole.out).toContain('end:        stopped at tick 600\n');
    const cut = await ended(command(['inspect', CUT]));
    expect(cut.code).toBe(0);
    expect(cut.out).toMatch(/end: +none: it was not closed\ncut off: +at byte \d+: \S/);
  });

  test('lists hashes and keyframes as JSON, a line each', async () => {
    const run = command(['inspect', GOOD, '--json', '--hashes', '--keyframes', '--inputs']);
    expect(await run.code).toBe(0);
    const lines = run.lines();
    expect(lines[0]).toMatchObject({ event: 'recording', hashes: 601, keyframes: 7, inputs: 0 });
    const events = lines.map(({ event }) => event);
    expect(events.filter((event) => event === 'hash').length).toBe(601);
    expect(events.filter((event) => event === 'keyframe').length).toBe(7);
  });

  test('ends with 1 for what is no recording, with 2 for no file', async () => {
    const text = await ended(command(['inspect', TEXT]));
    expect([text.code, text.err]).toEqual([1, expect.stringContaining(TEXT)]);
    expect(await command(['inspect', inScratch('nowhere.replay')]).code).toBe(2);
  });
});
