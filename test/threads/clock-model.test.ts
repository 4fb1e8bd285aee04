import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ClockConfig, type ClockMode, startSimulation } from 'escapement';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { quantumOf, type QuantumOptions } from '../../src/shared/rational.ts';
import { resolveSpeed } from '../../src/shared/speed.ts';
import { scaled } from '../scaled.ts';
import { ClockModel } from '../shared/clock-model.ts';
import { Fraction } from '../shared/exact.ts';
import { builtModule } from './built-worker.ts';
import type { ProbeSimulation } from './tier.ts';
import type { Answer, Call } from './workers/clock-caller.ts';
import type { Probe } from './workers/probe.sim.ts';

/** Threads that call; the first two use their control, all three their follower. */
const THREADS = 3;
const CAP = 8;

const fixedDt = fc.constantFrom(0.01, 0.02, 1 / 60, 0.1);
const mode = fc.constantFrom<ClockMode>('live', 'paused', 'stepping', 'lockstep', 'replay');
const seconds = fc.oneof(
  fc.constantFrom(0, 1 / 60, 1 / 30, 0.01, 0.06),
  fc.double({ min: 0, max: 0.5, noNaN: true }),
);
const speed = fc.constantFrom(0, 0.5, 1, 1.5, 2, 4);

const valued = <K extends string>(
  kind: K,
  value: fc.Arbitrary<number>,
): fc.Arbitrary<{ kind: K; value: number }> => fc.record({ kind: fc.constant(kind), value });

/** A call of the clock: any of its verbs. */
const clockCall: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const, 'stepOnce' as const) }),
  fc.record({ kind: fc.constant('setMode' as const), mode }),
  { weight: 3, arbitrary: valued('advance', seconds) },
  { weight: 2, arbitrary: valued('advanceTicks', fc.integer({ min: 1, max: 12 })) },
  valued('setSpeed', speed),
  valued('setLockstepSteps', fc.integer({ min: 1, max: 5 })),
  valued('setCap', fc.integer({ min: 1, max: 12 })),
  valued('seekTick', fc.oneof(fc.nat(50), fc.integer({ min: 0, max: 2 ** 40 }))),
  fc.record({
    kind: fc.constant('configure' as const),
    config: fc.record<ClockConfig>({ fixedDt, lockstepSteps: fc.integer({ min: 1, max: 5 }) }),
  }),
);

const followerCall: fc.Arbitrary<Call> = fc.oneof(
  valued('open', fc.integer({ min: 1, max: 8 })),
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('take' as const) }) },
  fc.record({ kind: fc.constantFrom('publish' as const, 'publish' as const, 'close' as const) }),
);

/** Who calls what: -1 is the host's own control. */
const event = fc.oneof(
  fc.tuple(fc.integer({ min: -1, max: 1 }), clockCall),
  fc.tuple(fc.integer({ min: 0, max: THREADS - 1 }), followerCall),
);

/** A follower as anybody would write it down: the ticks it has yet to see. */
class NaiveFollower {
  readonly period: number;
  epoch: number;
  /** Boundaries that fell due and were not taken; those that were, but are not published. */
  due: number[] = [];
  open = 0;

  constructor(period: number, epoch: number) {
    this.period = period;
    this.epoch = epoch;
  }

  take(epoch: number): number[] {
    const taken = this.due;
    if (epoch !== this.epoch) this.open = 0;
    this.epoch = epoch;
    this.due = [];
    this.open += taken.length;
    return taken;
  }
}

/** The clock and its followers, on one thread and without any memory to share. */
class Model {
  readonly clock: ClockModel;
  readonly followers: (NaiveFollower | undefined)[] = [];

  constructor() {
    this.clock = new ClockModel(quantumOf({ fixedDt: 0.01 }), CAP, false);
  }

  /** Obeys a call of the clock. Returns what an advance comes to. */
  obey(call: Call): readonly [firstTick: number, steps: number, dropped: number] | undefined {
    const { clock } = this;
    switch (call.kind) {
      case 'pause':
        clock.change(0n, 'paused', undefined);
        return undefined;
      case 'resume':
        clock.change(0n, 'live', undefined);
        return undefined;
      case 'setMode':
        clock.change(0n, call.mode, undefined);
        return undefined;
      case 'setSpeed': {
        const quantum = quantumOf({ fixedDt: 0.01 });
        const { numerator, denominator } = resolveSpeed(call.value, quantum) as typeof quantum;
        const exact = new Fraction(BigInt(numerator), BigInt(denominator));
        clock.change(0n, undefined, exact);
        return undefined;
      }
      case 'setLockstepSteps':
        clock.setLockstepSteps(call.value);
        return undefined;
      case 'setCap':
        clock.setCap(call.value);
        return undefined;
      case 'seekTick':
        clock.seek(0n, call.value);
        this.#forgetDue();
        return undefined;
      case 'configure': {
        const { fixedDt: dt, lockstepSteps } = call.config;
        clock.reconfigure(0n, quantumOf({ fixedDt: dt } as QuantumOptions), lockstepSteps);
        this.#forgetDue();
        return undefined;
      }
      case 'stepOnce':
        return this.#run(clock.planTicks(1));
      case 'advanceTicks':
        return this.#run(clock.planTicks(call.value));
      case 'advance':
        return this.#run(clock.planDelta(call.value));
      default:
        throw new Error(`${call.kind} is no call of a clock`);
    }
  }

  /** What was due in an epoch is void in the next one. */
  #forgetDue(): void {
    for (const follower of this.followers) {
      if (follower !== undefined) follower.due = [];
    }
  }

  #run(planned: number): readonly [number, number, number] {
    const { clock, followers } = this;
    const firstTick = clock.tick;
    for (let i = 0; i < planned; i++) {
      clock.complete();
      for (const follower of followers) {
        if (follower !== undefined && clock.tick % follower.period === 0) {
          follower.due.push(clock.tick);
        }
      }
    }
    return [firstTick, planned, clock.settle()];
  }

  /** Obeys a call of a follower. Returns what was taken. */
  follow(index: number, call: Call): number[] | undefined {
    const { epoch } = this.clock;
    const follower = this.followers[index];
    if (call.kind === 'open') this.followers[index] = new NaiveFollower(call.value, epoch);
    if (call.kind === 'close') this.followers[index] = undefined;
    if (call.kind === 'publish' && follower !== undefined) follower.open = 0;
    return call.kind === 'take' ? (follower?.take(epoch) ?? []) : undefined;
  }

  /** Steps that the followers lack, by their period; those of another epoch lack Infinity. */
  lacking(): [period: number, steps: number][] {
    return this.followers
      .filter((each) => each !== undefined)
      .map(({ period, epoch, open, due }): [number, number] => [
        period,
        epoch === this.clock.epoch ? open + due.length : Number.POSITIVE_INFINITY,
      ])
      .filter(([, steps]) => steps > 0);
  }
}

const byNumbers = ([k, n]: [number, number], [l, m]: [number, number]): number =>
  k === l ? (n === m ? 0 : n - m) : k - l;

let sim: ProbeSimulation;
const workers: Worker[] = [];

beforeAll(async () => {
  sim = await startSimulation<Probe>(() => new Worker(builtModule('probe.sim')), {
    logLevel: 'off',
    drivenBy: 'host',
    fixedDt: 0.01,
    maxTicksPerAdvance: CAP,
  });
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.terminate()));
  await sim.stop();
});

/** Lets a thread make a call, and waits for its answer. */
async function call(index: number, each: Call): Promise<Answer> {
  const worker = workers[index] as Worker;
  const answered = once(worker, 'message');
  worker.postMessage(each);
  const [answer] = (await answered) as [Answer];
  expect(answer.refused).toBe(undefined);
  return answer;
}

async function callHost(each: Call): Promise<Answer['result']> {
  const { clock } = sim;
  if (each.kind === 'setMode') await clock.setMode(each.mode);
  else if (each.kind === 'configure') await clock.configure(each.config);
  else if (each.kind === 'stepOnce') return clock.stepOnce();
  else if (each.kind === 'advance' || each.kind === 'advanceTicks') {
    return clock[each.kind](each.value);
  } else if ('value' in each) {
    await (clock as unknown as Record<string, (value: number) => Promise<void>>)[each.kind]?.(
      each.value,
    );
  } else await (each.kind === 'pause' ? clock.pause() : clock.resume());
  return undefined;
}

/** Sets the simulation back to where the model begins; the workers stay. */
async function reset(model: Model): Promise<number> {
  for (let i = 0; i < THREADS; i++) await call(i, { kind: 'close' });
  await sim.clock.configure({
    fixedDt: 0.01,
    speed: 1,
    maxTicksPerAdvance: CAP,
    lockstepSteps: 1,
    mode: 'live',
  });
  return sim.clock.status().epoch - model.clock.epoch;
}

test('any calls from several threads come to what a naive clock of one thread says', async () => {
  for (let i = 0; i < THREADS; i++) {
    workers.push(new Worker(builtModule('clock-caller'), { workerData: sim.share() }));
  }
  const check = async (events: [number, Call][]): Promise<void> => {
    const model = new Model();
    const epochsBefore = await reset(model);
    for (const [thread, each] of events) {
      const isFollowers = ['open', 'close', 'take', 'publish'].includes(each.kind);
      const answer = thread < 0 ? undefined : await call(thread, each);
      if (isFollowers) {
        expect(answer?.taken).toEqual(model.follow(thread, each));
      } else {
        const result = thread < 0 ? await callHost(each) : answer?.result;
        const got = result && [result.firstTick, result.steps, result.dropped];
        expect(got).toEqual(model.obey(each));
      }
      const { tick, epoch, dropped } = answer?.status ?? sim.clock.status();
      expect([tick, epoch - epochsBefore, dropped]).toEqual([
        model.clock.tick,
        model.clock.epoch,
        Number(model.clock.ticksDropped),
      ]);
      const { behind } = await sim.waitCaughtUp({ timeoutMs: 0 });
      const lacking = behind.map(({ period, steps }): [number, number] => [period, steps]);
      expect(lacking.sort(byNumbers)).toEqual(model.lacking().sort(byNumbers));
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 25 }), check), {
    numRuns: scaled({ tiny: 40, normal: 1000, full: 10_000 }),
  });
});
