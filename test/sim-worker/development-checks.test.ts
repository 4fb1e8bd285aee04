import { startSimulation } from 'escapement';
import { inline } from 'escapement/sim';
import { describe, expect, it } from 'vitest';
import type { Entity } from '../../src/shared/entity.ts';
import type { EscapementError } from '../../src/shared/error.ts';
import { defineSimulation, scalar, sparse, step, tag, vec2 } from '../../src/sim-worker/index.ts';
import { VirtualClock } from '../render/stage.ts';
import { errorOf, outcome } from './outcome.ts';
import { type SystemBench, systemBench } from './system-bench.ts';

const components = {
  pos: vec2(),
  hp: step('u8'),
  ports: step('u16', 3),
  energy: scalar('f64'),
  frozen: tag(),
  rare: sparse(scalar(), 8),
};

type C = typeof components;
type Run = Parameters<SystemBench<C>['set']['register']>[0]['run'];

/** A set with one system under the checks, over six entities that have everything. */
function checked(run: Run, declared: object = {}): SystemBench<C> {
  const bench = systemBench({ capacity: 40, components, maxSystems: 3 }, true);
  const values = { pos: [1, 2], hp: 3, ports: [4, 5, 6], energy: 7, frozen: 1 };
  for (let i = 0; i < 6; i++) bench.world.spawn({ ...values, rare: i });
  bench.set.register({ name: 'checked', run, ...declared });
  return bench;
}

/** What the checks say against a run; undefined when nothing. */
function verdict(run: Run, declared: object = {}): EscapementError | undefined {
  const bench = checked(run, declared);
  const error = outcome(() => bench.run(2));
  if (error === undefined) return undefined;
  return errorOf(() => checked(run, declared).run(2)).cause as EscapementError;
}

type Values = Record<string, { [index: number]: number }>;

describe('a write past the declaration', () => {
  it('is caught in any column, and told with component, entity and slot', () => {
    const widths = { pos: 2, hp: 1, ports: 3, energy: 1, rare: 1 };
    for (const [name, width] of Object.entries(widths)) {
      for (let slot = 0; slot < 6; slot++) {
        for (let part = 0; part < width; part++) {
          const error = verdict(({ world }) => {
            (world.columns as Values)[name]![slot * width + part] = 99;
          });
          expect(error?.code).toBe('ACCESS_UNDECLARED');
          expect(error?.headline).toContain(`"checked" uses component "${name}"`);
          const handle = 64 + slot;
          const given = `"${name}" of entity ${handle} at slot ${slot} has changed`;
          expect([error?.detail.given, error?.detail.fix]).toEqual([
            given,
            `Add "${name}" to \`writes\` of "checked".`,
          ]);
        }
      }
    }
  });

  it('is caught of what is only read', () => {
    const error = verdict(({ columns }) => void (columns.pos[2] = 5), { reads: ['pos'] });
    expect(error?.detail.given).toContain('at slot 1');
  });

  it('is caught when the bits change and the number does not', () => {
    const reads = { reads: ['energy'] };
    expect(verdict(({ columns }) => void (columns.energy[1] = 7), reads)).toBe(undefined);
    const toMinus = ({ columns }: Parameters<Run>[0]): void => void (columns.energy[1] = -0);
    expect(verdict(toMinus, reads)?.code).toBe('ACCESS_UNDECLARED');
  });

  it('is caught by every verb that writes, and by its command when it is given', () => {
    const runs: Run[] = [
      ({ world }) => world.add(world.entityAt(0), 'hp', 3),
      ({ world }) => world.remove(world.entityAt(0), 'hp'),
      ({ world }) => world.spawn({ hp: 1 }),
      ({ world }) => world.teleport(world.entityAt(0), { hp: 3 }),
      ({ commands, world }) => commands.add(world.entityAt(0), 'hp', 3),
      ({ commands, world }) => commands.remove(world.entityAt(0), 'hp'),
      ({ commands }) => commands.spawn({ hp: 1 }),
    ];
    for (const run of runs) {
      for (const declared of [{}, { reads: ['hp'], writes: ['pos'] }]) {
        const error = verdict(run, declared);
        expect([error?.code, error?.detail.fix]).toEqual([
          'ACCESS_UNDECLARED',
          'Add "hp" to `writes` of "checked".',
        ]);
      }
      expect(verdict(run, { writes: ['hp'] })).toBe(undefined);
    }
  });

  it('of a tag is caught by the verbs', () => {
    const error = verdict(({ world }) => world.remove(world.entityAt(0), 'frozen'));
    expect(error?.headline).toContain('"frozen"');
  });
});

describe('a read past the declaration', () => {
  it('by `world.get` is caught; one of what is read or written is not', () => {
    const run: Run = ({ world }) => void world.get(world.entityAt(0), 'hp', []);
    const error = verdict(run, { reads: ['pos'] });
    expect([error?.code, error?.detail.fix]).toEqual([
      'ACCESS_UNDECLARED',
      'Add "hp" to `reads` of "checked".',
    ]);
    expect(verdict(run, { reads: ['hp'] })).toBe(undefined);
    expect(verdict(run, { writes: ['hp'] })).toBe(undefined);
  });
});

describe('nothing is said', () => {
  it('against one that writes what it declares, and asks who has what', () => {
    const run: Run = ({ world, columns }) => {
      world.query({ all: ['pos'], none: ['rare'], any: ['frozen'] }).each(() => undefined);
      world.has(world.entityAt(0), 'energy');
      for (const slot of world.live()) {
        columns.pos[2 * slot] = slot;
        columns.hp[slot] = slot;
      }
    };
    expect(verdict(run, { writes: ['pos', 'hp'] })).toBe(undefined);
  });

  it('against despawns, at once and by command, which move the rows of sparse components', () => {
    const run: Run = ({ world, commands, columns, tick }) => {
      world.despawn(world.entityAt(2 * tick - 2));
      commands.despawn(world.entityAt(2 * tick - 1));
      columns.pos[11] = tick;
    };
    expect(verdict(run, { writes: ['pos'] })).toBe(undefined);
    expect(verdict(({ world }) => world.clear())).toBe(undefined);
  });

  it('against a slot that is emptied and filled again, and one beyond those that lived', () => {
    const run: Run = ({ world }) => {
      world.despawn(world.entityAt(3));
      world.spawn({ pos: [9, 9] });
      world.spawn({ pos: [9, 9] });
      world.spawn();
    };
    expect(verdict(run, { writes: ['pos'] })).toBe(undefined);
  });

  it('against the giving and taking of a sparse component that is declared', () => {
    const run: Run = ({ world, commands }) => {
      world.remove(world.entityAt(1), 'rare');
      commands.add(world.entityAt(1), 'rare', 5);
      world.add(world.entityAt(4), 'rare', 6);
    };
    expect(verdict(run, { writes: ['rare'] })).toBe(undefined);
  });

  it('against whoever uses the world between two ticks, or after a run that failed', () => {
    const bench = checked(({ tick, world }) => {
      if (tick === 2) world.columns.hp[0] = 77;
    });
    const entity = bench.world.entityAt(0) as Entity;
    bench.run(1);
    bench.world.add(entity, 'hp', 1);
    bench.world.columns.hp[1] = 4;
    bench.set.runTick(1);
    expect(errorOf(() => bench.set.runTick(2)).code).toBe('SIMULATION_FAILED');
    expect(bench.world.get(entity, 'hp', [])).toBe(true);
    expect(bench.world.add(entity, 'energy', 1)).toBe(true);
    bench.set.runTick(3);
  });
});

describe('in a simulation', () => {
  /** Runs a definition whose second system writes what it has not declared. */
  async function failureOf(development: boolean): Promise<EscapementError | undefined> {
    const definition = defineSimulation({
      capacity: 4,
      tickRateHz: 20,
      components,
      publish: ['pos'],
      setup: ({ world }) => void world.spawn({ pos: 1, hp: 2 }),
      systems: [
        { name: 'good', writes: ['pos'], run: ({ columns }) => void (columns.pos[0] = 5) },
        { name: 'bad', run: ({ world }) => void (world.columns.hp[0] = 5) },
      ],
    });
    const clock = new VirtualClock();
    const manual = inline(definition, { pacing: 'manual', clock });
    const sim = await startSimulation(manual, { logLevel: 'off', development });
    clock.toMs(50);
    manual.runDue();
    expect(sim.tick).toBe(development ? 0 : 1);
    if (!development) await sim.stop();
    return sim.ended;
  }

  it('ends the run, telling system, tick and component, in development only', async () => {
    const error = await failureOf(true);
    expect(error?.code).toBe('SIMULATION_FAILED');
    expect(error?.message).toContain('system "bad" threw in tick 1');
    expect(error?.message).toContain('"hp"');
    expect(await failureOf(false)).toBe(undefined);
  });
});
