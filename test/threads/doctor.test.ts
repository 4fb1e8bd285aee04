import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { command, endCommands } from './command-process.ts';

afterEach(endCommands);

describe('escapement doctor', () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/isolated') {
        response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
        response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
      }
      response.end('<!doctype html>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  test('finds that this machine is able', async () => {
    const run = command(['doctor', '--json']);
    expect(await run.code).toBe(0);
    const [health] = run.lines() as { ok: boolean; machine: { name: string; ok: boolean }[] }[];
    expect(health?.ok).toBe(true);
    const names = health?.machine.filter(({ ok }) => ok).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['Node', 'SharedArrayBuffer', 'tsx']));
  });

  test('judges the headers of a page', async () => {
    const good = command(['doctor', `${url}/isolated`]);
    expect([await good.code, good.out]).toEqual([
      0,
      expect.stringContaining('Nothing that is needed'),
    ]);
    const bare = command(['doctor', `${url}/bare`]);
    expect(await bare.code).toBe(1);
    expect(bare.out).toContain(
      'Missing: Cross-Origin-Opener-Policy, Cross-Origin-Embedder-Policy.\n',
    );
    expect(bare.out).toContain('Send `Cross-Origin-Opener-Policy: same-origin`');
  });
});
