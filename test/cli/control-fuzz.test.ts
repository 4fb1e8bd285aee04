import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERBS } from '../../src/cli/control-verbs.ts';
import { KEYS } from '../../src/cli/control-keys.ts';
import { scaled } from '../scaled.ts';
import type { Arrival, RawSocket } from './raw-socket.ts';
import { Served, TOKEN } from './served.ts';

let served: Served;
let witness: RawSocket;
beforeAll(async () => {
  served = await Served.open({ limits: { requestsPerSecond: 1e6, refusals: 1e9 } });
  witness = await served.client();
});
afterAll(() => served.close());

const runs = scaled({ tiny: 100, normal: 1000, full: 20_000 });

/** Requests that are nearly right: known names with any values. */
const nearlyRequest = fc.record(
  {
    id: fc.oneof(fc.nat(), fc.jsonValue()),
    verb: fc.oneof(
      fc.constantFrom(...Object.keys(VERBS).filter((verb) => verb !== 'waitTick')),
      fc.jsonValue(),
    ),
    token: fc.jsonValue(),
    keys: fc.oneof(fc.array(fc.constantFrom(...KEYS)), fc.jsonValue()),
    values: fc.oneof(fc.dictionary(fc.constantFrom(...KEYS), fc.jsonValue()), fc.jsonValue()),
    count: fc.oneof(fc.integer({ min: -1, max: 50 }), fc.jsonValue()),
    tick: fc.oneof(fc.integer(), fc.jsonValue()),
    wallSeconds: fc.oneof(fc.double(), fc.jsonValue()),
    rateHz: fc.jsonValue(),
    subscription: fc.jsonValue(),
    fixedDt: fc.oneof(fc.double(), fc.jsonValue()),
    tickRateHz: fc.oneof(fc.double(), fc.jsonValue()),
    speed: fc.oneof(fc.double(), fc.jsonValue()),
    mode: fc.oneof(fc.constantFrom('live', 'paused', 'replay'), fc.jsonValue()),
  },
  { requiredKeys: ['id', 'verb'] },
);

/** Drops fields at random, so that some requests are right. */
const request = fc
  .tuple(nearlyRequest, fc.array(fc.nat({ max: 20 }), { maxLength: 14 }))
  .map(([whole, left]) => {
    const entries = Object.entries(whole).filter(([name], i) => name === 'id' || left.includes(i));
    return JSON.stringify(Object.fromEntries([...entries, ['verb', whole.verb]]));
  });

const anyText = fc.oneof(
  request,
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.nat({ max: 20_000 }).map((depth) => '['.repeat(depth)),
  fc.nat({ max: 9000 }).map((depth) => `{"id":1,"verb":${'['.repeat(depth)}${']'.repeat(depth)}}`),
);

async function settle(client: RawSocket): Promise<Arrival> {
  for (;;) {
    const arrival = await client.arrival();
    const isEvent = arrival.kind === 'text' && arrival.text.startsWith('{"event"');
    if (!isEvent) return arrival;
  }
}

/** A client that was not thrown at is served as before. */
async function checkAlive(): Promise<void> {
  expect(await witness.result('ping')).toEqual({});
}

test('any text is answered: by its reply, an error, or a close code', async () => {
  let client = await served.client();
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      client.send(text);
      const arrival = await settle(client);
      if (arrival.kind === 'text') {
        const reply = JSON.parse(arrival.text) as Record<string, unknown>;
        expect(Object.keys(reply)).toEqual(['id', 'ok', reply['ok'] === true ? 'result' : 'error']);
        if (reply['ok'] === false) {
          const { code, message } = reply['error'] as Record<string, unknown>;
          expect(code).toMatch(/^[A-Z_]+$/);
          expect(code).not.toBe('INTERNAL');
          expect(message).toMatch(/\.$/);
        }
      } else {
        expect(arrival).toMatchObject({ kind: 'close' });
        client.destroy();
        client = await served.client();
      }
      await checkAlive();
    }),
    { numRuns: runs },
  );
  client.destroy();
});

test('any frame is answered by an error or a close code, and hurts nobody else', async () => {
  const frame = fc.record({
    opcode: fc.constantFrom(0, 1, 2, 3, 7, 8, 11, 15),
    payload: fc.uint8Array({ maxLength: 300 }),
    masked: fc.boolean(),
    final: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(frame, async ({ opcode, payload, masked, final }) => {
      const client = await served.client();
      client.sendFrame(opcode, Buffer.from(payload), masked, final);
      // What is not whole yet is answered once it is: a message cannot begin inside of another.
      if (!final) client.send('{}');
      const arrival = await settle(client);
      expect(['text', 'close']).toContain(arrival.kind);
      if (arrival.kind === 'text') expect(arrival.text).toContain('"ok":false');
      client.destroy();
      await checkAlive();
    }),
    { numRuns: Math.ceil(runs / 4) },
  );
});

test('any bytes in place of frames hurt nobody else, with and without the token', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 2000 }),
      fc.boolean(),
      async (bytes, admitted) => {
        const client = admitted ? await served.client() : await served.accepted();
        client.sendBytes(Buffer.from(bytes));
        client.socket.end();
        for (;;) {
          const arrival = await client.arrival();
          if (arrival.kind === 'end') break;
          if (arrival.kind === 'text') expect(arrival.text).toContain('"ok":false');
        }
        await checkAlive();
      },
    ),
    { numRuns: Math.ceil(runs / 4) },
  );
});

test('any first message but the right one leaves the clock alone', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const before = served.stage.status();
      const client = await served.accepted();
      client.send(text);
      client.send('{"id":1,"verb":"step"}');
      expect(JSON.parse(((await client.arrival()) as { text: string }).text)).toMatchObject({
        ok: false,
      });
      expect(await client.arrival()).toMatchObject({ kind: 'close', code: 4401 });
      client.destroy();
      expect(served.stage.status()).toEqual(before);
    }),
    { numRuns: Math.ceil(runs / 4) },
  );
});

test('a message of 64 KiB is read, one byte more is closed by 1009', async () => {
  const padded = (bytes: number): string => `{"id":1,"verb":"ping"${' '.repeat(bytes - 22)}}`;
  const client = await served.client();
  client.send(padded(65_536));
  expect(await client.reply(1)).toMatchObject({ ok: true });
  client.send(padded(65_537));
  expect(await client.arrival()).toMatchObject({ kind: 'close', code: 1009 });
  client.destroy();
});

test('a message in a hundred parts is read as one', async () => {
  const client = await served.accepted();
  const text = JSON.stringify({ id: 1, verb: 'hello', token: TOKEN });
  for (let i = 0; i < text.length; i++) {
    client.sendFrame(i === 0 ? 1 : 0, Buffer.from(text.charAt(i)), true, i === text.length - 1);
  }
  expect(await client.reply(1)).toMatchObject({ ok: true });
  client.destroy();
});
