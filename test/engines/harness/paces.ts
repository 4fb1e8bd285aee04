import type { ClockControl } from 'escapement';
import type { PaceName } from './plan.ts';

/*
 * Each pace goes on to a tick and not beyond, by what it is about: the steps that it asks for, or
 * deltas of which the cap lets through no more than are missing.
 */

/** Goes on until the clock stands at `tick`. */
export type Pace = (clock: ClockControl, tick: number) => Promise<void>;

/** A frame of a display, in seconds. */
const FRAME = 1 / 60;
const GOLDEN = 0.618033988749895;
/** Advances without a tick after which a run is given up. */
const IDLE_MAX = 1000;

/** Returns a pace by its name. A pace belongs to one run. */
export function createPace(name: PaceName): Pace {
  switch (name) {
    case 'batch':
      return async (clock, tick) => void (await clock.advanceTicks(tick - clock.status().tick));
    case 'single steps':
      return singleSteps;
    case 'lockstep':
      return lockstepOf(1);
    case 'lockstep by 7':
      return lockstepOf(7);
    case 'live, given deltas':
      return liveBy(2, 8, (frame) => FRAME * (0.5 + ((frame * GOLDEN) % 1)));
    case 'live at 30x':
      return liveBy(30, 240, () => FRAME);
    case 'stalls':
      return liveBy(1, 3, (frame) => ((frame * GOLDEN) % 1) * 0.5);
    case 'modes in turn':
      return modesInTurn();
  }
}

async function singleSteps(clock: ClockControl, tick: number): Promise<void> {
  let at = clock.status().tick;
  while (at < tick) {
    const { firstTick, steps } = await clock.stepOnce();
    at = firstTick + steps;
  }
}

function lockstepOf(steps: number): Pace {
  return async (clock, tick) => {
    await clock.setMode('lockstep');
    let set = 0;
    await advanceTo(clock, tick, async (left) => {
      if (set !== Math.min(left, steps)) {
        set = Math.min(left, steps);
        await clock.setLockstepSteps(set);
      }
      return FRAME;
    });
  };
}

/** Live at a speed, by deltas of which at most `cap` quanta run; the others are dropped. */
function liveBy(speed: number, cap: number, delta: (frame: number) => number): Pace {
  let frame = 0;
  return async (clock, tick) => {
    await clock.setSpeed(speed);
    let set = 0;
    await advanceTo(clock, tick, async (left) => {
      if (set !== Math.min(left, cap)) {
        set = Math.min(left, cap);
        await clock.setCap(set);
      }
      return delta(++frame);
    });
  };
}

function modesInTurn(): Pace {
  const modes = ['live', 'paused', 'lockstep', 'stepping', 'replay'] as const;
  let frame = 0;
  return async (clock, tick) => {
    await clock.setCap(1);
    await clock.setLockstepSteps(1);
    await advanceTo(clock, tick, async (left) => {
      await clock.setMode(modes[frame++ % modes.length] as (typeof modes)[number]);
      // Not the last one: the advance that follows may run a tick of its own.
      if (left > 1 && frame % 3 === 0) await clock.stepOnce();
      return FRAME;
    });
  };
}

/** Advances by what `next` says, by the ticks that are left, until none are. */
async function advanceTo(
  clock: ClockControl,
  tick: number,
  next: (left: number) => Promise<number>,
): Promise<void> {
  let at = clock.status().tick;
  let idle = 0;
  while (at < tick) {
    const { firstTick, steps } = await clock.advance(await next(tick - at));
    idle = steps === 0 ? idle + 1 : 0;
    at = firstTick + steps;
    if (idle > IDLE_MAX) throw new Error(`the clock stands still at tick ${at}`);
  }
}
