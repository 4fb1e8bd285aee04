import type { RunningSimulation, TypesOf } from 'escapement';
import type { Bounce } from '../scenes/bounce.sim.ts';
import type { Crowd } from '../scenes/crowd.sim.ts';
import type { Flock } from '../scenes/flock.sim.ts';
import type { Storm } from '../scenes/storm.sim.ts';
import type { Bounds } from './camera.ts';
import { launch, type TierChoice } from './launch.ts';
import type { Recording } from './recording.ts';
import { openStage, type RunChoice, type Stage } from './stage.ts';

/** A scene that the page can play. */
export interface Scene {
  readonly title: string;
  /** What the pointer does, where it does anything. */
  readonly hint?: string;
  readonly touchHint?: string;
  readonly tickRateHz: number;
  /** Bodies at first, and at most; undefined where a recording says who is there, and when. */
  readonly population?: number;
  readonly populationMax?: number;
  start(tier: TierChoice, choice: RunChoice, recording?: Recording): Promise<Stage>;
}

/** Names of scenes, as `?scene=` takes them. */
export type SceneName = 'flock' | 'bounce' | 'storm' | 'crowd';

const WORLD: Bounds = { left: -1.6, bottom: -1, right: 1.6, top: 1 };

/** A run's options: a population is a parameter. */
interface PopulationOptions extends Omit<RunChoice, 'population'> {
  readonly params: { readonly population: number };
}

function runOptions({ population, ...rest }: RunChoice): PopulationOptions {
  return { ...rest, params: { population } };
}

async function startFlock(tier: TierChoice, choice: RunChoice): Promise<Stage> {
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
    bounds: WORLD,
    fit: 'cover',
    runOptions,
    read: (frame, into) => {
      into.positions = frame.blend('position');
      into.headings = frame.blend('heading');
    },
    point: (x, y, isPresent, isDown) => {
      pointer.x = x;
      pointer.y = y;
      pointer.active = isPresent;
      pointer.down = isDown;
      simulation.inputs.pointer(pointer);
    },
  });
}

async function startBounce(tier: TierChoice, choice: RunChoice): Promise<Stage> {
  const simulation = await launch<Bounce>(tier, runOptions(choice), {
    createWorker: () =>
      new Worker(new URL('../scenes/bounce.sim.ts', import.meta.url), { type: 'module' }),
    loadDefinition: async () => (await import('../scenes/bounce.sim.ts')).bounce,
  });
  return openStage({
    simulation,
    bounds: WORLD,
    fit: 'contain',
    runOptions,
    read: (frame, into) => {
      into.positions = frame.blend('position');
      into.isRound = true;
    },
  });
}

const STORM_BODIES_MAX = 20_000;
/** Heights of two jumps of one body lie this far apart. */
const STORM_JUMP = 4096;
/** Ticks after which a body would leave the picture; few live as long. */
const STORM_RISE = 120;
const GOLDEN_RATIO = 0.6180339887498949;
const TURN = 2 * Math.PI;

async function startStorm(tier: TierChoice, choice: RunChoice): Promise<Stage> {
  const simulation = await launch<Storm>(tier, runOptions(choice), {
    createWorker: () =>
      new Worker(new URL('../scenes/storm.sim.ts', import.meta.url), { type: 'module' }),
    loadDefinition: async () => (await import('../scenes/storm.sim.ts')).storm,
  });
  const room = new Float32Array(2 * STORM_BODIES_MAX);
  const hueRoom = new Float32Array(STORM_BODIES_MAX);
  let sparks = room;
  let hues = hueRoom;
  return openStage({
    simulation,
    bounds: { left: 0, bottom: 0, right: 1, top: 0.65 },
    fit: 'cover',
    runOptions,
    // Serial numbers and heights in ticks, as this scene has them, are no place to be seen at.
    read: (frame, into) => {
      const position = frame.blend('position');
      if (sparks.length !== position.length) {
        sparks = room.subarray(0, position.length);
        hues = hueRoom.subarray(0, position.length / 2);
      }
      for (let row = 0; row < hues.length; row++) {
        const spread = (position[2 * row] as number) * GOLDEN_RATIO;
        const place = spread - Math.floor(spread);
        sparks[2 * row] = place;
        sparks[2 * row + 1] = ((position[2 * row + 1] as number) % STORM_JUMP) / STORM_RISE;
        hues[row] = place * TURN;
      }
      into.positions = sparks;
      into.headings = hues;
      into.isRound = true;
    },
  });
}

/** What of the plane a recording goes through. */
function boundsOf({ positions }: Recording): Bounds {
  let left = Number.POSITIVE_INFINITY;
  let bottom = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  let top = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < positions.length; at += 3) {
    const [x = Number.NaN, y = Number.NaN] = [positions[at], positions[at + 1]];
    if (Number.isNaN(x)) continue;
    left = Math.min(left, x);
    right = Math.max(right, x);
    bottom = Math.min(bottom, y);
    top = Math.max(top, y);
  }
  return left < right && bottom < top ? { left, bottom, right, top } : WORLD;
}

function runAsRecorded({ tickRateHz, speed, paused }: RunChoice): Omit<RunChoice, 'population'> {
  return { tickRateHz, speed, paused };
}

async function startCrowd(
  tier: TierChoice,
  choice: RunChoice,
  recording?: Recording,
): Promise<Stage> {
  const simulation = await launch<Crowd>(
    tier,
    { ...runAsRecorded(choice), paused: true },
    {
      createWorker: () =>
        new Worker(new URL('../scenes/crowd.sim.ts', import.meta.url), { type: 'module' }),
      loadDefinition: async () => (await import('../scenes/crowd.sim.ts')).crowd,
    },
  );
  if (recording !== undefined) {
    const { positions, frames, people } = recording;
    await simulation.queries.load(positions, frames, people);
  }
  if (!choice.paused) await simulation.clock.resume();
  const most = recording?.people ?? 0;
  const places = new Float32Array(2 * most);
  const hues = new Float32Array(most);
  return openStage({
    simulation,
    bounds: recording === undefined ? WORLD : boundsOf(recording),
    fit: 'contain',
    runOptions: runAsRecorded,
    // Seen from above, and in a colour for life: rows shift as people come and go.
    read: (frame, into) => {
      const position = frame.blend('position');
      const person = frame.blend('person');
      for (let row = 0; row < person.length; row++) {
        places[2 * row] = position[3 * row] as number;
        places[2 * row + 1] = position[3 * row + 1] as number;
        hues[row] = ((person[row] as number) * GOLDEN_RATIO * TURN) % TURN;
      }
      into.positions = places;
      into.headings = hues;
      into.isRound = true;
    },
  });
}

/** The scenes by name, in the order in which the page offers them. */
export const SCENES: Readonly<Record<SceneName, Scene>> = {
  flock: {
    title: 'Flock',
    hint: 'Move the pointer and the flock follows. Press, and it flees.',
    touchHint: 'Touch, and the flock flees.',
    tickRateHz: 60,
    population: 10_000,
    populationMax: 100_000,
    start: startFlock,
  },
  bounce: {
    title: 'Bounce',
    tickRateHz: 60,
    population: 200,
    populationMax: 10_000,
    start: startBounce,
  },
  storm: {
    title: 'Storm',
    tickRateHz: 60,
    population: 2000,
    populationMax: STORM_BODIES_MAX,
    start: startStorm,
  },
  crowd: {
    title: 'Crowd',
    tickRateHz: 25,
    start: startCrowd,
  },
};

/** Says whether a text names a scene. */
export function isSceneName(name: string): name is SceneName {
  return Object.hasOwn(SCENES, name);
}
