import { describe, expect, test } from 'vitest';
import { formatHealth, type HealthCheck } from '../../src/cli/health.ts';
import { checkNode } from '../../src/cli/machine-health.ts';
import { judgePage } from '../../src/cli/page-health.ts';

const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

function judge(
  headers: Readonly<Record<string, string>>,
  url = 'https://example.org/',
  status = 200,
): HealthCheck[] {
  return judgePage({ url, status, header: (name) => headers[name] ?? null });
}

/** Names what is missing, needed or not. */
function missing(checks: readonly HealthCheck[], needed = true): string[] {
  return checks.filter((check) => !check.ok && check.needed === needed).map(({ name }) => name);
}

describe('a page', () => {
  test.each([
    ['both headers', ISOLATED],
    ['reports', { ...ISOLATED, 'cross-origin-opener-policy': 'same-origin; report-to="x"' }],
    ['credentialless', { ...ISOLATED, 'cross-origin-embedder-policy': 'credentialless' }],
  ])('with %s lacks nothing', (_, headers) => {
    expect(missing(judge(headers))).toEqual([]);
  });

  test.each([
    ['no opener policy', { 'cross-origin-opener-policy': '' }, 'Cross-Origin-Opener-Policy'],
    [
      'another opener policy',
      { 'cross-origin-opener-policy': 'same-origin-allow-popups' },
      'Cross-Origin-Opener-Policy',
    ],
    [
      'an embedder policy that allows all',
      { 'cross-origin-embedder-policy': 'unsafe-none' },
      'Cross-Origin-Embedder-Policy',
    ],
    [
      'a policy that forbids it',
      { 'permissions-policy': 'camera=(), cross-origin-isolated=()' },
      'Permissions-Policy',
    ],
  ])('with %s is told which one', (_, headers, name) => {
    const found = judge({ ...ISOLATED, ...headers });
    expect(missing(found)).toEqual([name]);
    expect(found.find((check) => check.name === name)?.fix).toMatch(/^(?:Send|Take) `/);
  });

  test.each([
    ['http://example.org/', ['secure context']],
    ['http://localhost:5173/', []],
    ['http://127.0.0.1/', []],
    ['http://[::1]:80/', []],
  ])('at %s lacks %j', (url, names) => {
    expect(missing(judge(ISOLATED, url))).toEqual(names);
  });

  test('that is not there is missing', () => {
    expect(missing(judge(ISOLATED, 'https://example.org/', 404))).toEqual(['page']);
  });

  test('may forbid WebAssembly, which costs speed alone', () => {
    const strict = { ...ISOLATED, 'content-security-policy': "default-src 'self'; img-src *" };
    expect(missing(judge(strict), false)).toContain('Content-Security-Policy');
    const lenient = { 'content-security-policy': "script-src 'self' 'wasm-unsafe-eval'" };
    expect(missing(judge({ ...ISOLATED, ...lenient }), false)).not.toContain(
      'Content-Security-Policy',
    );
  });

  test.each([
    "Script-Src 'self'",
    "script-src 'self' 'wasm-unsafe-eval', default-src 'self'",
    "img-src *, script-src 'none'",
  ])('may forbid it in other words: %s', (policy) => {
    const found = judge({ ...ISOLATED, 'content-security-policy': policy });
    expect(missing(found, false)).toContain('Content-Security-Policy');
  });
});

test.each([
  ['20.16.0', true],
  ['20.15.1', false],
  ['18.20.0', false],
  ['24.0.0', true],
])('Node %s: %s', (version, ok) => {
  expect(checkNode(version)).toMatchObject({ ok, needed: true, found: version });
});

test('what is missing is printed with what to do', () => {
  expect(formatHealth([checkNode('18.0.0'), checkNode('22.0.0')])).toBe(
    '  MISSING  Node: 18.0.0\n           Install Node 20.16 or newer.\n  ok       Node: 22.0.0\n',
  );
});
