import { defineSimulation, type Entity, position3d, runSimulation, step } from 'escapement/sim';

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
const handles: Uint32Array = new Uint32Array(CAPACITY);

export const crowd = defineSimulation({
  name: 'crowd',
  tickRateHz: 25,
  capacity: CAPACITY,
  params: { every: 1 },
  components: { position: position3d(), person: step('u16') },
  globals: { frame: 'u32', rounds: 'u32' },
  publish: ['position', 'person'],
  queries: () => ({
    /** Takes a recording in. Returns how many frames it has. */
    load(positions: Float32Array, frames: number, people: number): number {
      if (people > CAPACITY || positions.length !== frames * people * 3) {
        throw new RangeError(
          `${frames} frames x ${people} people take ${frames * people * 3} numbers, ` +
            `not ${positions.length}; at most ${CAPACITY} people`,
        );
      }
      recording = { positions, frames, people };
      return frames;
    },
  }),
  systems: [
    {
      name: 'play',
      writes: ['position', 'person'],
      run({ world, tick, params, globals, columns }) {
        if (recording === undefined) return;
        const { positions, frames, people } = recording;
        const frame = (tick * params.every) % frames;
        // A new round begins: whoever is still there does not walk back to the start.
        if (frame < globals.frame) {
          world.clear();
          globals.rounds++;
        }
        globals.frame = frame;
        const base = frame * people * 3;
        handles.fill(0, 0, people);
        for (const i of world.live()) {
          handles[columns.person[i] as number] = world.entityAt(i);
        }
        for (let person = 0; person < people; person++) {
          const at = base + person * 3;
          const x = positions[at] as number;
          const handle = handles[person] as Entity;
          if (Number.isNaN(x)) {
            if (handle !== 0) world.despawn(handle);
          } else if (handle === 0) {
            world.spawn({ position: positions.subarray(at, at + 3), person });
          } else {
            columns.position.set(positions.subarray(at, at + 3), 3 * world.indexOf(handle));
          }
        }
      },
    },
  ],
});
export type Crowd = typeof crowd;

runSimulation(crowd);
