import type { RunningSimulation, TypesOf } from 'escapement';
import type { Flock } from '../scenes/flock.sim.ts';
import type { Bounds } from './camera.ts';
import { launch, type TierChoice } from './launch.ts';
import { openStage, type RunChoice, type Stage } from './stage.ts';

/** A scene that the page can play. */
export interface Scene {
  readonly title: string;
  /** What the pointer does, where it does anything. */
  readonly hint?: string;
  readonly touchHint?: string;
  readonly tickRateHz: number;
  /** Bodies at first; undefined where the scene itself knows how many there are. */
  readonly population?: number;
  readonly bounds: Bounds;
  readonly fit: 'cover' | 'contain';
  start(tier: TierChoice, choice: RunChoice): Promise<Stage>;
}

async function startFlock(tier: TierChoice, choice: RunChoice): Promise<Stage> {
  const runOptions = ({ population, ...rest }: RunChoice) => ({ ...rest, params: { population } });
  const simulation: RunningSimulation<TypesOf<Flock>> = await launch<Flock>(
    tier,
    runOptions(choice),
    {
      createWorker: () =>
        new Worker(new URL('../scenes/flock.sim.ts', import.meta.url), { type: 'module' }),
      loadDefinition: async () => (await import('../scenes/flock.sim.ts')).flock,
    },
  );
  // One object for every message: the pointer moves as often as frames are drawn.
  const pointer = { x: 0, y: 0, down: false, active: false };
  return openStage({
    simulation,
    read: (frame, into) => {
      into.positions = frame.blend('position');
      into.headings = frame.blend('heading');
    },
    runOptions,
    point: (x, y, isPresent, isDown) => {
      pointer.x = x;
      pointer.y = y;
      pointer.active = isPresent;
      pointer.down = isDown;
      simulation.inputs.pointer(pointer);
    },
  });
}

/** Names of scenes, as `?scene=` takes them. */
export type SceneName = 'flock';

/** The scenes by name, in the order in which the page offers them. */
export const SCENES: Readonly<Record<SceneName, Scene>> = {
  flock: {
    title: 'Flock',
    hint: 'Move the pointer and the flock follows. Press, and it flees.',
    touchHint: 'Touch, and the flock flees.',
    tickRateHz: 60,
    population: 10_000,
    bounds: { left: -1.6, bottom: -1, right: 1.6, top: 1 },
    fit: 'cover',
    start: startFlock,
  },
};

/** Says whether a text names a scene. */
export function isSceneName(name: string): name is SceneName {
  return Object.hasOwn(SCENES, name);
}
