import { expect, it } from 'vitest';
import {
  defineSimulation,
  openHeadless,
  openReplay,
  readReplay,
  replayDifferences,
  type Replay,
  scalar,
  type SimulationDefinition,
  type SimulationTypes,
  sparse,
  vec2,
} from '../../../src/sim-worker/index.ts';

interface Change {
  readonly name?: string;
  readonly version?: string;
  readonly tickRateHz?: number;
  readonly capacity?: number;
  readonly wide?: boolean;
  readonly rows?: number;
  readonly extra?: boolean;
  readonly event?: boolean;
  readonly systems?: readonly string[];
  readonly changes?: boolean;
  readonly param?: number | string;
}

function define(change: Change = {}): SimulationDefinition<SimulationTypes> {
  const { systems = ['one', 'two'], rows = 8 } = change;
  return defineSimulation({
    name: change.name ?? 'told',
    version: change.version ?? '1.2',
    tickRateHz: change.tickRateHz ?? 60,
    capacity: change.capacity ?? 16,
    params: { size: change.param ?? 3 },
    changes: change.changes ?? false,
    components: {
      at: change.wide === true ? vec2('f64') : vec2(),
      rare: sparse(scalar(), rows),
      ...(change.extra === true ? { more: scalar() } : {}),
    },
    globals: { score: 'u32' },
    publish: [],
    inputs: { push: { as: change.event === true ? 'event' : 'state', x: 'f32' } },
    setup({ world }) {
      world.spawn({ at: 1 });
    },
    systems: systems.map((name) => ({ name, run: () => undefined })),
  }) as unknown as SimulationDefinition<SimulationTypes>;
}

async function recorded(): Promise<Replay> {
  const headless = await openHeadless(define(), { maxTicks: 20, pacing: 'fast', record: {} });
  const { recording } = await headless.run();
  return readReplay(recording?.bytes as Uint8Array);
}

it.each<[Change, string]>([
  [{ name: 'other' }, 'name: recorded "told", here "other"'],
  [{ version: '1.3' }, 'version: recorded "1.2", here "1.3"'],
  [{ tickRateHz: 30 }, 'tick: recorded "1/60 s", here "1/30 s"'],
  [{ capacity: 17 }, 'capacity: recorded 16, here 17'],
  [{ wide: true }, 'component at: recorded f32 x 2, here f64 x 2'],
  [{ rows: 9 }, 'component rare: recorded f32 x 1, 8 rows, here f32 x 1, 9 rows'],
  [{ extra: true }, 'component more: here, not recorded'],
  [{ event: true }, 'input push: recorded state {x: f32}, here event {x: f32}'],
  [{ systems: ['two', 'one'] }, 'systems: recorded ["one","two"], here ["two","one"]'],
  [{ changes: true }, 'changes: recorded false, here true'],
  [{ param: 'three' }, 'params: recorded "size: number", here "size: string"'],
])('a recording is refused by a simulation with %o, saying so', async (change, difference) => {
  const replay = await recorded();
  const definition = define(change);
  expect(replayDifferences(replay.header, definition)).toEqual([difference]);
  const refused = openReplay(definition, replay);
  await expect(refused).rejects.toMatchObject({ code: 'REPLAY_MISMATCH' });
  await expect(refused).rejects.toThrow(difference);
});

it('a recording is taken by its simulation, at its own rate if that is asked for', async () => {
  const replay = await recorded();
  expect((await openReplay(define(), replay)).verify().ok).toBe(true);
  const slow = await openReplay(define({ tickRateHz: 30 }), replay, { tickRateHz: 60 });
  expect(slow.verify().compared).toBe(2);
});

it('another value of a parameter is no other simulation: the recorded one is used', async () => {
  const replay = await recorded();
  expect(replayDifferences(replay.header, define({ param: 4 }))).toEqual([]);
  const asked = replayDifferences(replay.header, define(), { params: { size: 4 }, seed: [0, 9] });
  const sign = replayDifferences({ ...replay.header, params: { size: 0 } }, define(), {
    params: { size: -0 },
  });
  expect(sign).toEqual(['params.size: recorded 0, here -0']);
  expect(asked).toEqual(['seed: recorded [0,0], here [0,9]', 'params.size: recorded 3, here 4']);
});
