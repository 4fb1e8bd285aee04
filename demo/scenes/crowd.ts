import type { TypesOf } from 'escapement';
import type { Crowd } from '../../scenes/crowd.sim.ts';
import type { Bounds } from '../camera.ts';
import { launch } from '../launch.ts';
import type { ReadPicture } from '../picture.ts';
import { PlaneSubject } from '../plane-subject.ts';
import type { Recording } from '../recording.ts';
import { openStage, type RunChoice } from '../stage.ts';
import { GOLDEN_RATIO, type Scene, TURN, WORLD } from './scene.ts';

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

function runAsRecorded(choice: RunChoice): Omit<RunChoice, 'population'> {
  const { tickRateHz, speed, paused, replay } = choice;
  return { tickRateHz, speed, paused, ...(replay !== undefined && { replay }) };
}

/** Seen from above, and in a colour for life: rows shift as people come and go. */
function readPeople(most: number): ReadPicture<TypesOf<Crowd>> {
  const places = new Float32Array(2 * most);
  const hues = new Float32Array(most);
  return (read, into) => {
    const position = read('position');
    const person = read('person');
    for (let row = 0; row < person.length; row++) {
      places[2 * row] = position[3 * row] as number;
      places[2 * row + 1] = position[3 * row + 1] as number;
      hues[row] = ((person[row] as number) * GOLDEN_RATIO * TURN) % TURN;
    }
    into.positions = places;
    into.headings = hues;
    into.isRound = true;
  };
}

export const CROWD: Scene = {
  title: 'Crowd',
  simulation: 'crowd',
  tickRateHz: 25,
  async start({ tier, painters }, choice, recording) {
    const options = { ...runAsRecorded(choice), paused: true };
    const simulation = await launch<Crowd>(tier, options, {
      createWorker: () =>
        new Worker(new URL('../../scenes/crowd.sim.ts', import.meta.url), { type: 'module' }),
      loadDefinition: async () => (await import('../../scenes/crowd.sim.ts')).crowd,
    });
    if (recording !== undefined) {
      const { positions, frames, people } = recording;
      await simulation.queries.load(positions, frames, people);
    }
    if (!choice.paused) await simulation.clock.resume();
    const bounds = recording === undefined ? WORLD : boundsOf(recording);
    const createRead = (): ReadPicture<TypesOf<Crowd>> => readPeople(recording?.people ?? 0);
    return openStage({
      simulation,
      runOptions: runAsRecorded,
      createSubject: (view) =>
        new PlaneSubject({ bounds, fit: 'contain', createRead }, painters.darts, view),
    });
  },
};
