import type { AdvanceResult, ClockConfig, ClockControl } from '../shared/clock-control.ts';
import { DELTA_MAX_S } from '../shared/clock-options.ts';
import { SEEK_TICK_MAX, STEP_TICKS_MAX } from '../shared/command.ts';
import { EscapementError } from '../shared/error.ts';
import { givenQuantum } from '../shared/rational.ts';
import { MODE_CODES } from '../shared/record.ts';
import { SPEED_MAX } from '../shared/speed.ts';
import { type ControlKeys, type Key, KEYS } from './control-keys.ts';
import { CONTROL_PROTOCOL } from './control-protocol.ts';
import type { ControlledSimulation } from './controlled-simulation.ts';
import { type FieldReader, refusal } from './field-reader.ts';
import { printValue } from './printed-value.ts';
import { waitTick } from './wait-tick.ts';

/** What one connection asks for, as its verbs see it. */
export interface VerbContext {
  readonly simulation: ControlledSimulation;
  readonly keys: ControlKeys;
  /** Ends the simulation; absent unless the command line allows it. */
  readonly stop: (() => void) | undefined;
  isOpen(): boolean;
  subscribe(keys: readonly Key[], rateHz: number, changesOnly: boolean): number;
  /** Returns whether there was such a subscription. */
  unsubscribe(id: number): boolean;
}

/** One verb: the fields it takes and what it does. Its result is what the reply carries. */
export interface Verb {
  readonly fields: readonly string[];
  /** Whether the requests behind it go on while it waits. */
  readonly waits?: boolean;
  run(context: VerbContext, fields: FieldReader): unknown;
}

const WAIT_MS_MAX = 3_600_000;

/** Every verb by name; docs/control-protocol.md has the same table. */
export const VERBS: Readonly<Record<string, Verb>> = {
  // The token was looked at before any verb runs.
  hello: {
    fields: ['token'],
    run: () => ({ protocol: CONTROL_PROTOCOL, keys: KEYS, verbs: Object.keys(VERBS) }),
  },
  ping: { fields: [], run: () => ({}) },
  status: { fields: [], run: ({ simulation }) => ({ ...simulation.clock.status() }) },
  get: {
    fields: ['keys'],
    run: ({ keys }, fields) => ({ values: keys.read(fields.names('keys', KEYS)) }),
  },
  set: { fields: ['values'], run: setKeys },
  observe: {
    fields: ['keys', 'rateHz'],
    run: (context, fields) => subscribe(context, fields, 30, true),
  },
  telemetry: {
    fields: ['keys', 'rateHz'],
    run: (context, fields) => subscribe(context, fields, 10, false),
  },
  unsubscribe: { fields: ['subscription'], run: unsubscribe },
  pause: { fields: [], run: ({ simulation }) => nothing(simulation.clock.pause()) },
  resume: { fields: [], run: ({ simulation }) => nothing(simulation.clock.resume()) },
  step: {
    fields: ['count'],
    run: ({ simulation: { clock } }, fields) =>
      advanced(clock, clock.advanceTicks(fields.integer('count', 1, STEP_TICKS_MAX, 1))),
  },
  advance: {
    fields: ['wallSeconds'],
    run: ({ simulation: { clock } }, fields) =>
      advanced(clock, clock.advance(fields.number('wallSeconds', 0, DELTA_MAX_S))),
  },
  seek: {
    fields: ['tick'],
    run: ({ simulation: { clock } }, fields) =>
      nothing(clock.seekTick(fields.integer('tick', 0, SEEK_TICK_MAX))),
  },
  configure: {
    fields: [
      'fixedDt',
      'tickRateHz',
      'speed',
      'maxTicksPerAdvance',
      'capScalesWithRate',
      'lockstepSteps',
      'mode',
    ],
    run: ({ simulation }, fields) => nothing(simulation.clock.configure(readConfig(fields))),
  },
  waitTick: {
    fields: ['tick', 'timeoutMs'],
    waits: true,
    run: (context, fields) =>
      waitTick(
        context.simulation,
        fields.integer('tick', 0, Number.MAX_SAFE_INTEGER),
        fields.number('timeoutMs', 0, WAIT_MS_MAX, 10_000),
        () => context.isOpen(),
      ),
  },
  stop: { fields: [], run: stop },
};

/** Returns a verb by name, else throws NAME_UNKNOWN. */
export function findVerb(name: string): Verb {
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (verb !== undefined) return verb;
  throw new EscapementError('NAME_UNKNOWN', 'There is no such verb.', {
    given: printValue(name),
    allowed: Object.keys(VERBS).join(', '),
    fix: 'See docs/control-protocol.md.',
  });
}

async function nothing(done: Promise<void>): Promise<object> {
  await done;
  return {};
}

/** Adds where the clock stands now to what an advance did. */
async function advanced(clock: ClockControl, done: Promise<AdvanceResult>): Promise<object> {
  const { firstTick, steps, dropped, alpha } = await done;
  const { tick, epoch } = clock.status();
  return { firstTick, steps, dropped, alpha, tick, epoch };
}

async function setKeys({ keys }: VerbContext, fields: FieldReader): Promise<object> {
  const values = fields.raw('values');
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw refusal('values', values, 'an object of keys and their values');
  }
  await keys.write(values as Readonly<Record<string, unknown>>);
  return { values: keys.read(Object.keys(values) as Key[]) };
}

function subscribe(
  context: VerbContext,
  fields: FieldReader,
  rateHz: number,
  changesOnly: boolean,
): object {
  const keys = fields.names('keys', KEYS);
  const rate = fields.number('rateHz', 0.1, 120, rateHz);
  const subscription = context.subscribe(keys, rate, changesOnly);
  return { subscription, values: context.keys.read(keys) };
}

function unsubscribe(context: VerbContext, fields: FieldReader): object {
  const id = fields.integer('subscription', 1, Number.MAX_SAFE_INTEGER);
  if (context.unsubscribe(id)) return {};
  throw new EscapementError('NAME_UNKNOWN', 'There is no such subscription.', {
    given: String(id),
    allowed: 'the number that observe or telemetry answered on this connection',
    fix: 'Unsubscribe once, on the connection that subscribed.',
  });
}

/** Reads what is given, so that whatever is refused changes nothing. */
function readConfig(fields: FieldReader): ClockConfig {
  const config: { -readonly [K in keyof ClockConfig]: ClockConfig[K] } = {};
  if (fields.has('fixedDt')) config.fixedDt = fields.number('fixedDt', 0.001, 10);
  if (fields.has('tickRateHz')) config.tickRateHz = fields.number('tickRateHz', 0.1, 1000);
  givenQuantum(config);
  if (fields.has('speed')) config.speed = fields.number('speed', 0, SPEED_MAX);
  if (fields.has('maxTicksPerAdvance')) {
    config.maxTicksPerAdvance = fields.integer('maxTicksPerAdvance', 1, STEP_TICKS_MAX);
  }
  if (fields.has('capScalesWithRate')) {
    config.capScalesWithRate = fields.boolean('capScalesWithRate');
  }
  if (fields.has('lockstepSteps')) {
    config.lockstepSteps = fields.integer('lockstepSteps', 1, STEP_TICKS_MAX);
  }
  if (fields.has('mode')) config.mode = fields.choice('mode', MODE_CODES);
  return config;
}

function stop({ stop: end }: VerbContext): object {
  if (end !== undefined) {
    end();
    return {};
  }
  throw new EscapementError('COMMAND_REFUSED', 'This simulation is not to be stopped from here.', {
    given: 'stop',
    allowed: 'any other verb',
    fix: 'Start it with --allow-stop.',
  });
}
