import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ClockCommands } from '../../src/shared/clock-commands.ts';
import type { AdvanceResult, ClockConfig } from '../../src/shared/clock-control.ts';
import type { ClockMode } from '../../src/shared/clock-options.ts';
import { createAnchor } from '../../src/shared/anchor.ts';
import { COMMAND, COMMAND_RESULT, type CommandOutcome } from '../../src/shared/command.ts';
import { CommandSender } from '../../src/shared/command-sender.ts';
import { createInstant } from '../../src/shared/instant.ts';
import { computeLayout, type RegionOptions } from '../../src/shared/layout.ts';
import { PROTOCOL_VERSION } from '../../src/shared/protocol.ts';
import { quantumOf } from '../../src/shared/rational.ts';
import { createRegion } from '../../src/shared/region.ts';
import { openSignal } from '../../src/shared/region-signal.ts';
import { HEADER } from '../../src/shared/words.ts';
import { WorldClock } from '../../src/shared/world-clock.ts';
import { defineSimulation, scalar } from '../../src/sim-worker/index.ts';
import { buildRun, type Run } from '../../src/sim-worker/run.ts';
import { VirtualClock } from '../render/stage.ts';
import { scaled } from '../scaled.ts';

/*
 * The clock as its controllers drive it, against a bare world clock that is given the same calls at
 * the same readings: ticks, drops, epochs and alpha agree after every command, whoever sent it.
 */

const CONTROLLERS = 3;

const OPTIONS: RegionOptions = {
  readers: 1,
  controllers: CONTROLLERS,
  followers: 0,
  commandWords: 256,
  inputWords: 64,
  eventWords: 64,
  logWords: 1024,
  traceWords: 1024,
};

const counting = defineSimulation({
  tickRateHz: 60,
  capacity: 1,
  components: { place: scalar('f64') },
  globals: { ticks: 'u32' },
  publish: ['place'],
  setup: ({ world }) => void world.spawn({ place: 0 }),
  systems: [
    {
      name: 'count',
      writes: ['place'],
      run({ columns, globals, dt }) {
        globals.ticks++;
        columns.place[0] = (columns.place[0] as number) + dt;
      },
    },
  ],
});

interface Bench {
  readonly clock: VirtualClock;
  readonly run: Run;
  readonly controls: readonly ClockCommands[];
  readonly senders: readonly CommandSender[];
  readonly begin: () => Promise<unknown>;
  /** Lets the driver see what was sent, at the present reading. */
  readonly serve: () => void;
}

async function open(hostDriven: boolean): Promise<Bench> {
  const clock = new VirtualClock();
  const region = createRegion(computeLayout(counting.schema, OPTIONS), true);
  const config = {
    version: PROTOCOL_VERSION,
    run: 1,
    tier: 'shared' as const,
    options: OPTIONS,
    layoutHash: [region.layout.hashHigh, region.layout.hashLow] as const,
    sharingNonce: 1,
    quantum: counting.schema.quantum,
    params: {},
    seed: [0, 0] as const,
    speed: 1,
    mode: 'live' as const,
    lockstepSteps: 1,
    maxTicksPerAdvance: 8,
    capScalesWithRate: false,
    hostDriven,
    logLevel: 'off' as const,
    development: false,
    profile: false,
  };
  const run = await buildRun(counting, config, clock, region, () => undefined);
  const sequence = openSignal(region, HEADER.sequence);
  const wake = openSignal(region, HEADER.wake);
  const senders = region.layout.controllers.map(
    (block) => new CommandSender(region, block, sequence, wake),
  );
  const now = createInstant();
  return {
    clock,
    run,
    senders,
    controls: senders.map(
      (sender) =>
        new ClockCommands(
          () => ({ region, sender }),
          () => region,
        ),
    ),
    begin: () => (senders[0] as CommandSender).send(COMMAND.begin),
    serve: () => run.driver.runDue(clock.read(now)),
  };
}

type Call =
  | readonly ['wait', number]
  | readonly ['mode', ClockMode]
  | readonly ['resume']
  | readonly ['steps', number]
  | readonly ['advance', number]
  | readonly ['speed', number]
  | readonly ['lockstep steps', number]
  | readonly ['cap', number, boolean | undefined]
  | readonly ['seek', number]
  | readonly ['configure', ClockConfig];

const mode = fc.constantFrom<ClockMode>('live', 'paused', 'stepping', 'lockstep', 'replay');
const speed = fc.constantFrom(0, 0.25, 1, 1.5, 2, 30);
const call: fc.Arbitrary<Call> = fc.oneof(
  fc.tuple(fc.constant('wait' as const), fc.nat(400_000_000)),
  fc.tuple(fc.constant('mode' as const), mode),
  fc.tuple(fc.constant('resume' as const)),
  fc.tuple(fc.constant('steps' as const), fc.integer({ min: 1, max: 5 })),
  fc.tuple(fc.constant('advance' as const), fc.double({ min: 0, max: 0.3, noNaN: true })),
  fc.tuple(fc.constant('speed' as const), speed),
  fc.tuple(fc.constant('lockstep steps' as const), fc.integer({ min: 1, max: 4 })),
  fc.tuple(
    fc.constant('cap' as const),
    fc.integer({ min: 1, max: 9 }),
    fc.option(fc.boolean(), { nil: undefined }),
  ),
  fc.tuple(fc.constant('seek' as const), fc.nat(1000)),
  fc.tuple(
    fc.constant('configure' as const),
    fc.record(
      {
        fixedDt: fc.constantFrom(0.01, 1 / 60, 1 / 120),
        speed,
        maxTicksPerAdvance: fc.integer({ min: 1, max: 9 }),
        capScalesWithRate: fc.boolean(),
        lockstepSteps: fc.integer({ min: 1, max: 4 }),
        mode,
      },
      { requiredKeys: [] },
    ),
  ),
);

/** Makes a call on the reference; returns what an advance came to. */
function refer(clock: WorldClock, given: Call, bench: Bench): AdvanceResult | undefined {
  const now = bench.clock.read(createInstant());
  const [kind, value] = given;
  const finish = (planned: number): AdvanceResult => {
    const { firstTick } = clock;
    for (let i = 0; i < planned; i++) clock.complete();
    const dropped = clock.settle();
    const anchor = createAnchor();
    clock.anchor(anchor);
    const alpha = anchor.running ? clock.alphaAt(now) : anchor.alpha;
    return { firstTick, steps: clock.tick - firstTick, dropped, alpha };
  };
  switch (kind) {
    case 'steps':
      return finish(clock.planTicks(value));
    case 'advance':
      return finish(clock.planDelta(value));
    case 'mode':
      clock.setMode(value, now);
      break;
    case 'resume':
      clock.resume(now);
      break;
    case 'speed':
      clock.setSpeed(value, now);
      break;
    case 'lockstep steps':
      clock.setLockstepSteps(value);
      break;
    case 'cap':
      clock.setCap(value, given[2]);
      break;
    case 'seek':
      clock.seekTick(value, now);
      break;
    case 'configure': {
      const { fixedDt, tickRateHz: _, quantum: __, ...rest } = value;
      const changed = fixedDt === undefined ? {} : { quantum: quantumOf({ fixedDt }) };
      clock.reconfigure({ ...rest, ...changed }, now);
      break;
    }
    case 'wait':
      break;
  }
  return undefined;
}

function send(control: ClockCommands, given: Call): Promise<AdvanceResult | void> {
  const [kind, value] = given;
  switch (kind) {
    case 'wait':
      return Promise.resolve();
    case 'mode':
      return value === 'paused' ? control.pause() : control.setMode(value);
    case 'resume':
      return control.resume();
    case 'steps':
      return value === 1 ? control.stepOnce() : control.advanceTicks(value);
    case 'advance':
      return control.advance(value);
    case 'speed':
      return control.setSpeed(value);
    case 'lockstep steps':
      return control.setLockstepSteps(value);
    case 'cap':
      return control.setCap(value, given[2]);
    case 'seek':
      return control.seekTick(value);
    case 'configure':
      return control.configure(value);
  }
}

it('refuses what no sender would send, whoever sends it, and changes nothing', async () => {
  const { run, controls, senders, serve } = await open(true);
  const sender = senders[1] as CommandSender;
  const none = Number.NaN;
  const configure = (at: number, value: number): Promise<CommandOutcome> => {
    for (let i = 0; i < 7; i++) sender.double(i === at ? value : none);
    return sender.send(COMMAND.configure);
  };
  const control = controls[0] as ClockCommands;
  const before = control.status();
  const hostile: (() => Promise<CommandOutcome>)[] = [
    () => sender.word(99).send(COMMAND.setMode),
    () => sender.word(0).send(COMMAND.step),
    () => sender.word(1_000_001).send(COMMAND.step),
    () => sender.word(1_000_001).send(COMMAND.setLockstepSteps),
    () =>
      sender
        .word(2 ** 32 - 1)
        .word(2)
        .send(COMMAND.setCap),
    () => sender.double(-1).send(COMMAND.advance),
    () => sender.double(none).send(COMMAND.advance),
    () => sender.double(Number.MAX_SAFE_INTEGER).send(COMMAND.seek),
    () => sender.double(0.5).send(COMMAND.seek),
    () => sender.double(none).send(COMMAND.seek),
    () => configure(0, 7),
    () => configure(2, 1e9),
    () => configure(3, 1_000_001),
    () => configure(5, 1.5),
    () => configure(6, 99),
    () => sender.send(77),
  ];
  for (const [i, send] of hostile.entries()) {
    const answer = send();
    serve();
    expect([i, (await answer).code]).toEqual([i, COMMAND_RESULT.refused]);
  }
  expect(control.status()).toEqual(before);
  run.log.close();
});

it.each([false, true])(
  'ticks, drops, epochs and alpha are those of the clock (host drives: %s)',
  async (hostDriven) => {
    const calls = fc.array(fc.tuple(fc.nat(CONTROLLERS - 1), call), { maxLength: 40 });
    const property = fc.asyncProperty(calls, async (sequence) => {
      const bench = await open(hostDriven);
      const clock = new WorldClock({ quantum: counting.schema.quantum });
      const planByReading = (): void => {
        if (hostDriven) return;
        const planned = clock.plan(bench.clock.read(createInstant()));
        for (let i = 0; i < planned; i++) clock.complete();
        clock.settle();
      };
      const begun = bench.begin();
      bench.serve();
      await begun;
      planByReading();
      planByReading();
      for (const [controller, given] of sequence) {
        if (given[0] === 'wait') bench.clock.ns += given[1];
        const answer = send(bench.controls[controller] as ClockCommands, given);
        bench.serve();
        const result = await answer;
        const wanted = refer(clock, given, bench);
        planByReading();
        if (wanted !== undefined) expect(result).toEqual(wanted);
        const status = (bench.controls[0] as ClockCommands).status();
        const { tick, epoch, ticksDropped, lockstepSteps, quantum, worldTime } = clock;
        expect(status).toMatchObject({ tick, epoch, dropped: ticksDropped, lockstepSteps });
        expect(status).toMatchObject({ mode: clock.mode, speed: clock.speed, time: worldTime });
        expect(status.fixedDt).toBe(quantum.numerator / quantum.denominator);
        expect(status.realizedSpeed).toBe(clock.realizedSpeed());
        const anchor = createAnchor();
        clock.anchor(anchor);
        expect([status.running, status.alpha]).toEqual([anchor.running, anchor.alpha]);
        expect(bench.run.simulation.tick).toBe(tick);
      }
      bench.run.log.close();
    });
    await fc.assert(property, { numRuns: scaled({ tiny: 40, normal: 400, full: 50_000 }) });
  },
);
