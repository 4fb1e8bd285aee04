import { afterEach, expect, test } from 'vitest';
import { RateLimit } from '../../src/cli/rate-limit.ts';
import { Subscription } from '../../src/cli/subscription.ts';
import type { RawSocket } from './raw-socket.ts';
import { Served, until } from './served.ts';

let served: Served | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

/** Sends so many requests whose replies are some hundred bytes each. */
function flood(client: RawSocket, requests: number): void {
  for (let id = 1; id <= requests; id++) client.send(`{"id":${id},"verb":"hello"}`);
}

test('requests above the rate are refused by a reply, and served again later', async () => {
  served = await Served.open({ limits: { requestsPerSecond: 50, pending: 1000 } });
  const client = await served.client();
  flood(client, 150);
  let refused = 0;
  for (let i = 0; i < 150; i++) {
    const reply = await client.message();
    if (reply['ok'] === true) continue;
    refused++;
    expect(reply['error']).toMatchObject({ code: 'CAPACITY_EXHAUSTED' });
  }
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThanOrEqual(50);
  const end = performance.now() + 5000;
  while ((await client.request('ping'))['ok'] !== true) {
    expect(performance.now()).toBeLessThan(end);
  }
});

test('a client that goes on although it is refused is closed by 4429', async () => {
  served = await Served.open({ limits: { requestsPerSecond: 1, refusals: 20 } });
  const client = await served.client();
  flood(client, 60);
  let last = await client.arrival();
  while (last.kind === 'text') last = await client.arrival();
  expect(last).toMatchObject({ kind: 'close', code: 4429 });
});

test('a client that awaits too many replies is refused, and no one else is', async () => {
  served = await Served.open({ limits: { pending: 3 } });
  const [client, other] = [await served.client(), await served.client()];
  for (let id = 101; id <= 103; id++) client.send(`{"id":${id},"verb":"waitTick","tick":5}`);
  expect(await client.error('ping')).toMatchObject({ code: 'CAPACITY_EXHAUSTED' });
  expect(await other.result('step', { count: 5 })).toMatchObject({ tick: 5 });
  for (let id = 101; id <= 103; id++) {
    expect(await client.reply(id)).toMatchObject({ result: { reason: 'reached' } });
  }
  expect(await client.result('ping')).toEqual({});
});

test('a client that does not read is dropped, and no one else is', async () => {
  served = await Served.open({ limits: { requestsPerSecond: 1e6, pending: 1e6 } });
  const [client, other] = [await served.client(), await served.client()];
  client.socket.pause();
  flood(client, 60_000);
  await until('it is dropped', () => served?.server.clientCount === 1, 20_000);
  expect(await other.result('ping')).toEqual({});
});

test('a subscription without room leaves values out, counts them, sends the latest', async () => {
  const pushed: object[] = [];
  let [room, tick, asked] = [false, 0, 0];
  const subscription = new Subscription({
    id: 3,
    keys: ['sim.tick'],
    rateHz: 120,
    changesOnly: false,
    read: () => ({ 'sim.tick': tick }),
    hasRoom: () => {
      asked++;
      if (asked === 6) room = true;
      tick = 100 * asked;
      return room;
    },
    push: (message) => pushed.push(message),
  });
  await until('two were sent', () => pushed.length === 2);
  subscription.close();
  const event = { event: 'telemetry', subscription: 3 };
  expect(pushed).toEqual([
    { ...event, values: { 'sim.tick': 600 }, skipped: 5 },
    { ...event, values: { 'sim.tick': 700 }, skipped: 0 },
  ]);
});

test('a subscription whose clock has ended goes silent and hurts nobody', async () => {
  const pushed: object[] = [];
  let reads = 0;
  const subscription = new Subscription({
    id: 1,
    keys: ['sim.tick'],
    rateHz: 120,
    changesOnly: false,
    read: () => {
      reads++;
      if (reads > 2) throw new Error('it has ended');
      return { 'sim.tick': 1 };
    },
    hasRoom: () => true,
    push: (message) => pushed.push(message),
  });
  await until('it was read in vain', () => reads === 3);
  await new Promise((resolve) => setTimeout(resolve, 50));
  subscription.close();
  expect([reads, pushed.length]).toEqual([3, 1]);
});

test('a rate limit lets through its rate as long as it is asked, and a burst of twice that', () => {
  const limit = new RateLimit(10, 0);
  const taken = (fromMs: number, toMs: number): number => {
    let count = 0;
    for (let now = fromMs; now < toMs; now++) if (limit.tryTake(now)) count++;
    return count;
  };
  expect(taken(0, 10_000)).toBe(20 + 100 - 1);
  // A clock that goes back earns nothing.
  expect(limit.tryTake(0)).toBe(false);
});
