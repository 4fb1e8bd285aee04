import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ControlledSimulation } from '../../src/cli/controlled-simulation.ts';
import { KEYS } from '../../src/cli/control-keys.ts';
import { waitTick } from '../../src/cli/wait-tick.ts';
import { EscapementError } from '../../src/shared/error.ts';
import type { Message, RawSocket } from './raw-socket.ts';
import { Served } from './served.ts';

let served: Served;
let client: RawSocket;
beforeEach(async () => {
  served = await Served.open();
  client = await served.client();
});
afterEach(() => served.close());

describe('verbs on the clock', () => {
  test('pause, five steps, a seek and a resume do what they say', async () => {
    await client.result('pause');
    expect(await client.result('step', { count: 5 })).toMatchObject({
      firstTick: 0,
      steps: 5,
      dropped: 0,
      tick: 5,
      epoch: 1,
    });
    expect(await client.result('step')).toMatchObject({ firstTick: 5, steps: 1, tick: 6 });
    await client.result('seek', { tick: 1000 });
    expect(await client.result('status')).toMatchObject({ tick: 1000, epoch: 2, time: 10 });
    await client.result('resume');
    expect(await client.result('status')).toMatchObject({ mode: 'live', running: true });
  });

  test('advance runs what a wall time is worth and says what was dropped', async () => {
    expect(await client.result('advance', { wallSeconds: 0.06 })).toMatchObject({
      firstTick: 0,
      steps: 6,
      dropped: 0,
    });
    expect(await client.result('advance', { wallSeconds: 1 })).toMatchObject({
      firstTick: 6,
      steps: 8,
      dropped: 92,
    });
  });

  test('configure starts an epoch at tick 0 with what is given changed', async () => {
    await client.result('step', { count: 3 });
    await client.result('configure', {
      tickRateHz: 60,
      speed: 2,
      mode: 'lockstep',
      lockstepSteps: 4,
      maxTicksPerAdvance: 3,
      capScalesWithRate: true,
    });
    expect(await client.result('status')).toMatchObject({
      tick: 0,
      epoch: 2,
      fixedDt: 1 / 60,
      speed: 2,
      mode: 'lockstep',
      lockstepSteps: 4,
    });
    expect(await client.result('advance', { wallSeconds: 9 })).toMatchObject({ steps: 4 });
  });

  test('a figure that does not exist yet is null', async () => {
    expect(await client.result('status')).toHaveProperty('realizedSpeed', null);
    const { values } = await client.result('get', { keys: ['sim.realized_speed'] });
    expect(values).toEqual({ 'sim.realized_speed': null });
  });

  test.each<[string, Message, object]>([
    ['step', { count: 0 }, { code: 'VALUE_INVALID', allowed: 'an integer from 1 to 1000000' }],
    ['step', { count: 1.5 }, { code: 'VALUE_INVALID', given: '1.5' }],
    ['step', { count: '5' }, { code: 'VALUE_INVALID', given: '"5"' }],
    ['step', { counts: 5 }, { code: 'NAME_UNKNOWN', given: '"counts"' }],
    ['advance', {}, { code: 'VALUE_INVALID', given: 'nothing' }],
    ['advance', { wallSeconds: -1 }, { code: 'VALUE_INVALID', given: '-1' }],
    ['seek', { tick: -1 }, { code: 'VALUE_INVALID' }],
    ['configure', { fixedDt: 0.01, tickRateHz: 100 }, { code: 'OPTION_INVALID' }],
    ['configure', { fixedDt: 0.0123456789 }, { code: 'OPTION_INVALID' }],
    ['configure', { mode: 'fast' }, { code: 'VALUE_INVALID', given: '"fast"' }],
    ['get', { keys: ['sim.nothing'] }, { code: 'NAME_UNKNOWN', given: '"sim.nothing"' }],
    ['get', { keys: 'sim.tick' }, { code: 'VALUE_INVALID' }],
    ['set', { values: [] }, { code: 'VALUE_INVALID', given: 'an array of 0' }],
    ['telemetry', { rateHz: 1000 }, { code: 'VALUE_INVALID', allowed: 'a number from 0.1 to 120' }],
    ['unsubscribe', { subscription: 1 }, { code: 'NAME_UNKNOWN' }],
    ['stop', {}, { code: 'COMMAND_REFUSED', fix: 'Start it with --allow-stop.' }],
    ['toString', {}, { code: 'NAME_UNKNOWN', given: '"toString"' }],
  ])('%s %j is refused, says why, and changes nothing', async (verb, fields, error) => {
    const before = served.stage.status();
    const reply = await client.error(verb, fields);
    expect(reply).toMatchObject(error);
    expect(Object.keys(reply).sort()).toEqual(
      ['allowed', 'cause', 'code', 'fix', 'given', 'message'].sort(),
    );
    expect([reply['given'], reply['allowed'], reply['fix']]).not.toContain(null);
    expect(served.stage.status()).toEqual(before);
  });

  test('the end is announced, and what the clock refuses then is answered', async () => {
    served.stage.end();
    expect(await client.event()).toEqual({ event: 'ended', reason: 'stopped', error: null });
    expect(await client.error('pause')).toMatchObject({ code: 'STOPPED' });
    expect(await client.arrival()).toMatchObject({ kind: 'close', code: 1001 });
  });

  test('stop ends the simulation where it is allowed', async () => {
    let asked = 0;
    const other = await Served.open({
      stop: () => {
        asked++;
      },
    });
    expect(await (await other.client()).result('stop')).toEqual({});
    expect(asked).toBe(1);
    await other.close();
  });
});

describe('replies', () => {
  test('carry the id of their request, in the order of the requests', async () => {
    for (const id of [7, 'seven', 0]) client.send(JSON.stringify({ id, verb: 'step' }));
    const replies = [await client.message(), await client.message(), await client.message()];
    expect(replies.map(({ id }) => id)).toEqual([7, 'seven', 0]);
    expect(replies.map((reply) => (reply['result'] as Message)['tick'])).toEqual([1, 2, 3]);
  });

  test('show what the requests before them did, however long that takes', async () => {
    served.stage.commandMs = 20;
    client.send('{"id":1,"verb":"step","count":4}');
    client.send('{"id":2,"verb":"status"}');
    expect(await client.reply(1)).toMatchObject({ result: { tick: 4 } });
    expect(await client.reply(2)).toMatchObject({ result: { tick: 4 } });
  });

  test('refuse a binary frame, whatever it holds', async () => {
    client.sendFrame(2, Buffer.from('{"id":1,"verb":"step"}'));
    expect(await client.reply(null)).toMatchObject({
      ok: false,
      error: { given: 'a binary frame' },
    });
    expect(served.stage.status().tick).toBe(0);
  });

  test.each([
    [{ a: { b: 1 } }, 'an object'],
    [[[[1]]], 'an array of 1'],
    ['x'.repeat(60_000), `"${'x'.repeat(79)}...`],
    [null, 'null'],
  ])('never carry more of a value than fits a line', async (verb, given) => {
    client.send(JSON.stringify({ id: 1, verb }));
    const { error } = await client.reply(1);
    expect(error).toHaveProperty('given', given);
  });

  test.each([
    ['{"id":1,"verb":', 'no JSON', null],
    ['[1]', 'no JSON object', null],
    ['{"verb":"ping"}', 'no usable `id`', null],
    ['{"id":-1,"verb":"ping"}', 'no usable `id`', null],
    ['{"id":{},"verb":"ping"}', 'no usable `id`', null],
    ['{"id":5}', 'no `verb`', 5],
    ['{"id":5,"verb":"fly"}', 'no such verb', 5],
    ['{"id":5,"verb":"ping","__proto__":{}}', 'a field too many', 5],
  ])('to %s say what is wrong, and the connection goes on', async (text, message, id) => {
    client.send(text);
    const reply = await client.reply(id);
    expect(reply).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining(message) },
    });
    expect(await client.result('ping')).toEqual({});
  });

  test('two clients control the same clock', async () => {
    const other = await served.client();
    await client.result('set', { values: { 'sim.speed': 0.5, 'sim.step': 3 } });
    expect(await other.result('get', { keys: ['sim.speed', 'sim.step', 'sim.tick'] })).toEqual({
      values: { 'sim.speed': 0.5, 'sim.step': 3, 'sim.tick': 3 },
    });
  });
});

describe('waitTick', () => {
  /** Asks for a wait and lets a request behind it go through. */
  async function waiting(tick: number, timeoutMs?: number): Promise<() => Promise<Message>> {
    client.send(JSON.stringify({ id: 'wait', verb: 'waitTick', tick, timeoutMs }));
    await client.result('ping');
    return async () => (await client.reply('wait'))['result'] as Message;
  }

  test('resolves at once when the tick has been reached', async () => {
    await client.result('step', { count: 9 });
    expect(await client.result('waitTick', { tick: 9 })).toEqual({
      reason: 'reached',
      tick: 9,
      epoch: 1,
    });
  });

  test('resolves when others have stepped so far, and holds up nothing meanwhile', async () => {
    const reached = await waiting(10);
    const other = await served.client();
    await other.result('step', { count: 9 });
    await other.result('step', { count: 1 });
    expect(await reached()).toEqual({ reason: 'reached', tick: 10, epoch: 1 });
  });

  test('ends with its reason: time, a seek, a stop, a failure', async () => {
    expect(await client.result('waitTick', { tick: 1, timeoutMs: 20 })).toMatchObject({
      reason: 'timed-out',
    });
    const sought = await waiting(10);
    await served.stage.seekTick(100);
    expect(await sought()).toEqual({ reason: 'epoch-changed', tick: 100, epoch: 2 });
    const failed = await waiting(1000);
    served.stage.end(new EscapementError('SIMULATION_FAILED', 'It threw.'));
    expect(await failed()).toEqual({ reason: 'failed', tick: 100, epoch: 2 });
    expect(await client.event()).toMatchObject({
      event: 'ended',
      reason: 'failed',
      error: { code: 'SIMULATION_FAILED', message: 'It threw.' },
    });
  });
});

test('a wait ends when the epoch has changed between two looks at the clock', async () => {
  const { stage } = served;
  const looks = [
    { reason: 'changed', tick: 3, epoch: 1 },
    { reason: 'timed-out', tick: 3, epoch: 1 },
    { reason: 'changed', tick: 500, epoch: 2 },
  ] as const;
  let look = 0;
  const simulation: ControlledSimulation = {
    clock: stage,
    ended: stage.ended,
    waitForTickChange: async () => looks[look++] ?? fail(),
  };
  expect(await waitTick(simulation, 100, 60_000, () => true)).toEqual({
    reason: 'epoch-changed',
    tick: 500,
    epoch: 2,
  });
});

function fail(): never {
  throw new Error('it looked once more');
}

describe('subscriptions', () => {
  test('telemetry sends every key that was asked for, again and again', async () => {
    const { subscription, values } = await client.result('telemetry', {
      keys: ['sim.tick', 'sim.paused'],
      rateHz: 120,
    });
    expect(values).toEqual({ 'sim.tick': 0, 'sim.paused': false });
    await served.stage.advanceTicks(3);
    const event = await client.event();
    expect(event).toEqual({
      event: 'telemetry',
      subscription,
      values: { 'sim.tick': 3, 'sim.paused': false },
      skipped: 0,
    });
    expect(await client.event()).toEqual(event);
  });

  test('observe sends what changed, and nothing else', async () => {
    const { subscription } = await client.result('observe', { rateHz: 120 });
    await served.stage.advanceTicks(4);
    expect(await client.event()).toEqual({
      event: 'change',
      subscription,
      values: { 'sim.tick': 4, 'sim.time': 0.04 },
      skipped: 0,
    });
    await client.result('pause');
    expect(await client.event()).toMatchObject({ values: { 'sim.paused': true } });
    // Several periods in which nothing changes.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await client.result('ping');
    expect(client.events).toEqual([]);
  });

  test('end when they are unsubscribed', async () => {
    const { subscription } = await client.result('telemetry', { rateHz: 120 });
    await client.event();
    await client.result('unsubscribe', { subscription });
    client.events.length = 0;
    await new Promise((resolve) => setTimeout(resolve, 50));
    await client.result('ping');
    expect(client.events).toEqual([]);
    expect(await client.error('unsubscribe', { subscription })).toMatchObject({
      code: 'NAME_UNKNOWN',
    });
  });

  test('are refused beyond 16 on one connection', async () => {
    for (let i = 0; i < 16; i++) await client.result('observe', { keys: ['sim.mode'] });
    expect(await client.error('observe')).toMatchObject({ code: 'CAPACITY_EXHAUSTED' });
  });
});

test('every key can be read, in one reply', async () => {
  const { values } = await client.result('get');
  expect(Object.keys(values as object)).toEqual([...KEYS]);
});
