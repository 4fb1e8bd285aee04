import type { TypesOf } from 'escapement';
import type { Storm } from '../../scenes/storm.sim.ts';
import { launch } from '../launch.ts';
import type { ReadPicture } from '../picture.ts';
import { PlaneSubject } from '../plane-subject.ts';
import { openStage } from '../stage.ts';
import { GOLDEN_RATIO, type Scene, TURN, withPopulation } from './scene.ts';

const BODIES_MAX = 20_000;
/** Heights of two jumps of one body lie this far apart. */
const JUMP = 4096;
/** Ticks after which a body would leave the picture; few live as long. */
const RISE = 120;

/** Serial numbers and heights in ticks, as this scene has them, are no place to be seen at. */
function createRead(): ReadPicture<TypesOf<Storm>> {
  const room = new Float32Array(2 * BODIES_MAX);
  const hueRoom = new Float32Array(BODIES_MAX);
  let sparks = room;
  let hues = hueRoom;
  return (read, into) => {
    const position = read('position');
    if (sparks.length !== position.length) {
      sparks = room.subarray(0, position.length);
      hues = hueRoom.subarray(0, position.length / 2);
    }
    for (let row = 0; row < hues.length; row++) {
      const spread = (position[2 * row] as number) * GOLDEN_RATIO;
      const place = spread - Math.floor(spread);
      sparks[2 * row] = place;
      sparks[2 * row + 1] = ((position[2 * row + 1] as number) % JUMP) / RISE;
      hues[row] = place * TURN;
    }
    into.positions = sparks;
    into.headings = hues;
    into.isRound = true;
  };
}

export const STORM: Scene = {
  title: 'Storm',
  simulation: 'storm',
  tickRateHz: 60,
  population: 2000,
  populationMax: BODIES_MAX,
  async start({ tier, painters }, choice) {
    const simulation = await launch<Storm>(tier, withPopulation(choice), {
      createWorker: () =>
        new Worker(new URL('../../scenes/storm.sim.ts', import.meta.url), { type: 'module' }),
      loadDefinition: async () => (await import('../../scenes/storm.sim.ts')).storm,
    });
    const bounds = { left: 0, bottom: 0, right: 1, top: 0.65 };
    return openStage({
      simulation,
      runOptions: withPopulation,
      createSubject: (view) =>
        new PlaneSubject({ bounds, fit: 'cover', createRead }, painters.darts, view),
    });
  },
};
