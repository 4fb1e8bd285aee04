import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RunningSimulation, startSimulation } from '../../src/main/index.ts';
import { type Frame, openView, type View } from '../../src/render/index.ts';
import { ParticleRows } from '../../src/render/pixi/particle-rows.ts';
import { resolveSprite } from '../../src/render/pixi/sprite-layout.ts';
import { packTint } from '../../src/render/pixi/tint.ts';
import type { EscapementError } from '../../src/shared/error.ts';
import {
  angle,
  colour,
  defineSimulation,
  type Entity,
  fixed,
  inline,
  list,
  position2d,
  scalar,
  type TypesOf,
  vec2,
  type World,
} from '../../src/sim-worker/index.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';
import { VirtualClock } from './stage.ts';

const TICK_MS = 10;
const CAPACITY = 24;

const components = {
  place: position2d(),
  turn: angle(360),
  size: vec2(),
  paint: colour(),
  radians: scalar(),
  exact: fixed(),
  spots: list(position2d(), 2),
};
type Components = typeof components;
type Script = (world: World<Components>, tick: number) => void;

function define(script: Script) {
  return defineSimulation({
    name: 'particles',
    tickRateHz: 1000 / TICK_MS,
    capacity: CAPACITY,
    components,
    publish: ['place', 'turn', 'size', 'paint', 'radians', 'exact', 'spots'],
    setup: ({ world }) => script(world, 0),
    systems: [
      {
        name: 'script',
        writes: ['place', 'turn', 'size', 'paint', 'radians', 'exact', 'spots'],
        run: ({ world, tick }) => script(world, tick),
      },
    ],
  });
}

type Types = TypesOf<ReturnType<typeof define>>;

interface Run {
  readonly sim: RunningSimulation<Types>;
  readonly view: View<Types>;
  /** Goes to a time in ticks of the run, and hands a frame to whoever looks. */
  look<R>(ticks: number, at: (frame: Frame<Types>) => R): R;
  /** Begins another run, in which time starts at 0. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

async function start(script: Script): Promise<Run> {
  const clock = new VirtualClock();
  const source = inline(define(script), { pacing: 'manual', clock });
  const sim = await startSimulation(source, { logLevel: 'off' });
  const view = openView(sim.share());
  let startMs = 0;
  return {
    sim,
    view,
    look(ticks, at) {
      clock.toMs(startMs + ticks * TICK_MS);
      source.runDue();
      using frame = view.frame();
      return at(frame);
    },
    async restart() {
      startMs = clock.ns / 1e6;
      await sim.restart();
    },
    async close() {
      view.close();
      await sim.stop();
    },
  };
}

/** What pixi's own particle is to the product: plain fields. */
function makeParticle() {
  return {
    x: 0,
    y: 0,
    scaleX: 1,
    scaleY: 1,
    anchorX: 0,
    anchorY: 0,
    rotation: 0,
    color: -1,
    texture: undefined as never,
    /** Whom it shows, as `enter` was told. */
    entity: 0,
  };
}
type TestParticle = ReturnType<typeof makeParticle>;

/** Particles of a view, and how many were ever made. */
function openRows(view: View<Types>, channels: Parameters<typeof resolveSprite<Types>>[1]) {
  const counts = { made: 0, entered: 0 };
  const rows = new ParticleRows<Types, TestParticle>(resolveSprite(view, channels), {
    create: () => {
      counts.made++;
      return makeParticle();
    },
    enter: (particle, entity) => {
      counts.entered++;
      particle.entity = entity;
    },
  });
  return { rows, counts };
}

const CHANNELS = { position: 'place', rotation: 'turn', scale: 'size', colour: 'paint' } as const;

type Deed = 'spawn' | 'despawn' | 'hide' | 'show' | 'remove' | 'add' | 'teleport';

/** One tick: what is done to which of the living, by place, and whether a frame is drawn then. */
const step = fc.record({
  deeds: fc.array(
    fc.record({
      deed: fc.constantFrom<Deed>('spawn', 'despawn', 'hide', 'show', 'remove', 'add', 'teleport'),
      place: fc.nat(CAPACITY),
    }),
    { maxLength: 6 },
  ),
  seen: fc.boolean(),
  restarts: fc.nat(9).map((n) => n === 0),
  alpha: fc.constantFrom(0.25, 0.5, 0.9),
});

/** What the model knows of an entity. */
interface Being {
  readonly entity: Entity;
  hidden: boolean;
  sized: boolean;
}

function apply(
  world: World<Components>,
  beings: Being[],
  { deed, place }: { deed: Deed; place: number },
  tick: number,
): void {
  if (deed === 'spawn') {
    if (world.count === world.capacity) return;
    const at = { place: [tick, place], turn: 10 * place, size: [1, 2], paint: [0, 0.5, 1, 1] };
    beings.push({ entity: world.spawn(at), hidden: false, sized: true });
    return;
  }
  const being = beings[place];
  if (being === undefined) return;
  const { entity } = being;
  if (deed === 'despawn') {
    world.despawn(entity);
    beings.splice(place, 1);
  } else if (deed === 'hide' || deed === 'show') {
    being.hidden = deed === 'hide';
    world.setVisible(entity, !being.hidden);
  } else if (deed === 'remove') {
    if (being.sized) world.remove(entity, 'size');
    being.sized = false;
  } else if (deed === 'add') {
    if (!being.sized) world.add(entity, 'size', [3, 4]);
    being.sized = true;
  } else {
    world.teleport(entity, { place: [-tick, place] });
  }
}

/** Compares every particle with its entity, sampled alone. */
function checkPlaces(frame: Frame<Types>, particles: readonly TestParticle[]): void {
  const out = [0, 0, 0, 0];
  const sample = (particle: TestParticle, channel: 'place' | 'turn' | 'size' | 'paint') => {
    frame.sample(particle.entity as Entity, channel, out);
    return out;
  };
  for (const particle of particles) {
    expect(sample(particle, 'place').slice(0, 2)).toEqual([particle.x, particle.y]);
    expect((sample(particle, 'turn')[0] as number) * (Math.PI / 180)).toBeCloseTo(
      particle.rotation,
      12,
    );
    expect(sample(particle, 'size').slice(0, 2)).toEqual([particle.scaleX, particle.scaleY]);
    expect(packTint(Float32Array.from(sample(particle, 'paint')), 0, 4)).toBe(particle.color);
  }
}

describe('particles of a view', () => {
  it('show who is seen and has all channels, each by a particle that it keeps', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const beings: Being[] = [];
        let passed = 0;
        const run = await start((world, tick) => {
          if (tick === 0) beings.length = 0;
          else for (const deed of steps[passed]?.deeds ?? []) apply(world, beings, deed, tick);
        });
        const { rows, counts } = openRows(run.view, CHANNELS);
        let before = new Map<number, TestParticle>();
        let most = 0;
        let entered = 0;
        let tick = 0;
        for (const [i, { seen, restarts, alpha }] of steps.entries()) {
          if (restarts) {
            await run.restart();
            before = new Map();
            tick = 0;
          }
          passed = i;
          tick++;
          run.look(tick + 0.001, () => undefined);
          if (!seen && i < steps.length - 1) continue;
          run.look(tick + alpha, (frame) => {
            expect(frame.pairTick).toBe(tick);
            rows.update(frame);
            const wanted = beings.filter(({ hidden, sized }) => !hidden && sized);
            const ascending = (handles: number[]) => handles.sort((a, b) => a - b);
            const { particles } = rows;
            expect(ascending(particles.map(({ entity }) => entity))).toEqual(
              ascending(wanted.map(({ entity }) => entity)),
            );
            expect(new Set(particles).size).toBe(particles.length);
            const now = new Map(particles.map((particle) => [particle.entity, particle]));
            for (const [entity, particle] of now) {
              const kept = before.get(entity);
              if (kept === undefined) entered++;
              else expect(particle).toBe(kept);
            }
            expect(counts.entered).toBe(entered);
            most = Math.max(most, particles.length);
            expect(counts.made).toBe(most);
            checkPlaces(frame, particles);
            before = now;
          });
        }
        await run.close();
      }),
      { numRuns: scaled({ tiny: 20, normal: 100, full: 2000 }) },
    );
  });

  it('lie by ascending slot, so that who overlaps whom stays as it is', async () => {
    const those: Entity[] = [];
    const run = await start((world, tick) => {
      if (tick === 0) for (let i = 0; i < 8; i++) those.push(world.spawn({ place: [i, 0] }));
      if (tick === 2) world.setVisible(those[3] as Entity, false);
      if (tick === 4) for (const i of [0, 2, 6]) world.despawn(those[i] as Entity);
      if (tick === 5) world.setVisible(those[3] as Entity, true);
    });
    const { rows } = openRows(run.view, { position: 'place' });
    const xs = (ticks: number) =>
      run.look(ticks, (frame) => {
        rows.update(frame);
        return rows.particles.map(({ x }) => x);
      });
    expect(xs(1.5)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(xs(2.5)).toEqual([0, 1, 2, 4, 5, 6, 7]);
    expect(xs(4.5)).toEqual([1, 4, 5, 7]);
    expect(xs(5.5)).toEqual([1, 3, 4, 5, 7]);
    await run.close();
  });

  it('all show others after a restart, though the handles are the same', async () => {
    const run = await start((world, tick) => {
      if (tick === 0) for (let i = 0; i < 3; i++) world.spawn({ place: [i, 0] });
    });
    const { rows, counts } = openRows(run.view, { position: 'place' });
    const update = (frame: Frame<Types>) => [rows.update(frame), [...frame.entities]];
    const before = run.look(1.5, update);
    expect(run.look(1.75, update)).toEqual([false, before[1]]);
    await run.restart();
    expect(run.look(0.5, update)).toEqual(before);
    expect(counts).toEqual({ made: 3, entered: 6 });
    await run.close();
  });

  it('do not say that they changed unless they did, and leave nothing on the heap', async () => {
    const run = await start((world, tick) => {
      if (tick > 0) return;
      for (let i = 0; i < 8; i++) {
        world.spawn({ place: [i, 0.5], turn: i, size: [1.5, 1], paint: [1, 0.3, 0.2, 1] });
      }
    });
    const { rows } = openRows(run.view, CHANNELS);
    run.look(1.5, (frame) => {
      expect(rows.update(frame)).toBe(true);
      expect(bytesLeft(1000, () => rows.update(frame))).toBe(0);
    });
    await run.close();
  });

  it.each([
    ['position', { position: 'turn' }],
    ['position', { position: 'exact' }],
    ['position', { position: 'spots' }],
    ['rotation', { position: 'place', rotation: 'size' }],
    ['scale', { position: 'place', scale: 'paint' }],
    ['colour', { position: 'place', colour: 'size' }],
  ] as const)('cannot have as their %s a channel of another kind: %o', async (part, channels) => {
    const run = await start(() => undefined);
    let fault: EscapementError | undefined;
    try {
      resolveSprite(run.view, channels);
    } catch (cause) {
      fault = cause as EscapementError;
    }
    expect(fault?.code).toBe('VALUE_INVALID');
    expect(fault?.message).toContain(`No ${part} can be made`);
    await run.close();
  });

  it('take one number of f32 as radians', async () => {
    const run = await start((world, tick) => {
      if (tick === 0) world.spawn({ place: [0, 0], radians: 1.5 });
    });
    const { rows } = openRows(run.view, { position: 'place', rotation: 'radians' });
    run.look(1.5, (frame) => rows.update(frame));
    expect(rows.particles.map(({ rotation }) => rotation)).toEqual([1.5]);
    await run.close();
  });
});

describe('a tint of linear light', () => {
  it('is within one step of the sRGB code of each number, and opaque without a fourth', () => {
    const number = fc.float({ min: -0.5, max: 1.5, noNaN: true });
    fc.assert(
      fc.property(fc.tuple(number, number, number, number), (paint) => {
        const packed = packTint(Float32Array.from(paint), 0, 4);
        const bytes = [0, 8, 16, 24].map((shift) => (packed >>> shift) & 255);
        const clamped = paint.map((value) => Math.min(1, Math.max(0, value)));
        for (const [i, value] of clamped.entries()) {
          const code = value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
          const wanted = 255 * (i < 3 ? code : value);
          expect(Math.abs((bytes[i] as number) - wanted)).toBeLessThanOrEqual(1);
        }
        expect(packTint(Float32Array.from(paint), 0, 3) >>> 24).toBe(255);
      }),
      { numRuns: scaled({ tiny: 100, normal: 1000, full: 100_000 }) },
    );
  });
});
