import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readReplay, type Replay } from 'escapement';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { scaled } from '../scaled.ts';
import { builtModule } from './built-worker.ts';
import { command, endCommands } from './command-process.ts';

const KILLS = scaled({ tiny: 4, normal: 20, full: 200 });
const HASH_EVERY = 5;
/** Every so many recorders are killed at a moment of their start, the others while they record. */
const IN_START = 4;
const LIFE_MS_MAX = 800;
/** More ticks than any of the killed can have made. */
const REFERENCE_TICKS = 1200;
const SEED = 20_261_130;

const scratch = mkdtempSync(join(tmpdir(), 'escapement-kill-'));
afterEach(endCommands);
afterAll(() => rmSync(scratch, { recursive: true }));

const PERIODS = ['--hash-every', String(HASH_EVERY), '--keyframe-every', '20'];
let reference: Replay;

beforeAll(async () => {
  const out = join(scratch, 'reference.replay');
  const ticks = ['--ticks', String(REFERENCE_TICKS), '--driven-by', 'host'];
  const run = command(['record', builtModule('drift.sim'), '--out', out, ...ticks, ...PERIODS]);
  expect([await run.code, run.err]).toEqual([0, '']);
  reference = readReplay(readFileSync(out));
});

/** Numbers from 0 to 1, the same every time. */
function* fractions(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Returns what a recording holds up to its last tick, as text to compare. */
function contentOf(replay: Replay, lastTick: number): string[] {
  const lines: string[] = [];
  for (let k = 0; k < replay.hashCount; k++) {
    const { tick, high, low } = replay.hashAt(k);
    if (tick <= lastTick) lines.push(`${tick}: ${high} ${low}`);
  }
  for (let tick = 1; tick <= lastTick; tick++) {
    replay.inputsOf(tick, (input, words) => lines.push(`${tick}: ${input} ${words.join(' ')}`));
  }
  return lines;
}

/** The last tick that a recorder had said was in its file. */
function lastReported(out: string): number {
  const ticks = [...out.matchAll(/"recorded":\{"tick":(\d+),"bytes":[1-9]/g)].map(([, tick]) =>
    Number(tick),
  );
  return Math.max(-1, ...ticks);
}

test(`a recorder killed at ${KILLS} moments leaves all that it had flushed`, async () => {
  const moments = fractions(SEED);
  let withTicks = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const out = join(scratch, `${kill}.replay`);
    const args = ['record', builtModule('drift.sim'), '--out', out, ...PERIODS];
    const run = command([...args, '--json', '--status-every', '0.02']);
    // Some are killed in their start, some at once afterwards, and half of them with ticks written.
    if (kill % 2 === 1) await run.find(/"recorded":\{"tick":[1-9]/);
    else if (kill % IN_START !== 0) await run.find(/"event":"status"/);
    await pause(LIFE_MS_MAX * moments.next().value);
    run.child.kill('SIGKILL');
    await run.code;
    const reported = lastReported(run.out);
    if (!existsSync(out)) {
      expect(reported).toBe(-1);
      continue;
    }
    const replay = readReplay(readFileSync(out));
    const { lastTick } = replay;
    expect(lastTick).toBeGreaterThanOrEqual(reported);
    // Before its first chunk a file has a header, and perhaps keyframes.
    const flushed = lastTick === 0 ? [] : contentOf(reference, lastTick);
    expect(contentOf(replay, lastTick)).toEqual(flushed);
    for (let k = 0; k < replay.keyframes.length; k++) {
      const { tick, world } = replay.loadKeyframe(k);
      const same = reference.keyframes.findIndex((keyframe) => keyframe.tick === tick);
      expect(Buffer.from(reference.loadKeyframe(same).world).equals(world)).toBe(true);
    }
    if (lastTick > 0) withTicks++;
  }
  expect(withTicks).toBeGreaterThanOrEqual(KILLS / 2);
});
