import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { RawSocket } from '../cli/raw-socket.ts';
import { builtModule } from './built-worker.ts';
import { command, endCommands, root, TOKEN } from './command-process.ts';

const IDLE = root('build/bench/workers/idle.sim.js');

const scratch = mkdtempSync(join(tmpdir(), 'escapement-cli-'));
afterAll(() => rmSync(scratch, { recursive: true }));

afterEach(endCommands);

/** Writes a module of a test and returns its path. */
function moduleOf(name: string, text: string): string {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

const escapementSim = JSON.stringify(root('dist/sim-worker/index.js'));

describe('escapement run', () => {
  test('ends with 0 at its tick, with JSON alone on standard output', async () => {
    const run = command(['run', IDLE, '--json', '--ticks', '90', '--speed', '1']);
    expect(await run.code).toBe(0);
    const lines = run.lines();
    expect(lines[0]).toMatchObject({ event: 'status', mode: 'live', speed: 1, fixedDt: 1 / 60 });
    expect(lines.at(-1)).toMatchObject({ event: 'ended', reason: 'ticks' });
    expect(lines.at(-1)?.['tick']).toBeGreaterThanOrEqual(90);
    expect(run.err).toBe('');
  });

  test('gives parameters to the simulation, with the types that it declares', async () => {
    const path = moduleOf(
      'params.sim.mjs',
      `import { defineSimulation, position2d, runSimulation } from ${escapementSim};
      runSimulation(defineSimulation({
        tickRateHz: 100, capacity: 1, params: { count: 1, name: 'x', wind: false },
        components: { position: position2d() }, publish: ['position'],
        setup({ params }) { throw new Error(JSON.stringify(params)); }, systems: [],
      }));`,
    );
    const run = command(['run', path, '--param', 'count=5', '--param', 'wind=true']);
    expect(await run.code).toBe(1);
    expect(run.err).toContain('{"count":5,"name":"x","wind":true}');
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('stops orderly at %s', async (signal) => {
    const run = command(['run', IDLE, '--json', '--control', '0']);
    await run.find(/"event":"status"/);
    run.child.kill(signal);
    expect(await run.code).toBe(0);
    expect(run.lines().at(-1)).toMatchObject({ event: 'ended', reason: 'signal' });
  });

  test('ends when nobody reads its output any more', async () => {
    const run = command(['run', IDLE, '--json']);
    await run.find(/"event":"status"/);
    run.child.stdout?.destroy();
    expect(await run.code).toBe(0);
    expect(run.err).toBe('');
  });

  test('ends with 1 and the cause when the simulation fails', async () => {
    const run = command(['run', builtModule('probe.sim'), '--param', 'failAt=5', '--json']);
    expect(await run.code).toBe(1);
    expect(run.err).toContain('code:     SIMULATION_FAILED');
    expect(run.err).toContain('failed on purpose');
    expect(run.lines().at(-1)).toMatchObject({ event: 'ended', reason: 'failed' });
  });
});

describe('what cannot be run', () => {
  test.each<[what: string, says: string, args: string[]]>([
    ['no command', 'no such command', []],
    ['an option that does not exist', "'--fast'", ['run', IDLE, '--fast']],
    ['a parameter that is not declared', 'no such parameter', ['run', IDLE, '--param', 'x=1']],
    ['a missing file', 'no such module', ['run', 'missing.sim.js']],
    ['a directory', 'no such module', ['run', 'src']],
  ])('%s ends with 2, and it says: %s', async (_, says, args) => {
    const run = command(args);
    expect(await run.code).toBe(2);
    expect(run.err).toContain(says);
    expect(run.err).toMatch(/\n {2}allowed: +\S.*\n {2}fix: +\S/);
    expect(run.out).toBe('');
  });

  test('a module that starts no simulation, whether it ends or stays, ends with 1', async () => {
    const ends = command(['run', moduleOf('ends.mjs', 'export {};')]);
    const stays = moduleOf('stays.mjs', 'setInterval(() => {}, 1000);');
    const waits = command(['run', stays, '--start-timeout', '0.3']);
    for (const run of [ends, waits]) {
      expect(await run.code).toBe(1);
      expect(run.err).toContain('code:     START_TIMEOUT');
      expect(run.err).toContain('runSimulation(definition)');
    }
  });

  test('a module that throws, or imports what is missing, ends with 1 and the cause', async () => {
    const throws = command(['run', moduleOf('throws.mjs', 'throw new Error("on purpose");')]);
    const lost = command(['run', moduleOf('lost.mjs', 'import "./nowhere.mjs";')]);
    expect([await throws.code, await lost.code]).toEqual([1, 1]);
    expect(throws.err).toContain('Error: on purpose');
    expect(lost.err).toContain('nowhere.mjs');
  });

  test('TypeScript runs as it is, and under tsx too', async () => {
    const source = root('bench/workers/idle.sim.ts');
    const plain = command(['run', source, '--ticks', '2']);
    const under = command(['run', source, '--ticks', '2'], ['--import', 'tsx']);
    expect([await plain.code, await under.code]).toEqual([0, 0]);
  });
});

test('help and version are printed, with an example', async () => {
  const [help, run, version] = [['--help'], ['run', '--help'], ['--version']].map((args) =>
    command(args),
  );
  expect([await help?.code, await run?.code, await version?.code]).toEqual([0, 0, 0]);
  expect(help?.out).toContain('Example:\n  escapement run');
  expect(run?.out).toContain('Example:\n  escapement run');
  expect(version?.out.trim()).toBe(
    (JSON.parse(readFileSync(root('package.json'), 'utf8')) as { version: string }).version,
  );
});

describe('a script that controls a run over the socket', () => {
  test('pauses it, steps exactly, changes its speed, and stops it', async () => {
    const run = command(['run', IDLE, '--json', '--control', '0', '--allow-stop']);
    const client = await run.connect();
    expect(await client.result('waitTick', { tick: 3 })).toMatchObject({ reason: 'reached' });
    await client.result('pause');
    const { tick } = await client.result('status');
    expect(await client.result('step', { count: 5 })).toMatchObject({
      firstTick: tick,
      steps: 5,
      tick: (tick as number) + 5,
    });
    expect(await client.result('waitTick', { tick: 1e9, timeoutMs: 100 })).toMatchObject({
      reason: 'timed-out',
      tick: (tick as number) + 5,
    });
    await client.result('set', { values: { 'sim.speed': 2, 'sim.paused': false } });
    expect(await client.result('status')).toMatchObject({ mode: 'live', speed: 2 });
    const { subscription } = await client.result('telemetry', { keys: ['sim.tick'], rateHz: 60 });
    const first = await client.event();
    const later = await client.event();
    expect(later).toMatchObject({ event: 'telemetry', subscription });
    const tickOf = (event: object): number =>
      (event as { values: Record<string, number> }).values['sim.tick'] ?? NaN;
    expect(tickOf(later)).toBeGreaterThanOrEqual(tickOf(first));
    await client.result('unsubscribe', { subscription });
    expect(await client.result('stop')).toEqual({});
    expect(await run.code).toBe(0);
    expect(run.lines()[0]).toMatchObject({ event: 'control' });
    expect(run.lines().at(-1)).toMatchObject({ event: 'ended', reason: 'remote' });
  });

  test('seeks, configures, and drives it by given wall times when nothing else does', async () => {
    const run = command(['run', IDLE, '--driven-by', 'host', '--control', '0']);
    const client = await run.connect();
    await client.result('seek', { tick: 1000 });
    expect(await client.result('advance', { wallSeconds: 0.1 })).toMatchObject({
      firstTick: 1000,
      steps: 6,
      dropped: 0,
      tick: 1006,
    });
    await client.result('configure', { fixedDt: 0.01, mode: 'lockstep', lockstepSteps: 3 });
    expect(await client.result('get', { keys: ['sim.tick', 'sim.fixed_dt', 'sim.mode'] })).toEqual({
      values: { 'sim.tick': 0, 'sim.fixed_dt': 0.01, 'sim.mode': 'lockstep' },
    });
    for (const steps of [3, 3]) {
      expect(await client.result('advance', { wallSeconds: 0.02 })).toMatchObject({ steps });
    }
    expect(await client.result('status')).toMatchObject({ tick: 6, time: 0.06 });
    // Wall time alone runs nothing.
    expect(await client.result('waitTick', { tick: 7, timeoutMs: 150 })).toEqual({
      reason: 'timed-out',
      tick: 6,
      epoch: 3,
    });
  });

  test('is not needed to run exactly so many ticks, as fast as they go', async () => {
    const run = command(['run', IDLE, '--driven-by', 'host', '--ticks', '36000', '--json']);
    expect(await run.code).toBe(0);
    expect(run.lines().at(-1)).toEqual({
      event: 'ended',
      reason: 'ticks',
      tick: 36_000,
      time: 600,
      dropped: 0,
    });
  });

  test('hears what made the simulation fail', async () => {
    const args = ['run', builtModule('probe.sim'), '--param', 'failAt=40', '--control', '0'];
    const run = command(args);
    const client = await run.connect();
    const wait = client.result('waitTick', { tick: 1e9 });
    expect(await wait).toMatchObject({ reason: 'failed' });
    expect(await client.event()).toMatchObject({
      event: 'ended',
      reason: 'failed',
      error: { code: 'SIMULATION_FAILED' },
    });
    expect(await client.arrival()).toMatchObject({ kind: 'close', code: 1001 });
    expect(await run.code).toBe(1);
  });

  test('can connect only with the token, and stop only where that is allowed', async () => {
    const run = command(['run', IDLE, '--paused', '--control', '0']);
    const client = await run.connect();
    const [, port] = await run.find(/:(\d+)\//);
    const headers = { Authorization: 'Bearer another-token-xx' };
    expect(await RawSocket.connect({ port: Number(port), headers })).toMatchObject({ status: 401 });
    expect(await client.error('stop')).toMatchObject({ code: 'COMMAND_REFUSED' });
    expect(await client.result('status')).toMatchObject({ mode: 'paused', tick: 0 });
    expect(run.err).not.toContain(TOKEN);
  });
});

/** Finds a Python that has the WebSocket package of the example. */
function findPython(): string | undefined {
  const named = process.env['ESCAPEMENT_PYTHON'];
  const candidates = [...(named ? [named] : []), 'python3', '/usr/bin/python3'];
  return candidates.find((python) => spawnSync(python, ['-c', 'import websocket']).status === 0);
}

test('the Python example controls a run, where Python has its WebSocket package', async () => {
  const source = readFileSync(root('examples/control.py'), 'utf8');
  expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  const python = findPython();
  if (python === undefined) {
    process.stdout.write(
      'The Python example did not run: no python3 here can import websocket ' +
        '(Debian: apt-get install python3-websocket).\n',
    );
    return;
  }
  const run = command(['run', IDLE, '--control', '0']);
  const [, url = ''] = await run.find(/control: (\S+)/);
  const script = spawn(python, [root('examples/control.py'), url, TOKEN]);
  let said = '';
  script.stdout.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  script.stderr.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  const [code] = (await once(script, 'close')) as [number | null];
  expect([code, said]).toEqual([0, expect.stringContaining("'reason': 'reached'")]);
  expect(said).toMatch(/five more: .*'steps': 5/);
  expect(said).toMatch(/sought: .*'sim\.tick': 1000, 'sim\.time': 10/);
  expect(said).toMatch(/telemetry .*'sim\.tick'/);
});
