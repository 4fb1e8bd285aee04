import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RosterDiff } from '../../src/render/roster-diff.ts';
import type { Entity } from '../../src/sim-worker/index.ts';
import { openStage, type Script } from './stage.ts';

/** What one tick does: how many are spawned, and which of the living (by place) end. */
interface Churn {
  readonly spawned: number;
  readonly ended: readonly number[];
  /** Whether a frame is drawn after this tick. */
  readonly seen: boolean;
}

const churn: fc.Arbitrary<Churn> = fc.record({
  spawned: fc.nat(12),
  ended: fc.array(fc.nat(40), { maxLength: 14 }),
  seen: fc.boolean(),
});

function ascending(handles: Iterable<number>): number[] {
  return [...handles].sort((a, b) => a - b);
}

describe('who entered and who left since the last frame', () => {
  it('leads from any frame to any later one, whatever came and went between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(churn, { minLength: 1, maxLength: 30 }), async (ticks) => {
        const alive = new Set<number>();
        const ever = new Set<number>();
        const script: Script = ({ world, tick }) => {
          const plan = ticks[tick - 1];
          if (plan === undefined) return;
          const living = [...alive];
          for (const place of plan.ended) {
            const victim = living[place];
            if (victim !== undefined && world.despawn(victim as Entity)) alive.delete(victim);
          }
          for (let i = 0; i < plan.spawned && world.count < world.capacity; i++) {
            const newcomer = world.spawn({ position: 0 });
            expect(ever.has(newcomer)).toBe(false);
            ever.add(newcomer);
            alive.add(newcomer);
          }
        };
        const stage = await openStage(script, { tickRateHz: 100 });
        const view = stage.openView();
        const known = new Set<number>();
        ticks.forEach(({ seen }, i) => {
          stage.advanceTo(10 * (i + 1));
          if (!seen && i < ticks.length - 1) return;
          const frame = view.frame();
          for (const entity of frame.left) expect(known.delete(entity)).toBe(true);
          for (const entity of frame.entered) {
            expect(known.has(entity)).toBe(false);
            known.add(entity);
          }
          expect(ascending(known)).toEqual(ascending(alive));
          expect(ascending(frame.entities)).toEqual(ascending(alive));
          frame.release();
          const again = view.frame();
          expect([again.entered.length, again.left.length]).toEqual([0, 0]);
          again.release();
        });
        await stage.close();
      }),
      { numRuns: 40 },
    );
  });

  it('lets everybody leave and everybody enter over a restart', async () => {
    const stage = await openStage(({ world, tick }) => {
      if (tick === 0) for (let i = 0; i < 3; i++) world.spawn({ position: i });
    });
    const view = stage.openView();
    const first = view.frame();
    const before = [...first.entities];
    first.release();
    await stage.sim.restart();
    const second = view.frame();
    expect([...second.left]).toEqual(before);
    expect([...second.entered]).toEqual([...second.entities]);
    expect(second.count).toBe(3);
    second.release();
    await stage.close();
  });

  it('has nothing to say before the first frame', () => {
    const diff = new RosterDiff(4);
    expect([diff.entered.length, diff.left.length]).toEqual([0, 0]);
  });
});
