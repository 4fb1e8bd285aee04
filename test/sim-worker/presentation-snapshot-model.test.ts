import { expect, test } from 'vitest';
import type { Entity } from '../../src/shared/entity.ts';
import { createLog } from '../../src/shared/log.ts';
import { quantumOf } from '../../src/shared/rational.ts';
import {
  createWorld,
  fixed,
  position2d,
  PresentationSnapshot,
  step,
  type World,
} from '../../src/sim-worker/index.ts';
import { scaled } from '../scaled.ts';
import { instantOf } from '../shared/exact.ts';
import { type Dice, underSeed } from './dice.ts';
import { type Backend, type ModelEntity, type Place, SnapshotModel } from './presentation-model.ts';

const EPISODES = scaled({ tiny: 40, normal: 200, full: 3000 });
const STEPS = 600;

const components = { f32: position2d(), fixed: fixed(2), other: step('u8') };
type Name = keyof typeof components;
const NAMES = Object.keys(components) as Name[];

/** Rates of the seed's range, and one that no whole number is. */
const RATES = [20, 60, 100, 59.94, 120];
const EXTREMES = [-2147483648, 2147483647, 0, 1, -1, 65_536, 2147418112];

interface Watched {
  readonly snapshot: PresentationSnapshot;
  readonly model: SnapshotModel;
  readonly stats: { droppedTicks: number };
  readonly startNs: bigint;
}

/** A world, snapshots of it, and what they are to show. */
class Episode {
  readonly dice: Dice;
  readonly world: World<typeof components>;
  readonly alive: Map<number, ModelEntity> = new Map();
  readonly handles: number[] = [0, 0xffffffff];
  readonly watched: Watched[] = [];
  readonly seen: Set<string> = new Set();

  constructor(dice: Dice) {
    this.dice = dice;
    const log = createLog({ level: 'off', nowMs: () => 0, sink: () => undefined });
    const capacity = dice.pick([0, 1, 3, 32, 33, 70]);
    this.world = createWorld({ capacity, components, log });
    if (dice.oneIn(2)) for (let i = 0; i < 20; i++) this.spawn();
    for (let i = 0; i < 3; i++) this.watch();
  }

  watch(): void {
    const { dice, world } = this;
    const backend = dice.pick(['f32', 'fixed'] as const);
    const quantum = quantumOf({ tickRateHz: dice.pick(RATES) });
    const startNs = dice.pick([0n, 123_456_789n, -(10n ** 18n), 9n * 10n ** 18n]);
    const stats = { droppedTicks: 0 };
    const clock = { startReference: instantOf(startNs), stats, quantum };
    const snapshot = PresentationSnapshot.create(world, clock, { component: backend });
    this.watched.push({ snapshot, model: new SnapshotModel(backend, quantum), stats, startNs });
  }

  step(): void {
    const { dice, world } = this;
    const handle = this.handle();
    const entity = this.alive.get(handle);
    switch (dice.below(16)) {
      case 0:
      case 1:
        return this.spawn();
      case 2:
        expect(world.despawn(handle as Entity)).toBe(this.alive.delete(handle));
        return;
      case 3:
      case 4:
        return this.give(handle, entity);
      case 5: {
        const name = dice.pick(NAMES);
        expect(world.remove(handle as Entity, name)).toBe(entity !== undefined);
        if (name !== 'other') entity?.places.delete(name);
        else if (entity !== undefined) this.others.delete(handle);
        return;
      }
      case 6:
        return this.teleport(handle, entity);
      case 7:
      case 8:
      case 9:
        return this.write();
      case 10:
      case 11:
      case 12:
        return this.tick();
      case 13:
        if (dice.oneIn(20)) this.watch();
        return;
      default:
        return this.frame();
    }
  }

  /** Handles of those that have the third component, which matters to nobody but as a jump. */
  readonly others: Set<number> = new Set();

  spawn(): void {
    if (this.alive.size === this.world.capacity) return;
    const places = new Map<Backend, Place>();
    const values: { -readonly [K in Name]?: Place | number } = {};
    for (const name of this.dice.some(['f32', 'fixed'] as const)) {
      const place = this.place(name);
      places.set(name, place);
      values[name] = place;
    }
    const handle = this.world.spawn(values as never);
    this.handles.push(handle);
    this.alive.set(handle, { handle, jump: {}, places });
  }

  give(handle: number, entity: ModelEntity | undefined): void {
    const name = this.dice.pick(NAMES);
    if (name === 'other') {
      expect(this.world.add(handle as Entity, name, 1)).toBe(entity !== undefined);
      if (entity === undefined || this.others.has(handle)) return;
      this.others.add(handle);
      entity.jump = {};
      return;
    }
    const place = this.place(name);
    expect(this.world.add(handle as Entity, name, place)).toBe(entity !== undefined);
    if (entity === undefined) return;
    if (!entity.places.has(name)) entity.jump = {};
    entity.places.set(name, place);
  }

  teleport(handle: number, entity: ModelEntity | undefined): void {
    const name = this.dice.pick(['f32', 'fixed'] as const);
    const place = this.place(name);
    const done = this.world.teleport(handle as Entity, { [name]: place });
    expect(done).toBe(entity !== undefined);
    if (entity === undefined) return;
    entity.jump = {};
    entity.places.set(name, place);
  }

  /** Systems write columns: some entities move. */
  write(): void {
    for (const { handle, places } of this.alive.values()) {
      const index = this.world.indexOf(handle as Entity);
      for (const name of places.keys()) {
        if (this.dice.oneIn(2)) continue;
        const place = this.place(name);
        places.set(name, place);
        this.world.columns[name].set(place, 2 * index);
      }
    }
  }

  /** A tick that some are told of; now and then one is left out. */
  tick(): void {
    const { dice } = this;
    for (const { snapshot, model } of this.watched) {
      if (dice.oneIn(3)) continue;
      const tick = dice.oneIn(12) ? 1 + dice.below(50) : model.lastTick + 1;
      expect(snapshot.onTick(tick)).toBe('ok');
      model.onTick(tick, this.alive.values());
    }
  }

  /** A frame at any instant, backwards and far away too, and all that it shows. */
  frame(): void {
    const { dice } = this;
    for (const { snapshot, model, stats, startNs } of this.watched) {
      if (dice.oneIn(5)) stats.droppedTicks += dice.below(4);
      const { numerator, denominator } = model.quantum;
      const tickNs = (1_000_000_000n * BigInt(numerator)) / BigInt(denominator);
      const near = BigInt(model.lastTick + stats.droppedTicks) * tickNs;
      const far = dice.pick([-(10n ** 18n), -1n, 0n, 10n ** 12n, 9n * 10n ** 17n]);
      const at = dice.oneIn(6)
        ? far
        : near + (tickNs * BigInt(dice.below(1400) - 200)) / 1000n + BigInt(dice.below(9));
      snapshot.onRenderFrame(instantOf(startNs + at));
      model.onRenderFrame(at, stats.droppedTicks);
      this.compare(snapshot, model);
    }
  }

  compare(snapshot: PresentationSnapshot, model: SnapshotModel): void {
    expect(snapshot.lastTick).toBe(model.lastTick);
    for (const handle of this.handles) {
      const out = [Number.NaN, Number.NaN];
      const status = snapshot.samplePosition(handle as Entity, out);
      const [wanted, place = [Number.NaN, Number.NaN]] = model.sample(
        handle,
        this.alive.get(handle),
      );
      this.seen.add(wanted);
      if (status !== wanted || !out.every((value, i) => Object.is(value, place[i]))) {
        expect([status, ...out]).toEqual([wanted, ...place]);
      }
    }
  }

  handle(): number {
    return this.dice.pick(this.dice.oneIn(4) ? this.handles : this.handles.slice(-30));
  }

  place(backend: Backend): Place {
    const one = (): number => {
      const { dice } = this;
      const raw = dice.oneIn(3) ? dice.pick(EXTREMES) : dice.word() | 0;
      if (backend === 'fixed') return raw;
      return Math.fround(dice.oneIn(2) ? raw / 65_536 : dice.oneIn(9) ? -0 : raw * 2 ** 60);
    };
    return [one(), one()];
  }
}

test('random programs show what a naive model says, in both backends', () => {
  const seen = new Set<string>();
  for (let i = 0; i < EPISODES; i++) {
    underSeed((dice) => {
      const episode = new Episode(dice);
      for (let step = 0; step < STEPS; step++) episode.step();
      for (const status of episode.seen) seen.add(status);
    });
  }
  expect([...seen].sort()).toEqual(['no-component', 'ok', 'snapped', 'stale']);
});
