import { afterEach, describe, expect, test } from 'vitest';
import type { StartOptions } from '../../src/main/index.ts';
import type { Instant } from '../../src/shared/instant.ts';
import type { LogRecord } from '../../src/shared/log.ts';
import {
  openStage,
  type Script,
  type Stage,
  type StageTypes,
  type StageView,
  VirtualClock,
} from '../render/stage.ts';

/**
 * The clock faults that broke others, by their number in the catalogue of cases (CLK n, SRV n), in
 * a whole simulation: what its driver, its publications and its views could bring back. Those that
 * the clock alone can are tested with it.
 */

const MS = 1e6;
const QUANTUM_MS = 1000 / 60;

let stage: Stage;
let records: LogRecord[];
/** The ticks that ran. */
let ran: number[];
afterEach(() => stage.close());

/** Opens a simulation at 0 ms whose body stands at the number of its tick. */
async function open(
  options: StartOptions<StageTypes> = {},
  script?: Script,
  clock?: VirtualClock,
): Promise<StageView> {
  records = [];
  ran = [];
  const moving: Script = (context) => {
    const { world, columns, tick } = context;
    if (tick === 0) world.spawn({ position: 0 });
    else ran.push(tick);
    columns.position[0] = tick;
    script?.(context);
  };
  const logs = { logLevel: 'warn', logSink: (record: LogRecord) => records.push(record) } as const;
  stage = await openStage(moving, { ...logs, ...options }, clock);
  return stage.openView();
}

/** Wakes the simulation at `ms`. Returns how many ticks ran there. */
function wakeAt(ms: number): number {
  const before = ran.length;
  stage.advanceTo(ms);
  return ran.length - before;
}

/** Where the body is shown now, with the tick and alpha that it is shown by. */
function look(view: StageView): { place: number; tick: number; alpha: number } {
  const frame = view.frame();
  const place = frame.blend('position')[0] as number;
  const { tick, alpha } = frame;
  frame.release();
  return { place, tick, alpha };
}

const count = (values: readonly number[], value: number): number =>
  values.filter((each) => each === value).length;

/** Ends the simulation, and returns what it warned of: log lines come by themselves, later. */
async function warningsOf(event: string): Promise<LogRecord['fields'][]> {
  await stage.close();
  return records.filter((each) => each.event === event).map(({ fields }) => fields);
}

const upTo = (end: number): number[] => Array.from({ length: end }, (_, i) => i + 1);

describe('slicing of wake-ups', () => {
  test('CLK 1: an excess in every 25th frame is one double step in 1250, and even', async () => {
    const view = await open();
    const doubles: number[] = [];
    let [ns, shown] = [0, 0];
    for (let frame = 1; frame <= 1250; frame++) {
      const length = 16_666_667 + (frame % 25 === 0 ? 333_333 : 0);
      ns += length;
      const ticks = wakeAt(ns / MS);
      expect(ticks).toBeGreaterThan(0);
      if (ticks === 2) doubles.push(frame);
      const { place } = look(view);
      // A single precision column has steps of 2^-13 at 1250.
      expect(place - shown).toBeLessThanOrEqual((length * 60) / 1e9 + 1e-4 + 2 ** -13);
      shown = place;
    }
    expect([doubles, ran]).toEqual([[1250], upTo(1251)]);
  });

  test('CLK 2: a 59.94 Hz display is shown a 60 Hz simulation at even speed', async () => {
    const view = await open();
    const doubles: number[] = [];
    let shown = 0;
    for (let frame = 1; frame <= 2100; frame++) {
      const ms = Math.floor((frame * 1001e6) / 60) / 1000 / 1000;
      if (wakeAt(ms) === 2) doubles.push(frame);
      const { place } = look(view);
      if (frame > 1) expect(Math.abs((place - shown) / 1.001 - 1)).toBeLessThan(0.001);
      shown = place;
    }
    expect([doubles, ran]).toEqual([[1001, 2001], upTo(2102)]);
  });

  const paces: readonly (readonly [string, (i: number) => number])[] = [
    ['30 Hz', (i) => (i * 1000) / 30],
    ['59.94 Hz', (i) => (i * 1001) / 60],
    ['60 Hz', (i) => (i * 1000) / 60],
    ['144 Hz', (i) => (i * 1000) / 144],
    ['240 Hz', (i) => (i * 1000) / 240],
    ['8 and 25 ms in turn', (i) => Math.floor(i / 2) * 33 + (i % 2) * 8],
  ];

  test('CLK 22: 10 s are 600 ticks and one state for every rhythm of wake-ups', async () => {
    const hashes = new Set<string>();
    for (const [name, at] of paces) {
      await open({ seed: 5 }, ({ columns, tick }) => {
        columns.heading[0] = (columns.heading[0] as number) * 0.75 + tick;
      });
      const histogram = [0, 0, 0, 0];
      for (let i = 1; at(i) < 10_000; i++) {
        // Rounded down: a wake-up before its time runs nothing.
        const ticks = wakeAt(Math.floor(at(i) * MS) / MS);
        histogram[ticks] = (histogram[ticks] as number) + 1;
      }
      wakeAt(10_000);
      expect([name, ran.length, stage.sim.stats().ticksDropped]).toEqual([name, 600, 0]);
      const { tick, hash } = await stage.sim.stateHash();
      expect(tick).toBe(600);
      hashes.add(hash);
      await stage.close();
    }
    expect(hashes.size).toBe(1);
  });

  test('CLK 25: 240 Hz frames see twelve even alphas between two ticks of 20 Hz', async () => {
    const view = await open({ tickRateHz: 20 });
    const alphas: number[][] = [];
    for (let i = 1; i < 240; i++) {
      wakeAt(Math.ceil((i * 1e9) / 240) / MS);
      const { tick, alpha } = look(view);
      (alphas[tick] ??= []).push(alpha * 65_536);
    }
    for (const raws of alphas.slice(1)) {
      expect(raws).toHaveLength(12);
      for (const [i, raw] of raws.entries()) {
        expect(Math.abs(raw - (i * 65_536) / 12)).toBeLessThanOrEqual(1);
      }
    }
    expect(alphas).toHaveLength(20);
  });

  test('CLK 26: timers of 15.625 ms lose no tick', async () => {
    await open();
    const ticks = upTo(640).map((i) => wakeAt(i * 15.625));
    expect([count(ticks, 0), count(ticks, 1), ran]).toEqual([40, 600, upTo(600)]);
  });
});

describe('overload', () => {
  test('CLK 10: of a stall of 5 s the cap runs; the rest is dropped, with a warning', async () => {
    await open();
    expect(wakeAt(5000)).toBe(8);
    expect(stage.sim.stats().ticksDropped).toBe(292);
    expect(wakeAt(5000 + QUANTUM_MS)).toBe(1);
    expect(ran).toEqual(upTo(9));
    expect(await warningsOf('tick_dropped')).toEqual([
      { dropped: 292, after_tick: 8, total_dropped: 292, max_ticks_per_advance: 8 },
    ]);
  });

  test('CLK 11: a page hidden for 120 s drops 7192 ticks, and shows the newest then', async () => {
    const view = await open();
    expect(wakeAt(120_000)).toBe(8);
    expect(stage.sim.stats().ticksDropped).toBe(7192);
    expect(look(view)).toMatchObject({ place: 7, tick: 8, alpha: 0 });
  });

  test('CLK 11: paused while hidden nothing is dropped, and the picture goes on', async () => {
    const view = await open();
    for (const ms of [20, 40, 45]) wakeAt(ms);
    const { place, alpha } = look(view);
    await stage.sim.clock.pause();
    expect(wakeAt(60_000)).toBe(0);
    stage.clock.toMs(120_045);
    await stage.sim.clock.resume();
    expect(look(view)).toEqual({ place, alpha, tick: 2 });
    expect(wakeAt(120_045 + QUANTUM_MS)).toBe(1);
    expect(stage.sim.stats()).toMatchObject({ ticksDropped: 0, worldTime: 3 / 60 });
  });

  test.each([
    [4, false, 8, 232],
    [4, true, 32, 208],
    [0.25, false, 8, 7],
  ])(
    'CLK 13: at speed %s (cap scales: %s) a stall of 1 s runs %i and drops %i',
    async (speed, capScalesWithRate, steps, dropped) => {
      await open({ speed, capScalesWithRate });
      expect(wakeAt(1000)).toBe(steps);
      expect(stage.sim.stats().ticksDropped).toBe(dropped);
    },
  );

  test('CLK 20: each tick of a long frame takes one quantum, and they are in order', async () => {
    const lengths: number[] = [];
    await open({}, (context) => {
      if (context.tick > 0) lengths.push((context as unknown as { readonly dt: number }).dt);
    });
    expect(wakeAt(66.7)).toBe(4);
    expect([ran, lengths]).toEqual([upTo(4), upTo(4).map(() => 1 / 60)]);
    expect(stage.sim.stats().worldTime).toBe(4 / 60);
  });

  test('SRV 152: ticks of 20 ms at 20 Hz do not shift the ones after them', async () => {
    const clock = { own: undefined as VirtualClock | undefined };
    await open({ tickRateHz: 20 }, ({ tick }) => {
      if (tick > 0 && clock.own !== undefined) clock.own.ns += 20 * MS;
    });
    clock.own = stage.clock;
    for (;;) {
      const due = stage.clock.ns + Math.ceil(stage.runDue() * MS);
      if (due > 70_000 * MS) break;
      stage.clock.ns = due;
    }
    expect([ran.length, stage.sim.stats().ticksDropped]).toEqual([1400, 0]);
  });

  test('SRV 155: after 335 ms at 20 Hz 6 ticks run, in one publication, 285 ms late', async () => {
    const view = await open({ tickRateHz: 20 });
    wakeAt(0);
    expect([wakeAt(335), look(view).tick]).toEqual([6, 6]);
    expect(stage.sim.stats().latenessMax).toBeCloseTo(285, 3);
    expect(wakeAt(350)).toBe(1);
  });

  test('SRV 155: of 12 ticks due after 600 ms a cap of 10 runs 10 and names the rest', async () => {
    await open({ tickRateHz: 20, maxTicksPerAdvance: 10 });
    expect(wakeAt(600)).toBe(10);
    expect(await warningsOf('tick_dropped')).toEqual([
      { dropped: 2, after_tick: 10, total_dropped: 2, max_ticks_per_advance: 10 },
    ]);
  });
});

/** A clock that has run for long before the start. */
class LateClock extends VirtualClock {
  readonly #baseSeconds: number;

  constructor(baseSeconds: number) {
    super();
    this.#baseSeconds = baseSeconds;
  }

  override read(out: Instant): Instant {
    super.read(out).seconds += this.#baseSeconds - 1000;
    return out;
  }
}

describe('readings', () => {
  test.each([
    ['2^31 ms', 2_147_483, 648],
    ['2^53 ns', 9_007_199, 254],
  ])('CLK 7: past %s nothing goes back, and alpha is exact', async (_what, seconds, ms) => {
    const base = seconds - 1;
    const view = await open({ tickRateHz: 1000 }, undefined, new LateClock(base));
    // From 5 ms before that reading to 10 ms after it; and from the start to there, quickly.
    const from = 1000 + ms - 5;
    for (let i = 1; i < from; i += 7) wakeAt(i);
    wakeAt(from);
    for (let i = from + 1; i <= from + 15; i++) {
      expect(wakeAt(i)).toBe(1);
      stage.clock.toMs(i + 0.25);
      expect(look(view)).toMatchObject({ tick: i, alpha: 0.25, place: i - 1 + 0.25 });
    }
    expect(ran).toEqual(upTo(from + 15));
    expect(await warningsOf('clock_backward')).toEqual([]);
  });

  test('CLK 8: readings from before the start have no time, and one warning says so', async () => {
    const view = await open();
    stage.clock.toMs(0);
    const seen = [-1.3, 15.4, 32].map((ms) => [wakeAt(ms), look(view).alpha]);
    expect(seen).toEqual([
      [0, 0],
      [0, 0],
      [1, expect.closeTo(0.92, 6)],
    ]);
    expect(await warningsOf('clock_backward')).toEqual([{ count: 1 }]);
  });

  test('CLK 23: a clock that is set back costs one frame, and nothing moves back', async () => {
    const view = await open();
    let shown = 0;
    const ticks = [0, 16.7, 33.4, -5000, 50].map((ms) => {
      const here = wakeAt(ms);
      const { place, alpha } = look(view);
      expect(alpha >= 0 && alpha <= 1).toBe(true);
      if (ms >= 0) expect(place).toBeGreaterThanOrEqual(shown);
      shown = Math.max(shown, place);
      return here;
    });
    expect([ticks, ran]).toEqual([[0, 1, 1, 0, 1], upTo(3)]);
    expect(await warningsOf('clock_backward')).toEqual([{ count: 1 }]);
  });
});

describe('speed and pause', () => {
  test('CLK 14: at speed 3/2 frames of a quantum run 1, 2, 1, 2 ticks, each once', async () => {
    await open({ tickRateHz: 35, speed: 1.5 });
    const ticks = upTo(70).map((i) => wakeAt(Math.ceil((i * 1e9) / 35) / MS));
    expect(ticks).toEqual(upTo(70).map((i) => (i % 2 === 1 ? 1 : 2)));
    expect(ran).toEqual(upTo(105));
  });

  test('CLK 14: at speed 3/5 they run 0, 1, 0, 1, 1, and half a frame is alpha 0.3', async () => {
    const view = await open({ tickRateHz: 35, speed: 0.6 });
    const ticks = upTo(10).map((i) => wakeAt(Math.ceil((i * 1e9) / 35) / MS));
    expect(ticks).toEqual([0, 1, 0, 1, 1, 0, 1, 0, 1, 1]);
    wakeAt((10.5 * 1000) / 35);
    expect(look(view).alpha).toBeCloseTo(0.3, 6);
  });

  test('CLK 16: a pause holds before the next tick; steps run, two of one frame too', async () => {
    await open();
    for (let i = 1; i <= 10; i++) wakeAt(i * QUANTUM_MS + 1e-3);
    stage.clock.toMs(11 * QUANTUM_MS + 1e-3);
    const paused = stage.sim.clock.pause();
    stage.runDue();
    await paused;
    for (let i = 12; i <= 16; i++) expect(wakeAt(i * QUANTUM_MS)).toBe(0);
    expect(ran).toEqual(upTo(10));
    await stage.sim.clock.stepOnce();
    expect(ran).toEqual(upTo(11));
    await Promise.all([stage.sim.clock.stepOnce(), stage.sim.clock.stepOnce()]);
    expect(ran).toEqual(upTo(13));
  });

  test('CLK 17: a paused picture stands still bitwise, and goes on without a jump', async () => {
    const view = await open();
    for (const ms of [20, 35, 37.5]) wakeAt(ms);
    await stage.sim.clock.pause();
    const shown = look(view);
    expect(shown.alpha).toBeCloseTo(0.25, 6);
    for (let i = 1; i <= 100; i++) {
      wakeAt(37.5 + i * 30);
      expect(look(view)).toEqual(shown);
    }
    await stage.sim.clock.resume();
    wakeAt(3037.5 + 5);
    // 60 units a second: 5 ms are 0.3 units.
    expect(look(view).place - shown.place).toBeCloseTo(0.3, 6);
  });

  test('CLK 17: a pause and a resume within one frame change nothing', async () => {
    const seen: unknown[] = [];
    for (const toggles of [false, true]) {
      const view = await open();
      const frames = [];
      for (let i = 1; i <= 200; i++) {
        const ms = (i * 7_000_001) / MS;
        stage.clock.toMs(ms);
        if (toggles) {
          const both = [stage.sim.clock.pause(), stage.sim.clock.resume()];
          stage.runDue();
          await Promise.all(both);
        }
        frames.push([wakeAt(ms) >= 0, ran.length, look(view)]);
      }
      seen.push(frames);
      await stage.close();
    }
    expect(seen[1]).toEqual(seen[0]);
  });
});
