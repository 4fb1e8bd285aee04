import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type EscapementError, type RunningSimulation, startSimulation } from 'escapement';
import { afterEach, describe, expect, it } from 'vitest';
import { openView } from 'escapement/render';
import type { TypesOf } from 'escapement/sim';
import { scaled } from '../scaled.ts';
import { builtModule } from './built-worker.ts';
import { type ProbeSimulation, startProbe, until } from './tier.ts';
import type { Hungry } from './workers/hungry.sim.ts';
import type { Late } from './workers/late.sim.ts';
import type { Probe } from './workers/probe.sim.ts';
import type { Steady } from './workers/steady.sim.ts';

const started: { stop(): Promise<void> }[] = [];

/** Stops a simulation when its test is over. */
function keep<S extends { stop(): Promise<void> }>(sim: S): S {
  started.push(sim);
  return sim;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((sim) => sim.stop().catch(() => undefined)));
});

const quiet = { logLevel: 'off' } as const;

/** Resolves with what a promise rejects with. Rejects when it does not. */
async function rejection(promise: Promise<unknown>): Promise<EscapementError> {
  return promise.then(
    () => {
      throw new Error('it resolved');
    },
    (cause: EscapementError) => cause,
  );
}

/** A worker of the probe whose end is known. */
function probeWorker(options: ConstructorParameters<typeof Worker>[1] = {}): {
  readonly worker: Worker;
  readonly exitCode: Promise<number>;
} {
  const worker = new Worker(builtModule('probe.sim'), options);
  return { worker, exitCode: exitCodeOf(worker) };
}

function exitCodeOf(worker: Worker): Promise<number> {
  return new Promise((resolve) => {
    worker.once('exit', resolve);
  });
}

async function elapsedMs(work: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work;
  return performance.now() - began;
}

describe('WRK 83: a worker script that is not there', () => {
  it('rejects every start within a second, naming the path, and the next one works', async () => {
    const unhandled: unknown[] = [];
    const note = (cause: unknown): void => void unhandled.push(cause);
    process.on('unhandledRejection', note);
    const missing = builtModule('not-there.sim');
    const start = (): Promise<unknown> => startSimulation<Probe>(() => new Worker(missing), quiet);
    const began = performance.now();
    const causes = await Promise.all([start(), start(), start()].map(rejection));
    expect(performance.now() - began).toBeLessThan(1000);
    for (const cause of causes) {
      expect(cause.code).toBe('WORKER_LOAD_FAILED');
      expect(cause.message).toContain('not-there.sim');
    }
    const sim = keep(await startProbe('shared'));
    await until('tick 2', () => sim.tick >= 2);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('says what a factory threw', async () => {
    const cause = await rejection(
      startSimulation<Probe>(() => {
        throw new Error('no worker today');
      }, quiet),
    );
    expect(cause.code).toBe('WORKER_LOAD_FAILED');
    expect(cause.message).toContain('no worker today');
  });
});

describe('WRK 85: messages that come early', () => {
  it('carries out seven calls once and in order after a setup of 1500 ms', async () => {
    const start = startProbe('shared', { params: { slowSetupMs: 1500 }, paused: true });
    const began = performance.now();
    const calls = Array.from({ length: 7 }, async (_, i) => {
      const sim = await start;
      return [await sim.queries.spawn(i, 0), sim.clock.stepOnce()] as const;
    });
    const answers = await Promise.all(calls);
    const sim = keep(await start);
    await Promise.all(answers.map(([, step]) => step));
    expect(performance.now() - began).toBeGreaterThan(1490);
    const handles: number[] = answers.map(([handle]) => handle);
    expect(handles).toEqual([...new Set(handles)].sort((a, b) => a - b));
    expect(sim.tick).toBe(7);
    expect(sim.stats().entityCount).toBe(10 + 7);
  });

  it('starts a module that listens only after a top-level await', async () => {
    const sim = keep(await startSimulation<Late>(() => new Worker(builtModule('late.sim')), quiet));
    await until('tick 2', () => sim.tick >= 2);
    expect(sim.state).toBe('running');
  });

  it('starts a worker that said hello before anybody listened', async () => {
    const { worker } = probeWorker();
    const [hello] = (await once(worker, 'message')) as [{ kind: string }];
    expect(hello.kind).toBe('escapement/hello');
    const sim = keep(await startSimulation<Probe>(() => worker, quiet));
    expect(await sim.queries.sum(1, 2)).toBe(3);
  });

  it('gives up a worker that never says hello, and ends it', async () => {
    const worker = new Worker('setInterval(() => {}, 1000);', { eval: true });
    const exited = once(worker, 'exit');
    const cause = await rejection(
      startSimulation<Probe>(() => worker, { ...quiet, startTimeoutMs: 200 }),
    );
    expect(cause.code).toBe('START_TIMEOUT');
    await exited;
  });
});

describe('WRK 89: errors in workers reach their simulation alone', () => {
  it('fails the one that throws and the one that rejects, and lets the third go on', async () => {
    const workers = [probeWorker(), probeWorker(), probeWorker()] as const;
    const start = (i: 0 | 1 | 2, params: { failAt?: number; rejectAt?: number }) =>
      startSimulation<Probe>(() => workers[i].worker, { ...quiet, params });
    const [throwing, rejecting, healthy] = await Promise.all([
      start(0, { failAt: 5 }),
      start(1, { rejectAt: 5 }),
      start(2, {}),
    ]);
    for (const sim of [throwing, rejecting, healthy]) keep(sim);
    const [thrown, rejected] = await Promise.all([throwing.ended, rejecting.ended]);
    expect(thrown).toMatchObject({ code: 'SIMULATION_FAILED' });
    expect(thrown?.message).toContain('failed on purpose');
    expect(rejected).toMatchObject({ code: 'SIMULATION_FAILED' });
    expect(rejected?.message).toContain('rejected on purpose');
    expect([throwing.state, rejecting.state]).toEqual(['failed', 'failed']);
    expect(await workers[0].exitCode).not.toBe(0);
    expect(await workers[1].exitCode).not.toBe(0);
    const { tick } = healthy;
    await until('the healthy one went on', () => healthy.tick > tick + 10);
    expect(healthy.state).toBe('running');
  });
});

describe('WRK 91: a worker that exits while calls are pending', () => {
  it('ends queries and waits with code 3 within a second', async () => {
    const neighbour = keep(await startProbe('shared'));
    const sim = keep(await startProbe('shared', { params: { exitAt: 10 } }));
    const query = rejection(sim.queries.never());
    const command = until('tick 9', () => sim.tick >= 9).then(() =>
      rejection(sim.clock.advanceTicks(1_000_000)),
    );
    await until('tick 9', () => sim.tick >= 9);
    const began = performance.now();
    let reason = '';
    for (let tick = sim.tick; reason === '' || reason === 'changed'; ) {
      const change = await sim.waitForTickChange(tick, 5000);
      ({ reason, tick } = change);
    }
    const cause = await query;
    expect(performance.now() - began).toBeLessThan(1000);
    expect(reason).toBe('failed');
    expect(cause).toMatchObject({ code: 'WORKER_EXITED' });
    expect(cause.message).toContain('exit code 3');
    expect(await command).toBe(cause);
    expect(await sim.ended).toBe(cause);
    const { tick } = neighbour;
    await until('the neighbour went on', () => neighbour.tick > tick + 5);
  });
});

describe('WRK 92: what keeps a process alive', () => {
  /** How a process ended that ran alone, and milliseconds: until it spoke, and from then on. */
  interface Ended {
    readonly code: number | null;
    readonly said: string;
    readonly loadMs: number;
    readonly ms: number;
  }

  async function runAlone(how: string): Promise<Ended> {
    const began = performance.now();
    const child = spawn(process.execPath, [builtModule('lone-process'), how]);
    let said = '';
    let spoke = Number.NaN;
    const killAfter = (ms: number): NodeJS.Timeout => setTimeout(() => child.kill('SIGKILL'), ms);
    let timer = killAfter(50_000);
    child.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      spoke = performance.now();
      clearTimeout(timer);
      // How long a process takes to load is up to the machine; one that is slow ends slowly too.
      timer = killAfter(Math.max(2000, 2 * (spoke - began)));
    });
    child.stderr.on('data', (bytes: Buffer) => {
      said += bytes.toString();
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    clearTimeout(timer);
    return { code, said, loadMs: spoke - began, ms: performance.now() - spoke };
  }

  it.each(['unref', 'close'])('waits for its ticks and then ends by itself: %s', async (how) => {
    const { code, said, loadMs, ms } = await runAlone(how);
    expect(said).toBe('ran ten ticks\n');
    expect(code).toBe(0);
    expect(ms).toBeLessThan(Math.max(1000, loadMs));
  });

  it('stays alive while a simulation runs that nobody stopped', async () => {
    const { code, said } = await runAlone('forget');
    expect(said).toBe('ran ten ticks\n');
    expect(code).toBeNull();
  });
});

describe('WRK 94: a worker that meets its memory limit', () => {
  it('fails alone, with the cause, and is not started again', async () => {
    const neighbour = keep(await startProbe('shared'));
    let made = 0;
    const sim = keep(
      await startSimulation<Hungry>(() => {
        made++;
        return new Worker(builtModule('hungry.sim'), {
          resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
        });
      }, quiet),
    );
    const cause = await sim.ended;
    expect(cause?.code).toBe('SIMULATION_FAILED');
    expect(cause?.message).toMatch(/memory/i);
    expect(made).toBe(1);
    const { tick } = neighbour;
    await until('the neighbour went on', () => neighbour.tick > tick + 5);
  });
});

describe('WRK 95: starts and stops in one go', () => {
  it('leaves one worker of many, and none after its stop', async () => {
    const rounds = scaled({ tiny: 8, normal: 50, full: 50 });
    const workers: { readonly worker: Worker; readonly exitCode: Promise<number> }[] = [];
    const mount = (): Promise<ProbeSimulation> =>
      startSimulation<Probe>(
        () => {
          const made = probeWorker();
          workers.push(made);
          return made.worker;
        },
        // So many threads share the cores while they load: on one core that takes its time.
        { ...quiet, startTimeoutMs: 60_000 },
      );
    const unmounted = Array.from({ length: rounds }, () => mount().then((sim) => sim.stop()));
    const last = await mount();
    await Promise.all(unmounted);
    const living = (): number => workers.filter(({ worker }) => worker.threadId !== -1).length;
    expect(workers).toHaveLength(rounds + 1);
    expect(living()).toBe(1);
    // Without its `this`, as an event listener would be called.
    const { stop } = last;
    await Promise.all([stop(), stop()]);
    expect(living()).toBe(0);
  });
});

describe('SAB 56: a shared worker', () => {
  it('is refused with a code of its own, and so is what is no worker', async () => {
    const shared = { port: { postMessage: () => undefined } } as unknown as Worker;
    const cause = await rejection(startSimulation<Probe>(() => shared, quiet));
    expect(cause.code).toBe('WORKER_UNSUITABLE');
    expect(cause.message).toContain('SharedWorker');
    const nothing = await rejection(startSimulation<Probe>(() => 42 as unknown as Worker, quiet));
    expect(nothing.code).toBe('WORKER_UNSUITABLE');
  });
});

describe('SAB 68: a thread that sleeps is stopped all the same', () => {
  it.each(['paused', 'running'])('stops a parked driver within 200 ms: %s', async (how) => {
    const sim = await startProbe('shared', { paused: how === 'paused' });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await elapsedMs(sim.stop())).toBeLessThan(200);
  });

  it('stops one whose tick never ends', async () => {
    const { worker, exitCode } = startSteadyWorker();
    const sim = await startSimulation<Steady>(() => worker, {
      ...quiet,
      params: { busyMs: 1e9 },
    });
    await inTheFirstTick();
    expect(await elapsedMs(sim.stop())).toBeLessThan(1000);
    expect(await exitCode).toBe(1);
  });

  it.each([0, 1e9])(
    'says that a thread has leaked when it does not end: ticks of %i ms',
    async (busyMs) => {
      const { worker } = startSteadyWorker();
      const terminate = worker.terminate.bind(worker);
      worker.terminate = () => new Promise(() => undefined);
      const sim = await startSimulation<Steady>(() => worker, { ...quiet, params: { busyMs } });
      await inTheFirstTick();
      const began = performance.now();
      const cause = await rejection(sim.stop({ timeoutMs: 500 }));
      const ms = performance.now() - began;
      await terminate();
      expect(cause.code).toBe('STOP_TIMEOUT');
      expect(cause.message).toContain('leaked');
      expect(ms).toBeGreaterThan(498);
      expect(ms).toBeLessThan(700);
    },
  );
});

/** Waits until a tick that began with the simulation is well under way. */
async function inTheFirstTick(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 100));
}

function startSteadyWorker(): { readonly worker: Worker; readonly exitCode: Promise<number> } {
  const worker = new Worker(builtModule('steady.sim'));
  return { worker, exitCode: exitCodeOf(worker) };
}

describe('SAB 70: a worker that is killed in the middle', () => {
  it('leaves readers with the last good frame, and they say that it failed', async () => {
    const { worker } = probeWorker();
    const sim = keep(await startSimulation<Probe>(() => worker, quiet));
    const view = openView(sim.share());
    await until('tick 5', () => sim.tick >= 5);
    await worker.terminate();
    await sim.ended;
    const ticks = new Set<number>();
    for (let i = 0; i < 50; i++) {
      const frame = view.frame();
      expect(frame.status).toBe('failed');
      expect(frame.count).toBe(10);
      expect(frame.blend('position')[2]).toBeGreaterThan(5);
      ticks.add(frame.tick);
      frame.release();
    }
    expect([...ticks]).toHaveLength(1);
    view.close();
  });

  it('says stalled while a tick takes too long, without waiting for it', async () => {
    const { worker } = startSteadyWorker();
    const sim: RunningSimulation<TypesOf<Steady>> = keep(
      await startSimulation<Steady>(() => worker, { ...quiet, params: { busyMs: 1000 } }),
    );
    const view = openView(sim.share());
    const statuses: string[] = [];
    const began = performance.now();
    while (statuses.at(-1) !== 'stalled' && performance.now() - began < 900) {
      const before = performance.now();
      const frame = view.frame();
      expect(performance.now() - before).toBeLessThan(50);
      statuses.push(frame.status);
      expect(frame.count).toBe(1);
      frame.release();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(statuses[0]).toBe('ok');
    expect(statuses.at(-1)).toBe('stalled');
    expect(performance.now() - began).toBeGreaterThan(200);
    view.close();
  });
});
