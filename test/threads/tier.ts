import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { RunningSimulation, StartOptions } from 'escapement';
import { startSimulation } from 'escapement';
import { inline, type TypesOf } from 'escapement/sim';
import { builtModule } from './built-worker.ts';
import type { Probe } from './workers/probe.sim.ts';

/** The three ways published ticks reach a reader. */
export const TIERS = ['shared', 'transfer', 'calling-thread'] as const;
export type TierName = (typeof TIERS)[number];

export type ProbeTypes = TypesOf<Probe>;
export type ProbeSimulation = RunningSimulation<ProbeTypes>;

/** Starts the probe over a tier; everything else is the same. */
export async function startProbe(
  tier: TierName,
  options: StartOptions<ProbeTypes> = {},
): Promise<ProbeSimulation> {
  const quiet = { logLevel: 'off', ...options } as const;
  if (tier === 'calling-thread') {
    const module = (await import(builtModule('probe.sim'))) as { probe: Probe };
    return startSimulation(inline(module.probe), quiet);
  }
  return startSimulation<Probe>(() => new Worker(builtModule('probe.sim')), { tier, ...quiet });
}

/** Polls until `condition` holds; fails loudly when it does not in time. */
export async function until(what: string, condition: () => boolean, ms = 5000): Promise<void> {
  const end = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`waited ${ms} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Advances, one command after the other and with timers in between, while `condition` holds. */
export async function advanceWhile(
  { clock }: ProbeSimulation,
  condition: () => boolean,
  ticks: number,
): Promise<void> {
  while (condition()) {
    await clock.advanceTicks(ticks);
    await setImmediate();
  }
}
