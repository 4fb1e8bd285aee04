import { expect, test } from 'vitest';
import type { Entity } from '../../src/shared/entity.ts';
import { GameLoop, PresentationSnapshot } from '../../src/sim-worker/index.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';
import { HandClock } from './loop-stage.ts';
import { type Components, openStage } from './presentation-stage.ts';

const frames = scaled({ tiny: 2000, normal: 5000, full: 20_000 });
const ENTITIES = 500;
const CHURN = 10;

test.each(['position', 'exact'] as const)(
  'ticks, frames and samples of %s leave nothing on the heap, quiet or with jumps',
  (component: keyof Components) => {
    for (const busy of [false, true]) {
      const { world } = openStage(ENTITIES);
      const entities = new Uint32Array(ENTITIES);
      const born = { [component]: [1, 2] };
      for (let i = 0; i < ENTITIES; i++) entities[i] = world.spawn(born);
      const clock = new HandClock();
      let tick = 0;
      const target = {
        beginFrame: () => undefined,
        scheduleFault: () => undefined,
        runTick: () => {
          tick = (tick + 1) & 0xffff;
          const column = world.columns[component];
          for (let i = 0; i < ENTITIES; i++) column[2 * i] = tick + i;
          if (!busy) return;
          for (let k = 0; k < CHURN; k++) {
            const i = (tick * CHURN + k) % ENTITIES;
            world.teleport(entities[i] as Entity, born);
          }
        },
      };
      const onTick = (now: number): void => void snapshot.onTick(now);
      const loop = new GameLoop(target, { tickRateHz: 100, clock, onTick });
      const snapshot = PresentationSnapshot.create(world, loop, { component });
      const out = component === 'exact' ? new Int32Array(2) : new Float32Array(2);
      const shown = { ok: 0, snapped: 0 };
      const left = bytesLeft(frames, () => {
        clock.ns += 7e6;
        loop.frame();
        snapshot.onRenderFrame(loop.lastReading);
        for (let i = 0; i < ENTITIES; i += 5) {
          const status = snapshot.samplePosition(entities[i] as Entity, out);
          if (status === 'ok') shown.ok = (shown.ok + 1) & 0xffff;
          else shown.snapped = (shown.snapped + 1) & 0xffff;
        }
      });
      expect(left).toBe(0);
      expect(loop.stats.droppedTicks).toBe(0);
      expect(shown.ok).toBeGreaterThan(0);
      if (busy) expect(shown.snapped).toBeGreaterThan(0);
    }
  },
);
