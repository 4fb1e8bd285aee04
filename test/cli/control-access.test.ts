import { afterEach, describe, expect, test } from 'vitest';
import { ControlServer } from '../../src/cli/control-server.ts';
import { ClockStage } from './clock-stage.ts';
import { Served, TOKEN, until } from './served.ts';

let served: Served;
afterEach(() => served.close());

const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

describe('a client with the token', () => {
  test.each([
    ['in the header', { headers: bearer(TOKEN) }],
    ['in the address', { path: `/?token=${TOKEN}` }],
    ['in the address, from a page', { path: `/?token=${TOKEN}`, headers: { Origin: 'http://x' } }],
  ])('%s is served at once', async (_, options) => {
    served = await Served.open();
    const client = await served.accepted(options);
    expect(await client.result('status')).toMatchObject({ tick: 0, mode: 'live' });
  });

  test('in its first message is served from then on', async () => {
    served = await Served.open();
    const client = await served.accepted();
    const hello = await client.result('hello', { token: TOKEN });
    expect(hello['protocol']).toBe('escapement.control.1');
    expect(await client.result('ping')).toEqual({});
  });
});

describe('a client without the token', () => {
  test.each([
    ['another one in the header', { headers: bearer('another-token-xx') }],
    ['half of it', { headers: bearer(TOKEN.slice(0, 8)) }],
    ['more than it', { headers: bearer(`${TOKEN}x`) }],
    ['an empty one', { path: '/?token=' }],
    ['another one in the address', { path: '/?token=another' }],
    ['another kind of authorisation', { headers: { Authorization: `Basic ${TOKEN}` } }],
  ])('is refused before the handshake: %s', async (_, options) => {
    served = await Served.open();
    expect(await served.refused(options)).toMatchObject({ status: 401 });
    expect(served.server.clientCount).toBe(0);
  });

  test.each([
    ['another token', { id: 1, verb: 'hello', token: 'another-token-xx' }],
    ['no token', { id: 1, verb: 'hello' }],
    ['another type of token', { id: 1, verb: 'hello', token: [TOKEN] }],
    ['the token in another verb', { id: 1, verb: 'pause', token: TOKEN }],
    ['a verb', { id: 1, verb: 'pause' }],
  ])('is answered and closed by 4401, and nothing was done: %s', async (_, message) => {
    served = await Served.open();
    const client = await served.accepted();
    client.send(JSON.stringify(message));
    client.send(JSON.stringify({ id: 2, verb: 'hello', token: TOKEN }));
    const reply = await client.reply(1);
    expect(reply).toMatchObject({ ok: false, error: { code: 'COMMAND_REFUSED' } });
    expect(await client.arrival()).toMatchObject({ kind: 'close', code: 4401 });
    expect(served.stage.status().mode).toBe('live');
  });

  test('is closed when it says nothing in time', async () => {
    served = await Served.open({ limits: { tokenMs: 50 } });
    const client = await served.accepted();
    expect(await client.arrival()).toMatchObject({ kind: 'close', code: 4401 });
  });

  test('hears nothing of the end', async () => {
    served = await Served.open();
    const client = await served.accepted();
    served.stage.end();
    expect(await client.arrival()).toMatchObject({ kind: 'close', code: 1001 });
  });
});

describe('a page in a browser', () => {
  test.each([
    'http://evil.example',
    'null',
    'https://127.0.0.1:1',
    'http://localhost.evil.example',
  ])('of another origin is refused without the token: %s', async (origin) => {
    served = await Served.open();
    expect(await served.refused({ headers: { Origin: origin } })).toMatchObject({ status: 403 });
  });

  test('whose host is made to mean this machine is refused', async () => {
    served = await Served.open();
    const host = `evil.example:${served.server.port}`;
    const headers = { Origin: `http://${host}`, Host: host };
    expect(await served.refused({ headers })).toMatchObject({ status: 403 });
  });

  test('of this very server may say the token', async () => {
    served = await Served.open();
    const headers = { Origin: `http://localhost:${served.server.port}` };
    const client = await served.accepted({ headers });
    expect(await client.result('hello', { token: TOKEN })).toHaveProperty('verbs');
  });
});

describe('a handshake', () => {
  test.each([undefined, 'chat', 'escapement.control.2'])(
    'that offers the subprotocol %s is refused and told which one',
    async (protocol) => {
      served = await Served.open();
      const refusal = await served.refused({ protocol, headers: bearer(TOKEN) });
      expect(refusal.status).toBe(400);
      expect(refusal.body).toContain('escapement.control.1');
    },
  );

  test('for another path is refused', async () => {
    served = await Served.open();
    const options = { path: '/other', headers: bearer(TOKEN) };
    expect(await served.refused(options)).toMatchObject({ status: 404 });
  });

  test('beyond 16 connections is refused until one of them ends', async () => {
    served = await Served.open();
    const clients = await Promise.all(Array.from({ length: 16 }, () => served.client()));
    expect(await served.refused({ headers: bearer(TOKEN) })).toMatchObject({ status: 503 });
    clients[3]?.destroy();
    await until('one is gone', () => served.server.clientCount === 15);
    expect(await (await served.client()).result('ping')).toEqual({});
  });

  test('of a plain request is answered with 426', async () => {
    served = await Served.open();
    const response = await fetch(`http://127.0.0.1:${served.server.port}/`);
    expect(response.status).toBe(426);
    expect(await response.text()).toContain('escapement.control.1');
  });
});

test('a port that is taken is refused with what to do', async () => {
  served = await Served.open();
  const { port } = served.server;
  const options = { simulation: new ClockStage(), host: '127.0.0.1', port, token: TOKEN };
  const cause: unknown = await ControlServer.open(options).catch((error: unknown) => error);
  expect(cause).toMatchObject({ code: 'OPTION_INVALID', detail: { given: `127.0.0.1:${port}` } });
});

test('a connection that does not answer pings is ended, one that does stays', async () => {
  served = await Served.open({ limits: { pingMs: 300 } });
  const [dead, alive] = [await served.client(), await served.client()];
  dead.answersPings = false;
  const listening = alive.arrival();
  expect(await dead.arrival()).toEqual({ kind: 'end' });
  await until('it is forgotten', () => served.server.clientCount === 1);
  alive.send(JSON.stringify({ id: 'x', verb: 'ping' }));
  expect(await listening).toEqual({ kind: 'text', text: '{"id":"x","ok":true,"result":{}}' });
});
