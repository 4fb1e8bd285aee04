import { describe, expect, it } from 'vitest';
import {
  defineSimulation,
  openHeadless,
  openRollback,
  scalar,
  vec2,
} from '../../src/sim-worker/index.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';
import { Dice, underSeed } from './dice.ts';

const PROGRAMS = scaled({ tiny: 20, normal: 100, full: 2000 });
const KEEP = 9;

let foreign = 0;

/** Two players push a ball; who shoots makes another. Part of the state lies outside the world. */
const duel = defineSimulation({
  name: 'duel',
  tickRateHz: 60,
  capacity: 64,
  components: { position: vec2(), speed: vec2() },
  globals: { shots: 'u32' },
  publish: ['position'],
  inputs: {
    push: { as: 'state', x: 'f32', y: 'f32' },
    shot: { as: 'event', player: 'u32' },
  },
  foreign: {
    save: () => Uint8Array.of(foreign & 255, foreign >>> 8),
    restore: (bytes) => {
      foreign = (bytes[0] as number) + 256 * (bytes[1] as number);
    },
    hash: () => foreign,
  },
  setup({ world }) {
    foreign = 0;
    world.spawn({ position: 0, speed: 1 });
  },
  systems: [
    {
      name: 'move',
      writes: ['position', 'speed'],
      run({ world, columns: { position, speed }, inputs, globals, random }) {
        for (const i of world.live()) {
          for (let k = 2 * i; k < 2 * i + 2; k++) {
            speed[k] = Math.fround((speed[k] as number) * 0.98 + inputs.push.x);
            position[k] = (position[k] as number) + (speed[k] as number) + inputs.push.y;
          }
        }
        for (const { player } of inputs.shot) {
          globals.shots++;
          foreign = (foreign + player) & 0xffff;
          if (world.count < 60) world.spawn({ position: random.nextFloat01(), speed: player });
          else world.despawn(world.entityAt(random.nextRange(0, 60)));
        }
      },
    },
  ],
});

/** Its input is whole: a fraction is boxed where a system sees it. */
const wheel = defineSimulation({
  name: 'wheel',
  tickRateHz: 60,
  capacity: 1,
  components: { angle: scalar() },
  publish: [],
  inputs: { turn: { as: 'state', by: 'i32' } },
  setup({ world }) {
    world.spawn({ angle: 0 });
  },
  systems: [
    {
      name: 'turn',
      writes: ['angle'],
      run({ columns: { angle }, inputs }) {
        angle[0] = ((angle[0] as number) + inputs.turn.by) % 360;
      },
    },
  ],
});

interface Given {
  readonly tick: number;
  readonly push?: { readonly x: number; readonly y: number };
  readonly shot?: { readonly player: number };
}

/** The hashes of a run that has every input in time. */
async function straight(ticks: number, given: readonly Given[]): Promise<string[]> {
  const run = await openRollback(duel, { seed: 3, keepTicks: 1 });
  const hashes = [run.stateHash()];
  for (let tick = 1; tick <= ticks; tick++) {
    for (const { tick: at, ...inputs } of given) if (at === tick) run.give(tick, inputs);
    run.advance();
    hashes.push(run.stateHash());
  }
  run.close();
  return hashes;
}

interface Program {
  readonly ticks: number;
  readonly given: readonly (Given & { readonly lateBy: number })[];
}

function makeProgram(seed: number): Program {
  const dice = new Dice(seed);
  const ticks = 20 + dice.below(40);
  const given: (Given & { lateBy: number })[] = [];
  for (let tick = 1; tick <= ticks; tick++) {
    const lateBy = dice.below(KEEP + 4) - 3;
    // Few values, so that what comes late is often what was there.
    const push = { x: dice.below(3) / 8, y: dice.below(2) };
    if (dice.oneIn(3)) given.push({ tick, lateBy, push });
    if (dice.oneIn(3)) given.push({ tick, lateBy, shot: { player: dice.below(9) } });
  }
  return { ticks, given };
}

async function lastState({ ticks, given }: Program): Promise<string | undefined> {
  const inTime: Given[] = [];
  for (const { lateBy: _, ...one } of given) inTime.push(one);
  return (await straight(ticks, inTime))[ticks];
}

async function withLateInputs({ ticks, given }: Program): Promise<string> {
  const run = await openRollback(duel, { seed: 3, keepTicks: KEEP });
  for (let tick = 1; tick <= ticks + KEEP; tick++) {
    const due = given.filter((one) => Math.max(1, one.tick + one.lateBy) === tick);
    for (const { tick: at, lateBy: _, ...inputs } of due) expect(run.give(at, inputs)).toBe(true);
    if (tick <= ticks) run.advance();
    else run.settle();
  }
  const hash = run.stateHash();
  run.close();
  return hash;
}

/** Guesses inputs in time, and puts the right ones in their place once they come. */
async function withGuesses({ ticks, given }: Program, dice: Dice): Promise<string> {
  const run = await openRollback(duel, { seed: 3, keepTicks: KEEP });
  const lateBy = Array.from({ length: ticks + 1 }, () => dice.below(KEEP));
  for (let now = 1; now <= ticks + KEEP; now++) {
    const isGuess = now <= ticks && dice.oneIn(2);
    if (isGuess) run.give(now, { push: { x: dice.below(3) / 8, y: dice.below(2) } });
    if (isGuess && dice.oneIn(3)) run.give(now, { shot: { player: 1 } });
    for (let tick = Math.max(1, now - KEEP); tick <= Math.min(now, ticks); tick++) {
      if (tick + (lateBy[tick] as number) !== now) continue;
      run.withdraw(tick);
      for (const { tick: at, lateBy: _, ...inputs } of given) if (at === tick) run.give(at, inputs);
    }
    if (now <= ticks) run.advance();
    else run.settle();
  }
  const hash = run.stateHash();
  run.close();
  return hash;
}

/** Sixteen digits, as `stateHash` writes them. */
function hexOf(words: Uint32Array): string {
  return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
}

describe('a run that takes inputs late', () => {
  it('is the run that had them in time', async () => {
    const seeds: number[] = [];
    underSeed((dice) => {
      for (let k = 0; k < PROGRAMS; k++) seeds.push(dice.word());
    });
    // One after the other: what lies outside the world is there once.
    for (const seed of seeds) {
      const program = makeProgram(seed);
      const late = await withLateInputs(program);
      expect({ seed, hash: late }).toEqual({ seed, hash: await lastState(program) });
    }
  });

  it('is that run where guesses were made, right or wrong, and taken back', async () => {
    const seeds: number[] = [];
    underSeed((dice) => {
      for (let k = 0; k < PROGRAMS; k++) seeds.push(dice.word());
    });
    for (const seed of seeds) {
      const program = makeProgram(seed);
      const guessed = await withGuesses(program, new Dice(seed));
      expect({ seed, hash: guessed }).toEqual({ seed, hash: await lastState(program) });
    }
  });

  it('makes nothing again where a guess was right', async () => {
    const run = await openRollback(duel, { seed: 3 });
    run.give(2, { push: { x: 1, y: 0 } });
    for (let tick = 1; tick <= 6; tick++) run.advance();
    // Each of these was in force already: given, held, or from the start.
    for (const tick of [2, 3, 6]) run.give(tick, { push: { x: 1, y: 0 } });
    run.give(1, { push: { x: 0, y: 0 } });
    run.withdraw(1);
    run.withdraw(5);
    expect(run.settle()).toBe(0);
    // What was given once more holds on its own: tick 3 no longer follows from tick 2.
    run.give(2, { push: { x: 0, y: 1 } });
    expect(run.settle()).toBe(5);
    const given = [
      { tick: 2, push: { x: 0, y: 1 } },
      { tick: 3, push: { x: 1, y: 0 } },
    ];
    expect(run.stateHash()).toBe((await straight(6, given))[6]);
    run.withdraw(3);
    expect(run.settle()).toBe(4);
    run.close();
  });

  it('tells the hash of each state that it keeps, and goes on as before', async () => {
    const late = [{ tick: 5, push: { x: 1, y: 0 }, shot: { player: 2 } }];
    const expected = await straight(8, late);
    const run = await openRollback(duel, { seed: 3, keepTicks: 4 });
    for (let tick = 1; tick <= 7; tick++) run.advance();
    run.give(5, { push: { x: 1, y: 0 }, shot: { player: 2 } });
    const out = new Uint32Array(2);
    const hashes = (): (string | undefined)[] =>
      Array.from({ length: 9 }, (_, tick) => (run.readHash(tick, out) ? hexOf(out) : undefined));
    // Ticks 5 to 7 have to be made again; those up to 2 are no longer kept.
    const [, , , third, fourth] = expected;
    const none = undefined;
    expect(hashes()).toEqual([none, none, none, third, fourth, none, none, none, none]);
    run.settle();
    expect(hashes()).toEqual([none, none, none, ...expected.slice(3, 8), none]);
    for (const tick of [-1, 3.5, Number.NaN]) expect(run.readHash(tick, out)).toBe(false);
    expect(() => run.readHash(7, new Uint32Array(1))).toThrow('VALUE_INVALID');
    expect(run.advance()).toBe(0);
    expect(run.stateHash()).toBe(expected[8]);
    run.close();
  });

  it('says how many ticks it made again, and makes none without a reason', async () => {
    const run = await openRollback(duel, { keepTicks: 4 });
    for (let tick = 1; tick <= 10; tick++) expect(run.advance()).toBe(0);
    expect(run.give(8, { shot: { player: 1 } })).toBe(true);
    expect(run.settle()).toBe(3);
    expect(run.settle()).toBe(0);
    expect(run.give(7, { push: { x: 1, y: 0 } })).toBe(true);
    expect(run.advance()).toBe(4);
    run.close();
  });

  it('takes back what was only a guess', async () => {
    const expected = await straight(8, [{ tick: 5, push: { x: 1, y: 0 } }]);
    const run = await openRollback(duel, { seed: 3 });
    run.give(4, { push: { x: 9, y: 9 }, shot: { player: 3 } });
    for (let tick = 1; tick <= 8; tick++) run.advance();
    run.withdraw(4);
    run.give(5, { push: { x: 1, y: 0 } });
    expect(run.settle()).toBe(5);
    expect(run.stateHash()).toBe(expected[8]);
    run.close();
  });

  it('refuses what comes too late or too early, and what is no input', async () => {
    const run = await openRollback(duel, { keepTicks: 3 });
    for (let tick = 1; tick <= 5; tick++) run.advance();
    const hash = run.stateHash();
    expect(run.oldestTick).toBe(3);
    for (const tick of [2, 0, -1, 9, 1.5, Number.NaN]) {
      expect(run.give(tick, { shot: { player: 1 } })).toBe(false);
    }
    expect(() => run.give(5, { shot: { player: Number.NaN } })).toThrow('VALUE_INVALID');
    expect(() => run.give(5, { jump: {} } as never)).toThrow('NAME_UNKNOWN');
    const half = { push: { x: 1, y: 1 }, shot: { player: Number.NaN } };
    expect(() => run.give(5, half)).toThrow('VALUE_INVALID');
    run.give(4, { push: { x: 0, y: 0 }, shot: { player: 0 } });
    run.withdraw(4);
    expect(run.settle()).toBe(2);
    expect(run.stateHash()).toBe(hash);
    await expect(openRollback(duel, { keepTicks: 0 })).rejects.toThrow('OPTION_INVALID');
    run.close();
  });

  it('keeps a copy of a foreign state that is a view of living memory', async () => {
    const living = new Uint8Array(4);
    const definition = defineSimulation({
      name: 'living',
      tickRateHz: 60,
      capacity: 1,
      components: { at: vec2() },
      publish: ['at'],
      inputs: { add: { as: 'event', n: 'u32' } },
      foreign: {
        save: () => living.subarray(1, 2),
        restore: (bytes) => living.set(bytes, 1),
        hash: () => living[1] as number,
      },
      systems: [
        {
          name: 'count',
          run: ({ inputs }) => {
            living[1] = (living[1] as number) + 1;
            for (const { n } of inputs.add) living[1] = (living[1] as number) + n;
          },
        },
      ],
    });
    const run = await openRollback(definition);
    for (let tick = 1; tick <= 5; tick++) run.advance();
    run.give(3, { add: { n: 10 } });
    run.settle();
    expect(living[1]).toBe(15);
    run.close();
  });

  it('is without inputs the run of anybody else', async () => {
    const headless = await openHeadless(duel, { maxTicks: 30, pacing: 'fast', seed: 3 });
    const { stateHash } = await headless.run();
    expect((await straight(30, []))[30]).toBe(stateHash);
  });

  it('leaves nothing on the heap when it goes back each tick', async () => {
    const run = await openRollback(wheel, { keepTicks: KEEP });
    for (let tick = 1; tick <= KEEP; tick++) run.advance();
    const [one, other] = [{ turn: { by: 1 } }, { turn: { by: 2 } }];
    const out = new Uint32Array(2);
    const left = bytesLeft(scaled({ tiny: 500, normal: 2000, full: 5000 }), () => {
      run.advance();
      run.give(run.tick - 2, run.tick % 2 === 0 ? one : other);
      run.settle();
      run.withdraw(run.tick - 1);
      run.readHash(run.tick - 3, out);
    });
    expect(left).toBe(0);
    run.close();
  });
});
