import type { Entity } from '../../src/shared/entity.ts';
import { createInstant, type Instant } from '../../src/shared/instant.ts';
import {
  createWorld,
  fixed,
  position2d,
  type PresentationOptions,
  PresentationSnapshot,
  type World,
} from '../../src/sim-worker/index.ts';
import { type LogBench, logBench } from './log-bench.ts';

/** Both backends: `position` in f32, `exact` in Q16.16. */
export const components = { position: position2d(), exact: fixed(2) };
export type Components = typeof components;

/** A reading so many nanoseconds after 1000 s, which is where stages begin. */
export function at(ns: number): Instant {
  const seconds = Math.floor(ns / 1e9);
  return createInstant(1000 + seconds, ns - seconds * 1e9);
}

/** What a sample came to: the status, and the numbers if there are any. */
export type Sampled = readonly [status: string, x?: number, y?: number];

/** A world by hand with its log; ticks and frames of a snapshot at 100 Hz. */
export interface PresentationStage extends LogBench {
  readonly world: World<Components>;
  readonly open: (options?: PresentationOptions<keyof Components>) => PresentationSnapshot;
}

export function openStage(capacity = 8): PresentationStage {
  const bench = logBench();
  const world = createWorld({ capacity, components, log: bench.log });
  const open = (options: PresentationOptions<keyof Components> = {}): PresentationSnapshot =>
    PresentationSnapshot.create(world, at(0), { tickRateHz: 100, log: bench.log, ...options });
  return { ...bench, world, open };
}

export function sample(snapshot: PresentationSnapshot, entity: Entity): Sampled {
  const out: number[] = [];
  const status = snapshot.samplePosition(entity, out);
  return [status, ...out] as unknown as Sampled;
}
