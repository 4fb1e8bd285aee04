import {
  defineSimulation,
  type Entity,
  NO_ENTITY,
  position3d,
  runSimulation,
  step,
} from 'escapement/sim';

/*
 * Recorded movement of real people, played as a simulation whose entities come and go. The host
 * hands the recording over with the query `load` while the clock is paused; until then nobody is
 * there. Tick T shows frame T x `every`, round and round.
 */

/** Positions by frame and person: x, y, z in metres, NaN while absent. */
export interface Recording {
  readonly positions: Float32Array;
  readonly frames: number;
  readonly people: number;
}

const CAPACITY = 4096;

/** The recording that is played; read only, so no part of the simulation's state. */
let recording: Recording | undefined;
/** What tells it from others: the state says whose people are there. */
let fingerprint = 0;
/** Who is there, by person: made anew each tick from the world. */
const handles: Uint32Array = new Uint32Array(CAPACITY);
/** Values as `spawn` takes them, filled anew for each newcomer. */
const place: [x: number, y: number, z: number] = [0, 0, 0];
const newcomer = { position: place, person: 0 };

function checkRecording({ positions, frames, people }: Recording): void {
  const fits =
    Number.isInteger(frames) &&
    frames > 0 &&
    Number.isInteger(people) &&
    people > 0 &&
    people <= CAPACITY &&
    positions.length === frames * people * 3;
  if (fits) return;
  throw new RangeError(
    `${frames} frames x ${people} people take ${frames * people * 3} numbers, ` +
      `not ${positions.length}; at most ${CAPACITY} people`,
  );
}

/** Hashes a recording's numbers and shape, as u32: FNV-1a over whole words. */
function fingerprintOf({ positions, frames, people }: Recording): number {
  const words = new Uint32Array(positions.length);
  new Float32Array(words.buffer).set(positions);
  let hash = 0x811c9dc5;
  for (let at = 0; at < words.length; at++) {
    hash = Math.imul(hash ^ (words[at] as number), 0x01000193);
  }
  hash = Math.imul(hash ^ frames, 0x01000193);
  return Math.imul(hash ^ people, 0x01000193) >>> 0;
}

export const crowd = defineSimulation({
  name: 'crowd',
  tickRateHz: 25,
  capacity: CAPACITY,
  params: { every: 1 },
  components: { position: position3d(), person: step('u16') },
  globals: { frame: 'u32', rounds: 'u32', source: 'u32' },
  publish: ['position', 'person'],
  queries: () => ({
    /** Takes a recording in, in place of the one before. Returns how many frames it has. */
    load(positions: Float32Array, frames: number, people: number): number {
      const given = { positions, frames, people };
      checkRecording(given);
      recording = given;
      fingerprint = fingerprintOf(given);
      return frames;
    },
  }),
  setup({ params: { every } }) {
    if (Number.isInteger(every) && every > 0) return;
    throw new RangeError(`\`every\` is a whole number of frames of at least 1, not ${every}`);
  },
  systems: [
    {
      name: 'play',
      writes: ['position', 'person'],
      run({ world, tick, params, globals, columns: { position, person: personAt } }) {
        if (recording === undefined) return;
        const { positions, frames, people } = recording;
        const frame = (tick * params.every) % frames;
        // Whoever is still there walks neither back to the start nor into another recording.
        const isNew = globals.source !== fingerprint;
        const isNextRound = frame < globals.frame;
        if (isNew || isNextRound) world.clear();
        if (isNextRound && !isNew) globals.rounds++;
        globals.source = fingerprint;
        globals.frame = frame;
        handles.fill(NO_ENTITY, 0, people);
        const live = world.live();
        for (let k = 0; k < live.length; k++) {
          const i = live[k] as number;
          handles[personAt[i] as number] = world.entityAt(i);
        }
        for (let person = 0; person < people; person++) {
          const handle = handles[person] as Entity;
          const at = (frame * people + person) * 3;
          for (let axis = 0; axis < 3; axis++) place[axis] = positions[at + axis] as number;
          if (Number.isNaN(place[0])) {
            if (handle !== NO_ENTITY) world.despawn(handle);
          } else if (handle === NO_ENTITY) {
            newcomer.person = person;
            world.spawn(newcomer);
          } else {
            position.set(place, 3 * world.indexOf(handle));
          }
        }
      },
    },
  ],
});
export type Crowd = typeof crowd;

runSimulation(crowd);
