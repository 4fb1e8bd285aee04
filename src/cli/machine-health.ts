import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { measureResolutionNs } from '../main/capabilities.ts';
import { VIEW_KERNELS } from '../shared/kernels/kernel-bytes.ts';
import { loadModule } from '../shared/kernels/kernel-module.ts';
import { type ClockScope, createSystemClock } from '../shared/system-clock.ts';
import { type HealthCheck, needed, optional } from './health.ts';
import { stripsTypes } from './module-file.ts';

/*
 * Threads    the main thread, and one worker that it starts and ends.
 * Memory     one word of its own, which the worker changes.
 * Ordering   the word is stored before the worker says that it is done.
 * Progress   waits for the worker two seconds at most.
 * Invariant  no thread is left.
 */

const NODE_MIN = [20, 16] as const;

/** A clock with steps of this many nanoseconds is seen to stutter. */
const COARSE_NS = 1e6;

const SAMPLES = 9;

/** Packages that some commands use if they are there, and for what. */
const PACKAGES: readonly (readonly [name: string, use: string])[] = [
  ['tsx', 'simulations in TypeScript'],
  ['@napi-rs/canvas', 'pictures of a simulation on Node'],
  ['mediabunny', 'videos'],
  ['playwright-core', 'pictures of a page'],
  ['three', 'escapement/three'],
  ['pixi.js', 'escapement/pixi'],
];

/** Looks at what this machine can do. */
export async function checkMachine(): Promise<HealthCheck[]> {
  const shares = await sharesMemory();
  return [
    checkNode(process.versions.node),
    needed('threads', shares.threads, shares.text, 'Use a Node that has worker_threads.'),
    needed(
      'SharedArrayBuffer',
      shares.memory,
      shares.memory ? 'a worker’s store is seen here' : 'a worker’s store is not seen here',
      'Start Node without flags that switch shared memory off.',
    ),
    optional(
      'Atomics.waitAsync',
      typeof (Atomics as { waitAsync?: unknown }).waitAsync === 'function',
      typeof (Atomics as { waitAsync?: unknown }).waitAsync === 'function' ? 'there' : 'not there',
      'Waits on the main thread poll instead: use a newer Node or browser.',
    ),
    ...checkKernels(),
    checkClock(),
    await checkTimers(),
    checkBlocking(),
    optional(
      'cores',
      availableParallelism() >= 2,
      String(availableParallelism()),
      'With one core, the simulation and what draws it take turns.',
    ),
    ...PACKAGES.map(([name, use]) => checkPackage(name, use)),
  ];
}

/** Judges a version of Node, such as `20.16.0`. */
export function checkNode(version: string): HealthCheck {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [least, minorLeast] = NODE_MIN;
  const ok = major > least || (major === least && minor >= minorLeast);
  return needed('Node', ok, version, `Install Node ${least}.${minorLeast} or newer.`);
}

interface Sharing {
  readonly threads: boolean;
  readonly memory: boolean;
  readonly text: string;
}

async function sharesMemory(): Promise<Sharing> {
  if (typeof SharedArrayBuffer === 'undefined') {
    return { threads: true, memory: false, text: 'not tried' };
  }
  const word = new Int32Array(new SharedArrayBuffer(4));
  const script =
    "const { workerData, parentPort } = require('node:worker_threads');" +
    'Atomics.store(workerData, 0, 7); parentPort.postMessage(0);';
  const began = performance.now();
  let worker: Worker | undefined;
  try {
    worker = new Worker(script, { eval: true, workerData: word, execArgv: [] });
    const started = worker;
    const answered = new Promise<boolean>((resolve) => {
      started.once('message', () => resolve(true));
      started.once('error', () => resolve(false));
    });
    const threads = await Promise.race([answered, pause(2000, false)]);
    const text = `a worker answers after ${(performance.now() - began).toFixed(0)} ms`;
    const memory = threads && Atomics.load(word, 0) === 7;
    return { threads, memory, text: threads ? text : 'a worker did not answer' };
  } catch (cause) {
    return { threads: false, memory: false, text: String(cause) };
  } finally {
    await worker?.terminate();
  }
}

function checkKernels(): HealthCheck[] {
  const slower = 'JavaScript loops give the same bits, slower: use a newer engine.';
  return [
    ['WebAssembly SIMD', loadModule(VIEW_KERNELS, false)] as const,
    ['the same over shared memory', loadModule(VIEW_KERNELS, true)] as const,
  ].map(([name, module]) => {
    const ok = module !== undefined;
    return optional(name, ok, ok ? 'the kernels compile' : 'the kernels do not compile', slower);
  });
}

function checkClock(): HealthCheck {
  const ns = measureResolutionNs(createSystemClock(globalThis as ClockScope));
  return needed(
    'clock resolution',
    ns < COARSE_NS,
    `${ns.toFixed(0)} ns`,
    'Motion stutters with such a clock: look for a setting that rounds it.',
  );
}

async function checkTimers(): Promise<HealthCheck> {
  const late: number[] = [];
  for (let i = 0; i < SAMPLES; i++) {
    const began = performance.now();
    await pause(1);
    late.push(performance.now() - began);
  }
  const ms = median(late);
  const fix = 'Timers are late here: the machine is busy, or saves power.';
  return optional('timers', ms < 5, `1 ms takes ${ms.toFixed(2)} ms`, fix);
}

function checkBlocking(): HealthCheck {
  const word = new Int32Array(new SharedArrayBuffer(4));
  const late = Array.from({ length: SAMPLES }, () => {
    const began = performance.now();
    Atomics.wait(word, 0, 0, 1);
    return performance.now() - began;
  });
  const ms = median(late);
  const fix = 'A simulation wakes up late for its ticks: the machine is busy, or saves power.';
  return optional('blocking waits', ms < 3, `1 ms takes ${ms.toFixed(2)} ms`, fix);
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Looks for a package above the working directory, as an import from there does. */
function checkPackage(name: string, use: string): HealthCheck {
  for (let directory = process.cwd(); ; directory = dirname(directory)) {
    if (existsSync(join(directory, 'node_modules', name, 'package.json'))) {
      return optional(name, true, `found, for ${use}`, '');
    }
    if (directory === dirname(directory)) break;
  }
  const isNative = name === 'tsx' && stripsTypes();
  const found = isNative ? 'not found, and not needed: Node takes types out' : 'not found';
  return optional(name, isNative, found, `For ${use}: npm install -D ${name}`);
}
